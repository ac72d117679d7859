//! Compacting beside the conversation: a session that filled up is compacted
//! after the answer, on a thread of its own, one at a time.
//!
//! The process does not wait for it: a compaction that is cut short changes
//! nothing, and the session is due again when it grows on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::opened::Opened;

#[derive(Clone, Default)]
pub(super) struct Compacting(Arc<AtomicBool>);

impl Compacting {
    /// Compacts what is due, if anything is and nobody does already.
    pub(super) fn wake(&self, opened: &Opened) {
        if !opened.engine.has_due() || self.0.swap(true, Ordering::AcqRel) {
            return;
        }
        let (engine, running) = (Arc::downgrade(&opened.engine), Arc::clone(&self.0));
        let caller = opened.caller.clone();
        let thread = std::thread::Builder::new().name("compact".into());
        let started = thread.spawn(move || {
            // What fails here is said by the write that no longer fits.
            if let Some(engine) = engine.upgrade() {
                while engine.has_due() {
                    drop(engine.compact_what_is_due(&caller));
                }
            }
            running.store(false, Ordering::Release);
        });
        if started.is_err() {
            // Without a thread there is always `mnemon compact`.
            self.0.store(false, Ordering::Release);
        }
    }
}
