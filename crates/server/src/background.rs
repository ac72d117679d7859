//! What goes on beside the answers: embedding and compacting, on threads of their own.

mod compacting;
mod embedding;

use compacting::Compacting;
use embedding::Embedding;

use crate::opened::Opened;

/// Work that nobody waits for; clones share it.
#[derive(Clone, Default)]
pub(crate) struct Background {
    embedding: Embedding,
    compacting: Compacting,
}

impl Background {
    /// The store is used for the first time: others may have left something to embed.
    pub(crate) fn begin(&self, opened: &Opened) {
        self.embedding.start_once(opened);
    }

    /// Something was written.
    pub(crate) fn after_write(&self, opened: &Opened) {
        self.embedding.wake(opened);
        self.compacting.wake(opened);
    }

    /// A question met what waits to be embedded.
    pub(crate) fn embed(&self, opened: &Opened) {
        self.embedding.wake(opened);
    }
}
