//! How many bytes of a space are about what.

use std::collections::BTreeMap;

use crate::memory::MemoryId;
use crate::time::Time;

/// The bytes of a space, in the store's own measure: of its log, if it has one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measure {
    /// All of them, which is what a quota bounds.
    pub log_bytes: u64,
    /// By memory; what is about none of them is in the sum only.
    pub weights: Vec<Weight>,
    /// What was written on each day, counted from 1970 in UTC.
    pub by_day: BTreeMap<i64, u64>,
    /// Beside them: what was compacted and can be brought back, as it is kept.
    pub archive_bytes: u64,
    /// When something was last compacted.
    pub compacted_at: Option<Time>,
}

/// The bytes that are about one memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weight {
    /// Which.
    pub id: MemoryId,
    /// That it was kept.
    pub kept: u64,
    /// Its later versions.
    pub versions: u64,
    /// How often it was asked for.
    pub accesses: u64,
    /// That it was forgotten and brought back.
    pub forgetting: u64,
}

impl Weight {
    /// All of them.
    pub fn bytes(&self) -> u64 {
        self.kept + self.versions + self.accesses + self.forgetting
    }
}
