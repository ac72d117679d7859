//! What happens between two steps of a write, made to happen exactly there.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier, Mutex};

use mnemon::config::Durability;
use mnemon::memory::Space;
use mnemon::store::OnFull;
use mnemon::store::local::disk::Disk;
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::{Caller, Config, Mnemon};
use mnemon_testkit::hooked::{HookedDisk, Step};
use mnemon_testkit::{inspect, numbered};

#[test]
fn an_editor_that_saves_before_the_sync_does_not_take_the_write_with_it() {
    for batch in [1, 3] {
        let folder = tempfile::tempdir().unwrap();
        inspect::make_sessions(folder.path(), &["one"]);
        let log = folder.path().join("sessions/one/memory.jsonl");
        let stale = fs::read(&log).unwrap();
        let saved = Arc::new(AtomicBool::new(false));
        let disk = {
            let (log, saved) = (log.clone(), saved.clone());
            HookedDisk::new(move |step, path| {
                if step == Step::Sync && path == log && !saved.swap(true, Ordering::SeqCst) {
                    let beside = log.with_extension("jsonl~");
                    fs::write(&beside, &stale)?;
                    fs::rename(&beside, &log)?;
                }
                Ok(())
            })
        };
        let ids = ids(batch);
        remember(&engine(disk, folder.path(), Durability::Always), &ids);
        assert!(saved.load(Ordering::SeqCst));
        let kept = inspect::check(folder.path(), &ids.iter().cloned().collect());
        assert_eq!(kept.len(), ids.len());
    }
}

#[test]
fn a_repeated_write_is_acknowledged_only_once_it_is_on_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    inspect::make_sessions(folder.path(), &["one"]);
    // Somebody wrote it and ended, or was killed, before it was synced.
    let unsynced = engine(
        HookedDisk::new(|_, _| Ok(())),
        folder.path(),
        Durability::Os,
    );
    remember(&unsynced, &ids(3));
    drop(unsynced);
    let synced = Arc::new(Mutex::new(Vec::<PathBuf>::new()));
    let disk = {
        let synced = synced.clone();
        HookedDisk::new(move |step, path| {
            if matches!(step, Step::Sync | Step::SyncFolder) {
                synced.lock().unwrap().push(path.into());
            }
            Ok(())
        })
    };
    remember(&engine(disk, folder.path(), Durability::Always), &ids(3));
    let synced = synced.lock().unwrap();
    for path in ["sessions/one/memory.jsonl", "sessions/one", "sessions", ""] {
        let path = folder.path().join(path);
        assert!(
            synced
                .iter()
                .any(|one| *one == path.components().collect::<PathBuf>()),
            "{} is not synced, only {synced:?}",
            path.display()
        );
    }
}

#[test]
fn a_failed_sync_of_a_group_is_told_to_every_thread_of_it() {
    let folder = tempfile::tempdir().unwrap();
    inspect::make_sessions(folder.path(), &["one"]);
    let log = folder.path().join("sessions/one/memory.jsonl");
    let disk = HookedDisk::new(move |step, path| match step {
        Step::Sync if path == log => Err(std::io::Error::from_raw_os_error(5)),
        _ => Ok(()),
    });
    let engine = engine(disk, folder.path(), Durability::Always);
    let together = Barrier::new(16);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..16)
            .map(|number| {
                let (engine, together) = (&engine, &together);
                let draft = numbered::draft(&format!("wb1t{number}-000000")).unwrap();
                let space: Space = "session/one".parse().unwrap();
                scope.spawn(move || {
                    together.wait();
                    engine.remember(&Caller::user("tester"), &space, draft)
                })
            })
            .collect();
        for writer in writers {
            let refusal = writer.join().unwrap().unwrap_err();
            assert_eq!(refusal.code().as_str(), "E_STORAGE_IO", "{refusal}");
        }
    });
    assert!(folder.path().join("poisoned").exists());
}

#[test]
fn a_lock_file_that_comes_and_goes_while_it_is_opened_costs_no_write() {
    let folder = tempfile::tempdir().unwrap();
    inspect::make_sessions(folder.path(), &["one"]);
    let lock = folder.path().join("lock");
    fs::remove_file(&lock).unwrap();
    let others_came_first = Arc::new(AtomicBool::new(false));
    let disk = {
        let others_came_first = others_came_first.clone();
        HookedDisk::new(move |step, path| {
            let is_first = step == Step::Create
                && path == lock
                && !others_came_first.swap(true, Ordering::SeqCst);
            // Another process made it just before; a hand removed it just after.
            if is_first {
                return Err(std::io::ErrorKind::AlreadyExists.into());
            }
            Ok(())
        })
    };
    remember(&engine(disk, folder.path(), Durability::Always), &ids(3));
    assert!(others_came_first.load(Ordering::SeqCst));
    let kept = inspect::check(folder.path(), &ids(3).into_iter().collect());
    assert_eq!(kept.len(), 3);
}

/// The ids of a batch.
fn ids(batch: u64) -> Vec<String> {
    let stream = numbered::Stream {
        writer: "w".into(),
        batch,
        thread: 0,
    };
    stream.together_with(0).collect()
}

fn engine(disk: Arc<dyn Disk>, root: &Path, durability: Durability) -> Mnemon {
    let options = LocalOptions {
        durability,
        ..LocalOptions::default()
    };
    let store = LocalStore::open_on(disk, root, options).unwrap();
    Mnemon::new(Arc::new(store), Config::default())
}

/// Keeps them together.
fn remember(engine: &Mnemon, ids: &[String]) {
    let space: Space = "session/one".parse().unwrap();
    let drafts = ids.iter().map(|id| numbered::draft(id).unwrap()).collect();
    let kept = engine
        .remember_all(&Caller::user("tester"), &space, drafts, OnFull::Refuse)
        .unwrap();
    assert_eq!(kept.len(), ids.len());
}
