//! Back-ups: one moment of a store, whatever others do to it meanwhile.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use mnemon::caller::{Role, Who};
use mnemon::compact::Reach;
use mnemon::engine::{NewEntry, NewSession, bring_back};
use mnemon::memory::{Draft, Importance, Kind, MemoryId, Space};
use mnemon::store::Filter;
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::token::{Admission, NewToken};
use mnemon::{Caller, Code, Config, Mnemon};
use mnemon_testkit::inspect;

fn me() -> Caller {
    Caller::user("ann")
}

fn open(root: &Path) -> Mnemon {
    let config = Config::default();
    let store = LocalStore::create(root, LocalOptions::from(&config)).unwrap();
    Mnemon::new(Arc::new(store), config)
}

fn make_session(engine: &Mnemon, id: &str) {
    let new = NewSession {
        id: Some(id.parse().unwrap()),
        ..NewSession::default()
    };
    engine.create_session(&me(), new).unwrap();
}

fn keep(engine: &Mnemon, space: &str, id: &str, text: &str) -> MemoryId {
    let mut draft = Draft::new(Kind::Fact, text.parse().unwrap());
    draft.id = Some(id.parse().unwrap());
    let space: Space = space.parse().unwrap();
    engine.remember(&me(), &space, draft).unwrap().id
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|it| it.unwrap().path());
    entries
        .flat_map(|path| {
            if path.is_dir() {
                files_in(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

fn ids(engine: &Mnemon) -> BTreeSet<String> {
    let filter = Filter {
        limit: usize::MAX,
        ..Filter::all(engine.now().micros())
    };
    let found = engine.list_everywhere(&me(), &filter).unwrap();
    found
        .into_iter()
        .map(|it| it.memory.id.to_string())
        .collect()
}

fn restored(backup: &Path, to: &Path) -> Mnemon {
    bring_back(&me(), backup, to, false, &Config::default()).unwrap();
    open(to)
}

/// Each writer writes its nth memory to one space, and once it is acknowledged to another.
fn write_in_order(engine: &Mnemon, writer: usize, count: &AtomicU64, stop: &AtomicBool) {
    let spaces = ["session/one", "agent/helper", "shared", "session/two"];
    for number in 0.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        for (step, place) in ["a", "b"].iter().zip([writer, writer + 1]) {
            let id = format!("{step}-{writer}-{number}");
            keep(engine, spaces[place % 4], &id, &format!("the memory {id}"));
        }
        count.store(number + 1, Ordering::Release);
    }
}

/// Archives, opens, compacts and brings back a session of its own, and changes a paper.
fn rewrite_all_the_time(engine: &Mnemon, stop: &AtomicBool) {
    let session = "restless".parse().unwrap();
    let agent = "helper".parse().unwrap();
    let mut number = 0;
    while !stop.load(Ordering::Relaxed) {
        engine.archive_session(&me(), &session, None).unwrap();
        engine.restore_session(&me(), &session).unwrap();
        engine.compact(&me(), &session, Reach::Aggressive).unwrap();
        engine.bring_back(&me(), &session, None, "again").unwrap();
        number += 1;
        let new = NewEntry {
            value: number.into(),
            importance: Importance::default(),
            tags: Vec::new(),
            pinned: false,
        };
        let place = (&"".parse().unwrap(), &"round".parse().unwrap());
        engine
            .set_working(&me(), &agent, place, new, |_| 1)
            .unwrap();
    }
}

#[test]
fn a_back_up_beside_eight_writers_shows_one_moment_verifies_and_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("store");
    let engine = open(&root);
    for id in ["one", "two", "restless"] {
        make_session(&engine, id);
    }
    for number in 0..20 {
        keep(
            &engine,
            "session/restless",
            &format!("r-{number}"),
            "something old",
        );
    }
    let stop = AtomicBool::new(false);
    let counts: Vec<AtomicU64> = (0..8).map(|_| AtomicU64::new(0)).collect();
    std::thread::scope(|scope| {
        for (writer, count) in counts.iter().enumerate() {
            let (root, stop) = (&root, &stop);
            scope.spawn(move || write_in_order(&open(root), writer, count, stop));
        }
        scope.spawn(|| rewrite_all_the_time(&open(&root), &stop));
        for round in 0..4 {
            while counts
                .iter()
                .any(|it| it.load(Ordering::Acquire) < 5 * (round + 1))
            {
                std::thread::yield_now();
            }
            let acknowledged: Vec<u64> =
                counts.iter().map(|it| it.load(Ordering::Acquire)).collect();
            let backup = folder.path().join(format!("backup-{round}"));
            let done = engine.back_up(&me(), &backup).unwrap();
            assert_eq!(done.damage, Vec::<String>::new());
            let back = restored(&backup, &folder.path().join(format!("back-{round}")));
            check_moment(&back, &acknowledged);
        }
        stop.store(true, Ordering::Relaxed);
    });
}

fn check_moment(back: &Mnemon, acknowledged: &[u64]) {
    let verified = back.verify(&me(), &mut |_| {}).unwrap();
    assert!(verified.is_ok(), "{:?}", verified.problems);
    let there = ids(back);
    for number in 0..20 {
        assert!(there.contains(&format!("r-{number}")), "r-{number}");
    }
    for (writer, acknowledged) in acknowledged.iter().enumerate() {
        let has = |step: &str, number| there.contains(&format!("{step}-{writer}-{number}"));
        let firsts = (0..u64::MAX).take_while(|number| has("a", *number)).count() as u64;
        let seconds = (0..u64::MAX).take_while(|number| has("b", *number)).count() as u64;
        assert!(firsts >= *acknowledged && seconds >= *acknowledged);
        // The second was written after the first, elsewhere: never it alone, and no gap.
        assert!(
            firsts == seconds || firsts == seconds + 1,
            "{firsts} {seconds}"
        );
        let prefix = |step: &str| format!("{step}-{writer}-");
        let count = |step: &str| {
            there
                .iter()
                .filter(|id| id.starts_with(&prefix(step)))
                .count()
        };
        assert_eq!((count("a") as u64, count("b") as u64), (firsts, seconds));
    }
}

#[test]
fn what_was_erased_or_purged_since_does_not_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let (root, backup) = (folder.path().join("store"), folder.path().join("backup"));
    let engine = open(&root);
    for id in ["one", "gone"] {
        make_session(&engine, id);
        keep(
            &engine,
            &format!("session/{id}"),
            &format!("{id}-1"),
            &format!("zqcanary of {id}"),
        );
    }
    let secret = keep(&engine, "shared", "secret", "zqsecret to be erased");
    engine.back_up(&me(), &backup).unwrap();
    engine.erase_ids(&me(), vec![secret], "asked to").unwrap();
    engine
        .delete_session(&me(), &"gone".parse().unwrap(), "over")
        .unwrap();
    engine
        .purge_session(&me(), &"gone".parse().unwrap())
        .unwrap();
    keep(&engine, "shared", "later", "written after the back-up");
    drop(engine);

    let config = Config::default();
    let refused = bring_back(&me(), &backup, &root, false, &config).unwrap_err();
    assert_eq!(refused.code(), Code::SchemaInvalid);
    let done = bring_back(&me(), &backup, &root, true, &config).unwrap();
    assert_eq!(done.erased_again, 2);
    for canary in ["zqsecret", "zqcanary of gone"] {
        assert_eq!(inspect::files_with(&root, canary), Vec::<PathBuf>::new());
    }
    let back = open(&root);
    assert_eq!(ids(&back), BTreeSet::from(["one-1".into()]));
    assert!(back.verify(&me(), &mut |_| {}).unwrap().is_ok());
    let aside = open(&done.replaced.unwrap());
    assert!(ids(&aside).contains("later"));
}

#[test]
fn a_back_up_with_any_byte_changed_or_missing_is_refused_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (root, backup) = (folder.path().join("store"), folder.path().join("backup"));
    let engine = open(&root);
    make_session(&engine, "one");
    keep(&engine, "session/one", "first", "something");
    engine
        .archive_session(&me(), &"one".parse().unwrap(), None)
        .unwrap();
    keep(&engine, "agent/helper", "second", "something else");
    engine.back_up(&me(), &backup).unwrap();
    let to = folder.path().join("to");
    let try_it = || bring_back(&me(), &backup, &to, false, &Config::default());
    let mut tried = 0;
    for file in files_in(&backup) {
        let whole = std::fs::read(&file).unwrap();
        for place in [0, whole.len() / 2, whole.len() - 1] {
            let mut bytes = whole.clone();
            bytes[place] ^= 0x20;
            std::fs::write(&file, &bytes).unwrap();
            // A changed letter in the list may still be a list: of other files, or of an id.
            if !file.ends_with("backup.json") {
                assert_eq!(
                    try_it().unwrap_err().code(),
                    Code::StorageCorrupt,
                    "{file:?}"
                );
            }
            tried += 1;
        }
        std::fs::write(&file, &whole[..whole.len() - 1]).unwrap();
        assert!(
            try_it().is_err() || file.ends_with("backup.json"),
            "{file:?}"
        );
        std::fs::remove_file(&file).unwrap();
        assert!(try_it().is_err(), "{file:?}");
        std::fs::write(&file, &whole).unwrap();
        let _ = std::fs::remove_dir_all(&to);
    }
    assert!(tried >= 12);
    let list = backup.join("backup.json");
    let text = std::fs::read_to_string(&list).unwrap();
    std::fs::write(&list, text.replacen("store.json", "../store.json", 1)).unwrap();
    assert_eq!(try_it().unwrap_err().code(), Code::StorageCorrupt);
    assert!(!to.exists());
    std::fs::write(&list, text).unwrap();
    assert_eq!(ids(&restored(&backup, &to)).len(), 2);
}

#[test]
fn a_folder_that_is_taken_or_lies_within_the_store_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("store");
    let engine = open(&root);
    keep(&engine, "shared", "first", "something");
    let taken = folder.path().join("taken");
    std::fs::create_dir(&taken).unwrap();
    engine.back_up(&me(), &taken).unwrap();
    for refused in [taken, root.join("within"), root.join("agents/deep/within")] {
        let error = engine.back_up(&me(), &refused).unwrap_err();
        assert_eq!(error.code(), Code::SchemaInvalid, "{refused:?}");
    }
    let agent = Caller::agent("helper".parse().unwrap());
    let error = engine
        .back_up(&agent, &folder.path().join("x"))
        .unwrap_err();
    assert_eq!(error.code(), Code::Forbidden);
    let none = bring_back(&me(), folder.path(), &root, true, &Config::default());
    assert_eq!(none.unwrap_err().code(), Code::StorageIo);
    assert_eq!(ids(&engine).len(), 1);
}

#[test]
fn whoever_needed_a_token_needs_one_after_a_back_up_came_back() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("store");
    let engine = open(&root);
    let open_door = folder.path().join("without");
    engine.back_up(&me(), &open_door).unwrap();
    let new = NewToken {
        name: None,
        who: Who::User("ann".into()),
        role: Role::Admin,
        tier: None,
        expires_at: None,
    };
    let (_, secret) = engine.new_token(&me(), new).unwrap();
    let backup = folder.path().join("with");
    engine.back_up(&me(), &backup).unwrap();
    drop(engine);
    let comes_in = |root: &Path, secret: Option<&str>| match open(root).admit(secret).unwrap() {
        Admission::NoTokens => "everybody",
        Admission::Bearer(_) => "the bearer",
        Admission::Refused => "nobody",
    };
    let elsewhere = folder.path().join("elsewhere");
    restored(&backup, &elsewhere);
    assert_eq!(comes_in(&elsewhere, Some(&secret)), "nobody", "not in it");
    assert_eq!(comes_in(&elsewhere, None), "nobody");
    // The tokens of a store that is replaced hold on, whatever the back-up is like.
    for backup in [&backup, &open_door] {
        bring_back(&me(), backup, &root, true, &Config::default()).unwrap();
        assert_eq!(comes_in(&root, Some(&secret)), "the bearer");
        assert_eq!(comes_in(&root, None), "nobody");
    }
    let free = folder.path().join("free");
    restored(&open_door, &free);
    assert_eq!(comes_in(&free, None), "everybody");
}

#[test]
fn a_folder_with_anything_else_in_it_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let backup = folder.path().join("backup");
    open(&folder.path().join("store"))
        .back_up(&me(), &backup)
        .unwrap();
    let home = folder.path().join("home");
    std::fs::create_dir(&home).unwrap();
    std::fs::write(home.join("letter.txt"), "Dear Ada").unwrap();
    let refused = bring_back(&me(), &backup, &home, true, &Config::default());
    assert_eq!(refused.unwrap_err().code(), Code::SchemaInvalid);
    assert!(home.join("letter.txt").exists());
}
