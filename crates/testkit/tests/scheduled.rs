//! Snapshots and back-ups that are taken by themselves, when their time has come.

#![expect(clippy::unwrap_used, reason = "a test that can't go on should stop")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::tz::TimeZone;
use mnemon::agent::Routine;
use mnemon::clock::ManualClock;
use mnemon::engine::{MaintainOptions, NewEntry, SnapshotOptions, bring_back};
use mnemon::memory::{AgentId, Draft, Importance, Kind, Space};
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::{Caller, Config, Mnemon};
use serde_json::json;

const BEGIN: &str = "2026-06-01T12:30:00Z";

struct Desk {
    folder: tempfile::TempDir,
    engine: Mnemon,
    clock: ManualClock,
    user: Caller,
}

impl Desk {
    fn new(change: impl FnOnce(&mut Config, &Path)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut config = Config::default();
        change(&mut config, folder.path());
        let root = folder.path().join("store");
        let store = LocalStore::create(&root, LocalOptions::from(&config)).unwrap();
        let clock = ManualClock::new(BEGIN.parse().unwrap());
        let engine =
            Mnemon::new(Arc::new(store), config).with_sources(clock.clock(), Arc::new(counted()));
        Self {
            folder,
            engine,
            clock,
            user: Caller::user("me"),
        }
    }

    fn later(&self, minutes: u64) {
        self.clock
            .advance(std::time::Duration::from_secs(minutes * 60));
    }

    fn hold(&self, value: &str) {
        let new = NewEntry {
            value: json!(value),
            importance: Importance::default(),
            tags: Vec::new(),
            pinned: false,
        };
        let place = (&"".parse().unwrap(), &"goal".parse().unwrap());
        self.engine
            .set_working(&self.user, &dev(), place, new, str::len)
            .unwrap();
    }

    fn maintain(&self) -> mnemon::engine::Maintained {
        let all = MaintainOptions::default();
        self.engine.maintain(&self.user, &all).unwrap()
    }

    /// The names of the snapshots there are, the latest first.
    fn snapshots(&self) -> Vec<Option<String>> {
        let all = self
            .engine
            .snapshots(&self.user, Some(&dev()), 100)
            .unwrap();
        all.into_iter().map(|it| it.name).collect()
    }

    fn backups(&self) -> Vec<PathBuf> {
        let folder = self.folder.path().join("backups");
        let Ok(entries) = std::fs::read_dir(folder) else {
            return Vec::new();
        };
        let mut all: Vec<PathBuf> = entries.map(|it| it.unwrap().path()).collect();
        all.sort();
        all
    }
}

fn dev() -> AgentId {
    "dev".parse().unwrap()
}

/// Ids that differ and are the same in every run.
fn counted() -> impl Fn() -> [u8; 10] + Send + Sync {
    let count = std::sync::atomic::AtomicU64::new(0);
    move || {
        let number = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let mut bytes = [0; 10];
        bytes[2..].copy_from_slice(&number.to_be_bytes());
        bytes
    }
}

fn hourly(keep: u32) -> Routine {
    Routine {
        keep,
        ..Routine::new("0 * * * *".parse().unwrap())
    }
}

#[test]
fn a_snapshot_is_taken_once_its_time_has_come_and_only_so_many_are_kept() {
    let desk = Desk::new(|_, _| ());
    let routine = hourly(2);
    let set = |routine| {
        desk.engine
            .set_snapshot_routine(&desk.user, &dev(), routine)
    };
    set(Some(&routine)).unwrap();
    let told = desk.engine.snapshot_routine(&desk.user, &dev()).unwrap();
    assert_eq!(told, Some(routine.clone()));
    desk.hold("one");
    let own = desk
        .engine
        .snapshot(&desk.user, &dev(), &SnapshotOptions::default());
    let form = mnemon::agent::snapshot::Form::Binary;
    desk.engine
        .keep_snapshot(&desk.user, &own.unwrap(), form)
        .unwrap();
    assert_eq!(desk.maintain().snapshots, [], "it is half past twelve");
    desk.later(31);
    let dry = MaintainOptions {
        dry_run: true,
        ..MaintainOptions::default()
    };
    let due = desk.engine.maintain(&desk.user, &dry).unwrap();
    assert_eq!(due.snapshots, [dev()]);
    assert_eq!(desk.snapshots().len(), 1, "only told");
    assert_eq!(desk.maintain().snapshots, [dev()]);
    assert_eq!(desk.maintain().snapshots, [], "once is enough");
    desk.later(5 * 60);
    assert_eq!(desk.maintain().snapshots, [dev()], "one for those missed");
    desk.later(60);
    desk.maintain();
    let scheduled = Some("scheduled".to_owned());
    assert_eq!(
        desk.snapshots(),
        [scheduled.clone(), scheduled, None],
        "the oldest scheduled one is gone, that taken by hand is not"
    );
    set(None).unwrap();
    desk.later(60);
    assert_eq!(desk.maintain().snapshots, []);
    assert_eq!(desk.snapshots().len(), 3, "those that are there stay");
    let never = Routine::new("0 0 31 2 *".parse().unwrap());
    for wrong in [&hourly(0), &never] {
        let refused = desk
            .engine
            .set_snapshot_routine(&desk.user, &dev(), Some(wrong))
            .unwrap_err();
        assert_eq!(refused.code().as_str(), "E_SCHEMA_INVALID");
    }
}

#[test]
fn a_write_takes_what_is_due_and_a_server_asks_by_itself() {
    let desk = Desk::new(|_, _| ());
    let set = desk
        .engine
        .set_snapshot_routine(&desk.user, &dev(), Some(&hourly(7)));
    set.unwrap();
    let soon = std::time::Instant::now() + std::time::Duration::from_secs(60);
    let after_write = || {
        let done = desk
            .engine
            .maintain_overdue(&desk.user, &TimeZone::UTC, soon);
        done.unwrap().snapshots
    };
    assert_eq!(after_write(), []);
    desk.later(31);
    assert_eq!(after_write(), [dev()]);
    assert_eq!(after_write(), []);
    desk.later(60);
    let server = || {
        desk.engine
            .maintain_due(&desk.user, &TimeZone::UTC)
            .unwrap()
    };
    assert_eq!(server().snapshots, [dev()]);
    assert_eq!(server().snapshots, []);
    let other = Caller::agent("ada".parse().unwrap());
    let refused = desk.engine.snapshot_routine(&other, &dev()).unwrap_err();
    assert_eq!(refused.code().as_str(), "E_FORBIDDEN");
}

#[test]
fn a_server_does_each_job_at_its_time_and_not_again() {
    let desk = Desk::new(|_, _| ());
    let due = || {
        let done = desk.engine.maintain_due(&desk.user, &TimeZone::UTC);
        done.unwrap().tended.is_some()
    };
    assert!(!due(), "the index is tended at three");
    desk.later(14 * 60);
    assert!(!due(), "half past two");
    desk.later(60);
    assert!(due());
    assert!(!due());
}

fn with_backups(config: &mut Config, folder: &Path) {
    config.backup.schedule = Some("0 3 * * *".parse().unwrap());
    config.backup.folder = folder.join("backups").display().to_string();
    config.backup.keep = 2;
}

#[test]
fn back_ups_are_taken_at_their_time_come_back_and_only_old_ones_of_this_store_go() {
    let desk = Desk::new(with_backups);
    let keep = |text: &str| {
        let draft = Draft::new(Kind::Fact, text.parse().unwrap());
        desk.engine
            .remember(&desk.user, &Space::Shared, draft)
            .unwrap()
    };
    keep("before the first");
    assert!(desk.maintain().backup.is_some(), "there was none at all");
    assert!(desk.maintain().backup.is_none());
    let other = Desk::new(|_, _| ());
    let foreign = desk.folder.path().join("backups/mnemon-20200101T000000Z");
    other.engine.back_up(&other.user, &foreign).unwrap();
    let strange = desk.folder.path().join("backups/mnemon-notes");
    std::fs::create_dir(&strange).unwrap();
    for day in 1..=3 {
        keep(&format!("day {day}"));
        desk.later(24 * 60);
        let soon = std::time::Instant::now() + std::time::Duration::from_secs(60);
        let zone = TimeZone::UTC;
        let write = desk.engine.maintain_overdue(&desk.user, &zone, soon);
        assert!(write.unwrap().backup.is_none(), "no write waits for one");
        let taken = desk.engine.maintain_due(&desk.user, &zone).unwrap().backup;
        let taken = taken.unwrap();
        assert_eq!(taken.taken.unwrap().damage, [""; 0]);
        assert_eq!(taken.dropped.len(), usize::from(day > 1));
    }
    let left = desk.backups();
    assert_eq!(left.len(), 4, "{left:?}");
    assert!(left.contains(&foreign) && left.contains(&strange));
    let newest = left.iter().rfind(|it| **it != strange).unwrap();
    let root = desk.folder.path().join("again");
    let config = Config::default();
    bring_back(&desk.user, newest, &root, false, &config).unwrap();
    let again = Mnemon::open(&root).unwrap();
    let all = mnemon::store::Filter::all(0);
    assert_eq!(again.list(&desk.user, &all).unwrap().total, 4);
}

#[test]
fn a_schedule_without_a_folder_is_refused_and_all_else_is_done() {
    let desk = Desk::new(|config, _| {
        config.backup.schedule = Some("0 3 * * *".parse().unwrap());
    });
    let done = desk.maintain();
    assert!(done.tended.is_some());
    assert_eq!(
        done.failures[0].to_string(),
        "backup.folder must be a folder that begins with /, because backup.schedule is set"
    );
}
