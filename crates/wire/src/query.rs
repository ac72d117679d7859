//! The answer to a structured query as it is printed.

use mnemon::recall::Answer;
use mnemon::recall::structured::Counts;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::{HitShape, MemoryShape, note_texts};

/// The hits, how many fit, what was counted, and what is linked to the hits.
#[derive(Debug, Serialize)]
pub struct AnswerShape<'a> {
    hits: Vec<HitShape<'a>>,
    total: u64,
    aggregations: Map<String, Value>,
    related: Vec<MemoryShape<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

impl<'a> AnswerShape<'a> {
    /// The shape of an answer; times further ahead than the skew are flagged.
    pub fn of(answer: &'a Answer, future_skew_minutes: u64) -> Self {
        let hits = answer.hits.iter();
        let related = answer.related.iter();
        let aggregations = answer.aggregations.iter();
        Self {
            hits: hits
                .map(|hit| HitShape::of(hit, future_skew_minutes))
                .collect(),
            total: answer.total,
            aggregations: aggregations
                .map(|(own, counts)| (own.as_str().to_owned(), value(counts)))
                .collect(),
            related: related
                .map(|memory| MemoryShape::of(memory, future_skew_minutes))
                .collect(),
            notes: note_texts(&answer.notes),
        }
    }
}

fn value(counts: &Counts) -> Value {
    match counts {
        Counts::All(count) => (*count).into(),
        Counts::By(names) => names
            .iter()
            .map(|(name, count)| (name.clone(), Value::from(*count)))
            .collect::<Map<_, _>>()
            .into(),
    }
}
