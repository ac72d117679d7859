//! Related memories: how far one is from another, and by which relations.

use crate::memory::{Memory, MemoryId, Relation, TURN};
use crate::store::{Filter, Sort};

/// What counts as related, and how much of it is wanted.
#[derive(Clone, Debug)]
pub struct RelatedOptions {
    /// How many steps away, from 1 to [`RelatedOptions::DEPTH_MAX`].
    pub depth: u32,
    /// Which memories are told, and which page of them; paths lead through
    /// others too, but never through what the filter's side of forgetting hides.
    pub filter: Filter,
    /// The order; the nearest first if none.
    pub sort: Option<Sort>,
}

impl RelatedOptions {
    /// Two steps: what a memory names or is named by, and what these have to
    /// do with, such as the other findings of the same turn.
    pub const DEPTH: u32 = 2;

    /// The farthest.
    pub const DEPTH_MAX: u32 = 10;

    /// As far as people expect.
    pub fn new(filter: Filter) -> Self {
        Self {
            depth: Self::DEPTH,
            filter,
            sort: None,
        }
    }
}

/// The memories around one of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Related {
    /// The one that was asked about.
    pub origin: Memory,
    /// The nearest first, then by weight, then the newest, then by id; one page.
    pub hits: Vec<RelatedHit>,
    /// How many there are, whatever the page.
    pub total: u64,
}

/// A memory that is related.
#[derive(Clone, Debug, PartialEq)]
pub struct RelatedHit {
    /// The memory.
    pub memory: Memory,
    /// How many steps away it is.
    pub distance: u32,
    /// The steps to it, one of the shortest ways: by the strongest last step.
    pub via: Vec<Step>,
    /// Between 1/(distance + 1) and 1/distance, the higher the more weight it has.
    pub score: f64,
}

/// One step of a way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The relation.
    pub rel: Relation,
    /// Along it or against it.
    pub direction: Direction,
    /// Where the step begins.
    pub from: MemoryId,
}

/// Which of two memories names the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// The nearer one names the farther one.
    Out,
    /// The farther one names the nearer one.
    In,
}

impl Direction {
    /// The direction as it is written everywhere.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Out => "out",
            Self::In => "in",
        }
    }
}

/// How much a relation says, from 0 to 1: what changes a memory's standing
/// most, "see also" and the turn least.
pub(crate) fn strength(rel: &Relation) -> f64 {
    match rel.as_str() {
        "resolves" | "supersedes" | "contradicts" => 1.0,
        "led_to" | "influenced" | "caused" | "depends_on" => 0.9,
        "related" => 0.5,
        TURN | "parent" => 0.4,
        _ => 0.7,
    }
}

/// How much a hit weighs among those at the same distance: its last relation and its importance alike.
pub(crate) fn weight(last: &Step, memory: &Memory) -> f64 {
    f64::midpoint(strength(&last.rel), memory.importance.get())
}

/// See [`RelatedHit::score`].
pub(crate) fn score(distance: u32, weight: f64) -> f64 {
    let far = 1.0 / f64::from(distance + 1);
    far + weight * (1.0 / f64::from(distance) - far)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_nearer_has_the_higher_score() {
        for (distance, weight, expected) in [
            (1, 1.0, 1.0),
            (1, 0.5, 0.75),
            (1, 0.0, 0.5),
            (2, 1.0, 0.5),
            (2, 0.0, 1.0 / 3.0),
            (10, 0.0, 1.0 / 11.0),
        ] {
            assert!(
                (score(distance, weight) - expected).abs() < 1e-12,
                "{distance} {weight}"
            );
        }
    }
}
