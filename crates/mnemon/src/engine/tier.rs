//! What a caller's tier includes.

use crate::caller::{Caller, Operation};
use crate::engine::Mnemon;
use crate::error::{Error, Result};
use crate::memory::Space;
use crate::recall::{Mode, Note, Query};
use crate::tier::{Gate, Tier};

impl Mnemon {
    /// Refuses what the caller's tier does not include.
    pub fn require(&self, caller: &Caller, gate: Gate) -> Result<()> {
        caller.may(Operation::Require)?;
        let tier = self.tier_of(caller);
        if tier.includes(gate) {
            return Ok(());
        }
        Err(Error::License {
            feature: gate.as_str(),
            needed: gate.needs(),
            had: tier,
        })
    }

    /// The tier that holds for a caller: its own, or that of the settings.
    pub(super) fn tier_of(&self, caller: &Caller) -> Tier {
        caller.tier.unwrap_or(self.config.tier)
    }

    /// Refuses spaces that the caller's tier does not include.
    pub(super) fn require_spaces(&self, caller: &Caller, spaces: &[Space]) -> Result<()> {
        if spaces.iter().any(|space| matches!(space, Space::Agent(_))) {
            self.require(caller, Gate::LongTermMemory)?;
        }
        Ok(())
    }

    /// How many bytes a space may have, if it is bounded.
    pub(super) fn quota_of(&self, caller: &Caller, space: &Space) -> Option<u64> {
        match space {
            Space::Session(_) => Some(self.config.storage.session_bytes_max),
            Space::Agent(_) => self.tier_of(caller).long_term_bytes_max(),
            Space::Shared => None,
        }
    }

    /// A question as the caller's tier answers it: one by meaning is refused where that is not
    /// included, and one by both is answered by words, with a note.
    pub(super) fn within_tier(
        &self,
        caller: &Caller,
        query: &Query,
    ) -> Result<(Query, Option<Note>)> {
        self.require_spaces(caller, &query.filter.spaces)?;
        let tier = self.tier_of(caller);
        let mut query = query.clone();
        if tier.includes(Gate::SemanticSearch) || query.mode == Mode::Text {
            return Ok((query, None));
        }
        if query.mode == Mode::Semantic || query.min_similarity.is_some() {
            self.require(caller, Gate::SemanticSearch)?;
        }
        query.mode = Mode::Text;
        Ok((query, Some(Note::WordsOnly { tier })))
    }
}
