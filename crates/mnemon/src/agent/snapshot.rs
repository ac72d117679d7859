//! Snapshots: a desk at a moment, to go back to.
//!
//! Long-term memory is in it by its ids only: what those say is in the log,
//! which loses nothing. `file` is how a snapshot is written down.

mod file;

pub use file::{Form, Opening, Sealing, read, read_head, write};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Desk, Window, Working};
use crate::memory::{AgentId, MemoryId, SnapshotId};
use crate::time::Time;

/// The newest shape that this program knows.
pub const FORMAT: u32 = 1;

/// What an agent held at a moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The version of this shape.
    pub format: u32,
    /// `snap_` and a ULID.
    pub id: SnapshotId,
    /// Whose it is; nobody else's desk is ever put back to it.
    pub agent: AgentId,
    /// What it is called, if anybody said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// When it was taken.
    pub created_at: Time,
    /// Values by name.
    pub working: Working,
    /// What was before its eyes.
    pub window: Window,
    /// The long-term memories that it had, if they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long_term: Option<Vec<MemoryId>>,
    /// The tokens of all values and items together.
    pub tokens: usize,
    /// How long it took to make, in microseconds.
    #[serde(default)]
    pub made_in_micros: u64,
    /// Whatever else is to be kept beside it.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
}

/// What is known of a snapshot without opening it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SnapshotSummary {
    /// Which.
    pub id: SnapshotId,
    /// Whose.
    pub agent: AgentId,
    /// What it is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// When it was taken.
    pub created_at: Time,
    /// The bytes of its file.
    #[serde(default)]
    pub bytes: u64,
    /// How many values it has.
    pub working_entries: usize,
    /// How many items were in the window.
    pub window_items: usize,
    /// How many long-term memories there were, if they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long_term_memories: Option<usize>,
    /// How long it took to make, in microseconds.
    #[serde(default)]
    pub made_in_micros: u64,
    /// Whether a key is needed to open it.
    pub encrypted: bool,
}

impl Snapshot {
    /// What a desk holds.
    pub fn of(desk: Desk, id: SnapshotId, agent: AgentId, created_at: Time) -> Self {
        let values = desk.working.all().map(|(_, _, entry)| entry.tokens);
        Self {
            format: FORMAT,
            id,
            agent,
            name: None,
            created_at,
            tokens: values.sum::<usize>() + desk.window.tokens(),
            working: desk.working,
            window: desk.window,
            long_term: None,
            made_in_micros: 0,
            metadata: Map::new(),
        }
    }

    /// How many bytes it has as plain JSON.
    #[expect(clippy::missing_panics_doc, reason = "its fields are plain")]
    pub fn plain_bytes(&self) -> u64 {
        serde_json::to_vec(self).expect("plain fields").len() as u64
    }

    /// What is told of it in lists; the bytes are those of its file.
    pub fn summary(&self, bytes: u64, encrypted: bool) -> SnapshotSummary {
        SnapshotSummary {
            id: self.id.clone(),
            agent: self.agent.clone(),
            name: self.name.clone(),
            created_at: self.created_at,
            bytes,
            working_entries: self.working.len(),
            window_items: self.window.items().len(),
            long_term_memories: self.long_term.as_ref().map(Vec::len),
            made_in_micros: self.made_in_micros,
            encrypted,
        }
    }
}
