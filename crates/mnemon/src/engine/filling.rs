//! Spaces that fill up: sessions, and the long-term memory of agents.

use std::fmt;

use crate::caller::{Caller, Operation};
use crate::engine::Mnemon;
use crate::error::Result;
use crate::memory::Space;
use crate::store::Grown;
use crate::tier::Tier;

/// A space that fills up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filling {
    /// Which.
    pub space: Space,
    /// How many bytes it has.
    pub used_bytes: u64,
    /// How many it may have.
    pub limit_bytes: u64,
}

impl Filling {
    /// The share of it that is used, in percent.
    pub fn percent(&self) -> u64 {
        percent(self.used_bytes, self.limit_bytes)
    }
}

impl fmt::Display for Filling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = self.percent();
        let Self {
            space,
            used_bytes,
            limit_bytes,
        } = self;
        match space {
            Space::Session(session) => write!(
                f,
                "session {session} has {used_bytes} of {limit_bytes} bytes ({percent} %); \
                 `mnemon session size {session}` shows of what"
            ),
            Space::Agent(agent) => {
                write!(
                    f,
                    "the long-term memory of {agent} has {used_bytes} of {limit_bytes} bytes \
                     ({percent} %"
                )?;
                if let Some(tier) = Tier::of_quota(*limit_bytes) {
                    write!(f, ", tier {tier}")?;
                }
                write!(f, "); `mnemon stats --agent {agent}` shows of what")
            }
            Space::Shared => write!(f, "shared has {used_bytes} of {limit_bytes} bytes"),
        }
    }
}

impl Mnemon {
    /// How full a space is after a write, if that is worth a word.
    pub(super) fn filling(
        &self,
        caller: &Caller,
        space: &Space,
        grown: Option<Grown>,
    ) -> Option<Filling> {
        let filling = Filling {
            space: space.clone(),
            used_bytes: grown?.to_bytes,
            limit_bytes: self.quota_of(caller, space)?,
        };
        let warn_percent = u64::from(self.config.storage.warn_percent);
        (filling.percent() >= warn_percent).then_some(filling)
    }

    /// How full a space is now, if that is worth a word.
    pub fn filling_of(&self, caller: &Caller, space: &Space) -> Result<Option<Filling>> {
        caller.may(Operation::FillingOf)?;
        if self.quota_of(caller, space).is_none() {
            return Ok(None);
        }
        let bytes = match space {
            Space::Session(session) => self.require_session(session)?.activity.log_bytes,
            Space::Agent(_) | Space::Shared => self.bytes_of(caller, space)?,
        };
        let grown = Grown {
            from_bytes: bytes,
            to_bytes: bytes,
        };
        Ok(self.filling(caller, space, Some(grown)))
    }

    /// The bytes of a space's log; none where the caller does not reach.
    pub(super) fn bytes_of(&self, caller: &Caller, space: &Space) -> Result<u64> {
        let mut stats = self.stats(caller)?.spaces.into_iter();
        let own = stats.find(|it| it.space == *space);
        Ok(own.map_or(0, |own| own.log_bytes))
    }
}

/// A share, rounded down.
pub(super) fn percent(part: u64, whole: u64) -> u64 {
    part.saturating_mul(100) / whole.max(1)
}
