//! What a fill needs of new memories, made ready while their writer does something else.
//!
//! Cutting words and making vectors is most of the work of a fill, and needs
//! neither the lock nor the log. A writer leaves its memories here, a thread
//! looks at them, and the fill that comes takes what is ready.
//!
//! Nothing depends on it: what is not ready is read from the log.

use std::collections::{HashMap, VecDeque};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::pending::{vector_of, version_of};
use crate::embed::{Embedder, Vector};
use crate::error::Result;
use crate::memory::Memory;
use crate::recall::Document;
use crate::store::local::log::line::Checksum;

/// The thread is woken for so many: a process that keeps a few and ends needs none.
const WOKEN_FOR: usize = 16;

/// A memory with what search wants of it.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) memory: Arc<Memory>,
    pub(super) document: Document,
    pub(super) vector: Option<Vector>,
}

impl Prepared {
    /// Looks at a memory.
    pub(super) fn of(memory: Arc<Memory>, embedder: &dyn Embedder) -> Result<Self> {
        Ok(Self {
            document: Document::of(&memory),
            vector: vector_of(embedder, &memory)?,
            memory,
        })
    }
}

/// Memories that a fill will want, each by the beginning of its line's checksum.
#[derive(Debug)]
pub(in crate::store::local) struct Preparer {
    pub(super) embedder: Arc<dyn Embedder>,
    work: Mutex<Work>,
    /// Wakes the thread that looks at them.
    helper: OnceLock<Sender<()>>,
}

#[derive(Debug, Default)]
struct Work {
    waiting: VecDeque<(u64, Arc<Memory>)>,
    ready: HashMap<u64, Prepared>,
}

impl Preparer {
    pub(in crate::store::local) fn new(embedder: Arc<dyn Embedder>) -> Self {
        Self {
            embedder,
            work: Mutex::default(),
            helper: OnceLock::new(),
        }
    }

    /// Takes in memories whose lines were just appended.
    pub(in crate::store::local) fn add(
        self: &Arc<Self>,
        memories: impl Iterator<Item = (Checksum, Arc<Memory>)>,
    ) {
        let mut work = self.work();
        work.waiting
            .extend(memories.map(|(checksum, memory)| (version_of(&checksum), memory)));
        if work.waiting.len() >= WOKEN_FOR {
            drop(work);
            let _ = self.helper.get_or_init(|| help(self)).send(());
        }
    }

    /// Lets go of all but the last so many: the others were searchable before.
    pub(in crate::store::local) fn keep_last(&self, count: u32) {
        let mut work = self.work();
        let count = count as usize;
        while work.waiting.len() > count {
            work.waiting.pop_front();
        }
        // Another process made them searchable. Which ones is not known.
        if work.ready.len() > count {
            work.ready.clear();
        }
    }

    /// What is known of the memory of this line. Looks at what waits first,
    /// together with the thread, which may be busy with a part of it.
    pub(super) fn take(&self, version: u64) -> Option<Prepared> {
        loop {
            if let Some(ready) = self.work().ready.remove(&version) {
                return Some(ready);
            }
            if !self.prepare_one() {
                return None;
            }
        }
    }

    /// Looks at the memory that waits longest; false if none does.
    fn prepare_one(&self) -> bool {
        let Some((version, memory)) = self.work().waiting.pop_front() else {
            return false;
        };
        if let Ok(prepared) = Prepared::of(memory, &*self.embedder) {
            self.work().ready.insert(version, prepared);
        }
        true
    }

    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A thread that looks at what waits whenever it is woken, until the store is closed.
fn help(preparer: &Arc<Preparer>) -> Sender<()> {
    let (sender, wakes) = channel();
    let preparer = Arc::downgrade(preparer);
    let work = move || {
        for () in wakes {
            while let Some(preparer) = preparer.upgrade() {
                if !preparer.prepare_one() {
                    break;
                }
            }
        }
    };
    // Without the thread the fill does it all.
    let _ = std::thread::Builder::new()
        .name("mnemon-prepare".into())
        .spawn(work);
    sender
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::BuiltIn;
    use crate::memory::{Draft, Kind};

    fn memories(count: u8) -> Vec<(Checksum, Arc<Memory>)> {
        let memory = |number: u8| {
            let text = format!("The cache of room {number} is warm again");
            let draft = Draft::new(Kind::Fact, text.parse().unwrap());
            let at = crate::Time::from_micros(0).unwrap();
            let id = format!("fact_{number}").parse().unwrap();
            draft.into_memory(id, "shared".parse().unwrap(), None, at)
        };
        (0..count)
            .map(|number| ([number; 32], Arc::new(memory(number))))
            .collect()
    }

    fn preparer_of(memories: &[(Checksum, Arc<Memory>)]) -> Arc<Preparer> {
        let preparer = Arc::new(Preparer::new(Arc::new(BuiltIn::new())));
        preparer.add(memories.iter().cloned());
        preparer
    }

    #[test]
    fn what_is_ready_is_what_a_look_at_the_memory_gives() {
        // Enough of them to wake the thread, which may be anywhere by the time they are taken.
        let memories = memories(100);
        let preparer = preparer_of(&memories);
        let mut taken = 0;
        for (checksum, memory) in &memories {
            // The one that the thread has in its hands when nothing waits any more is not there.
            if let Some(ready) = preparer.take(version_of(checksum)) {
                let expected = Prepared::of(memory.clone(), &BuiltIn::new()).unwrap();
                assert_eq!(ready.memory, *memory);
                assert_eq!(ready.document, expected.document);
                assert_eq!(ready.vector, expected.vector);
                taken += 1;
            }
        }
        assert!(taken >= 99, "{taken} of 100");
        assert!(preparer.take(version_of(&[200; 32])).is_none());
    }

    #[test]
    fn what_others_made_searchable_is_let_go() {
        let few = memories(9);
        let preparer = preparer_of(&few);
        preparer.keep_last(2);
        let kept: Vec<bool> = few
            .iter()
            .map(|(checksum, _)| preparer.take(version_of(checksum)).is_some())
            .collect();
        assert_eq!(kept.iter().filter(|kept| **kept).count(), 2);
        assert!(kept[7] && kept[8]);
    }
}
