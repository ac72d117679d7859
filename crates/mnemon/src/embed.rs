//! Meaning as a direction: a text becomes a vector, and texts that mean
//! something alike have vectors that point nearly the same way.
//!
//! [`BuiltIn`] comes with the program and needs nothing else; other models
//! implement [`Embedder`]. Vectors of different models can't be compared, so
//! whoever keeps vectors keeps [`Embedder::id`] with them.
//! Start at `built_in`; `table` says how a text becomes a vector.

use std::fmt::Debug;
use std::time::Instant;

use crate::Result;

mod built_in;
mod reader;
mod table;
mod word_piece;

mod add;
mod characters;
pub(crate) mod dot;
pub(crate) mod pieces;
mod set;
mod text_key;
mod vector;
mod vocabulary;

pub use built_in::BuiltIn;
pub use pieces::Pieces;
pub use set::SetName;
pub use text_key::TextKey;
pub use vector::Vector;

/// Turns texts into vectors.
pub trait Embedder: Send + Sync + Debug {
    /// Names the model and its version; vectors of different ids can't be compared.
    fn id(&self) -> &str;

    /// How many components its vectors have.
    fn dimension(&self) -> usize;

    /// Whether it answers at once and always, so that a write can be embedded in line.
    fn is_instant(&self) -> bool;

    /// A vector for each text, none for a text in which the model knows nothing.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Option<Vector>>>;

    /// As [`Self::embed`], but tries only once and not beyond that moment:
    /// for those who have something else to do.
    fn embed_once(&self, texts: &[&str], deadline: Instant) -> Result<Vec<Option<Vector>>>;

    /// The similarity from 0 to 1 that people are shown for a cosine of this model.
    fn similarity(&self, cosine: f32) -> f32;

    /// The cosine that is shown as this similarity.
    fn cosine_for(&self, similarity: f32) -> f32;
}
