//! What was asked for: counted in memory, written down when it costs nobody time.
//!
//! It goes along with a write to its space ([`Mnemon::commit`]), once a minute
//! at most, or is flushed: by [`Mnemon::flush`], which waits, or by
//! [`Mnemon::flush_accesses_if_free`], which does not.

use std::collections::HashMap;
use std::sync::{MutexGuard, PoisonError};

use crate::caller::{Caller, Operation};
use crate::engine::Mnemon;
use crate::error::{Error, Result};
use crate::memory::{Memory, MemoryId, Space};
use crate::store::{Batch, OnFull, Write};
use crate::time::Time;

/// More than this are not counted until something is written.
const ACCESSES_MAX: usize = 10_000;

/// Who asks and writes all the time would fill the log with counts: so long they are gathered.
const ALONG_EVERY_MICROS: i64 = 60_000_000;

/// Where a memory is, how often it was asked for, and when last.
pub(super) type Accesses = HashMap<MemoryId, (Space, u64, Time)>;

impl Mnemon {
    /// Writes down what was counted, and what waits in memory.
    pub fn flush(&self, caller: &Caller) -> Result<()> {
        caller.may(Operation::Flush)?;
        for batch in self.counted(caller, |_| true) {
            match self.store.commit(batch) {
                // One of them is gone for good; what was counted of the others is no great loss.
                Err(Error::NotFound { .. }) => {}
                kept => drop(kept?),
            }
        }
        self.store.flush()
    }

    /// Writes down what was counted if nothing has to be waited for; else it is lost.
    ///
    /// For a program that has answered and is about to end. What lies in a session that is
    /// closed or archived is not counted, because a line there would open it.
    pub fn flush_accesses_if_free(&self, caller: &Caller) {
        let may = caller.may(Operation::FlushAccessesIfFree).is_ok();
        if !may || !self.config.search.count_accesses {
            return;
        }
        let batches = self.counted(caller, |space| self.may_count_in(space));
        if !batches.is_empty() {
            // Nobody asked for it, so nobody is told if it can't be done.
            let _ = self.store.count(batches);
        }
    }

    fn may_count_in(&self, space: &Space) -> bool {
        let Some(session) = space.session() else {
            return true;
        };
        let known = self.store.session(session).ok().flatten();
        known.is_some_and(|it| it.archived.is_none() && !it.is_closed())
    }

    /// What was counted until now, in the spaces where it may be.
    fn counted(&self, caller: &Caller, may: impl Fn(&Space) -> bool) -> Vec<Batch> {
        let mut by_space: HashMap<Space, Vec<Write>> = HashMap::new();
        for (id, (space, count, last)) in std::mem::take(&mut *self.accesses()) {
            by_space
                .entry(space)
                .or_default()
                .push(Write::Access { id, count, last });
        }
        by_space.retain(|space, _| may(space));
        by_space
            .into_iter()
            .map(|(space, writes)| self.batch(caller, space, writes, OnFull::Refuse))
            .collect()
    }

    /// Reading never waits for writing: the count goes along with a later write.
    pub(super) fn count_access(&self, memory: &Memory) {
        let now = self.clock.now();
        let mut accesses = self.accesses();
        if accesses.len() >= ACCESSES_MAX && !accesses.contains_key(&memory.id) {
            return;
        }
        let entry = accesses
            .entry(memory.id.clone())
            .or_insert((memory.space.clone(), 0, now));
        entry.1 += 1;
        entry.2 = now;
    }

    /// What was counted in a space, if the last of it was written down long enough ago.
    pub(super) fn accesses_to_go_along(&self, space: &Space) -> Accesses {
        let now = self.clock.now_micros();
        let mut went = self
            .went_along
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let since = went.get(space).map(|last| now - last);
        // A clock that was put back does not hold them up.
        if since.is_some_and(|since| (0..ALONG_EVERY_MICROS).contains(&since)) {
            return Accesses::new();
        }
        let taken = self.take_accesses_of(space);
        if !taken.is_empty() {
            went.insert(space.clone(), now);
        }
        taken
    }

    pub(super) fn take_accesses_of(&self, wanted: &Space) -> Accesses {
        let mut accesses = self.accesses();
        accesses
            .extract_if(|_, (space, _, _)| space == wanted)
            .collect()
    }

    pub(super) fn accesses(&self) -> MutexGuard<'_, Accesses> {
        self.accesses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
