//! The power is cut behind every operation, in many ways: nothing that was
//! acknowledged is lost, nothing is half there, nothing is invented.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test stops at what it did not expect, and says how much it checked"
)]

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use mnemon::config::Durability;
use mnemon::memory::Space;
use mnemon::store::local::log::Line;
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::store::{Batch, Store};
use mnemon_testkit::disk::{CrashDisk, DataLoss, Loss, NameLoss, Operation};
use mnemon_testkit::workload::{self, Snapshot, add, add_linked, batch, space};
use sha2::{Digest, Sha256};

const ROOT: &str = "/home/user/.mnemon";

/// At most so many ways to lose what was not synced behind one operation.
const WAYS_MAX: u64 = 300;

/// After so many ways in a row that lead to known states, the next operation.
const FRUITLESS_MAX: u64 = 24;

fn options() -> LocalOptions {
    LocalOptions {
        index_in_memory: true,
        write_attempts: 1,
        ..LocalOptions::default()
    }
}

fn open(disk: &CrashDisk) -> mnemon::Result<LocalStore> {
    LocalStore::create_on(Arc::new(disk.clone()), Path::new(ROOT), options())
}

/// A workload that ran on a disk, and what was known when.
struct Run {
    disk: CrashDisk,
    /// What the store said before the first batch.
    before: Snapshot,
    steps: Vec<Step>,
}

struct Step {
    space: Space,
    /// How many changes the disk had seen when the batch was acknowledged.
    acknowledged_at: usize,
    /// What the store said then.
    after: Snapshot,
}

fn run(disk: CrashDisk, batches: Vec<Batch>) -> Run {
    let store = open(&disk).unwrap();
    let before = Snapshot::of(&store).unwrap();
    let mut steps = Vec::new();
    for batch in batches {
        let space = batch.space.clone();
        let receipt = store.commit(batch).unwrap();
        assert!(receipt.durable);
        steps.push(Step {
            space,
            acknowledged_at: disk.operation_count(),
            after: Snapshot::of(&store).unwrap(),
        });
    }
    drop(store);
    Run {
        disk,
        before,
        steps,
    }
}

impl Run {
    /// Cuts the power behind every operation, in new ways as long as they
    /// bring the disk into new states.
    fn check(&self, seen: &mut HashSet<[u8; 32]>) {
        for count in 0..=self.disk.operation_count() {
            let mut fruitless = 0;
            for way in 0..WAYS_MAX {
                let loss = Loss::seeded(((count as u64) << 32) | way);
                fruitless = if self.check_one(count, loss, seen) {
                    0
                } else {
                    fruitless + 1
                };
                if fruitless == FRUITLESS_MAX {
                    break;
                }
            }
        }
    }

    /// Checks one state; false if it was seen before.
    fn check_one(&self, count: usize, loss: Loss, seen: &mut HashSet<[u8; 32]>) -> bool {
        let cut = self.disk.after_power_cut(count, loss);
        let done = self
            .steps
            .iter()
            .take_while(|step| step.acknowledged_at <= count)
            .count();
        if !seen.insert(fingerprint(&cut, done)) {
            return false;
        }
        let context = format!("behind operation {count}, {loss:?}, {done} batches acknowledged");
        let acknowledged = match done {
            0 => &self.before,
            done => &self.steps[done - 1].after,
        };
        let under_way = self.steps.get(done);
        let store = reopen(&cut, &context);
        let found = Snapshot::of(&store).expect(&context);
        let expected = [Some(acknowledged), under_way.map(|step| &step.after)];
        assert!(
            expected.contains(&Some(&found)),
            "{context}\nfound: {:#?}\nacknowledged: {:#?}\nunder way: {:#?}",
            found.contents(),
            acknowledged.contents(),
            under_way.map(|step| step.after.contents()),
        );
        if seen.len().is_multiple_of(16) {
            found.check_selection(&store).expect(&context);
        }
        let shared = space("shared");
        let space = under_way.map_or(&shared, |step| &step.space);
        let space = if is_there(&found, space) {
            space
        } else {
            &shared
        };
        go_on_writing(&cut, store, space, &found, &context);
        true
    }

    /// States in which the log of this space ends in the middle of a write.
    fn torn(&self) -> Vec<(CrashDisk, &Space)> {
        let mut torn = Vec::new();
        for (place, operation) in self.disk.operations().iter().enumerate() {
            let Some(step) = self.steps.iter().find(|step| step.acknowledged_at > place) else {
                break;
            };
            // The lock's note is always this long; lines of a log are not.
            if !matches!(operation, Operation::Write { bytes, .. } if bytes.len() != 1024) {
                continue;
            }
            for seed in 0..2 {
                let loss = Loss {
                    data: DataLoss::Torn,
                    names: NameLoss::Nothing,
                    seed,
                };
                torn.push((self.disk.after_power_cut(place + 1, loss), &step.space));
            }
        }
        torn
    }
}

fn reopen(disk: &CrashDisk, context: &str) -> LocalStore {
    open(disk).unwrap_or_else(|error| panic!("{context}: {error}"))
}

fn is_there(found: &Snapshot, space: &Space) -> bool {
    space.session().is_none_or(|session| {
        found
            .sessions
            .iter()
            .any(|(known, _)| known == session.as_str())
    })
}

/// A write after the crash is kept beside all that was there, on a line of its own.
fn go_on_writing(
    disk: &CrashDisk,
    store: LocalStore,
    space: &Space,
    found: &Snapshot,
    context: &str,
) {
    let log = store.log_path(space);
    let receipt = store
        .commit(batch(space, 5_000_000, vec![add("after", "the crash")]))
        .unwrap_or_else(|error| panic!("{context}: {error}"));
    assert!(receipt.durable);
    drop(store);
    let mut again = Snapshot::of(&reopen(disk, context)).expect(context);
    let new: Vec<_> = again
        .memories
        .extract_if(.., |memory| memory.id.as_str() == "after")
        .collect();
    assert_eq!(new.len(), 1, "{context}");
    assert_eq!(new[0].text.as_str(), "the crash", "{context}");
    assert_eq!(again, *found, "{context}");
    let bytes = &disk.files()[&log];
    let lines = bytes.strip_suffix(b"\n").expect(context);
    for line in lines.split(|byte| *byte == b'\n') {
        if let Err(fault) = Line::decode(line) {
            panic!("{context}: {fault:?} in {}", String::from_utf8_lossy(line));
        }
    }
}

/// Everything but the lock's note, whose bytes hardly matter.
fn fingerprint(disk: &CrashDisk, done: usize) -> [u8; 32] {
    let mut digest = Sha256::new();
    digest.update(done.to_le_bytes());
    for (path, bytes) in disk.files() {
        if path.ends_with("lock") {
            continue;
        }
        digest.update(path.to_string_lossy().as_bytes());
        digest.update((bytes.len() as u64).to_le_bytes());
        digest.update(&bytes);
    }
    digest.finalize().into()
}

#[test]
fn no_power_cut_loses_splits_or_invents_a_memory() {
    let mut seen = HashSet::new();
    let scripted = run(CrashDisk::default(), workload::scripted());
    scripted.check(&mut seen);
    for seed in 1..=8 {
        run(CrashDisk::default(), workload::random(seed, 9)).check(&mut seen);
    }
    println!("{} states of the disk after a power cut", seen.len());
    assert!(seen.len() >= 6_000, "only {} states", seen.len());
}

#[test]
fn a_second_power_cut_during_recovery_does_no_more_harm_than_the_first() {
    let mut seen = HashSet::new();
    let mut set_aside = 0;
    let scripted = run(CrashDisk::default(), workload::scripted());
    for ((torn, space), seed) in scripted.torn().into_iter().zip(100..) {
        let mut batches = workload::random(seed, 2);
        if is_there(&Snapshot::of(&open(&torn).unwrap()).unwrap(), space) {
            batches.insert(
                0,
                batch(space, 0, vec![add("z1", "go on"), add("z2", "there")]),
            );
        }
        let second = run(torn, batches);
        let files = second.disk.files();
        set_aside += files
            .keys()
            .filter(|path| path.starts_with(format!("{ROOT}/quarantine")))
            .count();
        second.check(&mut seen);
    }
    println!("{} states after a second power cut", seen.len());
    assert!(set_aside >= 5, "only {set_aside} torn tails were set aside");
    assert!(seen.len() >= 5_000, "only {} states", seen.len());
}

#[test]
fn an_index_that_knows_more_than_the_log_hides_no_acknowledged_memory() {
    let folder = tempfile::tempdir().unwrap();
    let disk = CrashDisk::default();
    let open = |disk: &CrashDisk| {
        LocalStore::create_on(
            Arc::new(disk.clone()),
            folder.path(),
            LocalOptions::default(),
        )
        .unwrap()
    };
    let store = open(&disk);
    let shared = space("shared");
    store
        .commit(batch(&shared, 1, vec![add("a", "kept")]))
        .unwrap();
    let acknowledged = Snapshot::of(&store).unwrap();
    store
        .commit(batch(&shared, 2, vec![add("b", "under way")]))
        .unwrap();
    drop(store);
    // The log has its new length and time, but not its new bytes.
    let write = disk
        .operations()
        .iter()
        .rposition(
            |operation| matches!(operation, Operation::Write { bytes, .. } if bytes.len() != 1024),
        )
        .unwrap();
    let loss = Loss {
        data: DataLoss::Bytes,
        names: NameLoss::Nothing,
        seed: 0,
    };
    let cut = disk.after_power_cut(write + 1, loss);
    let store = open(&cut);
    assert_eq!(Snapshot::of(&store).unwrap(), acknowledged);
    acknowledged.check_selection(&store).unwrap();
}

#[test]
fn what_an_acknowledged_memory_refers_to_is_there_too() {
    let disk = CrashDisk::default();
    drop(open(&disk).unwrap());
    let unhurried = LocalOptions {
        durability: Durability::Os,
        ..options()
    };
    let other = LocalStore::open_on(Arc::new(disk.clone()), Path::new(ROOT), unhurried).unwrap();
    let agent = space("agent/one");
    let receipt = other.commit(batch(&agent, 1, vec![add("far", "away")]));
    assert!(!receipt.unwrap().durable);
    let store = open(&disk).unwrap();
    let writes = vec![add_linked("near", "by", &["far"])];
    let receipt = store.commit(batch(&space("shared"), 2, writes)).unwrap();
    assert!(receipt.durable);
    let loss = Loss {
        data: DataLoss::Everything,
        names: NameLoss::Everything,
        seed: 0,
    };
    let cut = disk.after_power_cut(disk.operation_count(), loss);
    let found = Snapshot::of(&open(&cut).unwrap()).unwrap();
    let ids: Vec<_> = found
        .memories
        .iter()
        .map(|memory| memory.id.as_str())
        .collect();
    assert_eq!(ids, ["far", "near"]);
}
