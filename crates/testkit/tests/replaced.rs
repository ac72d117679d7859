//! Readers beside others who replace logs all the time: archive, open, compact, bring back, erase.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::print_stderr, reason = "how much was tried is worth knowing")]

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use mnemon::compact::Reach;
use mnemon::engine::NewSession;
use mnemon::memory::{Draft, Kind, MemoryId, SessionId, Space};
use mnemon::recall::{Query, Question};
use mnemon::store::Filter;
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::{Caller, Clock, Config, Error, Mnemon, Time};
use mnemon_testkit::driver::{Driver, Journal};

const NOW: &str = "2026-06-01T12:00:00Z";
const ROUNDS: usize = 15;

fn me() -> Caller {
    Caller::user("ada")
}

fn session() -> SessionId {
    "one".parse().unwrap()
}

fn space() -> Space {
    Space::Session(session())
}

/// The clock stands still, so nothing else tells ids apart.
static LAST: AtomicU64 = AtomicU64::new(0);

/// An engine with files, index and caches of its own, as another process has them.
fn engine(root: &Path, now: Time) -> Mnemon {
    let mut config = Config::default();
    config.lock.timeout_ms = 60_000;
    config.search.timeout_ms = 60_000;
    let store = LocalStore::create(root, LocalOptions::from(&config)).unwrap();
    let random = || {
        let mut bytes = [0; 10];
        let last = LAST.fetch_add(1, Ordering::SeqCst);
        bytes[..8].copy_from_slice(&last.to_be_bytes());
        bytes
    };
    Mnemon::new(Arc::new(store), config).with_sources(Clock::fixed_at(now), Arc::new(random))
}

fn now() -> Time {
    NOW.parse().unwrap()
}

fn hours_ago(hours: i64) -> Time {
    Time::from_micros(now().micros() - hours * 3_600_000_000).unwrap()
}

/// Memories that stay, and old turns that compactions take away.
struct Kept {
    staying: BTreeSet<MemoryId>,
    leaving: BTreeSet<MemoryId>,
}

fn fill(root: &Path) -> Kept {
    let engine = engine(root, hours_ago(2));
    let new = NewSession {
        id: Some(session()),
        ..NewSession::default()
    };
    engine.create_session(&me(), new).unwrap();
    let keep = |kind: Kind, number: i64, pinned: bool| {
        let text =
            format!("Note {number}: the kettle whistles, and nobody knows whether it is time. ");
        let mut draft = Draft::new(kind, text.repeat(6).parse().unwrap());
        draft.created_at = Some(hours_ago(600 - number));
        draft.pinned = pinned;
        engine.remember(&me(), &space(), draft).unwrap().id
    };
    Kept {
        staying: (0..8)
            .map(|number| keep(Kind::Fact, number, true))
            .collect(),
        leaving: (8..30)
            .map(|number| keep(Kind::Conversation, number, false))
            .collect(),
    }
}

/// Whatever is open, archived or compacted: it is there, once, and nobody says anything else.
fn ask_everything(engine: &Mnemon, kept: &Kept, before: &BTreeSet<MemoryId>) {
    for id in &kept.staying {
        assert_eq!(engine.get(&me(), id.as_str(), None).unwrap().id, *id);
        let (found, changes) = engine.history(&me(), id.as_str(), None).unwrap();
        assert_eq!((&found.id, changes.len()), (id, 1));
    }
    for id in &kept.leaving {
        match engine.get(&me(), id.as_str(), None) {
            Ok(memory) => assert_eq!(memory.id, *id),
            Err(Error::Compacted { id: away, .. }) => assert_eq!(away, id.as_str()),
            Err(error) => panic!("{id}: {error}"),
        }
    }
    let handle = engine.get(&me(), "one/FACT-001", None).unwrap();
    assert_eq!(Some(&handle.id), kept.staying.first());

    let filter = Filter {
        spaces: vec![space()],
        limit: usize::MAX,
        ..Filter::all(now().micros())
    };
    let listed = engine.list(&me(), &filter).unwrap().memories;
    let ids: BTreeSet<MemoryId> = listed.iter().map(|memory| memory.id.clone()).collect();
    assert_eq!(ids.len(), listed.len(), "one is there twice");
    assert!(ids.is_superset(&kept.staying));

    let mut query = Query::new(Question::parse("kettle").unwrap(), filter.clone());
    query.filter.limit = 1000;
    let hits = engine.recall(&me(), &query).unwrap().hits;
    let ids: BTreeSet<MemoryId> = hits.iter().map(|hit| hit.memory.id.clone()).collect();
    assert_eq!(ids.len(), hits.len(), "one is there twice");
    assert!(ids.is_superset(&kept.staying));

    // Of the whole store: the session, or its summary.
    let everything = Filter {
        limit: usize::MAX,
        ..Filter::all(now().micros())
    };
    let listed = engine.list(&me(), &everything).unwrap().memories;
    let ids: BTreeSet<MemoryId> = listed.iter().map(|memory| memory.id.clone()).collect();
    assert_eq!(ids.len(), listed.len(), "one is there twice");
    assert!(ids.is_superset(&kept.staying) || ids.len() == 1, "{ids:?}");

    let mut exported = Vec::new();
    engine
        .export(&me(), &[], &mut |memory| {
            exported.push(memory.id);
            Ok(())
        })
        .unwrap();
    let ids: BTreeSet<MemoryId> = exported.iter().cloned().collect();
    assert_eq!(ids.len(), exported.len(), "one is there twice");
    assert!(ids.is_superset(&kept.staying));

    let then = engine.as_of(hours_ago(1)).unwrap();
    let listed = then.list(&me(), &everything).unwrap().memories;
    assert_eq!(listed.len(), before.len());
    let ids: BTreeSet<MemoryId> = listed.into_iter().map(|memory| memory.id).collect();
    assert_eq!(ids, *before);
    let hits = then.recall(&me(), &query).unwrap().hits;
    assert_eq!(hits.len(), before.len());
}

/// Runs until one is done with its rounds, and again from the start whenever it is not.
fn readers_beside(root: &Path, work: impl Fn(&Mnemon, usize) + Sync, workers: usize) {
    let kept = fill(root);
    let before: BTreeSet<MemoryId> = kept.staying.union(&kept.leaving).cloned().collect();
    let is_over = AtomicBool::new(false);
    let asked = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let engine = engine(root, now());
                while !is_over.load(Ordering::SeqCst) {
                    ask_everything(&engine, &kept, &before);
                    asked.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        // A reader in a process of its own.
        scope.spawn(|| {
            let driver = Driver {
                program: env!("CARGO_BIN_EXE_mnemon-writer").into(),
                root: root.into(),
                journal: Arc::new(Journal::default()),
            };
            let mut reader = driver.start("read", &[]);
            while !is_over.load(Ordering::SeqCst) {
                for id in &kept.staying {
                    let answer = reader.ask(id.as_str()).unwrap_or_default();
                    assert!(answer.starts_with("Note "), "{id}: {answer}");
                }
            }
            assert!(reader.finish().success());
        });
        let working: Vec<_> = (0..workers)
            .map(|number| {
                let work = &work;
                scope.spawn(move || {
                    let engine = engine(root, now());
                    for round in 0..ROUNDS {
                        work(&engine, round * workers + number);
                    }
                })
            })
            .collect();
        let done: Vec<_> = working
            .into_iter()
            .map(std::thread::ScopedJoinHandle::join)
            .collect();
        is_over.store(true, Ordering::SeqCst);
        assert!(done.into_iter().all(|it| it.is_ok()));
    });
    let engine = engine(root, now());
    engine.restore_session(&me(), &session()).unwrap();
    engine
        .bring_back(&me(), &session(), None, "all of it")
        .unwrap();
    ask_everything(&engine, &kept, &before);
    let verified = engine.verify(&me(), &mut |_| {}).unwrap();
    assert!(verified.is_ok(), "{verified:?}");
    eprintln!(
        "everything was asked {} times",
        asked.load(Ordering::SeqCst)
    );
}

#[test]
fn readers_see_every_memory_once_while_a_session_is_archived_and_opened() {
    let folder = tempfile::tempdir().unwrap();
    readers_beside(
        folder.path(),
        |engine, _| {
            engine.archive_session(&me(), &session(), None).unwrap();
            engine.restore_session(&me(), &session()).unwrap();
        },
        2,
    );
}

#[test]
fn readers_see_every_memory_once_while_it_is_compacted_and_brought_back() {
    let folder = tempfile::tempdir().unwrap();
    readers_beside(
        folder.path(),
        |engine, number| {
            engine
                .compact(&me(), &session(), Reach::Aggressive)
                .unwrap();
            if number % 3 == 0 {
                engine.archive_session(&me(), &session(), None).unwrap();
            }
            engine
                .bring_back(&me(), &session(), None, "needed")
                .unwrap();
        },
        1,
    );
}

#[test]
fn erasing_beside_archiving_erases_and_disturbs_no_reader() {
    let folder = tempfile::tempdir().unwrap();
    readers_beside(
        folder.path(),
        |engine, number| {
            if number % 2 == 0 {
                engine.archive_session(&me(), &session(), None).unwrap();
                return;
            }
            let text = format!("Victim {number} says nothing to anybody");
            let draft = Draft::new(Kind::Fact, text.parse().unwrap());
            let id = engine.remember(&me(), &space(), draft).unwrap().id;
            let erased = engine
                .erase_ids(&me(), vec![id.clone()], "asked to")
                .unwrap();
            assert_eq!(erased.ids, std::slice::from_ref(&id));
            let gone = engine.find(&me(), id.as_str(), None).unwrap_err();
            assert!(matches!(gone, Error::NotFound { .. }), "{gone}");
        },
        2,
    );
}
