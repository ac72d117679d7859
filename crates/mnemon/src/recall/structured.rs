//! The structured query: conditions on fields, an order by several keys,
//! counts over all that fit, and what is linked to the page.
//!
//! A [`Condition`] is checked when it is made, so that evaluating it can't
//! fail. What a [`Filter`] can say is handed to the store with it (`push`);
//! the rest is looked up in the memories. Both mean the same.

mod aggregate;
mod condition;
mod field;
mod operator;
mod order;
mod push;
mod value;

use jiff::tz::TimeZone;

pub use aggregate::{Aggregated, Aggregation};
pub use condition::Condition;
pub use field::{Field, Shape};
pub use operator::Operator;
pub use order::{Direction, Key, Order};
pub use value::Value;

use super::hit::Hit;
use super::note::Note;
use super::query::{Mode, Profile};
use super::question::Question;
use crate::decay::{At, Rules};
use crate::memory::Memory;
use crate::store::{Filter, Forgottenness};
use crate::time::Time;

/// A query with everything that shapes its answer.
#[derive(Clone, Debug)]
pub struct StructuredQuery {
    /// What is asked, if anything: without it the conditions alone decide.
    pub question: Option<Question>,
    /// What a memory must fit, all of it.
    pub conditions: Vec<Condition>,
    /// The order, the first key first; what is equal comes newest first, then by id.
    ///
    /// If there is none: by relevance if something is asked, else the newest first.
    pub order: Vec<Order>,
    /// What is counted over all that fit.
    pub aggregations: Vec<Aggregation>,
    /// How many links away from the page memories are brought along.
    pub related_depth: u32,
    /// At most so many.
    pub limit: usize,
    /// After so many.
    pub offset: usize,
    /// By words, by meaning, or by both.
    pub mode: Mode,
    /// Which ranking.
    pub profile: Profile,
    /// Only memories at least this near in meaning.
    pub min_similarity: Option<f64>,
    /// Only memories with at least this score.
    pub min_score: Option<f64>,
    /// Whether forgotten memories count too.
    pub include_forgotten: bool,
    /// As of which moment, if not as of now.
    pub as_of: Option<Time>,
    /// The moment for which priorities are computed.
    pub now: Time,
    /// Whose days and hours are counted.
    pub zone: TimeZone,
}

impl StructuredQuery {
    /// How long a page is if nobody says.
    pub const LIMIT: usize = 100;

    /// How far links are followed at most.
    pub const RELATED_DEPTH_MAX: u32 = 5;

    /// Everything that is not forgotten, newest first.
    pub fn new(now: Time, zone: TimeZone) -> Self {
        Self {
            question: None,
            conditions: Vec::new(),
            order: Vec::new(),
            aggregations: Vec::new(),
            related_depth: 0,
            limit: Self::LIMIT,
            offset: 0,
            mode: Mode::default(),
            profile: Profile::default(),
            min_similarity: None,
            min_score: None,
            include_forgotten: false,
            as_of: None,
            now,
            zone,
        }
    }

    /// Whether a memory fits: the plain meaning of the conditions, priorities by these rules.
    pub fn fits(&self, memory: &Memory, rules: &Rules) -> bool {
        let at = At {
            rules,
            now_micros: self.now.micros(),
        };
        (self.include_forgotten || memory.state.forgotten.is_none())
            && self.conditions.iter().all(|own| own.fits(memory, at))
    }

    /// A filter that lets through whatever fits, and the conditions that it can't say.
    pub(crate) fn split(&self) -> (Filter, Vec<&Condition>) {
        let mut filter = Filter::all(self.now.micros());
        if self.include_forgotten {
            filter.forgotten = Forgottenness::With;
        }
        let rest = self.conditions.iter();
        let rest = rest.filter(|condition| !push::push(condition, &mut filter));
        let rest = rest.collect();
        (filter, rest)
    }

    /// Whether the best come first, whatever else decides between equals.
    pub(crate) fn is_by_relevance(&self) -> bool {
        match self.order.first() {
            None => self.question.is_some(),
            Some(first) => first.key == Key::Relevance,
        }
    }
}

/// The answer to a structured query.
#[derive(Clone, Debug)]
pub struct Answer {
    /// One page of what fits; the score is 1 where nothing was asked.
    pub hits: Vec<Hit>,
    /// How many fit, whatever the page; of those with a word of the question if there is one.
    pub total: u64,
    /// What was to be counted, in the order in which it was asked for.
    pub aggregations: Vec<(Aggregation, Aggregated)>,
    /// What is linked to the page and is not on it, the nearest first.
    pub related: Vec<Memory>,
    /// What to know about how it came about.
    pub notes: Vec<Note>,
}
