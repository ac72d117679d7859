//! Similar memories: the nearest in meaning to one that is there already.

use super::hit::Recalled;
use super::query::Query;
use crate::store::{Filter, Sort};

/// What counts as similar, and how much of it is wanted.
#[derive(Clone, Debug)]
pub struct SimilarOptions {
    /// At least this near in meaning, from 0 to 1.
    pub min_similarity: f64,
    /// Which memories may be told, and which page of them.
    pub filter: Filter,
    /// The order; the most alike first if none.
    pub sort: Option<Sort>,
}

impl SimilarOptions {
    /// The usual threshold, and as many hits as a question gets.
    pub fn new(filter: Filter) -> Self {
        Self {
            min_similarity: Query::MIN_SIMILARITY,
            filter: Filter {
                limit: Query::LIMIT,
                ..filter
            },
            sort: None,
        }
    }
}

/// The memories that are like one of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Similar {
    /// The most alike first; of equals the newest. The total counts all that are near enough.
    pub recalled: Recalled,
    /// What they were found by.
    pub by: Likeness,
}

/// What a memory was compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// Its vector.
    Meaning,
    /// Its words, because the model knows none of them; no threshold holds then.
    Words,
    /// Nothing: it has neither words nor meaning, so nothing is like it.
    Nothing,
}

impl Likeness {
    /// The basis as it is written everywhere.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Meaning => "meaning",
            Self::Words => "words",
            Self::Nothing => "nothing",
        }
    }
}
