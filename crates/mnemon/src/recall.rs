//! Recall: finding memories again by words and by meaning.
//!
//! A question becomes a [`Probe`]: words, phrases, a vector and a filter. The
//! store answers it with [`Candidates`]: what it knows of every memory that
//! could be meant. Ranking happens here, so that every store ranks alike.
//!
//! `words` and [`document`] say what is searchable of a memory, [`question`]
//! reads what people type. [`structured`] asks by fields instead.

pub mod aggregate;
mod answer;
pub(crate) mod authors;
pub(crate) mod bm25;
pub mod document;
pub mod hit;
pub mod note;
pub mod probe;
pub mod query;
pub mod question;
pub(crate) mod rank;
pub mod related;
pub mod similar;
mod stop_words;
pub mod structured;
pub(crate) mod understood;
mod when_words;
mod word_list;
pub(crate) mod words;

pub use answer::{Asked, recall};
pub use authors::Authors;
pub use document::Document;
pub use hit::{Hit, Part, Recalled};
pub use note::Note;
pub use probe::{Candidate, Candidates, Key, Place, Probe, Rarity, Term, tie_of};
pub use query::{Mode, Profile, Query};
pub use question::Question;
pub use related::{Related, RelatedHit, RelatedOptions};
pub use similar::{Likeness, Similar, SimilarOptions};
pub(crate) use stop_words::is_stop_word;
pub use structured::{Answer, Condition, StructuredQuery};
