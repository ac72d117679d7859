//! docs/log-format.md against logs that the library writes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::Arc;

use mnemon::clock::ManualClock;
use mnemon::compact::Reach;
use mnemon::embed::{BuiltIn, Embedder};
use mnemon::engine::{ImportItem, ImportOptions, Mnemon, NewSession};
use mnemon::memory::{Body, Draft, Forgotten, Kind, Link, Memory, Revision, Space, State};
use mnemon::session::SessionDetails;
use mnemon::store::local::log::Line;
use mnemon::store::{OnFull, RepairOptions};
use mnemon::{Caller, Config, Time};
use mnemon_testkit::sealed;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::{read, table_rows};

const DOCUMENT: &str = "docs/log-format.md";

/// A store in which everything happens that this release can write.
struct Desk {
    folder: tempfile::TempDir,
    engine: Mnemon,
    clock: ManualClock,
    user: Caller,
    space: Space,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = sealed::store(folder.path(), sealed::options(false));
        let clock = ManualClock::new("2026-01-10T14:23:45.678901Z".parse().unwrap());
        let random = || [0x5a; 10];
        let engine = Mnemon::new(Arc::new(store), Config::default())
            .with_sources(clock.clock(), Arc::new(random));
        Self {
            folder,
            engine,
            clock,
            user: Caller::user("anna"),
            space: "session/auth".parse().unwrap(),
        }
    }

    /// Every kind of line, and every member that a line can have.
    fn live(&self) {
        let details = SessionDetails {
            agents: vec!["architect".into()],
            project: Some("login".into()),
            tags: vec!["security".parse().unwrap()],
            ..SessionDetails::default()
        };
        let id = Some("auth".parse().unwrap());
        let new = NewSession { id, details };
        self.engine.create_session(&self.user, new).unwrap();
        self.keep(vec![plain("turn_1", Kind::Conversation, "Which flow?")]);
        self.keep(vec![everything()]);
        let decision = self.get("dec_1");
        let revision = Revision {
            importance: Some(0.9.try_into().unwrap()),
            ..Revision::default()
        };
        self.pass();
        self.engine
            .revise(&self.user, &decision, Some(1), revision)
            .unwrap();
        self.pass();
        let decision = [decision];
        self.engine
            .forget(&self.user, &decision, "decided again")
            .unwrap();
        self.pass();
        self.engine
            .unforget(&self.user, &decision, "it holds after all")
            .unwrap();
        self.get("dec_1");
        self.engine.flush(&self.user).unwrap();
        self.keep(vec![
            plain("fact_1", Kind::Fact, "Tokens live for 15 minutes."),
            plain(
                "fact_2",
                Kind::Fact,
                "Die Prüfung läuft über Nacht: 東京 🧠",
            ),
        ]);
        self.keep_something_sealed();
        self.bring_what_was_forgotten_elsewhere();
    }

    fn keep_something_sealed(&self) {
        let mut secret = plain("fact_4", Kind::Fact, "The code is 1234.");
        secret.sensitive = true;
        self.keep(vec![secret]);
        let revision = Revision {
            pinned: Some(true),
            ..Revision::default()
        };
        self.pass();
        let secret = self.get("fact_4");
        self.engine
            .revise(&self.user, &secret, Some(1), revision)
            .unwrap();
    }

    fn bring_what_was_forgotten_elsewhere(&self) {
        let before: Time = "2025-12-24T18:00:00Z".parse().unwrap();
        let item = ImportItem::Memory {
            line: 1,
            space: self.space.clone(),
            draft: Box::new(plain("fact_3", Kind::Fact, "It snows.")),
            state: State {
                forgotten: Some(Forgotten {
                    at: before,
                    by: "ben".into(),
                    reason: "it thaws".into(),
                    recover_until: before,
                }),
                ..State::default()
            },
            base: None,
        };
        self.pass();
        self.engine
            .import(
                &self.user,
                vec![item],
                ImportOptions::default(),
                &mut |_| {},
            )
            .unwrap();
    }

    fn keep(&self, drafts: Vec<Draft>) {
        self.pass();
        self.engine
            .remember_all(&self.user, &self.space, drafts, OnFull::Refuse)
            .unwrap();
    }

    fn get(&self, id: &str) -> Memory {
        self.engine.get(&self.user, id, None).unwrap()
    }

    fn pass(&self) {
        self.clock.advance(std::time::Duration::from_millis(61_007));
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("sessions/auth/memory.jsonl")).unwrap()
    }

    /// Edits the decision by hand and has the log written anew.
    fn edit_and_repair(&self) {
        let edited = self.log().replace("15 minutes", "20 minutes");
        fs::write(
            self.folder.path().join("sessions/auth/memory.jsonl"),
            edited,
        )
        .unwrap();
        let options = RepairOptions { accept_edits: true };
        self.engine
            .repair(&self.user, options, &mut |_| {})
            .unwrap();
    }
}

fn plain(id: &str, kind: Kind, text: &str) -> Draft {
    let mut draft = Draft::new(kind, text.parse().unwrap());
    draft.id = Some(id.parse().unwrap());
    draft
}

fn everything() -> Draft {
    let map = |value: Value| value.as_object().unwrap().clone();
    let mut draft = plain("dec_1", Kind::Decision, "Use the authorization code flow.");
    draft.author = Some("architect".parse().unwrap());
    draft.turn = Some("turn_1".parse().unwrap());
    draft.importance = 0.8.try_into().unwrap();
    draft.confidence = Some(0.95.try_into().unwrap());
    draft.tags = vec!["security.authentication".parse().unwrap()];
    draft.links = vec![Link::related("turn_1".parse().unwrap())];
    draft.pinned = true;
    let body = map(json!({"rationale": "Safest on servers", "reversible": false}));
    draft.body = Body::from_map(Kind::Decision, body).unwrap();
    draft.metadata = map(json!({"ticket": "SEC-7"}));
    draft.embedding = Some(vec![0.5; BuiltIn::new().dimension()]);
    draft.tokens = Some(7);
    draft.created_at = Some("2026-01-10T15:20:00+01:00".parse().unwrap());
    draft
}

/// The lines of a log, as objects.
fn objects(log: &str) -> Vec<Map<String, Value>> {
    log.lines()
        .map(|line| serde_json::from_str(line).expect(line))
        .collect()
}

/// What a line does, by the name that its section has.
fn op(line: &Map<String, Value>) -> &str {
    line.get("op").and_then(Value::as_str).unwrap_or("op")
}

/// For each section of the document that has a table of members: its members,
/// and whether a line must have them.
fn documented() -> BTreeMap<String, BTreeMap<String, bool>> {
    let text = read(DOCUMENT);
    let lines = text.split_once("\n## Lines\n").expect("its heading").1;
    let lines = lines.split_once("\n## ").expect("the next heading").0;
    let mut sections: BTreeMap<String, BTreeMap<String, bool>> = BTreeMap::new();
    for section in lines.split("\n### ").skip(1) {
        let name = section.split('`').nth(1).expect("an op in the heading");
        let members = sections.entry(name.to_owned()).or_default();
        for row in table_rows(section) {
            members.insert(row[0].trim_matches('`').to_owned(), row[1] == "yes");
        }
    }
    let memory = sections["op"].clone();
    sections
        .get_mut("update")
        .expect("its section")
        .extend(memory);
    sections
}

/// The members that any line may have.
fn common() -> BTreeSet<String> {
    let text = read(DOCUMENT);
    let rest = text
        .split_once("\n## Members of every line\n")
        .expect("its heading")
        .1;
    let rest = rest.split_once("\n## ").expect("the next heading").0;
    table_rows(rest)
        .iter()
        .map(|row| row[0].trim_matches('`').to_owned())
        .collect()
}

/// The lines that the document shows.
fn examples() -> Vec<String> {
    let text = read(DOCUMENT);
    let blocks = text.split("```jsonl\n").skip(1);
    blocks
        .flat_map(|block| block.split("\n```").next().expect("a block").lines())
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_line_that_the_document_shows_holds() {
    let examples = examples();
    assert!(examples.len() >= 10, "only {} lines", examples.len());
    for line in &examples {
        let (_, checksum) = Line::decode(line.as_bytes()).expect(line);
        // The document's own recipe, without the library.
        let mut object: Map<String, Value> = serde_json::from_str(line).expect(line);
        let stated = object.remove("checksum").expect(line);
        let canonical = serde_json::to_string(&object).expect(line);
        assert_eq!(Sha256::digest(&canonical)[..], checksum, "{line}");
        let stated = stated.as_str().expect(line);
        let bytes = (7..71).step_by(2).map(|place| &stated[place..place + 2]);
        let bytes: Vec<u8> = bytes
            .map(|byte| u8::from_str_radix(byte, 16).expect(line))
            .collect();
        assert_eq!(bytes, checksum, "{line}");
        assert!(
            line.ends_with(&format!(",\"checksum\":\"{stated}\"}}")),
            "{line}"
        );
    }
}

#[test]
fn the_document_shows_a_line_of_every_op_that_it_names() {
    let shown: BTreeSet<String> = examples()
        .iter()
        .flat_map(|line| objects(line))
        .map(|line| op(&line).to_owned())
        .collect();
    let named: BTreeSet<String> = documented().into_keys().collect();
    assert_eq!(shown, named);
}

#[test]
fn the_document_names_exactly_the_members_that_are_written() {
    let desk = Desk::new();
    desk.live();
    let mut lines = objects(&desk.log());
    desk.edit_and_repair();
    lines.extend(objects(&desk.log()));
    let session = desk.space.session().unwrap();
    let mut faded = Draft::new(Kind::Fact, "Nobody asks for it".parse().unwrap());
    faded.created_at = Some("2020-01-01T00:00:00Z".parse().unwrap());
    faded.importance = 0.1.try_into().unwrap();
    desk.engine
        .remember(&desk.user, &desk.space, faded)
        .unwrap();
    desk.engine
        .compact(&desk.user, session, Reach::Gentle)
        .unwrap();
    lines.extend(objects(&desk.log()));
    desk.engine
        .archive_session(&desk.user, session, Some("done"))
        .unwrap();
    lines.extend(objects(&desk.log()));

    let common = common();
    let documented = documented();
    let mut written: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in &lines {
        let known = documented
            .get(op(line))
            .unwrap_or_else(|| panic!("no section for {}", op(line)));
        for (member, must) in known {
            assert!(
                !must || line.contains_key(member),
                "{member} must be in {line:?}"
            );
        }
        let own = line.keys().filter(|member| !common.contains(*member));
        written
            .entry(op(line).to_owned())
            .or_default()
            .extend(own.cloned());
    }
    let named: BTreeMap<String, BTreeSet<String>> = documented
        .into_iter()
        .map(|(op, members)| (op, members.into_keys().collect()))
        .collect();
    assert_eq!(written, named);
}
