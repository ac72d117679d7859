//! Consolidation: which memories say the same, and who said it.
//!
//! Nothing is merged or removed. A memory that says what an older one says is
//! linked to it (`duplicate_of`), counts once in a context pack, and stays.
//! A person may say that two are not the same (`distinct_from`); that is kept.
//!
//! `wording` compares two texts, `join` finds the pairs worth comparing,
//! `group` puts them together; the engine reads and writes.

mod finding;
pub(crate) mod group;
mod join;
mod subject;
pub(crate) mod wording;

pub use finding::Aggregate;

use crate::memory::{Memory, MemoryId};
use crate::store::Filter;

/// From this likeness on two memories are said to say the same, unless told otherwise.
pub const LIKENESS_MIN: f64 = 0.75;

/// Among which memories, and how alike they have to be.
#[derive(Clone, Debug)]
pub struct DuplicateOptions {
    /// Which memories are compared; all pages of them. Without kinds, all but turns and states.
    pub filter: Filter,
    /// How alike two have to be, from 0 to 1.
    pub likeness_min: f64,
}

/// Memories that say the same.
#[derive(Clone, Debug)]
pub struct Group {
    /// The oldest, which counts.
    pub original: Memory,
    /// The others, in the order of their time.
    pub others: Vec<Duplicate>,
    /// What all of them say together.
    pub aggregate: Aggregate,
}

/// A memory that says what an older one says.
#[derive(Clone, Debug)]
pub struct Duplicate {
    /// Which.
    pub memory: Memory,
    /// How alike both are, from 0 to 1.
    pub likeness: f64,
    /// Whether it is linked already.
    pub is_linked: bool,
}

/// What was linked, or let go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consolidated {
    /// The memory that was revised.
    pub id: MemoryId,
    /// The one that counts for it, or no longer does.
    pub original: MemoryId,
}
