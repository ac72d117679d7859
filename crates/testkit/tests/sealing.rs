//! Sealing: who has the key finds everything, and no file tells anything.

#![expect(clippy::unwrap_used, reason = "a test that can't go on should stop")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mnemon::agent::snapshot::Form;
use mnemon::compact::Reach;
use mnemon::embed::{BuiltIn, Embedder};
use mnemon::engine::{NewSession, SnapshotOptions};
use mnemon::memory::{AgentId, Body, Draft, Kind, Link, Memory, Revision, SessionId, Space};
use mnemon::recall::{Query, Question, RelatedOptions};
use mnemon::store::local::log::Line;
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::store::{Filter, RepairOptions, Sort, Status};
use mnemon::{Caller, Config, Mnemon, Time};
use mnemon_testkit::sealed::{self, me};
use serde_json::json;
use tempfile::TempDir;

struct Desk {
    folder: TempDir,
    engine: Mnemon,
    me: Caller,
    session: SessionId,
}

impl Desk {
    fn new(everything: bool) -> Self {
        let folder = TempDir::new().unwrap();
        let options = LocalOptions {
            pending_max: 8,
            ..sealed::options(everything)
        };
        let store = sealed::store(folder.path(), options);
        let engine = Mnemon::new(Arc::new(store), Config::default());
        let new = NewSession {
            id: Some("review".parse().unwrap()),
            ..NewSession::default()
        };
        let session = engine.create_session(&me(), new).unwrap();
        Self {
            folder,
            engine,
            me: me(),
            session,
        }
    }

    fn space(&self) -> Space {
        Space::Session(self.session.clone())
    }

    fn keep(&self, space: &Space, draft: Draft) -> Memory {
        let kept = self.engine.remember(&self.me, space, draft).unwrap();
        self.engine.get(&self.me, kept.id.as_str(), None).unwrap()
    }

    fn recall(&self, engine: &Mnemon, question: &str) -> Vec<String> {
        let question = Question::parse(question).unwrap();
        let query = Query::new(question, Filter::all(engine.now().micros()));
        let hits = engine.recall(&self.me, &query).unwrap().hits;
        hits.into_iter()
            .map(|hit| hit.memory.id.to_string())
            .collect()
    }

    fn without_key(&self) -> Mnemon {
        sealed::open_without_key(self.folder.path())
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("sessions/review/memory.jsonl")
    }

    /// The files that hold one of these words, as they are or unpacked.
    fn files_with(&self, words: &[Vec<u8>]) -> Vec<String> {
        let mut found = Vec::new();
        each_file(self.folder.path(), &mut |path| {
            let mut bytes = fs::read(path).unwrap();
            bytes.extend(zstd::decode_all(&*bytes).unwrap_or_default());
            for word in words {
                if bytes.windows(word.len()).any(|it| it == word) {
                    let word = String::from_utf8_lossy(word);
                    found.push(format!("{word} in {}", path.display()));
                }
            }
        });
        found
    }
}

fn each_file(folder: &Path, each: &mut dyn FnMut(&Path)) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            each_file(&path, each);
        } else if path.is_file() {
            each(&path);
        }
    }
}

fn sensitive(kind: Kind, text: &str) -> Draft {
    let mut draft = Draft::new(kind, text.parse().unwrap());
    draft.sensitive = true;
    draft
}

/// A memory that has a canary wherever it can have a word, and those canaries.
fn full_of_canaries(number: usize, canaries: &mut Vec<Vec<u8>>) -> Draft {
    let mut canary = |place: &str| {
        let word = format!("zq{place}canary{number}x");
        canaries.push(word.clone().into_bytes());
        word
    };
    let text = format!("The secret is {}, they say", canary("text"));
    let mut draft = sensitive(Kind::Decision, &text);
    draft.tags = vec![format!("private.{}", canary("tag")).parse().unwrap()];
    draft.links = vec![Link::related(canary("link").parse().unwrap())];
    let body = json!({"rationale": canary("body"), "own": {"deep": [canary("deep")]}});
    draft.body = Body::from_map(Kind::Decision, body.as_object().unwrap().clone()).unwrap();
    draft.metadata.insert(canary("key"), canary("value").into());
    draft.turn = Some(canary("turn").parse().unwrap());
    let mut embedding = vec![0.25; BuiltIn::new().dimension()];
    let told = format!("0.12{number:02}5678");
    embedding[7] = told.parse().unwrap();
    draft.embedding = Some(embedding);
    canaries.push(told.into_bytes());
    draft
}

#[test]
fn no_file_holds_a_word_of_what_is_sealed() {
    let desk = Desk::new(false);
    let mut canaries = Vec::new();
    let mut kept = Vec::new();
    for number in 0..16 {
        let draft = full_of_canaries(number, &mut canaries);
        kept.push(desk.keep(&desk.space(), draft));
        desk.keep(
            &desk.space(),
            Draft::new(Kind::Fact, "In the clear".parse().unwrap()),
        );
    }
    assert!(canaries.len() >= 100, "{}", canaries.len());
    let check = |when: &str| {
        let found = desk.files_with(&canaries);
        assert!(found.is_empty(), "{when}: {found:?}");
    };
    check("kept");
    for memory in &kept[..8] {
        let revision = Revision {
            add_tags: vec!["more".parse().unwrap()],
            ..Revision::default()
        };
        desk.engine
            .revise(&desk.me, memory, None, revision)
            .unwrap();
    }
    desk.engine.forget(&desk.me, &kept[8..10], "old").unwrap();
    desk.engine.reindex(&desk.me, &mut |_| {}).unwrap();
    desk.engine
        .compact(&desk.me, &desk.session, Reach::Aggressive)
        .unwrap();
    check("revised, forgotten, compacted");
    // A torn tail goes to the quarantine.
    let mut log = fs::read(desk.log()).unwrap();
    let last = log[..log.len() - 1]
        .rsplit(|byte| *byte == b'\n')
        .next()
        .unwrap()
        .to_vec();
    log.extend_from_slice(&last[..last.len() / 2]);
    fs::write(desk.log(), log).unwrap();
    desk.engine
        .repair(&desk.me, RepairOptions::default(), &mut |_| {})
        .unwrap();
    desk.engine
        .archive_session(&desk.me, &desk.session, Some("done"))
        .unwrap();
    check("archived");
    desk.engine
        .delete_session(&desk.me, &desk.session, "over")
        .unwrap();
    check("deleted");
    desk.engine
        .undelete_session(&desk.me, &desk.session, "not over")
        .unwrap();
    let found = desk
        .engine
        .get(&desk.me, kept[12].id.as_str(), None)
        .unwrap();
    assert_eq!(found.text, kept[12].text);
    assert_eq!(found.embedding, kept[12].embedding);
    check("opened again");
}

#[test]
fn a_holder_of_the_key_finds_it_by_words_tags_and_meaning() {
    let desk = Desk::new(false);
    for number in 0..20 {
        let text = format!("The room {number} of the old house has a view");
        desk.keep(&desk.space(), Draft::new(Kind::Fact, text.parse().unwrap()));
    }
    let mut draft = sensitive(
        Kind::Fact,
        "The doctor prescribed a strong medicine against pain",
    );
    draft.tags = vec!["health.private".parse().unwrap()];
    draft.metadata.insert("ward".into(), "seven".into());
    let secret = desk.keep(&desk.space(), draft);
    let mut naming = sensitive(Kind::Decision, "Take it twice a day");
    naming.links = vec![Link::related(secret.id.clone())];
    let naming = desk.keep(&desk.space(), naming);
    let id = secret.id.to_string();

    for question in ["doctor prescribed", "physician drug treatment", "health"] {
        assert_eq!(desk.recall(&desk.engine, question)[0], id, "{question}");
    }
    let now = desk.engine.now().micros();
    let filters = [
        Filter {
            tags: vec!["health".parse().unwrap()],
            ..Filter::all(now)
        },
        Filter {
            contains: Some("MEDICINE".into()),
            ..Filter::all(now)
        },
        Filter {
            metadata: vec![("ward".into(), "seven".into())],
            sort: Sort::Priority,
            ..Filter::all(now)
        },
    ];
    let without = desk.without_key();
    for filter in &filters {
        let found = desk.engine.list(&desk.me, filter).unwrap();
        assert_eq!(
            (found.total, found.memories[0].id.as_str()),
            (1, id.as_str())
        );
        assert_eq!(without.list(&desk.me, filter).unwrap().total, 0);
    }
    let all = Filter {
        not_tags: vec!["health".parse().unwrap()],
        limit: 5,
        offset: 3,
        ..Filter::all(now)
    };
    let page = desk.engine.list(&desk.me, &all).unwrap();
    assert_eq!((page.total, page.memories.len()), (21, 5));

    let options = RelatedOptions::new(Filter::all(now));
    let related = desk.engine.related(&desk.me, &id, None, &options).unwrap();
    let related: Vec<_> = related.hits.iter().map(|it| it.memory.id.clone()).collect();
    assert_eq!(related, std::slice::from_ref(&naming.id));
    let moment = desk.engine.now();
    desk.engine
        .forget(&desk.me, std::slice::from_ref(&secret), "old")
        .unwrap();
    let past = desk.engine.as_of(moment).unwrap();
    assert_eq!(desk.recall(&past, "doctor prescribed")[0], id);
    let (_, changes) = desk.engine.history(&desk.me, &id, None).unwrap();
    assert!(format!("{:?}", changes[0]).contains("doctor"));

    // Without the key everything else is as before.
    assert_eq!(without.stats(&desk.me).unwrap().memories, 21);
    assert_eq!(desk.recall(&without, "room 7 of the old house").len(), 10);
    assert!(desk.recall(&without, "sealed").is_empty());
    let closed = without.find(&desk.me, &id, None).unwrap();
    assert_eq!((closed.text.as_str(), closed.tags.len()), ("[sealed]", 0));
    assert!(closed.sensitive && closed.closed().is_some());
    let topics = without.session_topics(&desk.me, &desk.session).unwrap();
    let named = format!("{topics:?}");
    assert!(!named.contains("sealed"), "{named}");
    let open = Filter {
        status: Some(Status::Open),
        ..Filter::all(now)
    };
    let ids = |engine: &Mnemon| {
        let found = engine.list(&desk.me, &open).unwrap().memories.into_iter();
        found.map(|memory| memory.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(&desk.engine), [naming.id]);
    assert!(ids(&without).is_empty());
}

#[test]
fn another_process_with_the_key_sees_what_is_sealed_at_once() {
    let desk = Desk::new(false);
    let other = sealed::open(desk.folder.path());
    for number in 0..12 {
        let text = format!("The code of door {number} is {}", number * 1111);
        let kept = desk.keep(&desk.space(), sensitive(Kind::Fact, &text));
        assert_eq!(desk.recall(&other, &text)[0], kept.id.to_string());
        let found = other.get(&desk.me, kept.id.as_str(), None).unwrap();
        assert_eq!(found, kept);
        let revision = Revision {
            text: Some(format!("{text}, since today").parse().unwrap()),
            ..Revision::default()
        };
        let revised = other.revise(&desk.me, &found, Some(1), revision).unwrap();
        assert_eq!(revised.version, 2);
        assert_eq!(
            desk.engine
                .get(&desk.me, kept.id.as_str(), None)
                .unwrap()
                .text,
            revised.text
        );
    }
    // Told twice, kept once.
    let mut draft = sensitive(Kind::Fact, "Told twice");
    draft.id = Some("twice".parse().unwrap());
    let first = desk
        .engine
        .remember(&desk.me, &desk.space(), draft.clone())
        .unwrap();
    let second = other.remember(&desk.me, &desk.space(), draft).unwrap();
    assert_eq!((first.new, second.new), (true, false));
}

/// Writes a line of the log anew, signed, as somebody who can write there can.
fn alter(log: &Path, id: &str, change: impl Fn(&mut Line)) {
    let text = fs::read_to_string(log).unwrap();
    let mut out = Vec::new();
    for line in text.lines() {
        let (mut line, _) = Line::decode(line.as_bytes()).unwrap();
        if line.id.as_deref() == Some(id) && line.sealed.is_some() {
            change(&mut line);
        }
        out.extend(line.encode().0);
    }
    fs::write(log, out).unwrap();
}

#[test]
fn what_was_altered_or_swapped_is_refused_and_hides_nothing_else() {
    let desk = Desk::new(false);
    for (id, text) in [("a", "The first secret"), ("b", "The second secret")] {
        let mut draft = sensitive(Kind::Fact, text);
        draft.id = Some(id.parse().unwrap());
        desk.keep(&desk.space(), draft);
    }
    desk.keep(
        &desk.space(),
        Draft::new(Kind::Fact, "In the clear".parse().unwrap()),
    );
    let sound = fs::read(desk.log()).unwrap();
    let line_of_b = String::from_utf8(sound.clone()).unwrap();
    let line_of_b = line_of_b
        .lines()
        .find(|line| line.contains(r#""id":"b""#))
        .unwrap()
        .to_owned();
    let (of_b, _) = Line::decode(line_of_b.as_bytes()).unwrap();
    let changes: [&dyn Fn(&mut Line); 6] = [
        &|line| line.sealed = of_b.sealed.clone(),
        &|line| line.pinned = true,
        &|line| line.importance = Some(0.9),
        &|line| line.author = Some("mallory".into()),
        &|line| line.version = Some(2),
        &|line| {
            line.sealed
                .as_mut()
                .unwrap()
                .content
                .replace_range(40..41, "-");
        },
    ];
    for (number, change) in changes.into_iter().enumerate() {
        alter(&desk.log(), "a", change);
        let engine = sealed::open(desk.folder.path());
        let refused = engine.get(&desk.me, "a", None).unwrap_err();
        assert_eq!(refused.code().as_str(), "E_CRYPTO", "change {number}");
        let all = engine
            .list(&desk.me, &Filter::all(engine.now().micros()))
            .unwrap();
        assert_eq!(all.total, 3, "change {number}");
        assert_eq!(
            engine.get(&desk.me, "b", None).unwrap().text.as_str(),
            "The second secret"
        );
        let problems = engine.verify(&desk.me, &mut |_| {}).unwrap().problems;
        let codes: Vec<_> = problems.iter().map(|it| it.code.as_str()).collect();
        assert_eq!(codes, ["E_CRYPTO"], "change {number}: {problems:?}");
        fs::write(desk.log(), &sound).unwrap();
    }
    let engine = sealed::open(desk.folder.path());
    assert_eq!(
        engine.get(&desk.me, "a", None).unwrap().text.as_str(),
        "The first secret"
    );
}

#[test]
fn a_purged_session_and_an_erased_space_take_their_keys_along() {
    let desk = Desk::new(false);
    let agent: Space = "agent/a".parse().unwrap();
    let secret = desk.keep(&agent, sensitive(Kind::Fact, "The secret of the agent"));
    let other = desk.keep(&agent, sensitive(Kind::Fact, "Another secret"));
    desk.keep(
        &desk.space(),
        sensitive(Kind::Fact, "The secret of the session"),
    );
    let spaces = || desk.engine.sealing(&desk.me).unwrap().spaces;
    assert_eq!(spaces(), ["agent/a", "session/review"]);
    let without = desk.without_key();
    without.erase(&desk.me, &[secret], "asked to").unwrap();
    assert_eq!(spaces(), ["agent/a", "session/review"]);
    without.erase(&desk.me, &[other], "asked to").unwrap();
    assert_eq!(spaces(), ["session/review"]);
    desk.engine
        .delete_session(&desk.me, &desk.session, "over")
        .unwrap();
    assert_eq!(spaces(), ["session/review"]);
    desk.engine.purge_session(&desk.me, &desk.session).unwrap();
    assert_eq!(spaces(), Vec::<String>::new());
}

#[test]
fn with_everything_sealed_no_file_holds_a_word_and_summaries_quote_nothing() {
    let desk = Desk::new(true);
    let words = ["zqparser", "zqlexer", "zqprinter"];
    for turn in 0..30 {
        let text = format!(
            "We spoke of the {} for a while in turn {turn}. ",
            words[turn % 3]
        );
        let mut draft = Draft::new(Kind::Conversation, text.repeat(10).trim().parse().unwrap());
        let month_ago = desk.engine.now().micros() - 30 * 86_400_000_000;
        draft.created_at = Some(Time::from_micros(month_ago).unwrap());
        desk.keep(&desk.space(), draft);
    }
    let canaries: Vec<Vec<u8>> = words.iter().map(|word| word.as_bytes().to_vec()).collect();
    assert_eq!(desk.files_with(&canaries), Vec::<String>::new());
    assert_eq!(desk.recall(&desk.engine, "zqlexer").len(), 10);
    desk.engine
        .compact(&desk.me, &desk.session, Reach::Aggressive)
        .unwrap();
    desk.engine
        .archive_session(&desk.me, &desk.session, Some("done"))
        .unwrap();
    assert_eq!(desk.files_with(&canaries), Vec::<String>::new());
    // Nobody without the key may write.
    let store = LocalStore::open(
        desk.folder.path(),
        LocalOptions {
            keyring: Arc::new(mnemon::seal::Keyring::new(Vec::new(), true)),
            ..LocalOptions::default()
        },
    );
    let engine = Mnemon::new(Arc::new(store.unwrap()), Config::default());
    let draft = Draft::new(Kind::Fact, "Anything".parse().unwrap());
    let refused = engine
        .remember(&desk.me, &Space::Shared, draft)
        .unwrap_err();
    assert_eq!(refused.code().as_str(), "E_CRYPTO");
}

#[test]
fn an_older_program_leaves_a_store_with_keys_alone() {
    let desk = Desk::new(false);
    let file = fs::read_to_string(desk.folder.path().join("store.json")).unwrap();
    assert!(file.contains(r#""format": 2"#), "{file}");
    let plain = TempDir::new().unwrap();
    drop(LocalStore::create(plain.path(), LocalOptions::default()).unwrap());
    let file = fs::read_to_string(plain.path().join("store.json")).unwrap();
    assert!(file.contains(r#""format": 1"#), "{file}");
}

#[test]
fn what_nobody_can_read_is_not_compacted() {
    let desk = Desk::new(false);
    let mut draft = sensitive(Kind::Fact, "An old secret that hardly matters");
    draft.importance = 0.1.try_into().unwrap();
    draft.created_at = Some("2020-01-01T00:00:00Z".parse().unwrap());
    let id = desk
        .engine
        .remember(&desk.me, &desk.space(), draft)
        .unwrap()
        .id;
    let shelved = |engine: &Mnemon| {
        let report = engine.compact(&desk.me, &desk.session, Reach::Aggressive);
        report.unwrap().plan.shelved().count()
    };
    assert_eq!(shelved(&desk.without_key()), 0);
    assert!(desk.engine.peek(&desk.me, &id).unwrap().is_some());
    assert_eq!(shelved(&desk.engine), 1);
    assert!(desk.engine.peek(&desk.me, &id).unwrap().is_none());
}

#[test]
fn an_erased_space_keeps_its_key_while_a_snapshot_needs_it() {
    let desk = Desk::new(false);
    let agent: AgentId = "a".parse().unwrap();
    let space = Space::Agent(agent.clone());
    let secret = desk.keep(&space, sensitive(Kind::Fact, "The secret of the agent"));
    let options = SnapshotOptions::default();
    let snapshot = desk.engine.snapshot(&desk.me, &agent, &options).unwrap();
    desk.engine
        .keep_snapshot(&desk.me, &snapshot, Form::Encrypted)
        .unwrap();
    desk.engine.erase(&desk.me, &[secret], "asked to").unwrap();
    let spaces = desk.engine.sealing(&desk.me).unwrap().spaces;
    assert_eq!(spaces, ["agent/a"]);
    let found = desk
        .engine
        .find_snapshot(&desk.me, snapshot.id.as_str())
        .unwrap();
    assert_eq!(found, snapshot);
}
