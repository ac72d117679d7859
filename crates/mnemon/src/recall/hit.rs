//! A hit: a memory, how well it answers, and why.

use super::note::Note;
use crate::memory::Memory;

/// The answer to a question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recalled {
    /// The best first, one page of them.
    pub hits: Vec<Hit>,
    /// How many memories fit the filter and have a word of the question or are
    /// near in meaning; where a threshold or another order is asked for, how many are hits.
    pub total: u64,
    /// What to know about how it came about.
    pub notes: Vec<Note>,
}

/// A memory that answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The memory.
    pub memory: Memory,
    /// How well it answers; comparable within one answer.
    pub score: f64,
    /// How near it is in meaning, from 0 to 1; none if one of both has no vector.
    pub similarity: Option<f64>,
    /// The same as the model computes it, from -1 to 1.
    pub cosine: Option<f64>,
    /// Whether it has a word of the question, or is by or about somebody whom it names.
    pub has_term: bool,
    /// 1 for the best.
    pub rank: usize,
    /// What the score is made of.
    pub why: Vec<Part>,
}

/// One part of a score.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Its name, for programs.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// What it means, for people.
    pub says: String,
}

impl Part {
    pub(crate) fn new(name: &'static str, value: f64, says: impl Into<String>) -> Self {
        Self {
            name,
            value,
            says: says.into(),
        }
    }
}
