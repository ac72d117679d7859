//! Batches to write, the same for the same seed, and what a store says about them.
#![expect(
    clippy::missing_panics_doc,
    reason = "a test that hands in what is no id or text is wrong itself"
)]

use mnemon::config::Config;
use mnemon::memory::{
    Draft, Kind, Limits, Link, Memory, MemoryId, Reference, Revision, Space, Text,
};
use mnemon::session::SessionDetails;
use mnemon::store::{Batch, Filter, Forgottenness, OnFull, Store, Write};
use mnemon::time::Time;

use crate::disk::Random;

/// A moment in 2026, and so many seconds more.
pub fn time(seconds: i64) -> Time {
    Time::from_micros((1_767_225_600 + seconds) * 1_000_000).expect("a moment in this century")
}

/// A batch for a space, at a moment.
pub fn batch(space: &Space, seconds: i64, writes: Vec<Write>) -> Batch {
    let limits = Config::default().limits;
    Batch {
        space: space.clone(),
        by: "tester".into(),
        now: time(seconds),
        writes,
        limits: Limits {
            session_entry_bytes_max: limits.session_entry_bytes_max,
            long_term_entry_bytes_max: limits.long_term_entry_bytes_max,
        },
        quota_bytes: None,
        on_full: OnFull::Refuse,
    }
}

/// Keeps a fact with this id and text.
pub fn add(id: &str, text: &str) -> Write {
    add_linked(id, text, &[])
}

/// Keeps a fact that refers to others.
pub fn add_linked(id: &str, text: &str, links: &[&str]) -> Write {
    let mut draft = Draft::new(Kind::Fact, text.parse::<Text>().expect("some text"));
    draft.links = links.iter().map(|to| Link::related(self::id(to))).collect();
    Write::Add {
        id: self::id(id),
        draft: Box::new(draft),
    }
}

/// Gives a memory another text.
pub fn revise(id: &str, text: &str) -> Write {
    Write::Revise {
        id: self::id(id),
        expected: None,
        revision: Box::new(Revision {
            text: Some(text.parse().expect("some text")),
            ..Revision::default()
        }),
    }
}

/// Forgets a memory.
pub fn forget(id: &str) -> Write {
    Write::Forget {
        id: self::id(id),
        reason: "no longer true".into(),
        recover_until: time(1_000_000),
        earlier: None,
    }
}

/// Brings a memory back.
pub fn restore(id: &str) -> Write {
    Write::Restore {
        id: self::id(id),
        reason: "it was true".into(),
    }
}

/// Opens a session.
pub fn create_session() -> Write {
    Write::CreateSession(SessionDetails {
        project: Some("a project".into()),
        ..SessionDetails::default()
    })
}

/// A memory's id.
pub fn id(text: &str) -> MemoryId {
    text.parse().expect("an id")
}

/// A space.
pub fn space(text: &str) -> Space {
    text.parse().expect("a space")
}

/// All that a store says: every memory in the order of its space, and the sessions.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// Every memory, forgotten ones too.
    pub memories: Vec<Memory>,
    /// Every session with its details, in the order of their names.
    pub sessions: Vec<(String, SessionDetails)>,
}

impl Snapshot {
    /// Asks a store for everything.
    pub fn of(store: &dyn Store) -> mnemon::Result<Self> {
        let mut memories = Vec::new();
        store.walk(&[], &mut |memory| {
            memories.push(memory);
            Ok(())
        })?;
        let mut sessions: Vec<_> = store
            .sessions()?
            .into_iter()
            .map(|session| (session.id.to_string(), session.details))
            .collect();
        sessions.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(Self { memories, sessions })
    }

    /// Asks the store in other ways, which must give the same.
    pub fn check_selection(&self, store: &dyn Store) -> mnemon::Result<()> {
        let selection = store.select(&Filter {
            forgotten: Forgottenness::With,
            limit: usize::MAX,
            ..Filter::all(0)
        })?;
        assert_eq!(selection.total, self.memories.len() as u64);
        assert_eq!(selection.memories.len(), self.memories.len());
        for memory in &self.memories {
            assert!(selection.memories.contains(memory), "{memory:?}");
            let found = store.find(&Reference::Id(memory.id.clone()))?;
            assert_eq!(found.as_ref(), Some(memory));
        }
        Ok(())
    }

    /// The memory of an id.
    pub fn get(&self, id: &str) -> Option<&Memory> {
        self.memories.iter().find(|memory| memory.id.as_str() == id)
    }

    /// Ids, versions, texts and whether each is forgotten: all but the times.
    pub fn contents(&self) -> Vec<(String, u64, String, bool)> {
        let mut contents: Vec<_> = self
            .memories
            .iter()
            .map(|memory| {
                (
                    memory.id.to_string(),
                    memory.version,
                    memory.text.to_string(),
                    memory.state.forgotten.is_some(),
                )
            })
            .collect();
        contents.sort();
        contents
    }
}

/// A short text in every kind of write that the store knows, in a fixed order.
pub fn scripted() -> Vec<Batch> {
    let [shared, agent, session] = ["shared", "agent/planner", "session/s1"].map(space);
    let long = "long ".repeat(1700);
    vec![
        batch(&shared, 1, vec![add("a1", "the user likes tea")]),
        batch(&session, 2, vec![create_session()]),
        batch(&session, 3, vec![add("s1", "we chose plain files")]),
        batch(
            &agent,
            4,
            vec![
                add_linked("p1", "files are easy to repair", &["s1", "a1"]),
                add("p2", "measure first"),
                add("p3", &long),
            ],
        ),
        batch(&shared, 5, vec![revise("a1", "the user likes green tea")]),
        batch(
            &session,
            6,
            vec![add_linked("s2", &long, &["p2"]), forget("s1")],
        ),
        batch(&session, 7, vec![restore("s1")]),
        batch(
            &space("session/s2"),
            8,
            vec![create_session(), add("t1", "another one")],
        ),
        batch(&agent, 9, vec![forget("p2")]),
        batch(&shared, 10, vec![add("a2", "é\u{1F9E0}\u{0}\n\"quoted\"")]),
    ]
}

/// Random batches: several spaces, single lines, transactions, revisions, links.
pub fn random(seed: u64, count: usize) -> Vec<Batch> {
    let mut random = Random::new(seed);
    let mut ids: Vec<(String, Space)> = Vec::new();
    let mut spaces = vec![space("shared"), space("agent/one"), space("agent/two")];
    let mut batches = Vec::new();
    for number in 0..count {
        let seconds = i64::try_from(number).unwrap_or(0);
        if random.below(8) == 0 {
            let session = space(&format!("session/r{seed}-{number}"));
            let mut writes = vec![create_session()];
            if random.coin() {
                let id = format!("r{seed}-{number}-first");
                writes.push(add(&id, "the first of its session"));
                ids.push((id, session.clone()));
            }
            batches.push(batch(&session, seconds, writes));
            spaces.push(session);
            continue;
        }
        let space = spaces[random.below(spaces.len())].clone();
        let size = [1, 1, 1, 2, 3, 5][random.below(6)];
        let mut writes = Vec::new();
        for part in 0..size {
            let own: Vec<&String> = ids
                .iter()
                .filter(|(_, home)| *home == space)
                .map(|(id, _)| id)
                .collect();
            writes.push(match (random.below(8), own.is_empty()) {
                (0, false) => forget(own[random.below(own.len())]),
                (1, false) => restore(own[random.below(own.len())]),
                (2, false) => {
                    let text = format!("revised by {number} {}", filler(&mut random));
                    revise(own[random.below(own.len())], &text)
                }
                _ => {
                    let id = format!("r{seed}-{number}-{part}");
                    let text = format!("kept by {number} {}", filler(&mut random));
                    let link = (random.coin() && !ids.is_empty())
                        .then(|| ids[random.below(ids.len())].0.clone());
                    let links: Vec<&str> = link.iter().map(String::as_str).collect();
                    let write = add_linked(&id, &text, &links);
                    ids.push((id, space.clone()));
                    write
                }
            });
        }
        batches.push(batch(&space, seconds, writes));
    }
    batches
}

/// Words enough to cross pages now and then.
fn filler(random: &mut Random) -> String {
    "words ".repeat([1, 10, 60, 200, 800][random.below(5)])
}
