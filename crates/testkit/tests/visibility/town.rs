//! A small store that several agents share.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use mnemon::caller::{Role, Who};
use mnemon::clock::ManualClock;
use mnemon::compact::Reach;
use mnemon::config::Durability;
use mnemon::engine::{MaintainOptions, NewSession};
use mnemon::memory::{Body, Draft, Kind, Memory, MemoryId, SessionId, Space};
use mnemon::store::Filter;
use mnemon::store::local::LocalOptions;
use mnemon::{Caller, Config, Mnemon, Result, Time};
use mnemon_testkit::sealed;
use serde_json::json;

/// The agents that act, and what marks what is theirs.
pub(crate) const AGENTS: [(&str, &str); 3] =
    [("ann", "zqannqz"), ("bob", "zqbobqz"), ("cyn", "zqcynqz")];

/// Agents that only keep what is private: not even their names may be told.
pub(crate) const QUIET: [&str; 2] = ["zqdanqz", "zqevaqz"];

pub(crate) const SESSIONS: [&str; 3] = ["s1", "s2", "s3"];

const START: &str = "2026-06-01T12:00:00Z";

/// Words that anybody may say.
const WORDS: [&str; 8] = [
    "database", "refund", "tests", "locking", "review", "deploy", "schema", "invoice",
];

/// A store with its agents.
pub(crate) struct Town {
    pub(crate) engine: Mnemon,
    pub(crate) clock: ManualClock,
    pub(crate) user: Caller,
    /// Everything that was ever kept, private or not.
    pub(crate) ids: Vec<MemoryId>,
    /// What a caller said itself, and may be told again.
    pub(crate) asked: Vec<String>,
    random: u64,
    kept: u64,
    _folder: tempfile::TempDir,
}

impl Town {
    pub(crate) fn new(seed: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut config = Config::default();
        config.storage.durability = Durability::Os;
        config.retention.enabled = true;
        // In every second town all that is kept is sealed; whoever asks has the key.
        let options = LocalOptions {
            keyring: sealed::options(seed % 2 == 1).keyring,
            ..LocalOptions::from(&config)
        };
        let store = sealed::store(folder.path(), options);
        let clock = ManualClock::new(START.parse().unwrap());
        let engine = Mnemon::new(Arc::new(store), config).with_sources(clock.clock(), numbers());
        let mut town = Self {
            engine,
            clock,
            user: Caller::user("user"),
            ids: Vec::new(),
            asked: Vec::new(),
            random: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
            kept: 0,
            _folder: folder,
        };
        for id in SESSIONS {
            let new = NewSession {
                id: id.parse().ok(),
                ..NewSession::default()
            };
            town.engine.create_session(&town.user, new).unwrap();
        }
        for _ in 0..12 {
            for (agent, mark) in AGENTS {
                town.keep_something(&Caller::agent(agent.parse().unwrap()), mark);
            }
            town.quiet_keeps();
        }
        town
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        usize::try_from(self.random % end.max(1) as u64).unwrap()
    }

    pub(crate) fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// One of these, more often those that weigh more.
    pub(crate) fn choose<'a, T>(&mut self, from: &'a [T], weight: fn(&T) -> usize) -> &'a T {
        let mut at = self.below(from.iter().map(weight).sum());
        from.iter()
            .find(|it| {
                let found = at < weight(it);
                at = at.saturating_sub(weight(it));
                found
            })
            .unwrap()
    }

    /// Whoever acts next: an agent, now and then one that may only read.
    pub(crate) fn caller(&mut self) -> Caller {
        let (agent, _) = *self.pick(&AGENTS);
        let caller = Caller::agent(agent.parse().unwrap());
        if self.one_in(8) {
            return Caller {
                role: Role::Reader,
                ..caller
            };
        }
        caller
    }

    pub(crate) fn session(&mut self) -> SessionId {
        self.pick(&SESSIONS).parse().unwrap()
    }

    /// Any space, also those of others.
    pub(crate) fn space(&mut self) -> Space {
        let agent = *self.pick(&AGENTS);
        match self.below(4) {
            0 => Space::Shared,
            1 => Space::Agent(agent.0.parse().unwrap()),
            2 => Space::Agent((*self.pick(&QUIET)).parse().unwrap()),
            _ => Space::Session(self.session()),
        }
    }

    pub(crate) fn id(&mut self) -> MemoryId {
        let place = self.below(self.ids.len());
        self.ids[place].clone()
    }

    /// A name that the caller may not be able to know: an id or a handle.
    pub(crate) fn name(&mut self) -> String {
        let name = if self.one_in(4) {
            let session = *self.pick(&SESSIONS);
            let kind = *self.pick(&["STATE", "PREF", "FACT", "DEC"]);
            format!("{session}/{kind}-{:03}", self.below(20) + 1)
        } else {
            self.id().to_string()
        };
        self.asked.push(name.clone());
        name
    }

    /// A memory as it is, whoever asks: callers can hand in what they can't have.
    pub(crate) fn stolen(&mut self) -> Option<Memory> {
        let id = self.id();
        self.asked.push(id.to_string());
        let located = self.engine.locate(&self.user, id.as_str(), None);
        located.ok().map(|located| located.memory)
    }

    /// Something to ask for, now and then with the mark of somebody.
    pub(crate) fn words(&mut self) -> String {
        let word = (*self.pick(&WORDS)).to_owned();
        if self.one_in(3) {
            let mark = self.pick(&AGENTS).1;
            return match self.below(3) {
                0 => mark.to_owned(),
                1 => format!("{word} {mark}"),
                _ => "zq*".to_owned(),
            };
        }
        word
    }

    pub(crate) fn filter(&mut self) -> Filter {
        let mut filter = Filter::all(self.engine.now().micros());
        match self.below(8) {
            0 => filter.spaces = vec![self.space()],
            1 => filter.kinds = vec![Kind::State, Kind::Preference],
            2 => filter.tags = vec![self.pick(&AGENTS).1.parse().unwrap()],
            3 => filter.contains = Some("zq".into()),
            4 => filter.authors = vec![(*self.pick(&QUIET)).to_owned()],
            5 => filter.metadata = vec![("mark".into(), self.pick(&AGENTS).1.into())],
            6 => filter.forgotten = mnemon::store::Forgottenness::With,
            _ => {}
        }
        filter.limit = self.below(30) + 1;
        filter
    }

    fn created_at(&mut self) -> Time {
        let day = self.below(90);
        let (month, day) = (3 + day / 30, 1 + day % 30);
        format!("2026-{month:02}-{day:02}T09:00:00Z")
            .parse()
            .unwrap()
    }

    /// A draft for all.
    pub(crate) fn public_draft(&mut self) -> Draft {
        let kinds = [
            Kind::Fact,
            Kind::Decision,
            Kind::Conversation,
            Kind::Preference,
        ];
        let words = [(); 3].map(|()| *self.pick(&WORDS));
        let mut draft = Draft::new(*self.pick(&kinds), words.join(" ").parse().unwrap());
        self.kept += 1;
        draft.id = format!("open-{}", self.kept).parse().ok();
        draft.created_at = Some(self.created_at());
        draft
    }

    /// A draft with a mark in all its parts, and where it is private.
    pub(crate) fn private_draft(&mut self, me: &str, mark: &str) -> (Space, Draft) {
        let word = *self.pick(&WORDS);
        let (space, kind, body) = match self.below(3) {
            0 => (
                Space::Agent(me.parse().unwrap()),
                *self.pick(&[Kind::Fact, Kind::Learning, Kind::State, Kind::Conversation]),
                json!({"note": mark}),
            ),
            1 => (
                Space::Session(self.session()),
                Kind::State,
                json!({"agent_id": me, "working_memory": {"mark": mark}}),
            ),
            _ => {
                let shared = self.one_in(2);
                let session = Space::Session(self.session());
                let body = json!({"key": mark, "applies_to": {"agents": [me]}});
                let space = if shared { Space::Shared } else { session };
                (space, Kind::Preference, body)
            }
        };
        let mut draft = Draft::new(kind, format!("{word} {mark}").parse().unwrap());
        draft.body = Body::from_map(kind, body.as_object().unwrap().clone()).unwrap();
        self.kept += 1;
        draft.id = format!("{mark}-{}", self.kept).parse().ok();
        draft.tags = vec![mark.parse().unwrap()];
        draft.metadata.insert("mark".into(), mark.into());
        if matches!(space, Space::Agent(_)) && kind != Kind::State {
            draft.author = Some(mark.parse().unwrap());
        }
        draft.created_at = Some(self.created_at());
        (space, draft)
    }

    pub(crate) fn keep_something(&mut self, caller: &Caller, mark: &str) {
        let (space, draft) = if self.one_in(2) {
            let me = caller.name().to_owned();
            self.private_draft(&me, mark)
        } else {
            let draft = self.public_draft();
            (Space::Session(self.session()), draft)
        };
        let id = draft.id.clone();
        if self.engine.remember(caller, &space, draft).is_ok() {
            self.ids.extend(id);
        }
    }

    /// Those who don't speak keep something, where nobody's session is opened for it.
    fn quiet_keeps(&mut self) {
        let quiet = *self.pick(&QUIET);
        let (space, draft) = self.private_draft(quiet, quiet);
        let is_open = |session: &SessionId| {
            let session = self.engine.session(&self.user, session);
            session.is_ok_and(|it| it.archived.is_none())
        };
        if space.session().is_none_or(is_open) {
            let id = draft.id.clone();
            let caller = Caller::agent(quiet.parse().unwrap());
            if self.engine.remember(&caller, &space, draft).is_ok() {
                self.ids.extend(id);
            }
        }
    }

    /// What the user and time do: things are moved to where they are easily forgotten.
    pub(crate) fn weather(&mut self) {
        let (session, user) = (self.session(), self.user.clone());
        match self.below(12) {
            0 => drop(self.engine.archive_session(&user, &session, None)),
            1 => drop(self.engine.compact(&user, &session, Reach::Aggressive)),
            2 => drop(
                self.engine
                    .delete_session(&user, &session, "no longer needed"),
            ),
            3 => {
                for deleted in self.engine.deleted_sessions(&user).unwrap() {
                    drop(
                        self.engine
                            .undelete_session(&user, &deleted.session_id, "needed"),
                    );
                }
            }
            4 => {
                if let Some(memory) = self.stolen() {
                    drop(self.engine.forget(&user, &[memory], "it is wrong"));
                }
            }
            5 => self.clock.advance(Duration::from_secs(6 * 3600)),
            6 => drop(self.engine.maintain(&user, &MaintainOptions::default())),
            7 => {
                if let Some(memory) = self.stolen() {
                    drop(self.engine.erase(&user, &[memory], "it must go"));
                }
            }
            _ => self.quiet_keeps(),
        }
        for deleted in self.engine.deleted_sessions(&user).unwrap() {
            // Most of the time they are there.
            if self.one_in(3) {
                drop(
                    self.engine
                        .undelete_session(&user, &deleted.session_id, "needed"),
                );
            }
        }
    }

    /// Whether a memory belongs to another: by its mark, not by the rule under test.
    pub(crate) fn is_foreign(caller: &Caller, memory: &Memory) -> bool {
        foreign_marks(caller).any(|mark| memory.text.as_str().contains(mark))
    }

    /// No mark of another may be in what was told, but what the caller said itself.
    pub(crate) fn check(&self, caller: &Caller, told: &str, place: &str) {
        if !told.contains("zq") {
            return;
        }
        let mut rest = told.to_owned();
        for own in &self.asked {
            rest = rest.replace(own.as_str(), "…");
        }
        for mark in foreign_marks(caller) {
            if let Some(at) = rest.find(mark) {
                let around: String = rest[..at].chars().rev().take(300).collect();
                let around: String = around.chars().rev().collect();
                panic!("{place} tells of {mark} after: {around}");
            }
        }
    }
}

fn foreign_marks(caller: &Caller) -> impl Iterator<Item = &'static str> {
    let Who::Agent(me) = &caller.who else {
        unreachable!("only agents are looked at")
    };
    let others = AGENTS.iter().filter(|(agent, _)| *agent != me.as_str());
    others.map(|(_, mark)| *mark).chain(QUIET)
}

/// An answer as it is told, whatever it is.
pub(crate) fn told<T: Debug>(answer: Result<T>) -> String {
    match answer {
        Ok(answer) => format!("{answer:?}"),
        Err(error) => format!(
            "{} {error} {} {error:?}",
            error.code().as_str(),
            error.hint()
        ),
    }
}

/// Random bytes that are not: the next number.
fn numbers() -> mnemon::engine::Random {
    let next = std::sync::atomic::AtomicU64::new(1);
    Arc::new(move || {
        let number = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let mut bytes = [0; 10];
        bytes[2..].copy_from_slice(&number.to_be_bytes());
        bytes
    })
}
