//! What an agent holds, as it is printed.

use mnemon::agent::{Added, Entry, Key, Routine, Scope, SnapshotSummary, Window, WindowItem};
use mnemon::engine::{Restored, SnapshotStats};
use mnemon::memory::{AgentId, MemoryId, SnapshotId};
use mnemon::redact::Redaction;
use serde::Serialize;

use crate::redact::RedactionShape;

/// When snapshots of an agent are taken by themselves.
#[derive(Debug, Serialize)]
pub struct RoutineShape<'a> {
    agent: &'a AgentId,
    /// Null if none are.
    routine: Option<&'a Routine>,
}

impl<'a> RoutineShape<'a> {
    /// The shape of this agent's routine.
    pub fn of(agent: &'a AgentId, routine: Option<&'a Routine>) -> Self {
        Self { agent, routine }
    }
}

/// A value, with its name and where it lies.
#[derive(Debug, Serialize)]
pub struct EntryShape<'a> {
    scope: &'a str,
    key: &'a str,
    #[serde(flatten)]
    entry: &'a Entry,
}

impl<'a> EntryShape<'a> {
    /// The shape of a value.
    pub fn of(scope: &'a Scope, key: &'a Key, entry: &'a Entry) -> Self {
        Self {
            scope: scope.as_str(),
            key: key.as_str(),
            entry,
        }
    }
}

/// Values of a working memory.
#[derive(Debug, Serialize)]
pub struct WorkingShape<'a> {
    /// Whose.
    pub agent: &'a AgentId,
    /// The values.
    pub entries: Vec<EntryShape<'a>>,
    /// How many there are.
    pub total: usize,
}

/// What came of setting a value.
#[derive(Debug, Serialize)]
pub struct WorkingSetShape<'a> {
    agent: &'a AgentId,
    scope: &'a str,
    key: &'a str,
    /// Whether there was another value before.
    replaced: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    redacted: Vec<RedactionShape<'a>>,
}

impl<'a> WorkingSetShape<'a> {
    /// The shape of what came of it.
    pub fn of(
        agent: &'a AgentId,
        (scope, key): (&'a Scope, &'a Key),
        replaced: bool,
        redacted: &'a [Redaction],
    ) -> Self {
        Self {
            agent,
            scope: scope.as_str(),
            key: key.as_str(),
            replaced,
            redacted: RedactionShape::all(redacted),
        }
    }
}

/// A context window.
#[derive(Debug, Serialize)]
pub struct WindowShape<'a> {
    agent: &'a AgentId,
    items: &'a [WindowItem],
    tokens: usize,
    budget: usize,
    /// Whose tokens they are.
    tokenizer: &'static str,
}

impl<'a> WindowShape<'a> {
    /// The shape of a window.
    pub fn of(agent: &'a AgentId, window: &'a Window, tokenizer: &'static str) -> Self {
        Self {
            agent,
            items: window.items(),
            tokens: window.tokens(),
            budget: window.budget_tokens(),
            tokenizer,
        }
    }
}

/// What came of adding to a window.
#[derive(Debug, Serialize)]
pub struct AddedShape<'a> {
    id: &'a str,
    kept: bool,
    fallen_out: &'a [WindowItem],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    redacted: Vec<RedactionShape<'a>>,
}

impl<'a> AddedShape<'a> {
    /// The shape of what came of it.
    pub fn of(added: &'a Added, redacted: &'a [Redaction]) -> Self {
        Self {
            id: &added.id,
            kept: added.is_kept,
            fallen_out: &added.fallen_out,
            redacted: RedactionShape::all(redacted),
        }
    }
}

/// Snapshots in a list.
#[derive(Debug, Serialize)]
pub struct SnapshotsShape<'a> {
    /// The latest first.
    pub snapshots: &'a [SnapshotSummary],
    /// How many are listed.
    pub total: usize,
    /// All of them together.
    pub stats: SnapshotStatsShape,
}

/// All snapshots together.
#[derive(Debug, Serialize)]
pub struct SnapshotStatsShape {
    snapshots: u64,
    bytes: u64,
    average_bytes: u64,
    taken_last_24h: u64,
    restored_last_24h: u64,
    average_ms: f64,
}

impl From<&SnapshotStats> for SnapshotStatsShape {
    fn from(stats: &SnapshotStats) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "nobody waits for so long")]
        let average_ms = stats.average_micros as f64 / 1000.0;
        Self {
            snapshots: stats.snapshots,
            bytes: stats.bytes,
            average_bytes: stats.bytes / stats.snapshots.max(1),
            taken_last_24h: stats.taken_last_day,
            restored_last_24h: stats.restored_last_day,
            average_ms,
        }
    }
}

/// What was put back.
#[derive(Debug, Serialize)]
pub struct RestoredShape<'a> {
    snapshot: &'a SnapshotId,
    agent: &'a AgentId,
    working_entries: usize,
    window_items: usize,
    unforgotten: &'a [MemoryId],
    forgotten: &'a [MemoryId],
    lost: &'a [MemoryId],
}

impl<'a> RestoredShape<'a> {
    /// The shape of what was put back.
    pub fn of(snapshot: &'a SnapshotId, agent: &'a AgentId, restored: &'a Restored) -> Self {
        Self {
            snapshot,
            agent,
            working_entries: restored.working_entries,
            window_items: restored.window_items,
            unforgotten: &restored.unforgotten,
            forgotten: &restored.forgotten,
            lost: &restored.lost,
        }
    }
}
