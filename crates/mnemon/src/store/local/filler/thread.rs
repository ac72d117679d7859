//! The filler's thread: begun when it is first asked for, ended with its store.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::store::local::LocalStore;

/// Writers that kept nothing for so long are done.
const PAUSE: Duration = Duration::from_millis(5);

/// Thread and state of the filler of one store.
#[derive(Debug, Default)]
pub(in crate::store::local) struct Filler {
    /// The store that it works for; only one that is shared has a filler.
    store: OnceLock<Weak<LocalStore>>,
    thread: Mutex<Thread>,
}

#[derive(Debug, Default)]
enum Thread {
    /// A process that keeps a few memories and ends needs none.
    #[default]
    NotYet,
    Running(JoinHandle<()>, Arc<Asked>),
    /// The system has none left.
    Refused,
}

#[derive(Debug, Default)]
struct Asked {
    work: AtomicBool,
    stop: AtomicBool,
    /// How many memories waited when it was last asked for, and how many are worth to begin.
    waiting: AtomicU32,
    enough: AtomicU32,
}

impl Asked {
    /// Waits while writers go on, until much is to be done.
    fn gather(&self) {
        let mut before = 0;
        loop {
            let waiting = self.waiting.load(Ordering::Acquire);
            let is_enough = waiting >= self.enough.load(Ordering::Acquire) || waiting == before;
            if is_enough || self.stop.load(Ordering::Acquire) {
                return;
            }
            before = waiting;
            std::thread::park_timeout(PAUSE);
        }
    }
}

impl Filler {
    /// Lets it work for this store from now on.
    pub(in crate::store::local) fn work_for(&self, store: Weak<LocalStore>) {
        let _ = self.store.set(store);
    }

    /// Ends it once it has done what it was asked for.
    pub(in crate::store::local) fn stop(&self) {
        let before = std::mem::take(&mut *self.thread());
        if let Thread::Running(thread, asked) = before {
            asked.stop.store(true, Ordering::Release);
            thread.thread().unpark();
            // Whoever drops the store last may be the filler itself.
            if thread.thread().id() != std::thread::current().id() {
                let _ = thread.join();
            }
        }
    }

    pub(super) fn is_there(&self) -> bool {
        self.store.get().is_some() && !matches!(*self.thread(), Thread::Refused)
    }

    /// False if there is nobody who could do it.
    pub(super) fn ask(&self, waiting: u32, enough: u32) -> bool {
        let mut thread = self.thread();
        let is_there = match &*thread {
            // One that panicked is as none.
            Thread::Running(running, _) => !running.is_finished(),
            Thread::Refused => true,
            Thread::NotYet => false,
        };
        if !is_there && let Some(store) = self.store.get() {
            *thread = start(store.clone());
        }
        let Thread::Running(running, asked) = &*thread else {
            return false;
        };
        asked.enough.store(enough, Ordering::Release);
        asked.waiting.store(waiting, Ordering::Release);
        if !asked.work.swap(true, Ordering::AcqRel) {
            running.thread().unpark();
        }
        true
    }

    fn thread(&self) -> MutexGuard<'_, Thread> {
        self.thread.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn start(store: Weak<LocalStore>) -> Thread {
    let asked = Arc::new(Asked::default());
    let heard = asked.clone();
    let work = move || {
        loop {
            if heard.work.load(Ordering::Acquire) {
                heard.gather();
                heard.work.swap(false, Ordering::AcqRel);
                let Some(store) = store.upgrade() else { return };
                store.work_beside();
            } else if heard.stop.load(Ordering::Acquire) {
                return;
            } else {
                std::thread::park();
            }
        }
    };
    let thread = std::thread::Builder::new().name("mnemon-fill".into());
    match thread.spawn(work) {
        Ok(thread) => Thread::Running(thread, asked),
        Err(_) => Thread::Refused,
    }
}
