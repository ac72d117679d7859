//! Retention: how long memories of each kind are kept before they are forgotten.
//!
//! Off until it is switched on. Age counts from the last access, or from when
//! the store took the memory in, whichever is later, so that what is used
//! stays and what was imported gets its time. Forgetting is the usual one: it
//! can be undone until its deadline. `policy` is the same for single agents.

mod policy;

pub use policy::RetentionPolicy;
pub(crate) use policy::is_past;

use serde::Deserialize;

use crate::memory::{ByKind, Memory, Tag};
use crate::time::{DAY_MICROS, Time};

/// What is kept how long.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct RetentionConfig {
    /// Whether anything is forgotten because of its age.
    pub enabled: bool,
    /// How long each kind is kept; 0 is for ever.
    pub days: ByKind<u32>,
    /// What matters at least this much is kept.
    pub exempt_importance: f64,
    /// What has one of these tags, or one below, is kept.
    pub exempt_tags: Vec<Tag>,
}

/// That a memory's time is up, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Expiry {
    /// When.
    pub at: Time,
    /// The rule, in words.
    pub reason: String,
}

impl RetentionConfig {
    /// The source's days; kinds that it lacks have those of the nearest one.
    pub const DAYS: ByKind<u32> = ByKind {
        conversation: 90,
        decision: 365,
        finding: 180,
        preference: 730,
        learning: 365,
        fact: 365,
        event: 90,
        procedure: 730,
        state: 90,
        artifact: 180,
    };

    /// When a memory's time is up; none if it is kept for ever.
    pub fn expiry(&self, memory: &Memory) -> Option<Expiry> {
        let days = self.days.of(memory.kind());
        // Of what was not opened nobody knows whether it is open or has such a tag.
        let is_exempt = memory.closed().is_some()
            || memory.pinned
            || memory.importance.get() >= self.exempt_importance
            || memory.body.is_open() == Some(true)
            || memory.state.forgotten.is_some()
            || self
                .exempt_tags
                .iter()
                .any(|exempt| memory.tags.iter().any(|tag| tag.is_within(exempt)));
        if !self.enabled || days == 0 || is_exempt {
            return None;
        }
        let accessed = memory.state.last_access.map_or(i64::MIN, Time::micros);
        let since = accessed.max(memory.recorded_at.micros());
        let end = since.saturating_add(i64::from(days) * DAY_MICROS);
        let used = if accessed > memory.recorded_at.micros() {
            "last asked for"
        } else {
            "kept"
        };
        let since = Time::nearest_to_micros(since).to_string();
        Some(Expiry {
            at: Time::nearest_to_micros(end),
            reason: format!(
                "retention: a {} is kept for {days} days, and this one was {used} on {}",
                memory.kind(),
                since.get(..10).unwrap_or(&since)
            ),
        })
    }
}
