//! Topics, timelines and summaries as they are printed.

use std::collections::BTreeMap;

use mnemon::Time;
use mnemon::memory::{Body, Kind, Memory, MemoryId, SessionId};
use mnemon::recall::aggregate::{
    AgentActivity, Bucket, Quote, Summary, Timeline, TimelineEvent, Topic,
};
use serde::Serialize;

use crate::recall::rounded;

/// What a session, or many, are about.
#[derive(Debug, Serialize)]
pub struct TopicsShape<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<&'a SessionId>,
    topics: Vec<TopicShape<'a>>,
    total: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct TopicShape<'a> {
    name: &'a str,
    weight: f64,
    mentions: u64,
    first_mentioned: Time,
    last_mentioned: Time,
    subtopics: &'a [String],
    /// By kind, in the plural: `decisions`, `turns`.
    related_memories: BTreeMap<&'static str, &'a [String]>,
}

impl<'a> TopicsShape<'a> {
    /// The shape of the first so many topics, of a session or of many.
    pub fn of(session_id: Option<&'a SessionId>, topics: &'a [Topic], limit: usize) -> Self {
        Self {
            session_id,
            topics: topics.iter().take(limit).map(TopicShape::of).collect(),
            total: topics.len(),
        }
    }
}

impl<'a> TopicShape<'a> {
    pub(crate) fn of(topic: &'a Topic) -> Self {
        let memories = topic.memories.iter();
        Self {
            name: &topic.name,
            weight: rounded(topic.weight),
            mentions: topic.mentions,
            first_mentioned: topic.first,
            last_mentioned: topic.last,
            subtopics: &topic.subtopics,
            related_memories: memories
                .map(|(kind, names)| (plural(*kind), names.as_slice()))
                .collect(),
        }
    }
}

fn plural(kind: Kind) -> &'static str {
    match kind {
        Kind::Conversation => "turns",
        Kind::Decision => "decisions",
        Kind::Finding => "findings",
        Kind::Preference => "preferences",
        Kind::Learning => "learnings",
        Kind::Fact => "facts",
        Kind::Event => "events",
        Kind::Procedure => "procedures",
        Kind::State => "states",
        Kind::Artifact => "artifacts",
    }
}

/// What happened in a session.
#[derive(Debug, Serialize)]
pub struct TimelineShape<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<&'a SessionId>,
    events: Vec<EventShape<'a>>,
    /// By the hour of UTC in which they begin: `2026-01-11T14:00`.
    buckets: BTreeMap<String, BucketShape<'a>>,
    total: usize,
}

#[derive(Debug, Serialize)]
struct EventShape<'a> {
    timestamp: Time,
    #[serde(rename = "type")]
    kind: Kind,
    #[serde(rename = "ref")]
    name: &'a str,
    participants: &'a [String],
    topics: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    severity: Option<&'a str>,
    text: &'a str,
}

#[derive(Debug, Serialize)]
struct BucketShape<'a> {
    event_count: usize,
    event_refs: &'a [String],
}

impl<'a> TimelineShape<'a> {
    /// The shape of a timeline, of a session or of many, of which only these events are shown.
    pub fn of(
        session_id: Option<&'a SessionId>,
        timeline: &'a Timeline,
        shown: &'a [TimelineEvent],
    ) -> Self {
        let bucket = |bucket: &'a Bucket| {
            let shape = BucketShape {
                event_count: bucket.names.len(),
                event_refs: &bucket.names,
            };
            (bucket.hour.to_string().chars().take(16).collect(), shape)
        };
        Self {
            session_id,
            events: shown.iter().map(EventShape::of).collect(),
            buckets: timeline.buckets.iter().map(bucket).collect(),
            total: timeline.events.len(),
        }
    }
}

impl<'a> EventShape<'a> {
    fn of(event: &'a TimelineEvent) -> Self {
        Self {
            timestamp: event.at,
            kind: event.kind,
            name: &event.name,
            participants: &event.participants,
            topics: &event.topics,
            severity: event.severity.as_deref(),
            text: &event.text,
        }
    }
}

/// Who did how much.
#[derive(Debug, Serialize)]
pub struct ActivityShape<'a> {
    agents: Vec<AgentShape<'a>>,
    total: usize,
}

impl<'a> ActivityShape<'a> {
    /// The shape of what each of them did.
    pub fn of(all: &'a [AgentActivity]) -> Self {
        Self {
            agents: all.iter().map(AgentShape::of).collect(),
            total: all.len(),
        }
    }
}

/// What a session comes to.
#[derive(Debug, Serialize)]
pub struct SummaryShape<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<&'a SessionId>,
    memories: u64,
    first: Option<Time>,
    last: Option<Time>,
    by_kind: &'a BTreeMap<Kind, u64>,
    participants: Vec<AgentShape<'a>>,
    topics: Vec<TopicShape<'a>>,
    decisions: DecisionsShape<'a>,
    findings: FindingsShape<'a>,
    preferences: Vec<ItemShape<'a>>,
    sentences: Vec<QuoteShape<'a>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct AgentShape<'a> {
    name: Option<&'a str>,
    memories: u64,
    messages: u64,
    by_kind: &'a BTreeMap<Kind, u64>,
    first_active: Time,
    last_active: Time,
}

#[derive(Debug, Serialize)]
struct DecisionsShape<'a> {
    open: Vec<ItemShape<'a>>,
    resolved: Vec<ItemShape<'a>>,
}

#[derive(Debug, Serialize)]
struct FindingsShape<'a> {
    open: Vec<ItemShape<'a>>,
    resolved: u64,
}

#[derive(Debug, Serialize)]
struct ItemShape<'a> {
    id: &'a MemoryId,
    #[serde(rename = "ref")]
    name: String,
    author: Option<String>,
    created_at: Time,
    importance: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    severity: Option<&'a str>,
    text: &'a str,
}

#[derive(Debug, Serialize)]
struct QuoteShape<'a> {
    #[serde(rename = "ref")]
    name: &'a str,
    author: Option<&'a str>,
    created_at: Time,
    text: &'a str,
    centrality: f64,
}

impl<'a> SummaryShape<'a> {
    /// The shape of a session's summary.
    pub fn of(session_id: &'a SessionId, summary: &'a Summary) -> Self {
        Self::within(Some(session_id), summary)
    }

    /// The shape of a summary of whatever was asked for.
    pub fn of_all(summary: &'a Summary) -> Self {
        Self::within(None, summary)
    }

    fn within(session_id: Option<&'a SessionId>, summary: &'a Summary) -> Self {
        let items = |memories: &'a [Memory]| {
            let items = memories.iter();
            items.map(|it| ItemShape::of(it, session_id)).collect()
        };
        Self {
            session_id,
            memories: summary.memories,
            first: summary.span.map(|(first, _)| first),
            last: summary.span.map(|(_, last)| last),
            by_kind: &summary.by_kind,
            participants: summary.participants.iter().map(AgentShape::of).collect(),
            topics: summary.topics.iter().map(TopicShape::of).collect(),
            decisions: DecisionsShape {
                open: items(&summary.open_decisions),
                resolved: items(&summary.resolved_decisions),
            },
            findings: FindingsShape {
                open: items(&summary.open_findings),
                resolved: summary.resolved_findings,
            },
            preferences: items(&summary.preferences),
            sentences: summary.sentences.iter().map(QuoteShape::of).collect(),
        }
    }
}

impl<'a> AgentShape<'a> {
    pub(crate) fn of(activity: &'a AgentActivity) -> Self {
        Self {
            name: activity.name.as_deref(),
            memories: activity.memories,
            messages: activity.messages,
            by_kind: &activity.kinds,
            first_active: activity.first,
            last_active: activity.last,
        }
    }
}

impl<'a> ItemShape<'a> {
    fn of(memory: &'a Memory, within: Option<&SessionId>) -> Self {
        Self {
            id: &memory.id,
            name: memory.name(within),
            author: memory.author.as_ref().map(ToString::to_string),
            created_at: memory.created_at,
            importance: memory.importance.get(),
            severity: match &memory.body {
                Body::Finding(finding) => finding.severity.as_deref(),
                _ => None,
            },
            text: memory.text.as_str(),
        }
    }
}

impl<'a> QuoteShape<'a> {
    fn of(quote: &'a Quote) -> Self {
        Self {
            name: &quote.name,
            author: quote.author.as_deref(),
            created_at: quote.at,
            text: &quote.text,
            centrality: rounded(quote.centrality),
        }
    }
}
