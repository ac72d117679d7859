//! An erasure that reaches every place is killed wherever it can be.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::print_stderr, reason = "how much was tried is worth knowing")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mnemon::compact::Reach;
use mnemon::memory::{Draft, Kind, MemoryId, SessionId, Space};
use mnemon::store::{Deed, RepairOptions, Whereabouts};
use mnemon::{Caller, Mnemon, Time};
use mnemon_testkit::driver::{Driver, Journal};
use mnemon_testkit::inspect;
use mnemon_testkit::traced::{self, Blow};

/// The calls that change something, or wait for those who do; of those that mostly write
/// pages of the index every fifth is struck.
const CALLS: [(&str, usize); 9] = [
    ("rename", 1),
    ("unlink", 1),
    ("fsync", 1),
    ("fdatasync", 1),
    ("ftruncate", 1),
    ("mkdir", 1),
    ("flock", 1),
    ("openat", 3),
    ("pwrite64", 5),
];

const CANARY: &str = "zqcanary";

/// What goes: at hand, compacted, in an archived session, in the trash.
const VICTIMS: [&str; 4] = ["hand", "turn3", "archived", "deleted"];

fn me() -> Caller {
    Caller::user("tester")
}

fn keep(engine: &Mnemon, session: &str, id: &str, kind: Kind, text: &str) {
    let mut draft = Draft::new(kind, text.parse().unwrap());
    draft.id = Some(id.parse().unwrap());
    let month_ago = engine.now().micros() - 30 * 86_400_000_000;
    draft.created_at = Some(Time::from_micros(month_ago).unwrap());
    let space = Space::Session(session.parse().unwrap());
    engine.remember(&me(), &space, draft).unwrap();
}

/// A store with one memory in each place, something beside each, and summaries that quote them.
fn make(root: &Path) {
    inspect::make_sessions(root, &["open", "away", "gone"]);
    let engine = inspect::open(root);
    let secret = |what: &str| format!("The secret of the {what} is {CANARY}{what}, said nobody.");
    for turn in 0..5 {
        let text = match turn {
            3 => format!("{} ", secret("turn3")).repeat(20),
            _ => format!("The parser of turn {turn} reads numbers as they are. ").repeat(20),
        };
        keep(
            &engine,
            "open",
            &format!("turn{turn}"),
            Kind::Conversation,
            text.trim(),
        );
    }
    let open: SessionId = "open".parse().unwrap();
    let report = engine.compact(&me(), &open, Reach::Aggressive).unwrap();
    assert_eq!(report.plan.shelved().count(), 5);
    for (session, id) in [("open", "hand"), ("away", "archived"), ("gone", "deleted")] {
        keep(&engine, session, id, Kind::Fact, &secret(id));
        keep(
            &engine,
            session,
            &format!("beside_{id}"),
            Kind::Fact,
            "Something that stays",
        );
    }
    let away = "away".parse().unwrap();
    engine.archive_session(&me(), &away, None).unwrap();
    let gone = "gone".parse().unwrap();
    engine.archive_session(&me(), &gone, None).unwrap();
    engine.delete_session(&me(), &gone, "over").unwrap();
    engine.flush(&me()).unwrap();
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let there = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &there);
        } else {
            fs::copy(&path, &there).unwrap();
        }
    }
}

#[test]
fn a_kill_at_any_call_of_an_erasure_leaves_all_of_it_or_what_a_repair_finishes() {
    if !traced::is_possible() {
        eprintln!("strace is not here or may not trace: skipped");
        return;
    }
    let template = tempfile::tempdir().unwrap();
    make(template.path());
    let settings = [
        format!("ids={}", VICTIMS.join(",")),
        "pending_max=1000000".into(),
    ];
    let fresh = || {
        let folder = tempfile::tempdir().unwrap();
        copy(template.path(), folder.path());
        let driver = Driver {
            program: env!("CARGO_BIN_EXE_mnemon-writer").into(),
            root: folder.path().into(),
            journal: Arc::new(Journal::default()),
        };
        (folder, driver)
    };
    let (_folder, driver) = fresh();
    let names = CALLS.map(|(name, _)| name);
    let counts = traced::calls_before_the_store(&driver, ("erase", &settings), &names);
    let (mut struck, mut finished) = (0, 0);
    for ((call, begin), (_, step)) in counts.into_iter().zip(CALLS) {
        let mut nth = begin + 1;
        loop {
            let (folder, driver) = fresh();
            let ended = traced::run(&driver, ("erase", &settings), (call, nth), None, Blow::Kill);
            let failures = driver.journal.failures();
            assert_eq!(failures, Vec::<String>::new(), "{call} {nth}");
            finished += u64::from(check(folder.path(), &format!("{call} {nth}")));
            if !ended.struck {
                break;
            }
            struck += 1;
            nth += step;
        }
    }
    eprintln!("killed at {struck} calls, {finished} times a repair had to finish it");
    assert!(finished > 10);
}

/// Repairs the store, and checks it; whether there was something to finish.
fn check(root: &Path, when: &str) -> bool {
    let was_begun = root.join("erasing.json").exists();
    let engine = inspect::open(root);
    engine
        .repair(&me(), RepairOptions::default(), &mut |_| {})
        .unwrap();
    let there: Vec<&str> = VICTIMS
        .into_iter()
        .filter(|id| engine.locate(&me(), id, None).is_ok())
        .collect();
    if !there.is_empty() {
        // It was killed before it was noted: then nothing is changed.
        assert!(!was_begun, "{when}: {there:?} are left");
        assert_eq!(there, VICTIMS, "{when}");
        let ids: Vec<MemoryId> = VICTIMS.iter().map(|id| id.parse().unwrap()).collect();
        engine.erase_ids(&me(), ids, "asked to").unwrap();
    }
    let left = inspect::files_with(root, CANARY);
    assert_eq!(left, Vec::<PathBuf>::new(), "{when}");
    assert_eq!(left_over(root), Vec::<PathBuf>::new(), "{when}");
    for (id, at) in [
        ("beside_hand", Whereabouts::Hand),
        ("turn1", Whereabouts::Compacted),
        ("turn4", Whereabouts::Compacted),
        ("beside_archived", Whereabouts::Archived),
        ("beside_deleted", Whereabouts::Deleted),
    ] {
        let located = engine.locate(&me(), id, None).unwrap();
        assert_eq!(located.at, at, "{when}: {id}");
    }
    let verified = engine.verify(&me(), &mut |_| {}).unwrap();
    assert_eq!(verified.problems, [], "{when}");
    assert_eq!(verified.notes, Vec::<String>::new(), "{when}");
    let audit = engine.audit(&me()).unwrap();
    let erasures = audit.iter().filter(|entry| entry.deed == Deed::Erased);
    assert_eq!(erasures.count(), 1, "{when}");
    was_begun
}

/// Files that were never finished.
fn left_over(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            found.extend(left_over(&path));
        } else if name.rsplit('.').next() == Some("next")
            || name.starts_with("memory.jsonl.")
            || name.starts_with("erasing.json")
        {
            found.push(path);
        }
    }
    found
}
