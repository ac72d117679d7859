//! The embedder that comes with the program: a table of English word pieces.
//!
//! It knows no word order and little but English, and is never wrong about
//! being there: no download, no network, no start-up, the same answer on every
//! machine. `tools/embedding` makes the table.

use std::sync::LazyLock;

use super::table::Table;
use super::{Embedder, Vector};
use crate::Result;

/// Changes with every change of the table or of how texts are cut.
const ID: &str = "mnemon-english-1";

/// Where the shown similarity is one half, and how steeply it rises there.
const HALF: f32 = 0.355;
const STEEPNESS: f32 = 16.0;

pub(super) static TABLE: LazyLock<Table> = LazyLock::new(|| {
    Table::read(include_bytes!("table/english.bin"))
        .expect("the table was whole when it was compiled in")
});

/// The model that comes with the program. Making one costs nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuiltIn;

impl BuiltIn {
    /// The built-in model.
    pub fn new() -> Self {
        Self
    }
}

impl Embedder for BuiltIn {
    fn id(&self) -> &str {
        ID
    }

    fn dimension(&self) -> usize {
        TABLE.dimension()
    }

    fn is_instant(&self) -> bool {
        true
    }

    /// Never fails.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Option<Vector>>> {
        Ok(TABLE.embed(texts))
    }

    /// `σ(16·(cosine − 0.355))`.
    fn similarity(&self, cosine: f32) -> f32 {
        1.0 / (1.0 + (STEEPNESS * (HALF - cosine)).exp())
    }

    fn cosine_for(&self, similarity: f32) -> f32 {
        let similarity = similarity.clamp(0.0, 1.0);
        // The ends give infinity, which no cosine reaches.
        (HALF + (similarity / (1.0 - similarity)).ln() / STEEPNESS).clamp(-1.0, 1.0)
    }
}
