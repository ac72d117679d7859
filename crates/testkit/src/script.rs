//! Scripts: what is done to a store, as data that another process can be sent.
//!
//! A [`Step`] is a batch, a deed to a session or a question; [`Step::answer`] does it to a store
//! and tells what came of it as a text, so that the answers of any two stores
//! in any two processes can be compared. [`random`] makes steps up, [`remote`]
//! sends them to another process.

pub mod life;
pub mod question;
pub mod random;
pub mod remote;
pub mod writes;

use mnemon::store::Store;
use serde::{Deserialize, Serialize};

pub use life::{LifeSpec, LifeStep};
pub use question::{FilterSpec, Question, RecallSpec};
pub use writes::{BatchSpec, DraftSpec, RevisionSpec, WriteSpec};

/// One thing that is done to a store.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Step {
    /// Something is written.
    Write(Box<BatchSpec>),
    /// Something is done to a whole session.
    Live(Box<LifeSpec>),
    /// Something is asked.
    Ask(Box<Question>),
}

impl Step {
    /// Does it, and tells what came of it: the same text if and only if the same thing.
    ///
    /// Left out is what stores may differ in: sizes, and whether a write is durable yet.
    pub fn answer(&self, store: &dyn Store) -> String {
        let answer = match self {
            Self::Write(batch) => store
                .commit(batch.batch())
                .map(|receipt| format!("{:#?}", receipt.outcomes)),
            Self::Live(life) => life.answer(store),
            Self::Ask(question) => question.answer(store),
        };
        answer.unwrap_or_else(|error| error.code().to_string())
    }
}
