//! Where a memory lies: at hand, or put away where no question finds it.

use crate::memory::Memory;

/// A memory, and where it lies.
#[derive(Clone, Debug, PartialEq)]
pub struct Located {
    /// The memory as it is now, forgotten or not.
    pub memory: Memory,
    /// Where it lies.
    pub at: Whereabouts,
}

impl Located {
    /// A memory that questions find.
    pub fn at_hand(memory: Memory) -> Self {
        let at = Whereabouts::Hand;
        Self { memory, at }
    }
}

/// Where a memory lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whereabouts {
    /// In the log of its space, where questions find it.
    Hand,
    /// Compacted away from its session.
    Compacted,
    /// In an archived session.
    Archived,
    /// In a deleted session.
    Deleted,
}

impl Whereabouts {
    /// The word for it; none for what is at hand.
    pub fn as_str(self) -> Option<&'static str> {
        match self {
            Self::Hand => None,
            Self::Compacted => Some("compacted"),
            Self::Archived => Some("archived"),
            Self::Deleted => Some("deleted"),
        }
    }
}
