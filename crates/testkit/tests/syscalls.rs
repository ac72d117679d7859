//! A kill at every system call, and an error from every one that touches a log.
//!
//! `strace` strikes; without it these tests say so and pass.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::print_stderr, reason = "how much was tried is worth knowing")]

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use mnemon::Caller;
use mnemon::memory::Space;
use mnemon::store::local::LockNote;
use mnemon_testkit::driver::{Driver, Journal};
use mnemon_testkit::traced::{self, Blow};
use mnemon_testkit::{inspect, numbered};

/// The calls that a disk, a lock or another process can notice.
const CALLS: [&str; 22] = [
    "write",
    "pwrite64",
    "pread64",
    "read",
    "fdatasync",
    "fsync",
    "rename",
    "renameat2",
    "openat",
    "ftruncate",
    "unlink",
    "unlinkat",
    "rmdir",
    "mkdir",
    "flock",
    "close",
    "fcntl",
    "statx",
    "newfstatat",
    "getdents64",
    "fchown",
    "mmap",
];

const SESSION: &str = "session/one";

#[test]
fn a_kill_at_any_call_of_a_write_leaves_all_or_nothing() {
    kill_everywhere("write", |_| write(1, SESSION), |_| {});
}

#[test]
fn a_kill_at_any_call_while_memories_become_searchable_leaves_all_or_nothing() {
    let fill = |_| {
        let (mode, mut settings) = write(1, SESSION);
        settings.retain(|setting| !setting.starts_with("pending_max="));
        settings.push("pending_max=1".into());
        (mode, settings)
    };
    kill_everywhere("fill", fill, |_| {});
}

#[test]
fn a_kill_at_any_call_of_a_transaction_leaves_all_or_nothing() {
    kill_everywhere("transaction", |_| write(5, SESSION), |_| {});
}

#[test]
fn a_kill_at_any_call_of_the_first_write_to_a_space_leaves_all_or_nothing() {
    if !is_possible() {
        return;
    }
    let settings = with_number(&|_| write(2, "agent/a"), 1).1;
    let folder = tempfile::tempdir().unwrap();
    let first = prepared(folder.path());
    let mut struck = 0;
    for (call, before) in traced::calls_before_the_store(&first, ("write", &settings), &CALLS) {
        let mut nth = before + 1;
        loop {
            // A store of its own each time: the spaces that killed writers left
            // would be looked at too, so that no run would ever survive.
            let folder = tempfile::tempdir().unwrap();
            let driver = prepared(folder.path());
            let ended = traced::run(&driver, ("write", &settings), (call, nth), None, Blow::Kill);
            inspect::check(&driver.root, &driver.journal.kept());
            go_on(&driver.root, SESSION, 1);
            if !ended.struck {
                break;
            }
            struck += 1;
            nth += 1;
        }
    }
    eprintln!("new space: killed at {struck} calls");
}

#[test]
fn a_kill_at_any_call_of_a_rebuild_leaves_an_index_that_tells_the_truth() {
    let settings = || vec!["pending_max=1000000".to_owned()];
    kill_everywhere("rebuild", |_| ("reindex", settings()), |_| {});
}

#[test]
fn a_kill_at_any_call_of_a_build_of_a_lost_index_leaves_an_index_that_tells_the_truth() {
    kill_everywhere(
        "lost index",
        |_| write(1, SESSION),
        |root| fs::remove_dir_all(root.join("index")).unwrap(),
    );
}

#[test]
fn a_kill_at_any_call_of_a_recovery_leaves_a_store_that_recovers() {
    let folder = tempfile::tempdir().unwrap();
    let driver = prepared(folder.path());
    leave_like_a_dead_writer(&driver.root);
    go_on(&driver.root, SESSION, 0);
    let aside = fs::read_dir(driver.root.join("quarantine"))
        .unwrap()
        .count();
    assert_eq!(aside, 1, "what was cut is set aside");
    kill_everywhere("recovery", |_| write(2, SESSION), leave_like_a_dead_writer);
}

#[test]
fn a_kill_at_any_call_of_the_making_of_a_store_leaves_a_store_that_can_be_made() {
    if !is_possible() {
        return;
    }
    let mut settings = write(1, "shared").1;
    settings.push("from=0".into());
    let folder = tempfile::tempdir().unwrap();
    let first = driver(&folder.path().join("store"));
    let mut struck = 0;
    for (call, before) in traced::calls_before_the_store(&first, ("write", &settings), &CALLS) {
        let mut nth = before + 1;
        loop {
            let folder = tempfile::tempdir().unwrap();
            let driver = driver(&folder.path().join("store"));
            let ended = traced::run(&driver, ("write", &settings), (call, nth), None, Blow::Kill);
            inspect::check(&driver.root, &driver.journal.kept());
            go_on(&driver.root, "shared", 0);
            if !ended.struck {
                break;
            }
            struck += 1;
            nth += 1;
        }
    }
    eprintln!("making a store: killed at {struck} calls");
}

/// Kills a run at its first, second, third… call of each name, until it survives.
fn kill_everywhere(
    what: &str,
    run: impl Fn(usize) -> (&'static str, Vec<String>),
    prepare: impl Fn(&Path),
) {
    if !is_possible() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let driver = prepared(folder.path());
    let mut turn = 0;
    let mut struck = 0;
    prepare(&driver.root);
    let (mode, settings) = with_number(&run, turn);
    let before = traced::calls_before_the_store(&driver, (mode, &settings), &CALLS);
    for (call, before) in before {
        let mut nth = before + 1;
        loop {
            turn += 1;
            prepare(&driver.root);
            let (mode, settings) = with_number(&run, turn);
            let ended = traced::run(&driver, (mode, &settings), (call, nth), None, Blow::Kill);
            inspect::check(&driver.root, &driver.journal.kept());
            go_on(&driver.root, SESSION, turn);
            if !ended.struck {
                break;
            }
            struck += 1;
            nth += 1;
        }
    }
    let kept = inspect::check(&driver.root, &driver.journal.kept());
    assert_eq!(driver.journal.failures(), Vec::<String>::new());
    eprintln!(
        "{what}: killed at {struck} calls, {} memories at the end",
        kept.len()
    );
}

#[test]
fn an_error_from_any_call_on_the_log_is_told_and_loses_nothing() {
    if !is_possible() {
        return;
    }
    let mut struck = 0;
    for error in ["EIO", "ENOSPC"] {
        for call in [
            "pwrite64",
            "fdatasync",
            "ftruncate",
            "openat",
            "pread64",
            "statx",
        ] {
            for blow in [Blow::Fail(error), Blow::FailFromThenOn(error)] {
                let mut nth = 1;
                while strike_the_log((call, nth), blow) {
                    struck += 1;
                    nth += 1;
                }
            }
        }
    }
    eprintln!("errors: struck {struck} calls");
}

/// One write with a torn tail to cut, one call of which fails; false if there is no such call.
fn strike_the_log(call: (&str, usize), blow: Blow) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let driver = prepared(folder.path());
    leave_like_a_dead_writer(&driver.root);
    let log = driver.root.join("sessions/one/memory.jsonl");
    let (mode, mut settings) = write(2, SESSION);
    settings.push("from=100".into());
    let ended = traced::run(&driver, (mode, &settings), call, Some(&log), blow);
    let said = ended.said.first().unwrap();
    let sync_failed = call.0 == "fdatasync" && ended.struck;
    match blow {
        _ if !ended.struck => assert!(said.starts_with("kept "), "{said}"),
        _ if sync_failed => assert!(said.starts_with("failed E_STORAGE_"), "{call:?}: {said}"),
        Blow::Fail(_) => assert!(
            said.starts_with("kept ") || said.starts_with("failed E_STORAGE_"),
            "{call:?}: {said}"
        ),
        Blow::FailFromThenOn("ENOSPC") if call.0 == "pwrite64" => {
            assert!(
                said.starts_with("failed E_STORAGE_FULL "),
                "{call:?}: {said}"
            );
        }
        Blow::FailFromThenOn("EIO") if call.0 == "pwrite64" => {
            assert!(said.starts_with("failed E_STORAGE_IO "), "{call:?}: {said}");
        }
        _ => assert!(
            said.starts_with("kept ") || said.starts_with("failed E_STORAGE_"),
            "{call:?} {blow:?}: {said}"
        ),
    }
    inspect::check(&driver.root, &driver.journal.kept());
    let next = try_to_go_on(&driver.root, SESSION, 0);
    if sync_failed {
        let refusal = next.unwrap_err();
        assert_eq!(refusal.code().as_str(), "E_STORAGE_IO", "{refusal}");
    } else {
        next.unwrap();
        inspect::check(&driver.root, &driver.journal.kept());
    }
    ended.struck
}

/// A torn line behind lines without their commit, and a note that nobody cleared.
fn leave_like_a_dead_writer(root: &Path) {
    let path = root.join("sessions/one/memory.jsonl");
    let log = fs::read_to_string(&path).unwrap();
    let line = log.lines().find(|line| line.contains("\"tx\":")).unwrap();
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    write!(file, "{line}\n{}", &line[..line.len() / 2]).unwrap();
    let note = LockNote {
        pid: Some(1),
        operation: "write".into(),
        since: "a while ago".into(),
        appending: vec![SESSION.into()],
    };
    let note = serde_json::to_string(&note).unwrap();
    fs::write(root.join("lock"), format!("{note:1023}\n")).unwrap();
}

/// A writer's settings, but for where its numbers begin.
fn write(batch: u64, spaces: &str) -> (&'static str, Vec<String>) {
    let settings = [
        "name=w".to_owned(),
        format!("batch={batch}"),
        format!("count={batch}"),
        format!("spaces={spaces}"),
        "retry_ms=1".into(),
        // What becomes searchable is struck in a test of its own; here it would
        // only multiply the calls.
        "pending_max=1000000".into(),
    ];
    ("write", settings.to_vec())
}

fn with_number(
    run: &impl Fn(usize) -> (&'static str, Vec<String>),
    turn: usize,
) -> (&'static str, Vec<String>) {
    let (mode, mut settings) = run(turn);
    settings.push(format!("from={}", turn * 10));
    (mode, settings)
}

/// A store with a session that has a transaction.
fn prepared(root: &Path) -> Driver {
    inspect::make_sessions(root, &["one"]);
    let driver = driver(root);
    let (mode, mut settings) = write(3, SESSION);
    settings[0] = "name=p".into();
    let status = driver.start(mode, &settings).finish();
    assert!(status.success());
    driver
}

fn driver(root: &Path) -> Driver {
    Driver {
        program: env!("CARGO_BIN_EXE_mnemon-writer").into(),
        root: root.into(),
        journal: Arc::new(Journal::default()),
    }
}

/// The next write of a new process succeeds, without any repair by hand, and
/// leaves nothing of what the dead one left.
fn go_on(root: &Path, space: &str, turn: usize) {
    try_to_go_on(root, space, turn).unwrap();
    let log = match space.split_once('/') {
        Some(("session", id)) => root.join("sessions").join(id),
        _ => root.join(space),
    };
    let left = inspect::torn_logs(root);
    assert!(!left.contains(&log.join("memory.jsonl")), "{left:?}");
}

fn try_to_go_on(root: &Path, space: &str, turn: usize) -> mnemon::Result<()> {
    let space: Space = space.parse().unwrap();
    let draft = numbered::draft(&format!("zb1t0-{turn:06}")).unwrap();
    let caller = Caller::user("tester");
    let kept = inspect::open(root).remember(&caller, &space, draft)?;
    assert!(kept.new);
    Ok(())
}

fn is_possible() -> bool {
    let possible = traced::is_possible();
    if !possible {
        eprintln!("strace is not here or may not trace: skipped");
    }
    possible
}
