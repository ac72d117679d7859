//! A set of vectors: those of one embedder, named so that no other's are taken for them.

use super::Embedder;

/// Names the vectors of one embedder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SetName {
    /// [`Embedder::id`].
    pub embedder: String,
    /// How many components each has.
    pub dimension: usize,
}

impl SetName {
    /// The set of this embedder.
    pub fn of(embedder: &dyn Embedder) -> Self {
        Self {
            embedder: embedder.id().to_owned(),
            dimension: embedder.dimension(),
        }
    }
}
