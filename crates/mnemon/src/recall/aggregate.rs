//! Aggregations: what many memories say together.
//!
//! Pure functions from memories to topics, a timeline, who did what, and a
//! summary that only quotes. The same memories give the same answer on every
//! machine, whatever their order. No model is asked.

mod agents;
mod fillers;
mod lexrank;
mod sentences;
mod summary;
mod timeline;
mod topics;

pub use agents::{AgentActivity, agents};
pub(crate) use sentences::sentences;
pub(crate) use summary::quotes;
pub use summary::{Quote, Summary, SummaryOptions, summary};
pub use timeline::{Bucket, Timeline, TimelineEvent, timeline};
pub use topics::{Topic, topics};

use crate::memory::Memory;

/// The memories in the order in which they came into being.
fn oldest_first<'a>(memories: impl IntoIterator<Item = &'a Memory>) -> Vec<&'a Memory> {
    let mut ordered: Vec<&Memory> = memories.into_iter().collect();
    ordered.sort_by(|a, b| a.compare_age(b));
    ordered
}

#[cfg(test)]
pub(super) mod examples {
    use serde_json::{Value, json};

    use crate::Time;
    use crate::memory::{Body, Draft, Kind, Memory};

    /// A memory of session `s`, made so many minutes after the first of January.
    pub(crate) fn memory(kind: Kind, number: u32, minute: i64, by: &str, text: &str) -> Memory {
        let mut draft = Draft::new(kind, text.parse().unwrap());
        draft.author = Some(by.parse().unwrap());
        let start: Time = "2026-01-01T10:00:00Z".parse().unwrap();
        let at = Time::from_micros(start.micros() + minute * 60_000_000).unwrap();
        let id = format!("{}_{number}", kind.id_prefix()).parse().unwrap();
        let handle = Some(crate::memory::Handle { kind, number });
        draft.into_memory(id, "session/s".parse().unwrap(), handle, at)
    }

    pub(crate) fn with(mut memory: Memory, tags: &[&str], importance: f64, body: Value) -> Memory {
        memory.tags = tags.iter().map(|tag| tag.parse().unwrap()).collect();
        memory.importance = importance.try_into().unwrap();
        let Value::Object(fields) = body else {
            unreachable!("a body is an object")
        };
        memory.body = Body::from_map(memory.kind(), fields).unwrap();
        memory
    }

    /// A review of how people sign in: two turns, a finding and two decisions.
    pub(crate) fn review() -> Vec<Memory> {
        let topic = json!({"topic": "Authentication"});
        vec![
            with(
                memory(Kind::Conversation, 1, 0, "dana", "How do people sign in?"),
                &[],
                0.5,
                topic.clone(),
            ),
            with(
                memory(Kind::Finding, 1, 30, "rev", "Passwords can be guessed"),
                &["security.authentication", "limits"],
                1.0,
                json!({"severity": "critical", "discovered_by": "rev"}),
            ),
            with(
                memory(Kind::Decision, 1, 59, "arc", "Tokens live for a day"),
                &["security.tokens"],
                0.5,
                json!({"made_by": "arc", "agreed_by": ["rev", "arc"], "resolved": true}),
            ),
            with(
                memory(Kind::Decision, 2, 60, "arc", "Tokens live for an hour"),
                &["security.tokens", "security"],
                0.75,
                json!({}),
            ),
            with(
                memory(Kind::Conversation, 2, 61, "rev", "That is better."),
                &[],
                0.25,
                topic,
            ),
        ]
    }
}
