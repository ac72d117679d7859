//! Every past moment answers as it did, whatever became of the sessions since.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use mnemon::clock::ManualClock;
use mnemon::compact::Reach;
use mnemon::engine::NewSession;
use mnemon::memory::{Draft, Kind, Memory, Revision, SessionId, Space};
use mnemon::recall::{Query, Question};
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::store::{Filter, OnFull};
use mnemon::{Caller, Config, Mnemon, Time};
use proptest::prelude::*;
use proptest::sample::Index;

const BEGIN: &str = "2026-06-01T12:00:00Z";
const HOUR: Duration = Duration::from_secs(3600);
const SESSIONS: [&str; 2] = ["one", "two"];

/// Something that happens to a session.
#[derive(Clone, Debug)]
enum Step {
    Write,
    Revise(Index),
    Forget(Index),
    Unforget(Index),
    Compact,
    Archive,
    Restore,
    Delete,
    Undelete,
}

fn steps() -> impl Strategy<Value = Vec<(usize, Step)>> {
    let step = prop_oneof![
        3 => Just(Step::Write),
        1 => any::<Index>().prop_map(Step::Revise),
        1 => any::<Index>().prop_map(Step::Forget),
        1 => any::<Index>().prop_map(Step::Unforget),
        2 => Just(Step::Compact),
        2 => Just(Step::Archive),
        1 => Just(Step::Restore),
        1 => Just(Step::Delete),
        2 => Just(Step::Undelete),
    ];
    prop::collection::vec((0..SESSIONS.len(), step), 1..25)
}

/// What was to be seen at a moment: the text of every memory, by its id.
type Seen = BTreeMap<String, String>;

/// What a session is now.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Open,
    Archived,
    Deleted,
}

struct World {
    engine: Mnemon,
    me: Caller,
    clock: ManualClock,
    states: [State; 2],
    /// What each session holds, as it was when it was last open.
    held: [Seen; 2],
    written: u64,
}

impl World {
    fn new(root: &Path) -> Self {
        let mut config = Config::default();
        config.maintenance.enabled = false;
        let store = LocalStore::create(root, LocalOptions::from(&config)).unwrap();
        let clock = ManualClock::new(BEGIN.parse().unwrap());
        let last = AtomicU64::new(0);
        let random = move || {
            let mut bytes = [0; 10];
            let last = last.fetch_add(1, Ordering::SeqCst);
            bytes[..8].copy_from_slice(&last.to_be_bytes());
            bytes
        };
        let engine =
            Mnemon::new(Arc::new(store), config).with_sources(clock.clock(), Arc::new(random));
        let me = Caller::user("ada");
        for session in SESSIONS {
            let new = NewSession {
                id: Some(session.parse().unwrap()),
                ..NewSession::default()
            };
            engine.create_session(&me, new).unwrap();
        }
        Self {
            engine,
            me,
            clock,
            states: [State::Open; 2],
            held: [Seen::new(), Seen::new()],
            written: 0,
        }
    }

    /// Old turns and faded facts, so that compactions have something to take.
    fn write(&mut self, space: &Space) {
        let old = Time::from_micros(self.engine.now().micros() - 500 * 3_600_000_000).unwrap();
        let kinds = [
            Kind::Conversation,
            Kind::Fact,
            Kind::Conversation,
            Kind::Fact,
        ];
        let drafts = kinds.into_iter().map(|kind| {
            self.written += 1;
            let text = format!("Note {}: the kettle whistles. ", self.written);
            let mut draft = Draft::new(kind, text.repeat(8).parse().unwrap());
            draft.created_at = Some(old);
            draft.importance = 0.3.try_into().unwrap();
            draft
        });
        let drafts = drafts.collect();
        self.engine
            .remember_all(&self.me, space, drafts, OnFull::Refuse)
            .unwrap();
    }

    /// Does a step if it can be done to the session as it is.
    fn take(&mut self, number: usize, step: &Step) {
        let session: SessionId = SESSIONS[number].parse().unwrap();
        let space = Space::Session(session.clone());
        let is_deleted = self.states[number] == State::Deleted;
        if is_deleted != matches!(step, Step::Undelete) {
            return;
        }
        let one_of = |index: &Index| {
            let held = &self.held[number];
            let id = held.keys().nth(index.index(held.len().max(1)))?;
            self.engine.find(&self.me, id, None).ok()
        };
        let (engine, me) = (&self.engine, &self.me);
        match step {
            Step::Write => self.write(&space),
            Step::Revise(index) => {
                // Turns are never changed.
                if let Some(memory) = one_of(index).filter(|it| it.kind() == Kind::Fact) {
                    let revision = Revision {
                        text: Some(format!("{} Again.", memory.text.as_str()).parse().unwrap()),
                        ..Revision::default()
                    };
                    engine.revise(me, &memory, None, revision).unwrap();
                }
            }
            Step::Forget(index) => {
                if let Some(memory) = one_of(index) {
                    engine.forget(me, &[memory], "over").unwrap();
                }
            }
            Step::Unforget(index) => {
                if let Some(memory) = one_of(index) {
                    engine.unforget(me, &[memory], "not over").unwrap();
                }
            }
            Step::Compact => drop(engine.compact(me, &session, Reach::Aggressive).unwrap()),
            Step::Archive => drop(engine.archive_session(me, &session, None).unwrap()),
            Step::Restore => drop(engine.restore_session(me, &session).unwrap()),
            Step::Delete => drop(engine.delete_session(me, &session, "over").unwrap()),
            Step::Undelete => drop(engine.undelete_session(me, &session, "not over").unwrap()),
        }
    }

    /// What is to be seen now: an archive is looked into, the trash is not.
    fn note(&mut self) -> Seen {
        let mut seen = Seen::new();
        for (number, name) in SESSIONS.iter().enumerate() {
            let session: SessionId = name.parse().unwrap();
            self.states[number] = match self.engine.session(&self.me, &session) {
                Err(_) => State::Deleted,
                Ok(session) if session.archived.is_some() => State::Archived,
                Ok(_) => State::Open,
            };
            if self.states[number] == State::Open {
                let filter = Filter {
                    spaces: vec![Space::Session(session)],
                    limit: usize::MAX,
                    ..Filter::all(self.engine.now().micros())
                };
                let listed = self.engine.list(&self.me, &filter).unwrap().memories;
                self.held[number] = told(listed);
            }
            if self.states[number] != State::Deleted {
                seen.extend(self.held[number].clone());
            }
        }
        seen
    }

    fn check(&self, moment: Time, seen: &Seen) {
        let then = self.engine.as_of(moment).unwrap();
        let everything = Filter {
            limit: usize::MAX,
            ..Filter::all(moment.micros())
        };
        let listed = then.list(&self.me, &everything).unwrap().memories;
        assert_eq!(told(listed), *seen, "as of {moment}");
        let mut query = Query::new(Question::parse("kettle").unwrap(), everything);
        query.filter.limit = 10_000;
        let hits = then.recall(&self.me, &query).unwrap().hits;
        let found: BTreeSet<String> = hits.iter().map(|hit| hit.memory.id.to_string()).collect();
        assert_eq!(found, seen.keys().cloned().collect(), "as of {moment}");
        for (id, text) in seen {
            let got = then.get(&self.me, id, None).unwrap();
            assert_eq!(got.text.as_str(), text, "as of {moment}");
        }
        for id in self.held.iter().flat_map(Seen::keys) {
            let is_there = then.get(&self.me, id, None).is_ok();
            assert_eq!(is_there, seen.contains_key(id), "{id} as of {moment}");
        }
    }
}

fn told(memories: Vec<Memory>) -> Seen {
    let tell = |memory: Memory| (memory.id.to_string(), memory.text.as_str().to_owned());
    memories.into_iter().map(tell).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 30,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_moment_answers_later_as_it_did_then(steps in steps()) {
        let folder = tempfile::tempdir().unwrap();
        let mut world = World::new(folder.path());
        for session in SESSIONS {
            world.write(&format!("session/{session}").parse().unwrap());
        }
        // Lines are recorded a little later than the clock says if there are many.
        world.clock.advance(HOUR);
        let mut noted = vec![(world.engine.now(), world.note())];
        for (session, step) in steps {
            world.clock.advance(HOUR);
            world.take(session, &step);
            world.clock.advance(HOUR);
            noted.push((world.engine.now(), world.note()));
        }
        for (moment, seen) in &noted {
            world.check(*moment, seen);
        }
    }
}
