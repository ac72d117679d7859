//! The life of sessions, as the engine leads it.

#![expect(clippy::unwrap_used, reason = "a test that can't go on should stop")]

mod damage;
mod erasing;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mnemon::clock::Clock;
use mnemon::engine::{Action, ImportItem, ImportOptions, MaintainOptions, NewSession};
use mnemon::memory::{Draft, Kind, Memory, SessionId, Space, State};
use mnemon::recall::{Query, Question};
use mnemon::session::{SessionDetails, SessionState};
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::store::{Filter, OnFull};
use mnemon::time::Time;
use mnemon::{Caller, Code, Config, Mnemon};
use tempfile::TempDir;

/// An engine whose clock is set by hand.
struct Desk {
    folder: TempDir,
    engine: Mnemon,
    me: Caller,
    session: SessionId,
}

impl Desk {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let engine = engine_at(folder.path(), "2026-01-01T00:00:00Z");
        let me = Caller::user("ada");
        let new = NewSession {
            id: Some("review".parse().unwrap()),
            ..NewSession::default()
        };
        let session = engine.create_session(&me, new).unwrap();
        Self {
            folder,
            engine,
            me,
            session,
        }
    }

    fn with_memories() -> Self {
        let desk = Self::new();
        for text in [
            "The gate opens at seven",
            "Walls are painted green",
            "Nobody waters the fern",
        ] {
            desk.keep(text);
        }
        desk
    }

    fn keep(&self, text: &str) -> Memory {
        let space = Space::Session(self.session.clone());
        let draft = Draft::new(Kind::Fact, text.parse().unwrap());
        let kept = self.engine.remember(&self.me, &space, draft).unwrap();
        self.engine.find(&self.me, kept.id.as_str(), None).unwrap()
    }

    /// Another process, later.
    fn at(&mut self, now: &str) {
        self.engine = engine_at(self.folder.path(), now);
    }

    fn state(&self) -> &'static str {
        match self.engine.session(&self.me, &self.session) {
            Ok(session) => self.engine.session_state(&session).as_str(),
            Err(error) if error.to_string().ends_with("was deleted") => {
                SessionState::Deleted.as_str()
            }
            Err(error) => error.code().as_str(),
        }
    }

    fn archive(&self) {
        let archived = self.engine.archive_session(&self.me, &self.session, None);
        assert!(archived.unwrap().archived.is_some());
    }

    fn restore(&self) {
        let opened = self.engine.restore_session(&self.me, &self.session);
        assert_eq!(opened.unwrap().archived, None);
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("sessions/review/memory.jsonl")
    }

    fn shelf(&self) -> PathBuf {
        let folder = self.folder.path().join("sessions/review/archive");
        let mut names: Vec<_> = fs::read_dir(folder).unwrap().collect();
        assert_eq!(names.len(), 1);
        names.remove(0).unwrap().path()
    }

    fn found(&self, text: &str) -> Vec<Memory> {
        let filter = Filter::all(self.engine.now().micros());
        let query = Query::new(Question::parse(text).unwrap(), filter);
        let recalled = self.engine.recall(&self.me, &query).unwrap();
        recalled.hits.into_iter().map(|hit| hit.memory).collect()
    }
}

/// The clock stands still, so nothing else tells ids apart.
static LAST: AtomicU64 = AtomicU64::new(0);

fn engine_at(root: &Path, now: &str) -> Mnemon {
    let store = LocalStore::create(root, LocalOptions::default()).unwrap();
    let now: Time = now.parse().unwrap();
    let random = Arc::new(|| {
        let mut bytes = [0; 10];
        bytes[2..].copy_from_slice(&LAST.fetch_add(1, Ordering::Relaxed).to_be_bytes());
        bytes
    });
    Mnemon::new(Arc::new(store), Config::default()).with_sources(Clock::fixed_at(now), random)
}

/// When, what is done then, and the state afterwards.
type Act<'a> = &'a dyn Fn(&Desk);

#[test]
fn a_session_goes_from_state_to_state_as_time_passes_and_as_it_is_told() {
    let mut desk = Desk::new();
    let me = desk.me.clone();
    let id = desk.session.clone();
    assert_eq!(desk.state(), "created");
    desk.keep("The gate opens at seven");
    let nothing: Act<'_> = &|_| {};
    let unused: Act<'_> = &|desk| {
        let all = MaintainOptions::default();
        drop(desk.engine.maintain(&me, &all).unwrap());
    };
    let steps: [(&str, Act<'_>, &str); 19] = [
        ("2026-01-01T23:00:00Z", nothing, "active"),
        ("2026-01-02T00:00:01Z", nothing, "idle"),
        (
            "2026-01-02T01:00:00Z",
            &|desk| drop(desk.engine.activate_session(&me, &id)),
            "active",
        ),
        ("2026-01-08T01:00:00Z", nothing, "idle"),
        ("2026-01-09T01:00:00Z", nothing, "decaying"),
        ("2026-01-31T01:00:00Z", unused, "decaying"),
        ("2026-02-01T01:00:00Z", unused, "archived"),
        (
            "2026-02-02T00:00:00Z",
            &|desk| drop(desk.engine.close_session(&me, &id)),
            "archived",
        ),
        (
            "2026-02-03T00:00:00Z",
            &|desk| drop(desk.engine.get(&me, "review/FACT-001", None)),
            "active",
        ),
        // Whoever asked for it last keeps it open for as long.
        ("2026-03-04T00:00:00Z", unused, "decaying"),
        ("2026-03-05T00:00:00Z", unused, "archived"),
        (
            "2026-03-06T00:00:00Z",
            &|desk| drop(desk.engine.delete_session(&me, &id, "over")),
            "deleted",
        ),
        (
            "2026-03-07T00:00:00Z",
            &|desk| drop(desk.engine.undelete_session(&me, &id, "not over")),
            "archived",
        ),
        (
            "2026-03-08T00:00:00Z",
            &|desk| drop(desk.engine.activate_session(&me, &id)),
            "active",
        ),
        (
            "2026-03-09T00:00:00Z",
            &|desk| drop(desk.engine.close_session(&me, &id)),
            "idle",
        ),
        (
            "2026-03-09T01:00:00Z",
            &|desk| drop(desk.engine.activate_session(&me, &id)),
            "active",
        ),
        (
            "2026-03-10T00:00:00Z",
            &|desk| drop(desk.engine.delete_session(&me, &id, "over")),
            "deleted",
        ),
        (
            "2026-04-08T23:00:00Z",
            &|desk| drop(desk.engine.activate_session(&me, &id)),
            "deleted",
        ),
        (
            "2026-04-09T00:00:00Z",
            &|desk| purge_overdue(desk),
            "E_SESSION_NOT_FOUND",
        ),
    ];
    for (now, act, state) in steps {
        desk.at(now);
        act(&desk);
        assert_eq!(desk.state(), state, "{now}");
    }
    let audit = desk.engine.audit(&me).unwrap();
    let deeds: Vec<_> = audit.iter().map(|entry| entry.deed.as_str()).collect();
    assert_eq!(
        deeds,
        [
            "activate", "archive", "restore", "archive", "delete", "undelete", "restore",
            "activate", "delete", "purge"
        ]
    );
    assert!(
        audit
            .iter()
            .all(|entry| entry.by == "ada" && entry.memories == 1)
    );
}

fn purge_overdue(desk: &Desk) {
    for overdue in desk.engine.overdue_sessions(&desk.me).unwrap() {
        desk.engine
            .purge_session(&desk.me, &overdue.session_id)
            .unwrap();
    }
}

#[test]
fn questions_about_everything_find_the_summary_and_open_nothing() {
    let mut desk = Desk::with_memories();
    desk.archive();
    desk.at("2026-01-02T00:00:00Z");
    let found = desk.found("when does the gate open");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].kind(), Kind::Artifact);
    assert_eq!(found[0].metadata["archived"], true);
    let text = found[0].text.as_str();
    assert!(
        text.starts_with("Archived session review: 3 memories of 2026-01-01 by ada."),
        "{text}"
    );
    assert!(text.contains("Said: The gate opens at seven"), "{text}");
    assert_eq!(
        desk.engine.list(&desk.me, &Filter::all(0)).unwrap().total,
        1
    );
    let mut exported = 0;
    let count = &mut |_| {
        exported += 1;
        Ok(())
    };
    desk.engine.export(&desk.me, &[], count).unwrap();
    assert_eq!(exported, 3);
    assert_eq!(desk.state(), "archived");
}

#[test]
fn a_summary_does_not_quote_what_is_sensitive() {
    let desk = Desk::with_memories();
    let mut draft = Draft::new(Kind::Fact, "The code is zqcanary".parse().unwrap());
    draft.sensitive = true;
    let space = Space::Session(desk.session.clone());
    let with_key = mnemon_testkit::sealed::open(desk.folder.path());
    with_key.remember(&desk.me, &space, draft).unwrap();
    drop(with_key);
    desk.archive();
    assert!(!fs::read_to_string(desk.log()).unwrap().contains("zqcanary"));
}

#[test]
fn whoever_names_an_archived_session_gets_it_opened() {
    let desk = Desk::with_memories();
    let id = desk.keep("One more thing").id;
    let (engine, me, space) = (&desk.engine, &desk.me, Space::Session(desk.session.clone()));
    let filter = Filter {
        spaces: vec![space.clone()],
        ..Filter::all(0)
    };
    let ways: [(&str, &dyn Fn()); 6] = [
        ("its id", &|| {
            drop(engine.get(me, id.as_str(), None).unwrap());
        }),
        ("its handle", &|| {
            drop(engine.get(me, "FACT-002", Some(&desk.session)).unwrap());
        }),
        ("session and handle", &|| {
            drop(engine.get(me, "review/FACT-003", None).unwrap());
        }),
        ("a list", &|| {
            assert_eq!(engine.list(me, &filter).unwrap().total, 4);
        }),
        ("its topics", &|| {
            drop(engine.session_topics(me, &desk.session).unwrap());
        }),
        ("a write", &|| {
            let draft = Draft::new(Kind::Fact, "And this".parse().unwrap());
            drop(engine.remember(me, &space, draft).unwrap());
        }),
    ];
    for (way, ask) in ways {
        desk.archive();
        assert_eq!(desk.state(), "archived");
        assert_eq!(
            engine.sessions(me).unwrap()[0].activity.memories(),
            4,
            "{way}"
        );
        ask();
        assert_eq!(desk.state(), "active", "{way}");
    }
}

#[test]
fn what_was_can_be_asked_of_an_archived_session() {
    let mut desk = Desk::with_memories();
    desk.at("2026-01-02T00:00:00Z");
    desk.keep("Too late for that moment");
    desk.archive();
    desk.at("2026-01-05T00:00:00Z");
    let then = desk
        .engine
        .as_of("2026-01-01T12:00:00Z".parse().unwrap())
        .unwrap();
    assert_eq!(then.list(&desk.me, &Filter::all(0)).unwrap().total, 3);
    let session = then.session(&desk.me, &desk.session).unwrap();
    assert_eq!(then.session_state(&session), SessionState::Active);
    assert_eq!(desk.state(), "archived");
}

#[test]
fn nothing_is_imported_into_a_session_in_the_trash() {
    let desk = Desk::with_memories();
    desk.engine
        .delete_session(&desk.me, &desk.session, "over")
        .unwrap();
    let item = |id: &str| ImportItem::Session {
        id: id.parse().unwrap(),
        details: SessionDetails::default(),
    };
    let memory = ImportItem::Memory {
        line: 2,
        space: "session/Review".parse().unwrap(),
        draft: Box::new(Draft::new(Kind::Fact, "x".parse().unwrap())),
        state: State::default(),
        base: None,
    };
    for items in [
        vec![item("review")],
        vec![memory.clone()],
        vec![item("REVIEW"), memory],
    ] {
        let options = ImportOptions::default();
        let refused = desk
            .engine
            .import(&desk.me, items, options, &mut |_| {})
            .unwrap_err();
        assert_eq!(refused.code(), Code::SchemaInvalid);
        assert!(
            refused
                .to_string()
                .contains("review, which lies in the trash"),
            "{refused}"
        );
    }
    let new = NewSession {
        id: Some("review".parse().unwrap()),
        ..NewSession::default()
    };
    let refused = desk.engine.create_session(&desk.me, new).unwrap_err();
    assert!(
        refused.hint().contains("mnemon session undelete review"),
        "{}",
        refused.hint()
    );
}

#[test]
fn an_import_that_is_refused_opens_no_archive() {
    let desk = Desk::with_memories();
    desk.archive();
    let memory = |line, space: &str, text: &str| ImportItem::Memory {
        line,
        space: space.parse().unwrap(),
        draft: Box::new(Draft::new(Kind::Fact, text.parse().unwrap())),
        state: State::default(),
        base: None,
    };
    let sound = memory(1, "session/review", "The lamp is new");
    let import = |items| {
        let options = ImportOptions::default();
        desk.engine.import(&desk.me, items, options, &mut |_| {})
    };
    let too_long = "long ".repeat(4_000_000);
    for bad in ["session/review", "shared"] {
        import(vec![sound.clone(), memory(2, bad, &too_long)]).unwrap_err();
        assert_eq!(desk.state(), "archived", "a line of {bad} is bad");
    }
    assert_eq!(import(vec![sound]).unwrap().imported, 1);
    assert_eq!(desk.state(), "active");
}

#[test]
fn statistics_tell_what_is_put_away() {
    let desk = Desk::with_memories();
    desk.archive();
    let stats = desk.engine.stats(&desk.me).unwrap();
    assert_eq!((stats.archived_sessions, stats.deleted_sessions), (1, 0));
    assert_eq!(
        stats.archive_bytes,
        fs::metadata(desk.shelf()).unwrap().len()
    );
    desk.engine
        .delete_session(&desk.me, &desk.session, "over")
        .unwrap();
    let stats = desk.engine.stats(&desk.me).unwrap();
    assert_eq!((stats.archived_sessions, stats.deleted_sessions), (0, 1));
    assert!(stats.trash_bytes > stats.archive_bytes);
    assert_eq!(stats.archive_bytes, 0);
}

/// A refused write leaves the names of its log to be synced later.
#[test]
fn whoever_had_the_log_of_a_deleted_session_open_goes_on() {
    let desk = Desk::with_memories();
    let other = engine_at(desk.folder.path(), "2026-01-02T00:00:00Z");
    let space = Space::Session(desk.session.clone());
    let forget = Action::Forget {
        id: "nothing".parse().unwrap(),
        reason: "a slip".into(),
    };
    let refused = other.transact(&desk.me, &space, vec![forget], OnFull::Refuse);
    assert_eq!(refused.unwrap_err().code(), Code::NotFound);
    desk.engine
        .delete_session(&desk.me, &desk.session, "over")
        .unwrap();
    other.flush(&desk.me).unwrap();
    let draft = Draft::new(Kind::Fact, "The store takes more".parse().unwrap());
    other.remember(&desk.me, &Space::Shared, draft).unwrap();
}

#[test]
fn a_memory_is_found_wherever_others_bring_its_session() {
    let folder = tempfile::tempdir().unwrap();
    let engine = mnemon_testkit::inspect::open(folder.path());
    let me = Caller::user("ada");
    let new = NewSession {
        id: Some("moving".parse().unwrap()),
        ..NewSession::default()
    };
    let session = engine.create_session(&me, new).unwrap();
    let draft = Draft::new(Kind::Fact, "it is here or there".parse().unwrap());
    let kept = engine
        .remember(&me, &Space::Session(session.clone()), draft)
        .unwrap();
    std::thread::scope(|scope| {
        let looks = scope.spawn(|| {
            let other = mnemon_testkit::inspect::open(folder.path());
            for _ in 0..300 {
                let found = other.locate(&me, kept.id.as_str(), None).unwrap();
                assert_eq!(found.memory.id, kept.id);
            }
        });
        while !looks.is_finished() {
            engine.archive_session(&me, &session, None).unwrap();
            engine.restore_session(&me, &session).unwrap();
        }
        looks.join().unwrap();
    });
}
