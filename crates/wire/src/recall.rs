//! Answers to questions as they are printed.

use mnemon::memory::MemoryId;
use mnemon::recall::{Hit, Note, Part, Recalled};
use serde::Serialize;

use crate::MemoryShape;

/// The answer to one question.
#[derive(Debug, Serialize)]
pub struct RecalledShape<'a> {
    hits: Vec<HitShape<'a>>,
    total: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// A memory that answers.
#[derive(Debug, Serialize)]
pub struct HitShape<'a> {
    memory: MemoryShape<'a>,
    score: f64,
    similarity: Option<f64>,
    cosine: Option<f64>,
    rank: usize,
    why: Vec<PartShape<'a>>,
}

#[derive(Debug, Serialize)]
struct PartShape<'a> {
    part: &'static str,
    value: f64,
    says: &'a str,
}

impl<'a> RecalledShape<'a> {
    /// The shape of an answer; times further ahead than the skew are flagged.
    pub fn of(recalled: &'a Recalled, future_skew_minutes: u64) -> Self {
        let hits = recalled.hits.iter();
        Self {
            hits: hits
                .map(|hit| HitShape::of(hit, future_skew_minutes))
                .collect(),
            total: recalled.total,
            notes: note_texts(&recalled.notes),
        }
    }
}

/// What to know about an answer, in sentences.
pub fn note_texts(notes: &[Note]) -> Vec<String> {
    notes.iter().map(ToString::to_string).collect()
}

impl<'a> HitShape<'a> {
    /// The shape of a hit.
    pub fn of(hit: &'a Hit, future_skew_minutes: u64) -> Self {
        Self {
            memory: MemoryShape::of(&hit.memory, future_skew_minutes),
            score: rounded(hit.score),
            similarity: hit.similarity.map(rounded),
            cosine: hit.cosine.map(rounded),
            rank: hit.rank,
            why: hit.why.iter().map(PartShape::of).collect(),
        }
    }
}

impl<'a> PartShape<'a> {
    fn of(part: &'a Part) -> Self {
        Self {
            part: part.name,
            value: rounded(part.value),
            says: &part.says,
        }
    }
}

/// One line of the answer to a batch.
#[derive(Debug, Serialize)]
pub struct BatchLine<'a> {
    qid: &'a serde_json::Value,
    hits: Vec<BatchHit<'a>>,
}

#[derive(Debug, Serialize)]
struct BatchHit<'a> {
    id: &'a MemoryId,
    score: f64,
}

impl<'a> BatchLine<'a> {
    /// The line for the question of that name.
    pub fn of(qid: &'a serde_json::Value, recalled: &'a Recalled) -> Self {
        let hit = |hit: &'a Hit| BatchHit {
            id: &hit.memory.id,
            score: rounded(hit.score),
        };
        Self {
            qid,
            hits: recalled.hits.iter().map(hit).collect(),
        }
    }
}

/// Six digits are enough for anybody who reads a score.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}
