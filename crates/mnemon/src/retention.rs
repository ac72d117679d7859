//! Retention: how long memories of each kind are kept before they are forgotten.
//!
//! Off until it is switched on. Age counts from the last access, or from when
//! the store took the memory in, whichever is later, so that what is used
//! stays and what was imported gets its time. Forgetting is the usual one: it
//! can be undone until its deadline.

use serde::Deserialize;

use crate::memory::{Kind, Memory, Tag};
use crate::time::Time;

/// What is kept how long.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct RetentionConfig {
    /// Whether anything is forgotten because of its age.
    pub enabled: bool,
    /// How long each kind is kept; 0 is for ever.
    pub days: DaysByKind,
    /// What matters at least this much is kept.
    pub exempt_importance: f64,
    /// What has one of these tags, or one below, is kept.
    pub exempt_tags: Vec<Tag>,
}

/// Days for each kind.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[expect(missing_docs, reason = "each field is a kind")]
pub struct DaysByKind {
    pub conversation: u32,
    pub decision: u32,
    pub finding: u32,
    pub preference: u32,
    pub learning: u32,
    pub fact: u32,
    pub event: u32,
    pub procedure: u32,
    pub state: u32,
    pub artifact: u32,
}

impl DaysByKind {
    /// The source's; kinds that it lacks have those of the nearest one.
    pub const DEFAULT: Self = Self {
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

    /// The days of a kind.
    pub fn of(&self, kind: Kind) -> u32 {
        match kind {
            Kind::Conversation => self.conversation,
            Kind::Decision => self.decision,
            Kind::Finding => self.finding,
            Kind::Preference => self.preference,
            Kind::Learning => self.learning,
            Kind::Fact => self.fact,
            Kind::Event => self.event,
            Kind::Procedure => self.procedure,
            Kind::State => self.state,
            Kind::Artifact => self.artifact,
        }
    }
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
    /// When a memory's time is up; none if it is kept for ever.
    pub fn expiry(&self, memory: &Memory) -> Option<Expiry> {
        let days = self.days.of(memory.kind());
        let is_exempt = memory.pinned
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
        let end = since.saturating_add(i64::from(days) * 86_400_000_000);
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
