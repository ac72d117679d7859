//! Many writers and readers on one store, and what people do to it meanwhile.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::print_stderr, reason = "how much was tried is worth knowing")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mnemon_testkit::driver::{Driver, Journal, Running};
use mnemon_testkit::inspect;
use mnemon_testkit::numbered::{self, Stream};

const PROCESSES: u64 = 16;
const WRITES: u64 = 1000;

#[test]
fn sixteen_processes_that_get_killed_lose_nothing_and_double_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let driver = prepared(folder.path());
    let kills: usize = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..PROCESSES)
            .map(|number| {
                let driver = &driver;
                scope.spawn(move || write_all_despite_kills(driver, number))
            })
            .collect();
        writers
            .into_iter()
            .map(|writer| writer.join().unwrap())
            .sum()
    });
    assert_eq!(driver.journal.failures(), Vec::<String>::new());
    let kept = inspect::check(&driver.root, &driver.journal.kept());
    assert_eq!(kept.len() as u64, PROCESSES * WRITES);
    eprintln!(
        "{} writes of {PROCESSES} processes, {kills} kills",
        kept.len()
    );
}

/// Starts a writer again and again until it has written all its numbers; how often it was killed.
fn write_all_despite_kills(driver: &Driver, number: u64) -> usize {
    let stream = stream(&format!("w{number}"));
    // Each one is killed twice, after a number of acknowledgements of its own.
    let mut kill_after: Vec<u64> = vec![500 + number * 29, 100 + number * 17];
    let mut kills = 0;
    while driver.journal.next(&stream) < WRITES {
        let from = driver.journal.next(&stream);
        let running = start(driver, &stream.writer, from, WRITES - from);
        let Some(limit) = kill_after.pop() else {
            assert!(running.finish().success());
            continue;
        };
        while driver.journal.next(&stream) < limit && running.line().is_some() {}
        running.kill();
        kills += 1;
    }
    kills
}

#[test]
fn sixteen_threads_of_one_process_lose_nothing_and_double_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let driver = prepared(folder.path());
    let mut settings = settings("w", 0, WRITES);
    settings.push(format!("threads={PROCESSES}"));
    assert!(driver.start("write", &settings).finish().success());
    let kept = inspect::check(&driver.root, &driver.journal.kept());
    assert_eq!(kept.len() as u64, PROCESSES * WRITES);
}

#[test]
fn a_reader_in_another_process_sees_every_write_that_was_acknowledged_before_it_asked() {
    let folder = tempfile::tempdir().unwrap();
    let driver = prepared(folder.path());
    std::thread::scope(|scope| {
        for name in ["w0", "w1", "w2"] {
            let driver = &driver;
            scope.spawn(move || {
                let mut reader = driver.start("read", &[]);
                let writer = start(driver, name, 0, 200);
                for number in 0..200 {
                    let id = stream(name).id(number);
                    assert_eq!(writer.line(), Some(format!("kept {id} 1")));
                    assert_eq!(reader.ask(&id), Some(numbered::text(&id)));
                }
                assert!(writer.finish().success());
                assert!(reader.finish().success());
            });
        }
    });
    inspect::check(&driver.root, &driver.journal.kept());
}

#[test]
fn a_killed_holder_of_the_lock_stops_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let driver = prepared(folder.path());
    let holder = hold(&driver);
    // It waits for the holder, and would wait for a minute.
    let waiting = start(&driver, "w", 0, 3);
    holder.kill();
    assert!(waiting.finish().success());
    let kept = inspect::check(&driver.root, &driver.journal.kept());
    assert_eq!(
        kept.len(),
        3,
        "what the holder had not written is not there"
    );
}

#[test]
fn a_lock_held_too_long_is_told_with_its_holder_and_stops_no_reader() {
    let folder = tempfile::tempdir().unwrap();
    let driver = prepared(folder.path());
    assert!(start(&driver, "w", 0, 1).finish().success());
    let holder = hold(&driver);
    let mut settings = settings("x", 0, 1);
    settings.push("lock_ms=200".into());
    let refused = driver.start("write", &settings);
    let refusal = refused.line().unwrap();
    assert!(refusal.starts_with("failed E_LOCK_TIMEOUT"), "{refusal}");
    let holder_named = format!("process {} ", holder.pid());
    assert!(refusal.contains(&holder_named), "{refusal}");
    assert!(!refused.finish().success());
    // The lock is still held while these questions are answered.
    let mut reader = driver.start("read", &[]);
    let known = stream("w").id(0);
    assert_eq!(reader.ask(&known), Some(numbered::text(&known)));
    let unwritten = stream("h").id(0);
    assert_eq!(reader.ask(&unwritten), Some("absent".into()));
    assert!(holder.finish().success());
    assert_eq!(reader.ask(&unwritten), Some(numbered::text(&unwritten)));
    assert!(reader.finish().success());
    inspect::check(&driver.root, &driver.journal.kept());
}

#[test]
fn the_lock_file_removed_in_use_costs_no_write() {
    let folder = tempfile::tempdir().unwrap();
    let driver = prepared(folder.path());
    let mut settings = settings("w", 0, 300);
    settings.push("threads=2".into());
    let other_settings: Vec<String> = settings.iter().map(|s| s.replace("=w", "=x")).collect();
    let writers = [
        driver.start("write", &settings),
        driver.start("write", &other_settings),
    ];
    // Each acknowledgement of the first writer is followed by a removal.
    let mut removed = 0;
    while writers[0].line().is_some_and(|line| line != "done") {
        removed += usize::from(std::fs::remove_file(driver.root.join("lock")).is_ok());
    }
    for writer in writers {
        assert!(writer.finish().success());
    }
    assert_eq!(driver.journal.failures(), Vec::<String>::new());
    let kept = inspect::check(&driver.root, &driver.journal.kept());
    assert_eq!(kept.len(), 1200);
    eprintln!("the lock file was removed {removed} times");
}

/// The editor's copy lacks what was written since it was read; that is lost.
/// What was acknowledged before the copy was read is in the copy, and what was
/// begun after the rename must be in the new file.
#[test]
fn a_log_replaced_by_an_editor_keeps_all_that_is_written_from_then_on() {
    let folder = tempfile::tempdir().unwrap();
    let driver = prepared(folder.path());
    let log = driver.root.join("sessions/one/memory.jsonl");
    assert!(start(&driver, "p", 0, 20).finish().success());
    let stop = Arc::new(AtomicBool::new(false));
    let editor = {
        let (log, stop) = (log.clone(), stop.clone());
        std::thread::spawn(move || {
            let mut saves = 0;
            while !stop.load(Ordering::SeqCst) {
                save_like_an_editor(&log);
                saves += 1;
                std::thread::sleep(Duration::from_millis(3));
            }
            saves
        })
    };
    let writers: Vec<Running> = (0..3)
        .map(|number| start(&driver, &format!("w{number}"), 0, 40))
        .collect();
    for writer in writers {
        assert!(writer.finish().success());
    }
    stop.store(true, Ordering::SeqCst);
    let saves: usize = editor.join().unwrap();
    let before: Vec<String> = (0..20).map(|number| stream("p").id(number)).collect();
    // No save happens any more: from here on everything must stay.
    let later = Driver {
        journal: Arc::new(Journal::default()),
        ..driver.clone()
    };
    assert!(start(&later, "l", 0, 20).finish().success());
    let mut must_be_there = later.journal.kept();
    must_be_there.extend(before);
    let kept = inspect::check(&driver.root, &must_be_there);
    assert_eq!(driver.journal.failures(), Vec::<String>::new());
    eprintln!("{saves} saves, {} of 160 memories at the end", kept.len());
}

/// Reads the whole lines, writes them beside, renames: as an editor saves.
fn save_like_an_editor(log: &Path) {
    let text = std::fs::read(log).unwrap();
    let end = text.iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    let beside = log.with_extension("jsonl~");
    std::fs::write(&beside, &text[..end]).unwrap();
    std::fs::rename(&beside, log).unwrap();
}

fn prepared(root: &Path) -> Driver {
    inspect::make_sessions(root, &["one"]);
    Driver {
        program: env!("CARGO_BIN_EXE_mnemon-writer").into(),
        root: root.into(),
        journal: Arc::new(Journal::default()),
    }
}

/// A writer that has the lock and stands still.
fn hold(driver: &Driver) -> Running {
    let holder = driver.start("hold", &settings("h", 0, 1));
    assert_eq!(holder.line().as_deref(), Some("holding"));
    holder
}

fn start(driver: &Driver, name: &str, from: u64, count: u64) -> Running {
    driver.start("write", &settings(name, from, count))
}

fn settings(name: &str, from: u64, count: u64) -> Vec<String> {
    vec![
        format!("name={name}"),
        format!("from={from}"),
        format!("count={count}"),
        "spaces=session/one".into(),
    ]
}

fn stream(name: &str) -> Stream {
    Stream {
        writer: name.into(),
        batch: 1,
        thread: 0,
    }
}
