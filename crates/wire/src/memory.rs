//! A memory as it is printed.

use mnemon::Time;
use mnemon::decay::Faded;
use mnemon::memory::{
    Author, Confidence, Handle, Importance, Kind, Link, Memory, MemoryId, Space, Tag, Text,
};
use serde::Serialize;
use serde_json::{Map, Value};

/// A memory in the shape that every interface prints.
#[derive(Debug, Serialize)]
pub struct MemoryShape<'a> {
    id: &'a MemoryId,
    handle: Option<Handle>,
    space: &'a Space,
    kind: Kind,
    author: Option<&'a Author>,
    text: &'a Text,
    created_at: Time,
    recorded_at: Time,
    updated_at: Time,
    version: u64,
    importance: Importance,
    confidence: Option<Confidence>,
    tags: &'a [Tag],
    links: &'a [Link],
    pinned: bool,
    sensitive: bool,
    /// Set if it was not opened, so that the text is only a placeholder.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    sealed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<&'a MemoryId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<u32>,
    body: Map<String, Value>,
    metadata: &'a Map<String, Value>,
    state: StateShape<'a>,
    embedding: Option<&'a [f32]>,
}

#[derive(Debug, Serialize)]
struct StateShape<'a> {
    access_count: u64,
    last_access: Option<Time>,
    forgotten: Option<ForgottenState<'a>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    compacted: bool,
    /// Nothing for kinds of which it can't be said.
    open: Option<bool>,
    flags: Vec<&'static str>,
    #[serde(flatten)]
    fading: Option<FadingShape>,
}

/// What time has left of a memory, and which rule says so.
#[derive(Debug, Serialize)]
struct FadingShape {
    priority: f64,
    decay: f64,
    decay_reason: String,
}

#[derive(Debug, Serialize)]
struct ForgottenState<'a> {
    at: Time,
    by: &'a str,
    reason: &'a str,
    recover_until: Time,
}

impl<'a> MemoryShape<'a> {
    /// The shape of a memory; times further ahead than `future_skew_minutes` are flagged.
    pub fn of(memory: &'a Memory, future_skew_minutes: u64) -> Self {
        let flags = if memory.is_from_the_future(future_skew_minutes) {
            vec!["created_in_the_future"]
        } else {
            Vec::new()
        };
        Self {
            id: &memory.id,
            handle: memory.handle,
            space: &memory.space,
            kind: memory.kind(),
            author: memory.author.as_ref(),
            text: &memory.text,
            created_at: memory.created_at,
            recorded_at: memory.recorded_at,
            updated_at: memory.updated_at,
            version: memory.version,
            importance: memory.importance,
            confidence: memory.confidence,
            tags: &memory.tags,
            links: &memory.links,
            pinned: memory.pinned,
            sensitive: memory.sensitive,
            sealed: memory.closed().is_some(),
            turn: memory.turn.as_ref(),
            tokens: memory.tokens,
            body: memory.body.to_map(),
            metadata: &memory.metadata,
            state: StateShape {
                access_count: memory.state.access_count,
                last_access: memory.state.last_access,
                forgotten: memory
                    .state
                    .forgotten
                    .as_ref()
                    .map(|forgotten| ForgottenState {
                        at: forgotten.at,
                        by: &forgotten.by,
                        reason: &forgotten.reason,
                        recover_until: forgotten.recover_until,
                    }),
                compacted: memory.state.compacted,
                open: memory.body.is_open(),
                flags,
                fading: None,
            },
            embedding: memory.embedding.as_deref(),
        }
    }
}

impl MemoryShape<'_> {
    /// With what time has left of it.
    #[must_use]
    pub fn with_fading(mut self, faded: &Faded) -> Self {
        let round = |number: f64| (number * 1e6).round() / 1e6;
        self.state.fading = Some(FadingShape {
            priority: round(faded.priority),
            decay: round(faded.factor),
            decay_reason: faded.reason.to_string(),
        });
        self
    }
}

/// A page of memories, and how many there are in all.
#[derive(Debug, Serialize)]
pub struct MemoriesShape<'a> {
    memories: Vec<MemoryShape<'a>>,
    total: u64,
}

impl<'a> MemoriesShape<'a> {
    /// The shape of a page.
    pub fn of(memories: &'a [Memory], total: u64, future_skew_minutes: u64) -> Self {
        Self {
            memories: memories
                .iter()
                .map(|memory| MemoryShape::of(memory, future_skew_minutes))
                .collect(),
            total,
        }
    }
}
