//! Tiers: what is included, and how much long-term memory there is.
//!
//! One table of gates and one of quotas, both here. The tier is the caller's
//! own, or that of the settings (`tier`). [`Mnemon::require`](crate::Mnemon::require)
//! asks for a gate; a store is told the quota with each batch.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// What was licensed, from the least to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Sessions and what is shared.
    Core,
    /// Also long-term memory, and snapshots that stay.
    WriterPro,
    /// Also search by meaning, and retention policies.
    Teams,
    /// Everything, without limits.
    Enterprise,
}

/// Something that not every tier includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gate {
    /// An agent's long-term memory.
    LongTermMemory,
    /// Snapshots that are kept beyond the process.
    SnapshotPersistence,
    /// Search by meaning.
    SemanticSearch,
    /// Retention policies by agent.
    RetentionPolicies,
}

impl Gate {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::LongTermMemory,
        Self::SnapshotPersistence,
        Self::SemanticSearch,
        Self::RetentionPolicies,
    ];

    /// The least tier that includes it.
    pub fn needs(self) -> Tier {
        match self {
            Self::LongTermMemory | Self::SnapshotPersistence => Tier::WriterPro,
            Self::SemanticSearch | Self::RetentionPolicies => Tier::Teams,
        }
    }

    /// What it is, for a sentence.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::LongTermMemory => "long-term memory",
            Self::SnapshotPersistence => "keeping snapshots",
            Self::SemanticSearch => "search by meaning",
            Self::RetentionPolicies => "retention policies",
        }
    }
}

impl Tier {
    /// All of them, the least first.
    pub const ALL: [Self; 4] = [Self::Core, Self::WriterPro, Self::Teams, Self::Enterprise];

    /// Whether it includes something.
    pub fn includes(self, gate: Gate) -> bool {
        self >= gate.needs()
    }

    /// How many bytes the long-term memory of an agent may have, if it is bounded.
    pub fn long_term_bytes_max(self) -> Option<u64> {
        match self {
            Self::Core => Some(0),
            Self::WriterPro => Some(100 * MIB),
            Self::Teams => Some(GIB),
            Self::Enterprise => None,
        }
    }

    /// The tier of that quota, to name it where only the quota is known.
    pub(crate) fn of_quota(bytes: u64) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|tier| tier.long_term_bytes_max() == Some(bytes))
    }

    /// The tier as it is written everywhere.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::WriterPro => "writer_pro",
            Self::Teams => "teams",
            Self::Enterprise => "enterprise",
        }
    }
}

impl FromStr for Tier {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|tier| tier.as_str() == text);
        let names = Self::ALL.map(Self::as_str).join(", ");
        found.ok_or_else(|| Error::rule("tier", format!("one of {names}"), text))
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tier_includes_what_the_lesser_ones_do_and_more_memory() {
        let included = |tier: Tier| Gate::ALL.map(|gate| tier.includes(gate));
        assert_eq!(included(Tier::Core), [false; 4]);
        assert_eq!(included(Tier::WriterPro), [true, true, false, false]);
        assert_eq!(included(Tier::Teams), [true; 4]);
        assert_eq!(included(Tier::Enterprise), [true; 4]);
        let quotas = Tier::ALL.map(Tier::long_term_bytes_max);
        assert_eq!(
            quotas,
            [Some(0), Some(104_857_600), Some(1_073_741_824), None]
        );
        assert_eq!(Tier::of_quota(1_073_741_824), Some(Tier::Teams));
    }
}
