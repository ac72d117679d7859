//! Erasing, so that it can't be undone.

use super::remember::check_reason;
use crate::caller::Caller;
use crate::engine::Mnemon;
use crate::error::Result;
use crate::memory::{Memory, MemoryId};
use crate::store::{AuditEntry, Erased, Erasure};

impl Mnemon {
    /// Removes memories for good: no file of the store holds a byte of them afterwards.
    pub fn erase(&self, caller: &Caller, memories: &[Memory], reason: &str) -> Result<Erased> {
        let ids = memories.iter().map(|memory| memory.id.clone()).collect();
        self.erase_ids(caller, ids, reason)
    }

    /// As [`Self::erase`], also of what lies in the trash, where no question finds it.
    pub fn erase_ids(
        &self,
        caller: &Caller,
        mut ids: Vec<MemoryId>,
        reason: &str,
    ) -> Result<Erased> {
        check_reason(reason)?;
        // What waits to be written could bring a line about them back.
        self.flush(caller)?;
        ids.sort();
        ids.dedup();
        if ids.is_empty() {
            return Ok(Erased::default());
        }
        self.store.erase(&Erasure {
            ids,
            by: caller.name().to_owned(),
            reason: self.redactor.redact(reason).text,
            at: self.clock.now(),
        })
    }

    /// What was forgotten, brought back and erased, and what became of sessions, the oldest first;
    /// never what they said.
    pub fn audit(&self, _caller: &Caller) -> Result<Vec<AuditEntry>> {
        self.store.audit()
    }
}
