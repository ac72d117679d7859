//! Erasing: afterwards no file below the root holds a byte of it.

#![expect(clippy::unwrap_used, reason = "a test that can't go on should stop")]

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mnemon::compact::Reach;
use mnemon::engine::{ErasedTexts, ImportItem, ImportOptions, NewSession};
use mnemon::memory::{Body, Draft, Kind, Memory, Revision, SessionId, Space, State};
use mnemon::recall::{Query, Question};
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::store::{Deed, Filter, Forgottenness};
use mnemon::{Caller, Code, Config, Mnemon, Time};
use serde_json::json;
use tempfile::TempDir;

struct Desk {
    folder: TempDir,
    mnemon: Mnemon,
    me: Caller,
}

impl Desk {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let options = LocalOptions {
            pending_max: 16,
            ..LocalOptions::default()
        };
        let store = Arc::new(LocalStore::create(folder.path(), options).unwrap());
        Self {
            mnemon: Mnemon::new(store, Config::default()),
            me: Caller::user("ada"),
            folder,
        }
    }

    fn keep(&self, space: &Space, draft: Draft) -> Memory {
        let kept = self.mnemon.remember(&self.me, space, draft).unwrap();
        self.mnemon.get(&self.me, kept.id.as_str(), None).unwrap()
    }

    fn all(&self) -> Vec<Memory> {
        let mut filter = Filter::all(self.mnemon.now().micros());
        filter.forgotten = Forgottenness::With;
        filter.limit = usize::MAX;
        self.mnemon.list(&self.me, &filter).unwrap().memories
    }

    /// The files that hold any of these words.
    fn files_with(&self, words: &[String]) -> Vec<PathBuf> {
        let mut found = Vec::new();
        each_file(self.folder.path(), &mut |path| {
            let mut bytes = fs::read(path).unwrap();
            bytes.extend(zstd::decode_all(&*bytes).unwrap_or_default());
            let has = |word: &String| bytes.windows(word.len()).any(|it| it == word.as_bytes());
            if words.iter().any(has) {
                found.push(path.to_path_buf());
            }
        });
        found
    }
}

fn each_file(folder: &Path, each: &mut dyn FnMut(&Path)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            each_file(&path, each);
        } else {
            each(&path);
        }
    }
}

fn canary(number: usize) -> String {
    format!("zqcanary{number:03}xv")
}

/// One memory with a canary in each place that can hold a text.
fn laden(kind: Kind, number: usize) -> Draft {
    let mut draft = Draft::new(
        kind,
        format!("The secret is {}", canary(number)).parse().unwrap(),
    );
    draft.tags = vec![format!("t.{}", canary(number + 1)).parse().unwrap()];
    draft
        .metadata
        .insert("note".into(), json!(canary(number + 2)));
    let own = json!({"own": {"deep": [format!("and {}", canary(number + 3))]}});
    let serde_json::Value::Object(own) = own else {
        unreachable!("an object")
    };
    draft.body = Body::from_map(kind, own).unwrap();
    draft
}

/// Old turns with canaries in a session, compacted and quoted by a summary.
fn compact_canaries(desk: &Desk, session: &SessionId, numbers: Range<usize>) -> Vec<Memory> {
    let space = Space::Session(session.clone());
    let month_ago = desk.mnemon.now().micros() - 30 * 86_400_000_000;
    let mut turns = Vec::new();
    for number in numbers {
        let mut draft = laden(Kind::Conversation, number);
        draft.text = format!("The secret of that day is {}.", canary(number))
            .parse()
            .unwrap();
        draft.created_at = Some(Time::from_micros(month_ago).unwrap());
        let kept = desk.mnemon.remember(&desk.me, &space, draft).unwrap();
        let found = desk.mnemon.find(&desk.me, kept.id.as_str(), None);
        turns.push(found.unwrap());
    }
    let report = desk.mnemon.compact(&desk.me, session, Reach::Aggressive);
    let plan = report.unwrap().plan;
    assert_eq!(plan.shelved().count(), turns.len());
    let summary = plan.actions[0].summary.as_ref().unwrap();
    assert!(summary.text.as_str().contains("zqcanary"));
    turns
}

#[test]
fn a_hundred_canaries_are_gone_from_every_file() {
    let desk = Desk::new();
    let session = |name: &str| {
        let new = NewSession {
            id: Some(name.parse().unwrap()),
            ..NewSession::default()
        };
        desk.mnemon.create_session(&desk.me, new).unwrap()
    };
    let [open, archived, deleted] = ["open", "archived", "deleted"].map(session);
    let spaces = [
        Space::Session(open.clone()),
        Space::Agent("planner".parse().unwrap()),
        Space::Shared,
        Space::Session(archived.clone()),
        Space::Session(deleted.clone()),
    ];
    let mut victims = Vec::new();
    for number in 0..25 {
        let kind = Kind::ALL[number % Kind::ALL.len()];
        let space = &spaces[number % 5];
        desk.keep(
            space,
            Draft::new(Kind::Fact, "Something that stays".parse().unwrap()),
        );
        victims.push(desk.keep(space, laden(kind, number * 4)));
    }
    // Other versions, forgetting and searching leave traces too.
    let revision = Revision {
        text: Some("Nothing to see here any more".parse().unwrap()),
        ..Revision::default()
    };
    let revised = victims
        .iter()
        .find(|it| it.kind() == Kind::Decision)
        .unwrap();
    desk.mnemon
        .revise(&desk.me, revised, None, revision)
        .unwrap();
    desk.mnemon
        .forget(&desk.me, &victims[4..6], "not needed")
        .unwrap();
    for (session, numbers) in [
        (&open, 200..220),
        (&archived, 300..320),
        (&deleted, 400..420),
    ] {
        victims.extend(compact_canaries(&desk, session, numbers));
    }
    let archive = desk.mnemon.archive_session(&desk.me, &archived, None);
    archive.unwrap();
    let delete = desk.mnemon.delete_session(&desk.me, &deleted, "over");
    delete.unwrap();
    let canaries: Vec<String> = (0..430).map(canary).collect();
    assert!(desk.files_with(&canaries).len() > 5);

    let receipt = desk.mnemon.erase(&desk.me, &victims, "asked to").unwrap();
    // With the summaries of three compactions.
    assert_eq!(receipt.ids.len(), 25 + 60 + 3);
    assert_eq!(receipt.renewed.len(), 1, "of the archived session");
    assert_eq!(receipt.also_in, Vec::<PathBuf>::new());
    let cleaned: Vec<String> = receipt
        .cleaned
        .iter()
        .map(|it| it.place.display().to_string())
        .collect();
    for place in [
        "agents/planner/memory.jsonl",
        "shared/memory.jsonl",
        "sessions/open/archive/part-",
        "sessions/archived/archive/whole-",
        "trash/deleted/memory.jsonl",
        "trash/deleted/archive/part-",
        "index",
    ] {
        assert!(
            cleaned.iter().any(|own| own.starts_with(place)),
            "{place}: {cleaned:?}"
        );
    }

    assert_eq!(desk.files_with(&canaries), Vec::<PathBuf>::new());
    // Five of each of three spaces, and what stands for the archived session.
    assert_eq!(desk.all().len(), 16);
    for victim in &victims {
        let gone = desk.mnemon.history(&desk.me, victim.id.as_str(), None);
        assert_eq!(gone.unwrap_err().code(), Code::NotFound);
    }
    let filter = Filter::all(desk.mnemon.now().micros());
    for word in &canaries[..8] {
        let query = Query::new(Question::parse(word).unwrap(), filter.clone());
        let found = desk.mnemon.recall(&desk.me, &query).unwrap();
        assert!(found.hits.iter().all(|hit| !hit.has_term), "{word}");
    }
    let verified = desk.mnemon.verify(&desk.me, &mut |_| {}).unwrap();
    assert!(verified.problems.is_empty(), "{verified:?}");
    let audit = desk.mnemon.audit(&desk.me).unwrap();
    let last = audit.last().unwrap();
    assert_eq!((last.deed, last.ids.len()), (Deed::Erased, 88));
    let undelete = desk.mnemon.undelete_session(&desk.me, &deleted, "the rest");
    assert_eq!(undelete.unwrap().activity.memories(), 5);
    let restored = desk.mnemon.restore_session(&desk.me, &archived);
    assert_eq!(restored.unwrap().activity.memories(), 5);
    assert_eq!(desk.files_with(&canaries), Vec::<PathBuf>::new());
}

#[test]
fn a_torn_tail_and_a_damaged_line_with_it_go_too() {
    let desk = Desk::new();
    desk.keep(
        &Space::Shared,
        Draft::new(Kind::Fact, "stays as it is".parse().unwrap()),
    );
    let victim = desk.keep(&Space::Shared, laden(Kind::Fact, 0));
    let log = desk.folder.path().join("shared/memory.jsonl");
    let mut text = fs::read_to_string(&log).unwrap();
    let line = text.lines().last().unwrap().to_owned();
    text.push_str(&line.replace("secret", "sekret"));
    text.push('\n');
    text.push_str(&line[..line.len() / 2]);
    fs::write(&log, text).unwrap();
    desk.mnemon.erase(&desk.me, &[victim], "asked to").unwrap();
    let canaries: Vec<String> = (0..4).map(canary).collect();
    assert_eq!(desk.files_with(&canaries), Vec::<PathBuf>::new());
    assert_eq!(desk.all().len(), 1);
}

#[test]
fn the_same_words_in_another_memory_stay_and_are_told() {
    let desk = Desk::new();
    let text = "The launch is on the ninth of May";
    let one = desk.keep(
        &Space::Shared,
        Draft::new(Kind::Fact, text.parse().unwrap()),
    );
    let agent = Space::Agent("planner".parse().unwrap());
    desk.keep(&agent, Draft::new(Kind::Fact, text.parse().unwrap()));
    let receipt = desk.mnemon.erase(&desk.me, &[one], "asked to").unwrap();
    let told: Vec<String> = receipt
        .also_in
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    assert_eq!(told, ["agents/planner/memory.jsonl"]);
    assert_eq!(desk.all().len(), 1);
}

#[test]
fn an_import_leaves_out_what_was_erased_unless_it_is_told_to_take_it() {
    let desk = Desk::new();
    let draft = |text: &str| Draft::new(Kind::Fact, text.parse().unwrap());
    let victim = desk.keep(&Space::Shared, draft("It was me"));
    desk.mnemon.erase(&desk.me, &[victim], "asked to").unwrap();
    let items = || {
        ["It was me", "It was not me"]
            .into_iter()
            .enumerate()
            .map(|(line, text)| ImportItem::Memory {
                line: line as u64 + 1,
                space: Space::Shared,
                draft: Box::new(draft(text)),
                state: State::default(),
                base: None,
            })
            .collect()
    };
    let import = |erased_texts: ErasedTexts| {
        let options = ImportOptions {
            erased_texts,
            ..ImportOptions::default()
        };
        let report = desk.mnemon.import(&desk.me, items(), options, &mut |_| {});
        let report = report.unwrap();
        (report.imported, report.erased)
    };
    assert_eq!(import(ErasedTexts::StayOut), (1, 1));
    assert_eq!(import(ErasedTexts::ComeBack), (2, 0));
}

#[test]
fn an_erasure_that_was_cut_short_is_finished_by_a_repair() {
    let desk = Desk::new();
    let victim = desk.keep(&Space::Shared, laden(Kind::Fact, 0));
    let stays = desk.keep(
        &Space::Shared,
        Draft::new(Kind::Fact, "stays here".parse().unwrap()),
    );
    let intent = json!({
        "at": "2026-01-10T12:00:00Z", "by": "ada", "reason": "asked to", "ids": [victim.id],
        "spaces": ["shared"], "digests": [],
    });
    fs::write(desk.folder.path().join("erasing.json"), intent.to_string()).unwrap();
    let before = desk.mnemon.verify(&desk.me, &mut |_| {}).unwrap();
    assert!(
        before.notes.iter().any(|note| note.contains("cut short")),
        "{before:?}"
    );
    desk.mnemon
        .repair(
            &desk.me,
            mnemon::store::RepairOptions::default(),
            &mut |_| {},
        )
        .unwrap();
    let canaries: Vec<String> = (0..4).map(canary).collect();
    assert_eq!(desk.files_with(&canaries), Vec::<PathBuf>::new());
    let left: Vec<_> = desk.all().into_iter().map(|memory| memory.id).collect();
    assert_eq!(left, [stays.id]);
    assert!(!desk.folder.path().join("erasing.json").exists());
    assert_eq!(desk.mnemon.audit(&desk.me).unwrap().len(), 1);
}

#[test]
fn what_is_not_there_is_refused_and_nothing_is_touched() {
    let desk = Desk::new();
    let here = desk.keep(
        &Space::Shared,
        Draft::new(Kind::Fact, "still here".parse().unwrap()),
    );
    let mut gone = here.clone();
    gone.id = "fact_gone".parse().unwrap();
    let refusal = desk.mnemon.erase(&desk.me, &[here, gone], "asked to");
    assert_eq!(refusal.unwrap_err().code(), Code::NotFound);
    assert_eq!(desk.all().len(), 1);
}

#[test]
fn erasures_of_several_at_once_wait_for_each_other() {
    let desk = Desk::new();
    let keep = |number: usize| desk.keep(&Space::Shared, laden(Kind::Fact, number * 10)).id;
    let ids: Vec<_> = (0..12).map(keep).collect();
    std::thread::scope(|scope| {
        for some in ids.chunks(4) {
            // Another handle on the folder, as another process has it.
            let other = LocalStore::create(desk.folder.path(), LocalOptions::default()).unwrap();
            let other = Mnemon::new(Arc::new(other), Config::default());
            scope.spawn(move || {
                for id in some {
                    let me = Caller::user("ada");
                    let erased = other.erase_ids(&me, vec![id.clone()], "asked to").unwrap();
                    assert_eq!(erased.ids, std::slice::from_ref(id));
                }
            });
        }
    });
    let words: Vec<String> = (0..12).map(|number| canary(number * 10)).collect();
    assert_eq!(desk.files_with(&words), Vec::<PathBuf>::new());
    let erased = |entry: &mnemon::store::AuditEntry| entry.deed == Deed::Erased;
    let entered = desk.mnemon.audit(&desk.me).unwrap();
    assert_eq!(entered.iter().filter(|entry| erased(entry)).count(), 12);
    assert_eq!(
        desk.mnemon.verify(&desk.me, &mut |_| {}).unwrap().problems,
        []
    );
}

#[test]
fn what_a_crash_left_of_desks_snapshots_and_requests_goes_too() {
    let desk = Desk::new();
    let secret = desk.keep(&Space::Shared, laden(Kind::Fact, 0));
    let left = [
        "agents/dev/working.json.01M7R6KF7KD702M7X4Z8TZNAWH",
        "snapshots/dev/snap_1.snapshot.01M7R6KF7KD702M7X4Z8TZNAWH",
        "requests/one.json.01M7R6KF7KD702M7X4Z8TZNAWH",
    ];
    let leave = || {
        for path in left {
            let path = desk.folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, canary(0)).unwrap();
        }
    };
    leave();
    // What others put there keeps nobody from erasing.
    for stray in ["agents/.DS_Store", "snapshots/.DS_Store"] {
        fs::write(desk.folder.path().join(stray), "none of ours").unwrap();
    }
    let erased = desk.mnemon.erase(&desk.me, &[secret], "asked to").unwrap();
    assert_eq!(erased.also_in, Vec::<PathBuf>::new());
    assert_eq!(desk.files_with(&[canary(0)]), Vec::<PathBuf>::new());
    // Maintenance does not wait for an erasure.
    leave();
    desk.mnemon
        .maintain(&desk.me, &mnemon::engine::MaintainOptions::default())
        .unwrap();
    assert_eq!(desk.files_with(&[canary(0)]), Vec::<PathBuf>::new());
}
