//! What is due is done, what is not is left alone, and a clock decides.

#![expect(clippy::unwrap_used, reason = "a test that can't go on should stop")]

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use mnemon::clock::Clock;
use mnemon::compact::Reach;
use mnemon::engine::{Begun, MaintainOptions, Maintained, NewSession};
use mnemon::memory::{Draft, Importance, Kind, MemoryId, SessionId, Space};
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::store::{AuditEntry, Deed, Filter};
use mnemon::{Caller, Config, Mnemon};
use tempfile::TempDir;

const DAY: i64 = 86_400;

/// A store with a clock that is set by hand.
struct Desk {
    _folder: TempDir,
    engine: Mnemon,
    now: Arc<Mutex<Timestamp>>,
    me: Caller,
}

impl Desk {
    fn new(change: impl FnOnce(&mut Config)) -> Self {
        let folder = TempDir::new().unwrap();
        let now: Timestamp = "2026-01-11T12:00:00Z".parse().unwrap();
        let now = Arc::new(Mutex::new(now));
        let store = LocalStore::create(folder.path(), LocalOptions::default()).unwrap();
        let mut config = Config::default();
        change(&mut config);
        let shown = now.clone();
        let clock = Clock::new(move || *shown.lock().unwrap());
        let last = AtomicU64::new(0);
        let random = Arc::new(move || {
            let mut bytes = [0; 10];
            bytes[2..].copy_from_slice(&last.fetch_add(1, Ordering::Relaxed).to_be_bytes());
            bytes
        });
        let engine = Mnemon::new(Arc::new(store), config).with_sources(clock, random);
        Self {
            _folder: folder,
            engine,
            now,
            me: Caller::user("ada"),
        }
    }

    fn pass_days(&self, days: i64) {
        let mut now = self.now.lock().unwrap();
        *now = Timestamp::from_second(now.as_second() + days * DAY).unwrap();
    }

    /// What was kept at the same moment is recorded one after the other.
    fn pass_a_moment(&self) {
        let mut now = self.now.lock().unwrap();
        *now = Timestamp::from_second(now.as_second() + 1).unwrap();
    }

    fn session(&self, id: &str) -> SessionId {
        let new = NewSession {
            id: Some(id.parse().unwrap()),
            ..NewSession::default()
        };
        self.engine.create_session(&self.me, new).unwrap()
    }

    fn keep(&self, space: &str, id: &str, kind: Kind, change: impl FnOnce(&mut Draft)) {
        let mut draft = Draft::new(kind, format!("about {id}").parse().unwrap());
        draft.id = Some(id.parse().unwrap());
        change(&mut draft);
        let space: Space = space.parse().unwrap();
        self.engine.remember(&self.me, &space, draft).unwrap();
    }

    fn maintain(&self, options: MaintainOptions) -> Maintained {
        self.engine.maintain(&self.me, &options).unwrap()
    }

    fn overdue(&self) -> Maintained {
        let until = Instant::now() + Duration::from_secs(60);
        self.engine
            .maintain_overdue(&self.me, &TimeZone::UTC, until)
            .unwrap()
    }

    fn ids(&self) -> Vec<String> {
        let now = self.now.lock().unwrap().as_microsecond();
        let filter = Filter {
            limit: usize::MAX,
            ..Filter::all(now)
        };
        let mut ids: Vec<String> = self
            .engine
            .list(&self.me, &filter)
            .unwrap()
            .memories
            .iter()
            .map(|memory| memory.id.to_string())
            .collect();
        ids.sort();
        ids
    }
}

fn names(ids: &[MemoryId]) -> Vec<&str> {
    ids.iter().map(MemoryId::as_str).collect()
}

fn forgotten(done: &Maintained) -> Vec<&str> {
    done.forgotten.iter().map(|own| own.id.as_str()).collect()
}

#[test]
fn retention_forgets_each_kind_after_its_days_and_nothing_that_is_exempt() {
    let desk = Desk::new(|config| {
        config.retention.enabled = true;
        config.retention.exempt_tags = vec!["keep".parse().unwrap()];
    });
    desk.session("s");
    let kinds = [
        ("turn", Kind::Conversation, 90),
        ("fact", Kind::Fact, 365),
        ("preference", Kind::Preference, 730),
        ("artifact", Kind::Artifact, 180),
    ];
    for (id, kind, _) in kinds {
        desk.keep("agent/a", id, kind, |_| ());
    }
    desk.keep("agent/a", "pinned", Kind::Event, |draft| {
        draft.pinned = true;
    });
    desk.keep("agent/a", "weighty", Kind::Event, |draft| {
        draft.importance = Importance::try_from(0.9).unwrap();
    });
    desk.keep("agent/a", "tagged", Kind::Event, |draft| {
        draft.tags = vec!["keep.this".parse().unwrap()];
    });
    // Open until somebody settles it.
    desk.keep("agent/a", "open", Kind::Finding, |_| ());
    desk.pass_a_moment();
    let mut passed = 0;
    for (id, _, days) in [kinds[0], kinds[3], kinds[1], kinds[2]] {
        desk.pass_days(days - 1 - passed);
        assert_eq!(
            forgotten(&desk.maintain(MaintainOptions::default())),
            [""; 0],
            "{id}"
        );
        desk.pass_days(1);
        let done = desk.maintain(MaintainOptions::default());
        assert_eq!(forgotten(&done), [id]);
        assert!(
            done.forgotten[0].reason.contains(&format!("{days} days")),
            "{done:?}"
        );
        passed = days;
    }
    assert_eq!(desk.ids(), ["open", "pinned", "tagged", "weighty"]);
}

#[test]
fn what_is_used_stays_and_a_preview_says_what_will_go() {
    let desk = Desk::new(|config| config.retention.enabled = true);
    desk.keep("shared", "used", Kind::Event, |_| ());
    desk.keep("shared", "unused", Kind::Event, |_| ());
    desk.pass_a_moment();
    desk.pass_days(60);
    desk.engine.get(&desk.me, "used", None).unwrap();
    desk.engine.flush(&desk.me).unwrap();
    let preview = |ahead_days| {
        let options = MaintainOptions {
            dry_run: true,
            ahead_days,
            until: None,
        };
        let done = desk.maintain(options);
        done.forgotten
            .iter()
            .map(|own| own.id.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(preview(29), [""; 0]);
    assert_eq!(preview(30), ["unused"]);
    assert_eq!(preview(90), ["unused", "used"]);
    assert_eq!(desk.ids(), ["unused", "used"]);
    desk.pass_days(30);
    assert_eq!(
        forgotten(&desk.maintain(MaintainOptions::default())),
        ["unused"]
    );
}

#[test]
fn a_preview_tells_what_will_be_purged() {
    let desk = Desk::new(|_| ());
    let over = desk.session("over");
    desk.session("stays");
    desk.keep("session/stays", "forgotten", Kind::Fact, |_| ());
    // It goes with its session, and so is not told once more.
    desk.keep("session/over", "within", Kind::Fact, |_| ());
    for id in ["forgotten", "within"] {
        let memory = desk.engine.find(&desk.me, id, None).unwrap();
        desk.engine.forget(&desk.me, &[memory], "over").unwrap();
    }
    desk.engine.delete_session(&desk.me, &over, "over").unwrap();
    let preview = |ahead_days| {
        let done = desk.maintain(MaintainOptions {
            dry_run: true,
            ahead_days,
            until: None,
        });
        let purged: Vec<_> = done.purged.iter().map(ToString::to_string).collect();
        (purged, done.purged_sessions)
    };
    assert_eq!(preview(29), (vec![], vec![]));
    assert_eq!(preview(30), (vec!["forgotten".into()], vec![over.clone()]));
    desk.pass_days(31);
    let done = desk.maintain(MaintainOptions::default());
    assert_eq!(done.purged_sessions, [over]);
    assert_eq!(names(&done.purged), ["forgotten"]);
    let audit = desk.engine.audit(&desk.me).unwrap();
    let told = |deed: Deed| {
        let mut entries = audit.iter().filter(|entry| entry.deed == deed);
        let entry = entries.next().unwrap();
        (entry.by.as_str(), entry.reason.as_str())
    };
    let over = "it was deleted, and the time to bring it back is over";
    assert_eq!(told(Deed::SessionPurged), ("ada", over));
    // What was forgotten is told even now that it is gone.
    assert_eq!(told(Deed::Forgotten), ("ada", "over"));
}

#[test]
fn a_preview_and_what_is_done_are_the_same() {
    let desk = Desk::new(|config| config.retention.enabled = true);
    desk.session("s");
    desk.keep("session/s", "old", Kind::Conversation, |_| ());
    desk.session("t");
    desk.keep("session/t", "asked_for", Kind::Conversation, |_| ());
    desk.pass_days(100);
    desk.engine.get(&desk.me, "asked_for", None).unwrap();
    let preview = desk.maintain(MaintainOptions {
        dry_run: true,
        ..MaintainOptions::default()
    });
    assert_eq!(forgotten(&preview), ["old"]);
    assert_eq!(preview.archived, ["s".parse().unwrap()]);
    let accessed = |id: &str| {
        let reference = desk.engine.find(&desk.me, id, None).unwrap();
        reference.state.access_count
    };
    assert_eq!(accessed("asked_for"), 0, "a preview writes nothing");
    let done = desk.maintain(MaintainOptions::default());
    assert_eq!(forgotten(&done), forgotten(&preview));
    assert_eq!(done.archived, preview.archived);
}

#[test]
fn what_was_brought_back_is_not_forgotten_again_at_once() {
    let desk = Desk::new(|config| config.retention.enabled = true);
    desk.keep("shared", "wanted", Kind::Event, |_| ());
    desk.pass_days(91);
    assert_eq!(
        forgotten(&desk.maintain(MaintainOptions::default())),
        ["wanted"]
    );
    desk.pass_days(10);
    let memory = desk.engine.find(&desk.me, "wanted", None).unwrap();
    desk.engine.unforget(&desk.me, &[memory], "needed").unwrap();
    for (days, gone) in [(0, ""), (89, ""), (2, "wanted")] {
        desk.pass_days(days);
        let done = desk.maintain(MaintainOptions::default());
        assert_eq!(forgotten(&done).join(" "), gone, "after {days} days more");
    }
}

#[test]
fn a_planned_compaction_opens_no_archive() {
    let desk = Desk::new(|_| ());
    let session = desk.session("s");
    for number in 0..20 {
        desk.keep("session/s", &format!("old_{number}"), Kind::Fact, |draft| {
            draft.importance = Importance::try_from(0.1).unwrap();
        });
    }
    desk.pass_days(200);
    let planned = || {
        let plan = desk
            .engine
            .plan_compaction(&desk.me, &session, Reach::Gentle)
            .unwrap();
        plan.plan.shelved().cloned().collect::<Vec<_>>()
    };
    let open = planned();
    assert!(!open.is_empty());
    desk.engine
        .archive_session(&desk.me, &session, None)
        .unwrap();
    assert_eq!(planned(), open);
    let after = desk.engine.session(&desk.me, &session).unwrap();
    assert!(after.archived.is_some());
}

#[test]
fn what_was_forgotten_and_then_erased_or_purged_stays_in_the_audit() {
    let desk = Desk::new(|_| ());
    let session = desk.session("s");
    for id in ["erased", "purged"] {
        desk.keep("session/s", id, Kind::Fact, |_| ());
        let memory = desk.engine.find(&desk.me, id, None).unwrap();
        desk.engine
            .forget(&desk.me, std::slice::from_ref(&memory), "over")
            .unwrap();
        desk.pass_a_moment();
    }
    let deeds = || -> Vec<String> {
        let audit = desk.engine.audit(&desk.me).unwrap();
        let tell = |entry: &AuditEntry| format!("{} {}", entry.deed.as_str(), entry.ids.join(" "));
        audit.iter().map(tell).collect()
    };
    let before = ["forget erased", "forget purged"];
    assert_eq!(deeds(), before);
    let memory = desk.engine.find(&desk.me, "erased", None).unwrap();
    desk.engine.erase(&desk.me, &[memory], "asked to").unwrap();
    assert_eq!(deeds(), [&before[..], &["erase erased"]].concat());
    desk.pass_a_moment();
    desk.engine
        .delete_session(&desk.me, &session, "over")
        .unwrap();
    desk.pass_a_moment();
    desk.engine.purge_session(&desk.me, &session).unwrap();
    let after = ["erase erased", "delete ", "purge "];
    assert_eq!(deeds(), [&before[..], &after].concat());
}

#[test]
fn retention_is_off_until_it_is_switched_on() {
    let desk = Desk::new(|_| ());
    desk.keep("shared", "old", Kind::Event, |_| ());
    desk.pass_days(5_000);
    assert_eq!(
        forgotten(&desk.maintain(MaintainOptions::default())),
        [""; 0]
    );
    assert_eq!(desk.ids(), ["old"]);
}

#[test]
fn what_is_past_recovery_is_gone_for_good_and_what_is_not_stays() {
    let desk = Desk::new(|_| ());
    desk.session("s");
    desk.keep("session/s", "here", Kind::Fact, |_| ());
    desk.keep("session/s", "gone", Kind::Fact, |_| ());
    desk.keep("shared", "later", Kind::Fact, |_| ());
    for id in ["gone", "later"] {
        let memory = desk.engine.get(&desk.me, id, None).unwrap();
        desk.engine.forget(&desk.me, &[memory], "wrong").unwrap();
    }
    let trashed = desk.session("t");
    desk.engine
        .delete_session(&desk.me, &trashed, "done")
        .unwrap();
    desk.pass_a_moment();
    desk.pass_days(29);
    let done = desk.maintain(MaintainOptions::default());
    assert_eq!(
        (names(&done.purged), done.purged_sessions.len()),
        (vec![], 0)
    );
    desk.pass_days(1);
    // 30 days in sessions, 90 in long-term memory.
    let dry = MaintainOptions {
        dry_run: true,
        ..MaintainOptions::default()
    };
    for options in [dry, MaintainOptions::default()] {
        let done = desk.maintain(options);
        assert_eq!(names(&done.purged), ["gone"]);
        assert_eq!(done.purged_sessions, std::slice::from_ref(&trashed));
        // A session is archived at the same time, and its memories stay.
        assert_eq!(done.archived.len(), 1);
    }
    assert!(desk.engine.find(&desk.me, "gone", None).is_err());
    desk.pass_days(60);
    assert_eq!(
        names(&desk.maintain(MaintainOptions::default()).purged),
        ["later"]
    );
}

#[test]
fn overdue_work_is_done_once_it_is_a_day_late_and_not_before() {
    let desk = Desk::new(|_| ());
    let session = desk.session("s");
    desk.keep("session/s", "a", Kind::Fact, |_| ());
    // The first time only notes when it began to count: noon of a Sunday.
    assert_eq!(desk.overdue().archived, []);
    desk.pass_days(1);
    // Archiving was due this morning at four.
    assert!(desk.overdue().tended.is_none());
    desk.pass_days(1);
    assert!(desk.overdue().tended.is_some());
    desk.pass_days(29);
    assert_eq!(desk.overdue().archived, [session]);
    let again = desk.overdue();
    assert!(again.tended.is_none() && again.archived.is_empty());
}

#[test]
fn work_that_takes_too_long_goes_on_the_next_time() {
    let desk = Desk::new(|config| config.maintenance.enabled = true);
    for id in ["a", "b", "c"] {
        desk.session(id);
    }
    desk.overdue();
    desk.pass_days(40);
    let late = Instant::now();
    let none = desk
        .engine
        .maintain_overdue(&desk.me, &TimeZone::UTC, late)
        .unwrap();
    assert!(!none.complete && none.archived.is_empty() && none.tended.is_none());
    let all = desk.overdue();
    assert!(all.complete);
    assert_eq!((all.archived.len(), all.tended.is_some()), (3, true));
}

#[test]
fn what_is_switched_off_is_never_done_by_itself() {
    let desk = Desk::new(|config| config.maintenance.enabled = false);
    desk.session("s");
    desk.overdue();
    desk.pass_days(400);
    assert!(desk.overdue().archived.is_empty());
    assert_eq!(desk.maintain(MaintainOptions::default()).archived.len(), 1);
}

#[test]
fn the_index_answers_as_before_after_it_was_put_in_order() {
    let desk = Desk::new(|_| ());
    for number in 0..700 {
        let id = format!("m{number}");
        desk.keep("shared", &id, Kind::Fact, |_| ());
    }
    let ask = || {
        let filter = Filter::all(desk.now.lock().unwrap().as_microsecond());
        let question = mnemon::recall::Question::parse("about m613").unwrap();
        let query = mnemon::recall::Query::new(question, filter);
        let recalled = desk.engine.recall(&desk.me, &query).unwrap();
        let hits = recalled.hits.iter();
        hits.map(|hit| (hit.memory.id.to_string(), hit.score.to_bits()))
            .collect::<Vec<_>>()
    };
    let before = ask();
    assert_eq!(before[0].0, "m613");
    let tended = desk.maintain(MaintainOptions::default()).tended.unwrap();
    assert!(tended.bytes_after > 0);
    assert_eq!(ask(), before);
    assert!(desk.engine.verify(&desk.me, &mut |_| ()).unwrap().is_ok());
}

#[test]
fn requests_are_forgotten_once_they_can_not_come_again() {
    let desk = Desk::new(|_| {});
    let begin = |id: &str| {
        let id = id.parse().unwrap();
        desk.engine.begin_request(&desk.me, &id, "digest").unwrap()
    };
    assert_eq!(begin("old"), Begun::Now);
    desk.pass_days(2);
    assert_eq!(begin("new"), Begun::Now);
    desk.maintain(MaintainOptions {
        dry_run: true,
        ..MaintainOptions::default()
    });
    assert_eq!(begin("old"), Begun::Before);
    desk.maintain(MaintainOptions::default());
    assert_eq!((begin("old"), begin("new")), (Begun::Now, Begun::Before));
}
