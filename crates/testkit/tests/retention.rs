//! Retention policies of agents.

#![expect(clippy::unwrap_used, reason = "a test that can't go on should stop")]

use std::sync::Arc;
use std::time::Duration;

use mnemon::agent::Snapshot;
use mnemon::agent::snapshot::Form;
use mnemon::clock::ManualClock;
use mnemon::engine::{MaintainOptions, NewEntry, RetentionResult};
use mnemon::event::{Event, Received};
use mnemon::memory::{AgentId, Draft, Kind, Space};
use mnemon::retention::RetentionPolicy;
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::store::{Filter, Paper, Store};
use mnemon::{Caller, Config, Mnemon, Tier};

struct Desk {
    engine: Mnemon,
    store: Arc<LocalStore>,
    clock: ManualClock,
    me: Caller,
    ada: AgentId,
    _folder: tempfile::TempDir,
}

impl Desk {
    fn new(tier: Tier) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = Config {
            tier,
            ..Config::default()
        };
        let store = LocalStore::create(folder.path(), LocalOptions::from(&config)).unwrap();
        let store = Arc::new(store);
        let clock = ManualClock::new("2026-06-01T12:00:00Z".parse().unwrap());
        let random = || -> [u8; 10] {
            let mut bytes = [0; 10];
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            bytes.copy_from_slice(&now.unwrap().as_nanos().to_le_bytes()[..10]);
            bytes
        };
        let engine =
            Mnemon::new(store.clone(), config).with_sources(clock.clock(), Arc::new(random));
        Self {
            engine,
            store,
            clock,
            me: Caller::user("me"),
            ada: "ada".parse().unwrap(),
            _folder: folder,
        }
    }

    fn keep(&self, id: &str, change: impl Fn(&mut Draft)) {
        let mut draft = Draft::new(Kind::Fact, id.parse().unwrap());
        draft.id = id.parse().ok();
        change(&mut draft);
        let space = Space::Agent(self.ada.clone());
        self.engine.remember(&self.me, &space, draft).unwrap();
    }

    fn days(&self, days: u64) {
        self.clock.advance(Duration::from_secs(days * 86_400));
    }

    fn left(&self) -> Vec<String> {
        let filter = Filter::all(self.engine.now().micros());
        let left = self.engine.list(&self.me, &filter).unwrap().memories;
        let mut left: Vec<String> = left.iter().map(|it| it.id.to_string()).collect();
        left.sort();
        left
    }

    fn set(&self, policy: &RetentionPolicy) {
        self.engine
            .set_retention(&self.me, &self.ada, policy)
            .unwrap();
    }

    fn run(&self, dry_run: bool) -> RetentionResult {
        let agent = Some(&self.ada);
        self.engine.run_retention(&self.me, agent, dry_run).unwrap()
    }
}

fn thirty_days() -> RetentionPolicy {
    RetentionPolicy {
        long_term_max_age_days: Some(30),
        exempt_importance: Some(0.9),
        exempt_tags: vec!["project".parse().unwrap()],
        ..RetentionPolicy::default()
    }
}

#[test]
fn criterion_retention_and_scenario_retention_cleanup_deletes_old_entries() {
    // Given a retention policy with 30-day max age, and entries older than 30 days
    let desk = Desk::new(Tier::Enterprise);
    desk.set(&thirty_days());
    desk.keep("old", |_| ());
    desk.keep("important", |it| it.importance = 0.9.try_into().unwrap());
    desk.keep("tagged", |it| it.tags = vec!["project.x".parse().unwrap()]);
    desk.keep("pinned", |it| it.pinned = true);
    desk.days(31);
    desk.keep("new", |_| ());
    // When retention cleanup runs
    let told = desk.run(true);
    assert_eq!((told.long_term_entries_deleted, desk.left().len()), (1, 5));
    let listening = desk.engine.subscribe(&desk.me, 100, None).unwrap();
    let done = desk.run(false);
    // Then old entries are deleted, and important entries are preserved
    assert_eq!(desk.left(), ["important", "new", "pinned", "tagged"]);
    assert_eq!(done.long_term_entries_deleted, 1);
    assert_eq!((done.agents_processed, done.errors.len()), (1, 0));
    let told = std::iter::from_fn(|| listening.try_next());
    let is_told = |received: Received| match received {
        Received::Event(it) => matches!(
            it.event,
            Event::RetentionCompleted {
                entries_deleted: 1,
                snapshots_deleted: 0,
                ..
            }
        ),
        Received::Missed(_) => false,
    };
    assert_eq!(told.filter(|it| is_told(it.clone())).count(), 1);

    // What was forgotten goes for good after ninety days, and the bytes with it.
    desk.days(91);
    let done = desk.run(false);
    assert_eq!(done.forgotten_entries_purged, 1);
    assert!(done.bytes_freed > 0);
    let gone = desk.engine.find(&desk.me, "old", None).unwrap_err();
    assert_eq!(gone.code().as_str(), "E_NOT_FOUND");
}

#[test]
fn what_is_asked_for_stays() {
    let desk = Desk::new(Tier::Enterprise);
    desk.set(&thirty_days());
    desk.keep("used", |_| ());
    desk.days(20);
    desk.engine.get(&desk.me, "used", None).unwrap();
    desk.days(20);
    assert_eq!(desk.run(false).long_term_entries_deleted, 0);
    desk.days(11);
    assert_eq!(desk.run(false).long_term_entries_deleted, 1);
}

#[test]
fn maintenance_carries_out_what_is_due_and_nothing_else() {
    let desk = Desk::new(Tier::Enterprise);
    desk.set(&thirty_days());
    desk.keep("old", |_| ());
    desk.days(31);
    let maintain = || {
        let options = MaintainOptions::default();
        desk.engine.maintain(&desk.me, &options).unwrap().policies
    };
    assert_eq!(maintain().unwrap().long_term_entries_deleted, 1);
    assert_eq!(maintain(), None, "it was carried out today");
    desk.days(1);
    assert!(maintain().is_some());
    desk.set(&RetentionPolicy {
        auto_cleanup: false,
        ..thirty_days()
    });
    desk.days(1);
    assert_eq!(maintain(), None, "it is carried out by command only");
}

#[test]
fn too_many_and_too_old_snapshots_go() {
    let desk = Desk::new(Tier::Enterprise);
    desk.set(&RetentionPolicy {
        max_snapshots: Some(2),
        snapshot_max_age_days: Some(30),
        ..RetentionPolicy::default()
    });
    let snapshots = [
        ("a", "2026-01-01T00:00:00Z"),
        ("b", "2026-05-20T00:00:00Z"),
        ("c", "2026-05-21T00:00:00Z"),
        ("d", "2026-05-22T00:00:00Z"),
    ];
    let paper = |id: &str| Paper::Snapshot(desk.ada.clone(), id.parse().unwrap());
    let mut bytes = Vec::new();
    for (id, at) in snapshots {
        let held = mnemon::agent::Desk::default();
        let (id, agent) = (id.parse().unwrap(), desk.ada.clone());
        let snapshot = Snapshot::of(held, id, agent, at.parse().unwrap());
        let kept = desk.engine.keep_snapshot(&desk.me, &snapshot, Form::Binary);
        bytes.push(kept.unwrap().bytes);
    }
    let done = desk.run(false);
    assert_eq!(done.snapshots_deleted, 2);
    assert_eq!(done.bytes_freed, bytes[0] + bytes[1]);
    let is_left = |id: &str| desk.store.paper(&paper(id)).unwrap().is_some();
    assert_eq!(
        ["a", "b", "c", "d"].map(is_left),
        [false, false, true, true]
    );
}

#[test]
fn policies_need_teams_and_belong_to_their_agent() {
    let desk = Desk::new(Tier::WriterPro);
    let policy = RetentionPolicy::default();
    let refused = desk.engine.set_retention(&desk.me, &desk.ada, &policy);
    assert_eq!(
        refused.unwrap_err().to_string(),
        "retention policies needs the tier teams, and the tier is writer_pro"
    );
    let desk = Desk::new(Tier::Teams);
    let bob = Caller::agent("bob".parse().unwrap());
    let refused = desk.engine.set_retention(&bob, &desk.ada, &policy);
    assert_eq!(refused.unwrap_err().code().as_str(), "E_FORBIDDEN");
    desk.set(&policy);
    assert_eq!(desk.engine.retention(&bob, &desk.ada).unwrap(), None);
    let ada = Caller::agent(desk.ada.clone());
    assert_eq!(
        desk.engine.retention(&ada, &desk.ada).unwrap(),
        Some(policy)
    );
}

#[test]
fn values_of_working_memory_that_are_too_old_go_unless_they_are_exempt() {
    let desk = Desk::new(Tier::Enterprise);
    desk.set(&RetentionPolicy {
        working_max_age_days: Some(30),
        exempt_importance: Some(0.8),
        exempt_tags: vec!["keep".parse().unwrap()],
        ..RetentionPolicy::default()
    });
    let hold = |key: &str, importance: f64, tags: &[&str], pinned: bool| {
        let new = NewEntry {
            value: key.into(),
            importance: importance.try_into().unwrap(),
            tags: tags.iter().map(|tag| tag.parse().unwrap()).collect(),
            pinned,
        };
        let place = (&"".parse().unwrap(), &key.parse().unwrap());
        let set = desk
            .engine
            .set_working(&desk.me, &desk.ada, place, new, str::len);
        set.unwrap();
    };
    hold("old", 0.5, &[], false);
    hold("important", 0.9, &[], false);
    hold("tagged", 0.5, &["keep.this"], false);
    hold("pinned", 0.5, &[], true);
    desk.clock.advance(Duration::from_secs(31 * 86_400));
    hold("new", 0.5, &[], false);
    assert_eq!(desk.run(true).working_entries_deleted, 1);
    assert_eq!(desk.run(false).working_entries_deleted, 1);
    let left = desk.engine.working(&desk.me, &desk.ada).unwrap();
    let left: Vec<&str> = left.all().map(|(_, key, _)| key.as_str()).collect();
    assert_eq!(left, ["important", "new", "pinned", "tagged"]);
}
