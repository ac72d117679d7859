//! Sessions are put away and brought back while processes die and others write.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::print_stderr, reason = "how much was tried is worth knowing")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mnemon::memory::{SessionId, Space};
use mnemon::{Caller, Error, Mnemon};
use mnemon_testkit::driver::{Driver, Journal};
use mnemon_testkit::traced::{self, Blow};
use mnemon_testkit::{inspect, numbered};

/// The calls that a disk, a lock or another process can notice.
const CALLS: [&str; 16] = [
    "write",
    "pwrite64",
    "pread64",
    "fdatasync",
    "fsync",
    "rename",
    "openat",
    "ftruncate",
    "unlink",
    "unlinkat",
    "rmdir",
    "mkdir",
    "flock",
    "close",
    "statx",
    "getdents64",
];

#[test]
fn a_kill_at_any_call_of_archiving_leaves_the_log_or_the_archive() {
    kill_everywhere("archive", |_, _| {});
}

#[test]
fn a_kill_at_any_call_of_restoring_leaves_the_archive_or_the_log() {
    kill_everywhere("restore", |engine, id| {
        engine.archive_session(&me(), id, None).unwrap();
    });
}

#[test]
fn a_kill_at_any_call_of_deleting_leaves_the_session_here_or_there() {
    kill_everywhere("delete", |_, _| {});
}

#[test]
fn a_kill_at_any_call_of_undeleting_leaves_the_session_here_or_there() {
    kill_everywhere("undelete", |engine, id| {
        engine.delete_session(&me(), id, "over").unwrap();
    });
}

#[test]
fn a_kill_at_any_call_of_purging_leaves_all_of_it_or_nothing() {
    kill_everywhere("purge", |engine, id| {
        engine.archive_session(&me(), id, None).unwrap();
        engine.delete_session(&me(), id, "over").unwrap();
    });
}

/// Kills a deed at its first, second, third… call of each name, until it survives.
fn kill_everywhere(what: &str, prepare: impl Fn(&Mnemon, &SessionId)) {
    if !traced::is_possible() {
        eprintln!("strace is not here or may not trace: skipped");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let driver = driver(folder.path());
    let mut turn = 0;
    let mut struck = 0;
    let begin = |turn: usize| {
        let id: SessionId = format!("s{turn}").parse().unwrap();
        let bytes = make(folder.path(), &id, turn);
        prepare(&inspect::open(folder.path()), &id);
        let settings = [
            format!("name={id}"),
            format!("what={what}"),
            "pending_max=1000000".into(),
        ];
        (id, bytes, settings)
    };
    let (id, _, settings) = begin(turn);
    let before = traced::calls_before_the_store(&driver, ("live", &settings), &CALLS);
    clean_up(folder.path(), &id);
    for (call, before) in before {
        let mut nth = before + 1;
        loop {
            turn += 1;
            let (id, bytes, settings) = begin(turn);
            let ended = traced::run(&driver, ("live", &settings), (call, nth), None, Blow::Kill);
            check(folder.path(), &id, &bytes, what);
            clean_up(folder.path(), &id);
            if !ended.struck {
                break;
            }
            struck += 1;
            nth += 1;
        }
    }
    assert_eq!(driver.journal.failures(), Vec::<String>::new());
    eprintln!("{what}: killed at {struck} calls");
}

/// Whatever is there is sound, and all of the session or, after a purge, nothing of it.
fn check(root: &Path, id: &SessionId, bytes: &[u8], what: &str) {
    let engine = inspect::open(root);
    let found = engine.verify(&me(), &mut |_| {}).unwrap();
    assert_eq!(found.problems, [], "{what} of {id}");
    match engine.session(&me(), id) {
        Ok(_) => {}
        Err(Error::SessionDeleted { .. }) => {
            engine.undelete_session(&me(), id, "to look at it").unwrap();
        }
        Err(Error::SessionNotFound { .. }) => {
            assert_eq!(what, "purge", "{id} is lost");
            return;
        }
        Err(error) => panic!("{what} of {id}: {error}"),
    }
    let opened = engine.restore_session(&me(), id).unwrap();
    assert_eq!(opened.activity.memories(), 3);
    let log = root.join("sessions").join(id.as_str()).join("memory.jsonl");
    assert!(
        fs::read(log).unwrap() == bytes,
        "{what} changed the log of {id}"
    );
    // It goes on, and what the dead process left goes with the next deed.
    engine.archive_session(&me(), id, None).unwrap();
    engine.restore_session(&me(), id).unwrap();
    let folder = root.join("sessions").join(id.as_str());
    let left = files_below(&folder);
    assert_eq!(left, [folder.join("memory.jsonl")], "{what} of {id}");
}

/// A session with three memories; its log.
fn make(root: &Path, id: &SessionId, turn: usize) -> Vec<u8> {
    inspect::make_sessions(root, &[id.as_str()]);
    let engine = inspect::open(root);
    for number in 0..3 {
        let draft = numbered::draft(&format!("pb1t0-{:06}", turn * 10 + number)).unwrap();
        let space = Space::Session(id.clone());
        engine.remember(&me(), &space, draft).unwrap();
    }
    fs::read(root.join("sessions").join(id.as_str()).join("memory.jsonl")).unwrap()
}

/// Removes a session for good, so that the store stays small.
fn clean_up(root: &Path, id: &SessionId) {
    let engine = inspect::open(root);
    let _ = engine.delete_session(&me(), id, "done with it");
    let _ = engine.purge_session(&me(), id);
    assert!(engine.session(&me(), id).is_err());
    assert!(!root.join("sessions").join(id.as_str()).exists());
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_below(&path));
        } else {
            found.push(path);
        }
    }
    found
}

#[test]
fn nothing_is_lost_of_a_session_that_is_archived_while_others_write_to_it() {
    let folder = tempfile::tempdir().unwrap();
    inspect::make_sessions(folder.path(), &["one"]);
    let driver = driver(folder.path());
    let id: SessionId = "one".parse().unwrap();
    let settings = |name: &str| {
        [
            format!("name={name}"),
            "batch=2".into(),
            "count=120".into(),
            "spaces=session/one".into(),
        ]
    };
    let mut writers = vec![
        driver.start("write", &settings("v")),
        driver.start("write", &settings("w")),
    ];
    let engine = inspect::open(folder.path());
    let mut archived = 0;
    // Once for each write that was told, for as long as anybody writes.
    while let Some(writer) = writers.pop() {
        while let Some(line) = writer.line() {
            if line.starts_with("kept") {
                engine.archive_session(&me(), &id, None).unwrap();
                archived += 1;
            }
        }
        assert!(writer.finish().success());
    }
    engine.archive_session(&me(), &id, None).unwrap();
    assert_eq!(driver.journal.failures(), Vec::<String>::new());
    assert_eq!(driver.journal.kept().len(), 240);
    engine.restore_session(&me(), &id).unwrap();
    drop(engine);
    inspect::check(folder.path(), &driver.journal.kept());
    let found = inspect::open(folder.path())
        .verify(&me(), &mut |_| {})
        .unwrap();
    assert_eq!(found.problems, []);
    eprintln!("archived {archived} times");
}

fn me() -> Caller {
    Caller::user("tester")
}

fn driver(root: &Path) -> Driver {
    Driver {
        program: env!("CARGO_BIN_EXE_mnemon-writer").into(),
        root: root.into(),
        journal: Arc::new(Journal::default()),
    }
}
