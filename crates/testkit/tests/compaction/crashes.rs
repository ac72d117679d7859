//! Compactions that are killed, and that others write beside.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mnemon::Mnemon;
use mnemon::compact::Reach;
use mnemon_testkit::driver::{Driver, Journal};
use mnemon_testkit::inspect;
use mnemon_testkit::traced::{self, Blow};

use super::{NOW, engine, everything, fill, fill_a_little, ids, me, session};

/// The calls that change something, or wait for those who do; of those that mostly write
/// pages of the index every fifth is struck.
const CALLS: [(&str, usize); 8] = [
    ("pwrite64", 5),
    ("fdatasync", 1),
    ("fsync", 1),
    ("rename", 1),
    ("openat", 1),
    ("unlink", 1),
    ("mkdir", 1),
    ("flock", 1),
];

#[test]
fn a_kill_at_any_call_of_a_compaction_loses_nothing_and_doubles_nothing() {
    kill_everywhere("compact", |_| {});
}

#[test]
fn a_kill_at_any_call_of_a_return_loses_nothing_and_doubles_nothing() {
    kill_everywhere("bring-back", |engine| {
        engine
            .compact(&me(), &session(), Reach::Aggressive)
            .unwrap();
    });
}

fn driver(root: &Path) -> Driver {
    Driver {
        program: env!("CARGO_BIN_EXE_mnemon-writer").into(),
        root: root.into(),
        journal: Arc::new(Journal::default()),
    }
}

/// Kills a run at its first, second, third… call of each name, until it survives.
fn kill_everywhere(mode: &str, prepare: impl Fn(&Mnemon)) {
    if !traced::is_possible() {
        eprintln!("strace is not here or may not trace: skipped");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let driver = driver(folder.path());
    let engine = engine(folder.path(), 10 << 20);
    fill_a_little(&engine);
    let before = everything(&engine);
    let settings = [format!("now={NOW}"), "pending_max=1000000".into()];
    prepare(&engine);
    let names = CALLS.map(|(name, _)| name);
    let counts = traced::calls_before_the_store(&driver, (mode, &settings), &names);
    let mut struck = 0;
    for ((call, begin), (_, step)) in counts.into_iter().zip(CALLS) {
        let mut nth = begin + 1;
        loop {
            engine
                .bring_back(&me(), &session(), None, "start over")
                .unwrap();
            assert_eq!(everything(&engine), before, "{call} {nth}");
            prepare(&engine);
            let ended = traced::run(&driver, (mode, &settings), (call, nth), None, Blow::Kill);
            let there: BTreeSet<String> = before.iter().map(|(it, _)| it.id.to_string()).collect();
            let found = ids(&engine);
            for id in there.difference(&found) {
                let refusal = engine.find(&me(), id, None).unwrap_err();
                assert!(
                    refusal.to_string().contains("archive"),
                    "{call} {nth}: {refusal}"
                );
            }
            if !ended.struck {
                break;
            }
            struck += 1;
            nth += step;
        }
    }
    let verified = engine.verify(&me(), &mut |_| {}).unwrap();
    assert!(verified.is_ok(), "{verified:?}");
    eprintln!("{mode}: killed at {struck} calls");
}

#[test]
fn another_process_that_writes_meanwhile_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let driver = driver(folder.path());
    let engine = engine(folder.path(), 10 << 20);
    fill(&engine);
    let before = everything(&engine);
    let settings = ["name=w", "count=300", "spaces=session/one"].map(str::to_owned);
    let running = driver.start("write", &settings);
    let mut rounds = 0;
    while driver.journal.kept().len() < 300 {
        // Whoever writes all the time may keep it from ever getting its turn.
        let _ = engine.compact(&me(), &session(), Reach::Aggressive);
        let _ = engine.bring_back(&me(), &session(), None, "back again");
        rounds += 1;
    }
    assert!(running.finish().success());
    engine
        .bring_back(&me(), &session(), None, "back again")
        .unwrap();
    let all = ids(&engine);
    for id in driver.journal.kept() {
        assert!(all.contains(&id), "{id} was acknowledged and is lost");
    }
    let old: Vec<_> = everything(&engine)
        .into_iter()
        .filter(|(memory, _)| !driver.journal.kept().contains(memory.id.as_str()))
        .collect();
    assert_eq!(old, before);
    assert_eq!(inspect::torn_logs(folder.path()), Vec::<PathBuf>::new());
    eprintln!("{rounds} rounds beside 300 writes");
}
