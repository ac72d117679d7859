//! The answer to a structured query as it is printed.

use std::collections::BTreeMap;

use mnemon::recall::Answer;
use mnemon::recall::structured::Aggregated;
use serde::Serialize;

use crate::aggregate::{AgentShape, TopicShape};
use crate::{HitShape, MemoryShape, TimelineShape, note_texts};

/// The hits, how many fit, what was made of all of them, and what the hits have to do with.
#[derive(Debug, Serialize)]
pub struct AnswerShape<'a> {
    hits: Vec<HitShape<'a>>,
    total: u64,
    aggregations: BTreeMap<&'static str, AggregatedShape<'a>>,
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
                .map(|(own, aggregated)| (own.as_str(), AggregatedShape::of(aggregated)))
                .collect(),
            related: related
                .map(|memory| MemoryShape::of(memory, future_skew_minutes))
                .collect(),
            notes: note_texts(&answer.notes),
        }
    }
}

/// What was made of all that fits; its name says which shape it has.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum AggregatedShape<'a> {
    Count(u64),
    Counts(&'a BTreeMap<String, u64>),
    Agents(Vec<AgentShape<'a>>),
    Topics(Vec<TopicShape<'a>>),
    Timeline(TimelineShape<'a>),
}

impl<'a> AggregatedShape<'a> {
    fn of(aggregated: &'a Aggregated) -> Self {
        match aggregated {
            Aggregated::Count(count) => Self::Count(*count),
            Aggregated::Counts(counts) => Self::Counts(counts),
            Aggregated::Agents(agents) => Self::Agents(agents.iter().map(AgentShape::of).collect()),
            Aggregated::Topics(topics) => Self::Topics(topics.iter().map(TopicShape::of).collect()),
            Aggregated::Timeline(timeline) => {
                Self::Timeline(TimelineShape::of(None, timeline, &timeline.events))
            }
        }
    }
}
