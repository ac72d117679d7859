//! Decay: how much of its importance a memory still has.
//!
//! Computed when it is asked for, from stored facts and the clock; nothing is
//! rewritten for it. `half_life` is the model of the JSONL persistence design.

mod half_life;

use crate::memory::{Importance, Kind, Memory};

/// What decay depends on.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// The memory's kind.
    pub kind: Kind,
    /// How much it mattered when it was kept.
    pub importance: Importance,
    /// When it came into being, in microseconds since 1970.
    pub created_micros: i64,
    /// Pinned memories don't fade.
    pub pinned: bool,
}

impl From<&Memory> for Facts {
    fn from(memory: &Memory) -> Self {
        Self {
            kind: memory.kind(),
            importance: memory.importance,
            created_micros: memory.created_at.micros(),
            pinned: memory.pinned,
        }
    }
}

/// How much of its importance is left at that moment.
pub fn factor(facts: impl Into<Facts>, now_micros: i64) -> f64 {
    half_life::factor(&facts.into(), now_micros)
}

/// Importance × decay at that moment.
pub fn priority(facts: impl Into<Facts>, now_micros: i64) -> f64 {
    let facts = facts.into();
    facts.importance.get() * half_life::factor(&facts, now_micros)
}
