//! Vectors of embedders that may be slow or away: kept in sets, beside those
//! that the store makes itself.

use crate::embed::TextKey;

/// What has no vector in a set yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Waiting {
    /// Some of the texts.
    pub texts: Vec<WaitingText>,
    /// How many there are in all; memories that say the same count once.
    pub count: u64,
}

/// A text that waits for its vector.
#[derive(Clone, Debug, PartialEq)]
pub struct WaitingText {
    /// What the vector is found by.
    pub key: TextKey,
    /// The text.
    pub text: String,
    /// The vector that the memory brought itself.
    pub own: Option<Vec<f32>>,
}

/// How far a set of vectors has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SetState {
    /// Whether there was a moment at which it lacked nothing.
    pub complete: bool,
    /// Memories that should have a vector: neither forgotten nor sensitive.
    pub memories: u64,
    /// Those of them that have none yet.
    pub waiting: u64,
}

impl SetState {
    /// Whether questions are better answered by it: it was complete once, and
    /// what came since then has not outgrown it.
    pub fn is_usable(&self) -> bool {
        self.complete && self.waiting * 2 <= self.memories
    }
}
