//! Calls to the disk fail: the code is right, reading goes on, nothing that
//! was acknowledged is lost, and writing works again once the fault is gone.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test stops at what it did not expect, and says how much it checked"
)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mnemon::Code;
use mnemon::store::local::disk::{Disk, RealDisk};
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::store::{Batch, OnFull, RepairOptions, Store};
use mnemon_testkit::disk::{Call, CrashDisk, Fault, FaultDisk, Lasting};
use mnemon_testkit::workload::{Snapshot, add, batch, scripted, space};
use rustix::io::Errno;
use tempfile::TempDir;

type Contents = Vec<(String, u64, String, bool)>;

/// A place for a store on a disk that can fail.
struct Place {
    disk: FaultDisk,
    root: PathBuf,
    options: LocalOptions,
    _folder: Option<TempDir>,
}

fn in_memory() -> Place {
    Place {
        disk: FaultDisk::new(Arc::new(CrashDisk::default())),
        root: PathBuf::from("/home/user/.mnemon"),
        options: LocalOptions {
            index_in_memory: true,
            write_attempts: 1,
            ..LocalOptions::default()
        },
        _folder: None,
    }
}

fn on_disk() -> Place {
    let folder = tempfile::tempdir().unwrap();
    Place {
        disk: FaultDisk::new(Arc::new(RealDisk)),
        root: folder.path().join("new/.mnemon"),
        options: LocalOptions {
            write_attempts: 1,
            ..LocalOptions::default()
        },
        _folder: Some(folder),
    }
}

impl Place {
    fn create(&self) -> mnemon::Result<LocalStore> {
        LocalStore::create_on(
            Arc::new(self.disk.clone()),
            &self.root,
            self.options.clone(),
        )
    }

    fn open(&self) -> LocalStore {
        LocalStore::open_on(
            Arc::new(self.disk.clone()),
            &self.root,
            self.options.clone(),
        )
        .unwrap()
    }
}

fn contents(store: &LocalStore) -> Contents {
    Snapshot::of(store).unwrap().contents()
}

/// What the store says before the script and after each of its batches.
fn contents_without_faults(place: &Place) -> Vec<Contents> {
    let store = place.create().unwrap();
    let mut all = vec![contents(&store)];
    for batch in scripted() {
        store.commit(batch).unwrap();
        all.push(contents(&store));
    }
    all
}

/// The code that a failing call during a write leads to.
fn code_of(fault: &Fault) -> Code {
    match fault.error {
        // A failed sync is never "try again": nobody knows what is on the disk.
        Errno::NOSPC if !fault.call.is_sync() => Code::StorageFull,
        _ => Code::StorageIo,
    }
}

/// Runs the script with a fault somewhere in it; what fails is repeated once it is healed.
fn check_script_with(fault: Fault, place: &Place, expected: &[Contents]) {
    place.disk.fail(&[fault]);
    let store = match place.create() {
        Ok(store) => store,
        Err(error) => {
            let full = fault.error == Errno::NOSPC;
            let code = if full {
                Code::StorageFull
            } else {
                Code::StorageIo
            };
            assert_eq!(error.code(), code, "{fault:?}: {error}");
            place.disk.heal();
            place.create().unwrap()
        }
    };
    for (number, batch) in scripted().into_iter().enumerate() {
        let Err(error) = store.commit(batch.clone()) else {
            assert_eq!(contents(&store), expected[number + 1], "{fault:?}");
            continue;
        };
        assert_eq!(error.code(), code_of(&fault), "{fault:?}: {error}");
        let found = contents(&store);
        let whole_or_not = found == expected[number] || found == expected[number + 1];
        assert!(whole_or_not, "{fault:?}: {found:#?}");
        place.disk.heal();
        if fault.call.is_sync() {
            return check_writing_is_stopped(place, &store, &batch, &found);
        }
        match store.commit(batch) {
            Ok(receipt) => assert!(receipt.durable, "{fault:?}"),
            // It was kept after all, and a session can't be made twice.
            Err(error) => assert_eq!(error.code(), Code::SchemaInvalid, "{fault:?}: {error}"),
        }
        assert_eq!(contents(&store), expected[number + 1], "{fault:?}");
    }
    place.disk.heal();
    drop(store);
    assert_eq!(
        &contents(&place.open()),
        expected.last().unwrap(),
        "{fault:?}"
    );
}

/// After a failed sync every handle refuses to write and goes on reading.
fn check_writing_is_stopped(place: &Place, store: &LocalStore, batch: &Batch, found: &Contents) {
    let other = place.open();
    for handle in [store, &other] {
        let refused = handle.commit(batch.clone()).unwrap_err();
        assert_eq!(refused.code(), Code::StorageIo, "{refused}");
        assert!(!refused.retryable(), "{refused}");
        assert!(handle.poisoned().unwrap().is_some());
        assert_eq!(contents(handle), *found);
    }
}

fn check_every_call(place: fn() -> Place, step: usize) {
    let expected = contents_without_faults(&in_memory());
    let counting = place();
    counting.disk.fail(&[]);
    assert_eq!(contents_without_faults(&counting), expected);
    let mut cases = 0;
    for call in Call::CHANGES {
        for nth in (1..=counting.disk.count(call)).step_by(step) {
            for (error, lasting, written) in [
                (Errno::IO, Lasting::Once, 0),
                (Errno::IO, Lasting::UntilHealed, 100),
                (Errno::NOSPC, Lasting::Once, 300),
                (Errno::NOSPC, Lasting::UntilHealed, 0),
            ] {
                let fault = Fault {
                    call,
                    nth,
                    error,
                    lasting,
                    written,
                };
                check_script_with(fault, &place(), &expected);
                cases += 1;
            }
        }
    }
    println!("{cases} faults");
}

#[test]
fn a_fault_anywhere_loses_nothing_in_memory() {
    check_every_call(in_memory, 1);
}

#[test]
fn a_fault_anywhere_loses_nothing_on_a_real_disk() {
    check_every_call(on_disk, 3);
}

const SHORT_WRITE: Fault = Fault {
    call: Call::Write,
    nth: 1,
    error: Errno::IO,
    lasting: Lasting::UntilHealed,
    written: 200,
};

/// A store whose log ends in the middle of a transaction, because a write
/// failed halfway and so did the attempt to take it back.
fn with_torn_tail(place: &Place) -> LocalStore {
    let store = place.create().unwrap();
    let shared = space("shared");
    store
        .commit(batch(&shared, 1, vec![add("a", "before")]))
        .unwrap();
    place.disk.fail(&[
        // The first write is the lock's note.
        Fault {
            nth: 2,
            ..SHORT_WRITE
        },
        Fault {
            call: Call::Truncate,
            ..SHORT_WRITE
        },
    ]);
    let writes = vec![add("b", "not kept"), add("c", "not kept")];
    let error = store.commit(batch(&shared, 2, writes)).unwrap_err();
    assert_eq!(error.code(), Code::StorageIo);
    place.disk.heal();
    store
}

fn after_the_tail() -> Batch {
    batch(&space("shared"), 3, vec![add("d", "after")])
}

#[test]
fn a_short_write_that_could_not_be_taken_back_is_cut_by_the_next_writer() {
    for place in [in_memory(), on_disk()] {
        let store = with_torn_tail(&place);
        let names = |store: &LocalStore| -> Vec<String> {
            contents(store).into_iter().map(|memory| memory.0).collect()
        };
        assert_eq!(names(&store), ["a"]);
        store.commit(after_the_tail()).unwrap();
        assert_eq!(names(&store), ["a", "d"]);
        assert_eq!(store.stats().unwrap().damaged_lines, 0);
        assert_eq!(names(&place.open()), ["a", "d"]);
        let aside = place.disk.list(&place.root.join("quarantine")).unwrap();
        assert_eq!(aside.len(), 1, "{aside:?}");
    }
}

#[test]
fn a_fault_while_a_torn_tail_is_cut_loses_nothing() {
    let counting = in_memory();
    let store = with_torn_tail(&counting);
    counting.disk.fail(&[]);
    store.commit(after_the_tail()).unwrap();
    for call in Call::CHANGES {
        for nth in 1..=counting.disk.count(call) {
            for error in [Errno::IO, Errno::NOSPC] {
                let place = in_memory();
                let store = with_torn_tail(&place);
                let before = contents(&store);
                let fault = Fault {
                    call,
                    nth,
                    error,
                    lasting: Lasting::UntilHealed,
                    written: 0,
                };
                place.disk.fail(&[fault]);
                let outcome = store.commit(after_the_tail());
                place.disk.heal();
                if outcome.is_err() && store.poisoned().unwrap().is_none() {
                    assert_eq!(contents(&store), before, "{fault:?}");
                    store.commit(after_the_tail()).unwrap();
                }
                let found = contents(&place.open());
                assert_eq!(found[0], before[0], "{fault:?}");
                if store.poisoned().unwrap().is_none() {
                    assert_eq!(found.len(), 2, "{fault:?}");
                }
            }
        }
    }
}

#[test]
fn a_write_that_fails_once_is_tried_again_and_kept_once() {
    for error in [Errno::IO, Errno::NOSPC, Errno::INTR] {
        for nth in 1..=3 {
            let mut place = in_memory();
            place.options.write_attempts = 3;
            place.options.retry_backoff_ms = 1;
            let store = place.create().unwrap();
            place.disk.fail(&[Fault {
                nth,
                error,
                lasting: Lasting::Once,
                ..SHORT_WRITE
            }]);
            let writes = vec![add("a", "one"), add("b", "two")];
            let receipt = store.commit(batch(&space("shared"), 1, writes)).unwrap();
            assert!(receipt.durable);
            assert_eq!(place.disk.struck(), 1);
            assert_eq!(contents(&place.open()).len(), 2, "{error:?} {nth}");
        }
    }
}

#[test]
fn a_batch_that_may_wait_is_kept_by_a_later_flush() {
    for place in [in_memory(), on_disk()] {
        let store = place.create().unwrap();
        let shared = space("shared");
        place.disk.fail(&[Fault {
            error: Errno::NOSPC,
            ..SHORT_WRITE
        }]);
        for (id, seconds) in [("a", 1), ("b", 2)] {
            let waiting = Batch {
                on_full: OnFull::Buffer,
                ..batch(&shared, seconds, vec![add(id, "waits")])
            };
            let receipt = store.commit(waiting).unwrap();
            assert!(!receipt.durable);
        }
        assert_eq!(store.flush().unwrap_err().code(), Code::StorageFull);
        let refused = store.commit(batch(&shared, 3, vec![add("c", "refused")]));
        assert_eq!(refused.unwrap_err().code(), Code::StorageFull);
        assert_eq!(contents(&place.open()), []);
        place.disk.heal();
        store.flush().unwrap();
        let kept = contents(&place.open());
        let ids: Vec<_> = kept.iter().map(|memory| memory.0.as_str()).collect();
        assert_eq!(ids, ["a", "b"]);
    }
}

#[test]
fn a_folder_that_can_only_be_read_still_answers() {
    for place in [in_memory(), on_disk()] {
        let expected = contents_without_faults(&place).pop().unwrap();
        for error in [Errno::ROFS, Errno::ACCESS] {
            place.disk.fail_every_change(error);
            // Without an index on the disk there is one in memory.
            for with_index in [true, false] {
                if !with_index {
                    let _ = std::fs::remove_dir_all(place.root.join("index"));
                }
                let store = place.open();
                assert_eq!(contents(&store), expected, "{error:?}");
                let refused = store.commit(after_the_tail()).unwrap_err();
                assert_eq!(refused.code(), Code::StorageIo, "{refused}");
                assert!(!refused.retryable(), "{refused}");
                assert_eq!(contents(&store), expected, "{error:?}");
            }
            place.disk.heal();
        }
        let store = place.open();
        store.commit(after_the_tail()).unwrap();
        assert_eq!(contents(&store).len(), expected.len() + 1);
    }
}

#[test]
fn repair_makes_writing_possible_again_after_a_failed_sync() {
    for place in [in_memory(), on_disk()] {
        let store = place.create().unwrap();
        let shared = space("shared");
        store
            .commit(batch(&shared, 1, vec![add("a", "kept")]))
            .unwrap();
        place.disk.fail(&[Fault {
            call: Call::Sync,
            lasting: Lasting::Once,
            ..SHORT_WRITE
        }]);
        let unsure = batch(&shared, 2, vec![add("b", "who knows")]);
        assert_eq!(
            store.commit(unsure.clone()).unwrap_err().code(),
            Code::StorageIo
        );
        let other = place.open();
        assert_eq!(
            other.commit(unsure.clone()).unwrap_err().code(),
            Code::StorageIo
        );
        let repair = other.repair(RepairOptions::default(), &mut |_| {}).unwrap();
        assert!(repair.unpoisoned);
        assert_eq!(repair.rewritten, [shared]);
        // The handles that saw the failure go on as well.
        store.commit(unsure).unwrap();
        for handle in [&store, &other, &place.open()] {
            assert_eq!(handle.poisoned().unwrap(), None);
            assert_eq!(contents(handle).len(), 2);
        }
    }
}

/// A small file system, taken away when it is dropped.
struct SmallDisk(TempDir);

impl SmallDisk {
    fn mount(bytes: u64) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mounted = std::process::Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={bytes}"), "tmpfs"])
            .arg(folder.path())
            .output();
        matches!(mounted, Ok(output) if output.status.success()).then(|| Self(folder))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount")
            .arg("--lazy")
            .arg(self.0.path())
            .output();
    }
}

fn fill(path: &Path) {
    use std::io::Write as _;
    let mut file = std::fs::File::create(path).unwrap();
    for size in [65536, 4096, 512, 1] {
        while file.write_all(&vec![b'x'; size]).is_ok() {}
    }
}

#[test]
fn a_full_file_system_refuses_writes_and_forgets_nothing() {
    let Some(small) = SmallDisk::mount(4 << 20) else {
        println!("skipped: mounting a small file system is not permitted here");
        return;
    };
    let root = small.0.path().join("store");
    let options = LocalOptions {
        write_attempts: 1,
        ..LocalOptions::default()
    };
    let store = LocalStore::create(&root, options.clone()).unwrap();
    let shared = space("shared");
    let filler = small.0.path().join("filler");
    let text = "a text of some length ".repeat(40);
    let mut kept = Vec::new();
    for round in 0..5 {
        fill(&filler);
        let mut refused = 0;
        for number in 0..20 {
            let id = format!("m{round}-{number}");
            let seconds = round * 100 + number;
            match store.commit(batch(&shared, seconds, vec![add(&id, &text)])) {
                Ok(receipt) => {
                    assert!(receipt.durable);
                    kept.push(id);
                }
                Err(error) => {
                    assert_eq!(error.code(), Code::StorageFull, "{error}");
                    refused += 1;
                }
            }
            let found: Vec<String> = contents(&store).into_iter().map(|found| found.0).collect();
            let mut expected = kept.clone();
            expected.sort();
            assert_eq!(found, expected, "round {round}");
        }
        assert!(refused > 0, "round {round}: the disk was not full");
        let other = LocalStore::open(&root, options.clone()).unwrap();
        assert_eq!(contents(&other), contents(&store), "round {round}");
        drop(other);
        std::fs::remove_file(&filler).unwrap();
        let id = format!("n{round}");
        store
            .commit(batch(&shared, round * 100 + 50, vec![add(&id, &text)]))
            .unwrap();
        kept.push(id);
    }
    drop(store);
    let again = LocalStore::open(&root, options).unwrap();
    assert_eq!(contents(&again).len(), kept.len());
}

#[test]
fn a_sync_that_fails_while_one_process_writes_for_another_stops_both() {
    let place = on_disk();
    let open = |disk: Arc<dyn Disk>| {
        let options = LocalOptions {
            expects_others: true,
            ..place.options.clone()
        };
        let store = Arc::new(LocalStore::create_on(disk, &place.root, options).unwrap());
        store.clone().be_shared();
        store
    };
    let first = open(Arc::new(place.disk.clone()));
    let second = open(Arc::new(RealDisk));
    first
        .commit(batch(&space("shared"), 1, vec![add("a", "one")]))
        .unwrap();
    place.disk.fail(&[Fault {
        call: Call::Sync,
        nth: 1,
        error: Errno::IO,
        lasting: Lasting::Once,
        written: 0,
    }]);
    // The first one writes it, and can't tell whether it is safe; nor may the second try again.
    let refused = second.commit(batch(&space("shared"), 2, vec![add("b", "two")]));
    assert_eq!(place.disk.struck(), 1, "it was the first one that wrote");
    assert_eq!(refused.unwrap_err().code(), Code::StorageIo);
    let refused = first.commit(batch(&space("shared"), 3, vec![add("c", "three")]));
    assert_eq!(refused.unwrap_err().code(), Code::StorageIo);
}
