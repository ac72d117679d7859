//! Forgetting, so that it can be undone.

use std::collections::BTreeMap;

use super::remember::check_reason;
use crate::caller::{Caller, Operation};
use crate::engine::{Action, Mnemon};
use crate::error::{Error, Result};
use crate::memory::{Memory, MemoryId, SessionId, Space};
use crate::store::{Located, OnFull, Outcome, Whereabouts};
use crate::time::{DAY_MICROS, Time};

/// At most so many are forgotten under one hold of the lock.
const CHUNK: usize = 1000;

impl Mnemon {
    /// Hides memories until they are brought back or their time is up; gives the ids that it changed.
    pub fn forget(
        &self,
        caller: &Caller,
        memories: &[Memory],
        reason: &str,
    ) -> Result<Vec<MemoryId>> {
        caller.may(Operation::Forget)?;
        self.for_each(caller, memories, reason, |id, reason| Action::Forget {
            id,
            reason,
        })
    }

    /// As [`Self::forget`], wherever they lie: what was compacted is brought back first, and an
    /// archived session is opened, so that they can be brought back until their time is up.
    pub fn forget_located(
        &self,
        caller: &Caller,
        located: &[Located],
        reason: &str,
    ) -> Result<Vec<MemoryId>> {
        caller.may(Operation::ForgetLocated)?;
        check_reason(reason)?;
        let ids: Vec<MemoryId> = located.iter().map(|it| it.memory.id.clone()).collect();
        self.check_seen(caller, &ids)?;
        let mut compacted: BTreeMap<&SessionId, Vec<MemoryId>> = BTreeMap::new();
        for Located { memory, at } in located {
            match (at, memory.space.session()) {
                (Whereabouts::Deleted, Some(session)) => {
                    return Err(Error::SessionDeleted {
                        session: session.to_string(),
                    });
                }
                (Whereabouts::Compacted, Some(session)) => {
                    compacted
                        .entry(session)
                        .or_default()
                        .push(memory.id.clone());
                }
                _ => {}
            }
        }
        for (session, ids) in &compacted {
            self.bring_back(caller, session, Some(ids), reason)?;
        }
        let memories: Vec<Memory> = located.iter().map(|it| it.memory.clone()).collect();
        self.forget(caller, &memories, reason)
    }

    /// Brings forgotten memories back; gives the ids that it changed.
    pub fn unforget(
        &self,
        caller: &Caller,
        memories: &[Memory],
        reason: &str,
    ) -> Result<Vec<MemoryId>> {
        caller.may(Operation::Unforget)?;
        // Who brings it back wants it: as one that was just used, it is not forgotten again at once.
        let is_forgotten = |memory: &&Memory| memory.state.forgotten.is_some();
        for memory in memories.iter().filter(is_forgotten) {
            self.count_access(memory);
        }
        self.for_each(caller, memories, reason, |id, reason| Action::Restore {
            id,
            reason,
        })
    }

    fn for_each(
        &self,
        caller: &Caller,
        memories: &[Memory],
        reason: &str,
        action: impl Fn(MemoryId, String) -> Action,
    ) -> Result<Vec<MemoryId>> {
        check_reason(reason)?;
        let mut by_space: BTreeMap<&Space, Vec<&MemoryId>> = BTreeMap::new();
        for memory in memories {
            by_space.entry(&memory.space).or_default().push(&memory.id);
        }
        let mut changed = Vec::new();
        for (space, ids) in by_space {
            for chunk in ids.chunks(CHUNK) {
                let actions = chunk
                    .iter()
                    .map(|id| action((*id).clone(), reason.to_owned()))
                    .collect();
                let receipt = self.transact(caller, space, actions, OnFull::Refuse)?;
                let touched = receipt
                    .outcomes
                    .into_iter()
                    .filter(|outcome| outcome.changed);
                changed.extend(touched.filter_map(|Outcome { id, .. }| id));
            }
        }
        Ok(changed)
    }

    /// Until when something that is forgotten now can be brought back.
    pub(super) fn recover_until(&self, space: &Space) -> Time {
        let days = match space {
            Space::Session(_) => self.config.privacy.session_recovery_days,
            Space::Agent(_) | Space::Shared => self.config.privacy.long_term_recovery_days,
        };
        Time::nearest_to_micros(
            self.clock
                .now_micros()
                .saturating_add(i64::from(days) * DAY_MICROS),
        )
    }
}
