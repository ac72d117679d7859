//! What a fill needs of new memories, made ready while their writer does something else.
//!
//! Cutting words and making vectors is most of the work of a fill, and needs
//! neither the lock nor the log. A writer leaves its memories here, a thread
//! looks at them, and the fill that comes takes what is ready.
//!
//! Nothing depends on it: what is not ready is read from the log.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use super::pending::{vector_of, version_of};
use crate::embed::{Embedder, Vector};
use crate::error::Result;
use crate::memory::Memory;
use crate::recall::Document;
use crate::store::local::log::line::Checksum;

/// The thread is woken for so many: a process that keeps a few and ends needs none.
const WOKEN_FOR: usize = 16;

/// So many are looked at in one go.
const AT_ONCE: usize = 8;

/// How far the thread steps back, as `nice` counts it; it never has a lock for long.
#[cfg(target_os = "linux")]
const STEP_BACK: i32 = 5;

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
    /// Told when something is ready.
    some_ready: Condvar,
    /// How many there are, so that writers need not wait for the others to learn it.
    held: AtomicUsize,
    /// Wakes the thread that looks at them.
    helper: OnceLock<Sender<()>>,
}

#[derive(Debug, Default)]
struct Work {
    waiting: VecDeque<(u64, Arc<Memory>)>,
    /// Those that somebody looks at now.
    in_hand: Vec<u64>,
    ready: HashMap<u64, Prepared>,
}

impl Preparer {
    pub(in crate::store::local) fn new(embedder: Arc<dyn Embedder>) -> Self {
        Self {
            embedder,
            work: Mutex::default(),
            some_ready: Condvar::new(),
            held: AtomicUsize::new(0),
            helper: OnceLock::new(),
        }
    }

    /// Takes in memories whose lines were just appended.
    pub(in crate::store::local) fn add(
        self: &Arc<Self>,
        memories: impl Iterator<Item = (Checksum, Arc<Memory>)>,
    ) {
        let mut work = self.work();
        let waited = work.waiting.len();
        work.waiting
            .extend(memories.map(|(checksum, memory)| (version_of(&checksum), memory)));
        let waiting = work.waiting.len();
        self.held.fetch_add(waiting - waited, Ordering::Relaxed);
        drop(work);
        if waiting >= WOKEN_FOR {
            let _ = self.helper.get_or_init(|| help(self)).send(());
        }
    }

    /// Lets go of all but the last so many: the others were searchable before.
    pub(in crate::store::local) fn keep_last(&self, count: u32) {
        let count = count as usize;
        if self.held.load(Ordering::Relaxed) <= count {
            return;
        }
        let mut work = self.work();
        while work.waiting.len() > count {
            work.waiting.pop_front();
        }
        // Another process made them searchable. Which ones is not known.
        if work.ready.len() > count {
            work.ready.clear();
        }
        self.count(&work);
    }

    /// What is known of the memories of these lines. Looks at what waits first,
    /// together with the thread, which may be busy with a part of it.
    pub(super) fn take(&self, versions: &HashSet<u64>) -> HashMap<u64, Prepared> {
        // Those that come meanwhile are for others.
        let mut left = self.work().waiting.len();
        while left > 0 {
            match self.prepare_some() {
                0 => break,
                done => left = left.saturating_sub(done),
            }
        }
        let is_in_hand = |work: &mut Work| work.in_hand.iter().any(|it| versions.contains(it));
        let work = self.some_ready.wait_while(self.work(), is_in_hand);
        let mut work = work.unwrap_or_else(PoisonError::into_inner);
        let ready = versions.iter();
        let taken = ready.filter_map(|version| work.ready.remove_entry(version));
        let taken = taken.collect();
        self.count(&work);
        taken
    }

    /// Looks at some of those that wait longest; at how many.
    fn prepare_some(&self) -> usize {
        let some: Vec<(u64, Arc<Memory>)> = {
            let mut work = self.work();
            let count = work.waiting.len().min(AT_ONCE);
            let some: Vec<_> = work.waiting.drain(..count).collect();
            work.in_hand
                .extend(some.iter().map(|(version, _)| *version));
            some
        };
        let hand = InHand {
            preparer: self,
            versions: some.iter().map(|(version, _)| *version).collect(),
        };
        let prepared: Vec<(u64, Prepared)> = some
            .into_iter()
            .filter_map(|(version, memory)| {
                Some((version, Prepared::of(memory, &*self.embedder).ok()?))
            })
            .collect();
        self.work().ready.extend(prepared);
        hand.versions.len()
    }

    fn count(&self, work: &Work) {
        let held = work.waiting.len() + work.in_hand.len() + work.ready.len();
        self.held.store(held, Ordering::Relaxed);
    }

    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Memories that are looked at, until this is dropped, even by a panic: somebody may wait for them.
struct InHand<'a> {
    preparer: &'a Preparer,
    versions: Vec<u64>,
}

impl Drop for InHand<'_> {
    fn drop(&mut self) {
        let Self { preparer, versions } = self;
        if !versions.is_empty() {
            preparer.work().in_hand.retain(|it| !versions.contains(it));
            preparer.some_ready.notify_all();
        }
    }
}

/// A thread that looks at what waits whenever it is woken, until the store is closed.
fn help(preparer: &Arc<Preparer>) -> Sender<()> {
    let (sender, wakes) = channel();
    let preparer = Arc::downgrade(preparer);
    let work = move || {
        // Whoever answers somebody goes first. For this thread alone; where it can't be, it is
        // as the others.
        #[cfg(target_os = "linux")]
        let _ = rustix::process::setpriority_process(None, STEP_BACK);
        for () in wakes {
            while let Some(preparer) = preparer.upgrade() {
                if preparer.prepare_some() == 0 {
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

    fn versions_of(memories: &[(Checksum, Arc<Memory>)]) -> HashSet<u64> {
        memories.iter().map(|(it, _)| version_of(it)).collect()
    }

    #[test]
    fn what_is_ready_is_what_a_look_at_the_memory_gives() {
        // Enough of them to wake the thread, which may be anywhere by the time they are taken.
        let memories = memories(100);
        let preparer = preparer_of(&memories);
        let versions = versions_of(&memories);
        let mut taken = preparer.take(&versions);
        for (checksum, memory) in &memories {
            let ready = taken.remove(&version_of(checksum)).unwrap();
            let expected = Prepared::of(memory.clone(), &BuiltIn::new()).unwrap();
            assert_eq!(ready.memory, *memory);
            assert_eq!(ready.document, expected.document);
            assert_eq!(ready.vector, expected.vector);
        }
        assert!(preparer.take(&versions).is_empty(), "taken once");
        assert_eq!(preparer.held.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn what_others_made_searchable_is_let_go() {
        let few = memories(9);
        let preparer = preparer_of(&few);
        preparer.keep_last(2);
        let kept: HashSet<u64> = preparer.take(&versions_of(&few)).into_keys().collect();
        assert_eq!(kept, versions_of(&few[7..]));
    }
}
