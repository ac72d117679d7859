//! Related and similar memories as they are printed.

use mnemon::memory::{MemoryId, Relation};
use mnemon::recall::related::Step;
use mnemon::recall::{Related, RelatedHit, Similar};
use serde::Serialize;

use crate::recall::rounded;
use crate::{HitShape, MemoryShape, note_texts};

/// The memories around one.
#[derive(Debug, Serialize)]
pub struct RelatedShape<'a> {
    id: &'a MemoryId,
    hits: Vec<RelatedHitShape<'a>>,
    total: u64,
}

#[derive(Debug, Serialize)]
struct RelatedHitShape<'a> {
    memory: MemoryShape<'a>,
    distance: u32,
    via: Vec<StepShape<'a>>,
    score: f64,
    rank: usize,
}

#[derive(Debug, Serialize)]
struct StepShape<'a> {
    rel: &'a Relation,
    /// `out` if the memory in `from` names the next one, `in` if it is named by it.
    direction: &'static str,
    from: &'a MemoryId,
}

impl<'a> RelatedShape<'a> {
    /// The shape of an answer of which so many hits were left out before; times
    /// further ahead than the skew are flagged.
    pub fn of(related: &'a Related, offset: usize, future_skew_minutes: u64) -> Self {
        let hit = |(place, hit): (usize, &'a RelatedHit)| RelatedHitShape {
            memory: MemoryShape::of(&hit.memory, future_skew_minutes),
            distance: hit.distance,
            via: hit.via.iter().map(StepShape::of).collect(),
            score: rounded(hit.score),
            rank: offset + place + 1,
        };
        Self {
            id: &related.origin.id,
            hits: related.hits.iter().enumerate().map(hit).collect(),
            total: related.total,
        }
    }
}

impl<'a> StepShape<'a> {
    fn of(step: &'a Step) -> Self {
        Self {
            rel: &step.rel,
            direction: step.direction.as_str(),
            from: &step.from,
        }
    }
}

/// The memories that are like one.
#[derive(Debug, Serialize)]
pub struct SimilarShape<'a> {
    id: &'a MemoryId,
    /// `meaning`, `words`, or `nothing` if the memory has neither.
    by: &'static str,
    hits: Vec<HitShape<'a>>,
    total: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

impl<'a> SimilarShape<'a> {
    /// The shape of what is like the memory of that id; times further ahead
    /// than the skew are flagged.
    pub fn of(id: &'a MemoryId, similar: &'a Similar, future_skew_minutes: u64) -> Self {
        let hits = similar.recalled.hits.iter();
        Self {
            id,
            by: similar.by.as_str(),
            hits: hits
                .map(|hit| HitShape::of(hit, future_skew_minutes))
                .collect(),
            total: similar.recalled.total,
            notes: note_texts(&similar.recalled.notes),
        }
    }
}
