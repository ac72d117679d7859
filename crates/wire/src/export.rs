//! What an export consists of: lines, or one document.

use mnemon::Time;
use mnemon::memory::{Memory, SessionId};
use mnemon::session::{Session, SessionDetails};
use serde::Serialize;

use crate::memory::MemoryShape;

/// A session in an export: what was said about it, without what is counted.
#[derive(Debug, Serialize)]
pub struct SessionLine<'a> {
    op: &'static str,
    id: &'a SessionId,
    created_at: Time,
    details: &'a SessionDetails,
}

impl<'a> SessionLine<'a> {
    /// The line of a session.
    pub fn of(session: &'a Session) -> Self {
        Self {
            op: "session",
            id: &session.id,
            created_at: session.created_at,
            details: &session.details,
        }
    }
}

/// The line of a session in a JSONL export, newline included.
pub fn session_line(session: &Session) -> String {
    line(&SessionLine::of(session))
}

/// The line of a memory in a JSONL export, newline included.
pub fn memory_line(memory: &Memory, future_skew_minutes: u64) -> String {
    line(&MemoryShape::of(memory, future_skew_minutes))
}

fn line(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string(value).expect("text keys and finite numbers");
    text.push('\n');
    text
}

/// An export as one JSON document.
#[derive(Debug, Serialize)]
pub struct ExportDocument<'a> {
    /// The sessions.
    pub sessions: Vec<SessionLine<'a>>,
    /// The memories.
    pub memories: Vec<MemoryShape<'a>>,
}
