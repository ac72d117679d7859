//! A question with everything that shapes its answer.

use std::str::FromStr;

use jiff::tz::TimeZone;

use super::question::Question;
use crate::error::{Error, Result};
use crate::store::{Filter, Sort};

/// A question to the whole memory, or to a part of it.
#[derive(Clone, Debug)]
pub struct Query {
    /// What is asked.
    pub question: Question,
    /// By words, by meaning, or by both.
    pub mode: Mode,
    /// Which ranking.
    pub profile: Profile,
    /// Which memories may answer, and which page of the answer.
    pub filter: Filter,
    /// The order; by relevance if none.
    pub sort: Option<Sort>,
    /// Only memories at least this near in meaning, from 0 to 1.
    pub min_similarity: Option<f64>,
    /// Only memories with at least this score.
    pub min_score: Option<f64>,
    /// Where days begin, for dates in the question.
    pub zone: TimeZone,
}

impl Query {
    /// How many hits a question gets if nobody says.
    pub const LIMIT: usize = 10;

    /// The threshold for questions by meaning alone, if nobody says.
    pub const MIN_SIMILARITY: f64 = 0.6;

    /// A question by words and meaning, to whatever the filter lets through.
    pub fn new(question: Question, filter: Filter) -> Self {
        Self {
            question,
            mode: Mode::default(),
            profile: Profile::default(),
            filter: Filter {
                limit: Self::LIMIT,
                ..filter
            },
            sort: None,
            min_similarity: None,
            min_score: None,
            zone: TimeZone::system(),
        }
    }

    /// Whether its page ends behind so many hits.
    pub(crate) fn reaches_behind(&self, hits: usize) -> bool {
        self.sort.is_some() || self.filter.offset.saturating_add(self.filter.limit) > hits
    }

    /// Whether only what are hits counts in the total.
    pub(crate) fn counts_hits(&self) -> bool {
        self.sort.is_some() || self.min_score.is_some() || self.min_similarity.is_some()
    }

    /// Whether some of the best may be no hits.
    pub(crate) fn leaves_out(&self) -> bool {
        self.min_score.is_some() || self.least_similarity().is_some()
    }

    /// The threshold that holds.
    pub(crate) fn least_similarity(&self) -> Option<f64> {
        let by_mode = (self.mode == Mode::Semantic).then_some(Self::MIN_SIMILARITY);
        self.min_similarity.or(by_mode)
    }
}

/// Whether thresholds let a memory through where nothing is asked: its score is 1 then, and it is
/// near to nothing.
pub(crate) fn lets_through_unasked(min_score: Option<f64>, min_similarity: Option<f64>) -> bool {
    min_score.is_none_or(|least| least <= 1.0) && min_similarity.is_none()
}

/// What a memory is found by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// By words and by meaning.
    #[default]
    Hybrid,
    /// By words alone; phrases and wildcards must be there.
    Text,
    /// By meaning alone.
    Semantic,
}

impl Mode {
    /// All of them, with their names.
    pub const ALL: [(&'static str, Mode); 3] = [
        ("hybrid", Mode::Hybrid),
        ("text", Mode::Text),
        ("semantic", Mode::Semantic),
    ];
}

/// How hits are ranked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Tuned to find the evidence for a question.
    #[default]
    Balanced,
    /// importance × decay × recency × match.
    Product,
    /// 0.4 text + 0.3 time + 0.2 importance + 0.1 access.
    Weighted,
}

impl Profile {
    /// All of them, with their names.
    pub const ALL: [(&'static str, Profile); 3] = [
        ("balanced", Profile::Balanced),
        ("product", Profile::Product),
        ("weighted", Profile::Weighted),
    ];
}

impl FromStr for Mode {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        named("mode", &Self::ALL, text)
    }
}

impl FromStr for Profile {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        named("profile", &Self::ALL, text)
    }
}

fn named<T: Copy>(field: &'static str, all: &[(&'static str, T)], text: &str) -> Result<T> {
    let known = all.iter().find(|(name, _)| *name == text);
    known.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|(name, _)| *name).collect();
        Error::InvalidQuery {
            field: field.into(),
            problem: format!("{text} is none of {}", names.join(", ")),
        }
    })
}
