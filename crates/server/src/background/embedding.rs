//! Embedding beside the conversation: what was kept gets its vectors from a
//! slow service while the client goes on.
//!
//! One thread at a time, which ends when nothing waits or the service fails;
//! the next write, or a question that meets what waits, starts another. The
//! process does not wait for it: whoever comes next goes on from there.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use mnemon::{Caller, Mnemon};

use crate::opened::Opened;

/// So many texts between two looks at whether somebody still needs the store.
const STEP_TEXTS: usize = 64;

#[derive(Clone, Default)]
pub(super) struct Embedding(Arc<Mutex<Work>>);

#[derive(Default)]
struct Work {
    started: bool,
    running: bool,
    /// Something was kept since the running thread looked.
    again: bool,
}

impl Embedding {
    /// Embeds what was left by others, the first time that the store is used.
    pub(super) fn start_once(&self, opened: &Opened) {
        if !lock(&self.0).started {
            self.wake(opened);
        }
    }

    /// Embeds what waits.
    pub(super) fn wake(&self, opened: &Opened) {
        if !opened.engine.embeds_later() {
            return;
        }
        let mut work = lock(&self.0);
        work.started = true;
        work.again = true;
        if work.running {
            return;
        }
        let (engine, shared) = (Arc::downgrade(&opened.engine), Arc::clone(&self.0));
        let caller = opened.caller.clone();
        let thread = std::thread::Builder::new().name("embed".into());
        // Without a thread there is always `mnemon embed`.
        work.running = thread.spawn(move || run(&engine, &caller, &shared)).is_ok();
    }
}

fn run(engine: &Weak<Mnemon>, caller: &Caller, work: &Mutex<Work>) {
    loop {
        lock(work).again = false;
        // Questions say what is wrong, so that nobody has to look for it here.
        let done = engine.upgrade().and_then(|engine| {
            engine
                .embed_pending(caller, STEP_TEXTS, None, &mut |_| ())
                .ok()
        });
        let mut work = lock(work);
        // After a failure only a new reason starts it again.
        let goes_on = done.is_some_and(|done| work.again || (done.embedded > 0 && done.left > 0));
        if !goes_on {
            work.running = false;
            return;
        }
    }
}

fn lock(work: &Mutex<Work>) -> MutexGuard<'_, Work> {
    work.lock().unwrap_or_else(PoisonError::into_inner)
}
