//! `kill -9` at random moments, with several writers on one store.
//!
//! `MNEMON_KILLS` says how many; each kill is followed by a restart of the
//! victim, which must go on without any repair by hand.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::print_stderr, reason = "how much was tried is worth knowing")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use mnemon_testkit::driver::{Driver, Journal, Running};
use mnemon_testkit::inspect;
use mnemon_testkit::numbered::Stream;

/// Kills on one store, before another one is begun.
const KILLS_A_STORE: usize = 250;

/// Kills between two looks at everything.
const KILLS_A_LOOK: usize = 50;

/// Writers: the size of their batches, their threads, where they write.
const WRITERS: [(u64, u64, &str); 4] = [
    (1, 1, "session/one"),
    (5, 1, "session/one"),
    (3, 2, "agent/helper,session/one,shared"),
    (1, 1, "session/one,session/two"),
];

#[test]
fn killed_writers_lose_nothing_that_was_acknowledged_and_leave_nothing_half_done() {
    let kills = std::env::var("MNEMON_KILLS").map_or(1000, |text| text.parse().unwrap());
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut done = 0;
    let mut acknowledged = 0;
    while done < kills {
        let folder = tempfile::tempdir().unwrap();
        let now = KILLS_A_STORE.min(kills - done);
        acknowledged += kill_on_one_store(folder.path(), now, &mut random);
        done += now;
    }
    eprintln!("{done} kills, {acknowledged} acknowledged memories");
}

fn kill_on_one_store(root: &Path, kills: usize, random: &mut Random) -> usize {
    let driver = Driver {
        program: env!("CARGO_BIN_EXE_mnemon-writer").into(),
        root: root.into(),
        journal: Arc::new(Journal::default()),
    };
    inspect::make_sessions(root, &["one", "two"]);
    let mut done = 0;
    while done < kills {
        let mut alive: BTreeMap<usize, Running> =
            (0..WRITERS.len()).map(|n| (n, start(&driver, n))).collect();
        for _ in WRITERS.len()..KILLS_A_LOOK.min(kills - done).max(WRITERS.len()) {
            // The moment is what the test is about, so it is random and waits for nothing.
            std::thread::sleep(Duration::from_micros(random.below(40_000)));
            let victim = usize::try_from(random.below(WRITERS.len() as u64)).unwrap();
            alive.remove(&victim).unwrap().kill();
            alive.insert(victim, start(&driver, victim));
            done += 1;
        }
        done += alive.len();
        alive.into_values().for_each(Running::kill);
        assert_eq!(driver.journal.failures(), Vec::<String>::new());
        inspect::check(root, &driver.journal.kept());
    }
    driver.journal.kept().len()
}

/// Starts a writer where its last acknowledgement left off, so it may repeat what nobody was told.
fn start(driver: &Driver, writer: usize) -> Running {
    let (batch, threads, spaces) = WRITERS[writer];
    let name = format!("w{writer}");
    let from = (0..threads)
        .map(|thread| {
            let writer = name.clone();
            driver.journal.next(&Stream {
                writer,
                batch,
                thread,
            })
        })
        .min()
        .unwrap();
    let settings = [
        format!("name={name}"),
        format!("from={from}"),
        format!("batch={batch}"),
        // Small, so that what is written becomes searchable again and again.
        "pending_max=5".into(),
        format!("threads={threads}"),
        format!("spaces={spaces}"),
    ];
    driver.start("write", &settings)
}

/// Random enough for moments and victims.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}
