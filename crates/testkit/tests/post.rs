//! Processes that write for each other, one of which is killed at every system call.
//!
//! `strace` strikes; without it these tests say so and pass.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::print_stderr, reason = "how much was tried is worth knowing")]

use std::path::Path;
use std::sync::Arc;

use mnemon_testkit::driver::{Driver, Journal, Running};
use mnemon_testkit::inspect;
use mnemon_testkit::traced::{self, Blow};

/// The calls that a disk, a lock or another process can notice.
const CALLS: [&str; 17] = [
    "socket",
    "bind",
    "listen",
    "accept4",
    "connect",
    "sendto",
    "recvfrom",
    "rename",
    "unlink",
    "chmod",
    "write",
    "pwrite64",
    "pread64",
    "fdatasync",
    "flock",
    "statx",
    "ftruncate",
];

#[test]
fn a_process_killed_at_any_call_takes_nothing_with_it_that_it_wrote_for_another() {
    strike(|driver, call, turn| {
        let serving = traced::killed_at(driver, ("serve", &settings(turn)), call);
        let serving = driver.start_command(serving);
        // If it was killed before, the other one is alone.
        serving.line();
        let writing = driver.start("write", &settings(turn));
        assert!(writing.finish().success(), "{call:?}");
        !serving.finish().success()
    });
}

#[test]
fn a_process_killed_at_any_call_while_another_writes_for_it_leaves_all_or_nothing() {
    strike(|driver, call, turn| {
        let serving = serve(driver, turn);
        let settings = settings(turn);
        let ended = traced::run(driver, ("write", &settings), call, None, Blow::Kill);
        assert!(serving.finish().success(), "{call:?}");
        ended.struck
    });
}

/// Strikes at the first, second, third… call of each name, until none is struck.
fn strike(run: impl Fn(&Driver, (&str, usize), u64) -> bool) {
    if !traced::is_possible() {
        eprintln!("strace is not here, so nothing is killed");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let driver = prepared(folder.path());
    let mut turn = 0;
    for call in CALLS {
        for nth in 1.. {
            turn += 1;
            let struck = run(&driver, (call, nth), turn);
            inspect::check(&driver.root, &driver.journal.kept());
            if !struck {
                break;
            }
        }
    }
    assert_eq!(driver.journal.failures(), Vec::<String>::new());
    let kept = inspect::check(&driver.root, &driver.journal.kept());
    eprintln!("{turn} runs, {} memories at the end", kept.len());
}

fn serve(driver: &Driver, turn: u64) -> Running {
    let serving = driver.start("serve", &settings(turn));
    assert_eq!(serving.line().as_deref(), Some("serving"));
    serving
}

/// One batch of two, with numbers of its own.
fn settings(turn: u64) -> Vec<String> {
    vec![
        "name=w".into(),
        format!("from={}", turn * 2),
        "count=2".into(),
        "batch=2".into(),
        "spaces=session/one".into(),
        "others=1".into(),
        "pending_max=1000000".into(),
    ]
}

fn prepared(root: &Path) -> Driver {
    inspect::make_sessions(root, &["one"]);
    Driver {
        program: env!("CARGO_BIN_EXE_mnemon-writer").into(),
        root: root.into(),
        journal: Arc::new(Journal::default()),
    }
}
