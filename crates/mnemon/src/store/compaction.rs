//! Compaction: what leaves a session's log, what stands in its place, and how it comes back.

use crate::memory::{Draft, Handle, Limits, MemoryId, SessionId};
use crate::time::Time;

/// What to take out of a session.
#[derive(Clone, Debug)]
pub struct Compaction {
    /// Which session.
    pub session: SessionId,
    /// Who asks.
    pub by: String,
    /// What time it is; the store makes sure that recorded times grow.
    pub now: Time,
    /// What sort of compaction it is, in a word.
    pub reason: String,
    /// These go to the archive, with all lines about them.
    pub shelve: Vec<MemoryId>,
    /// These were forgotten, are past recovery, and go for good.
    pub purge: Vec<MemoryId>,
    /// These come in.
    pub summaries: Vec<(MemoryId, Box<Draft>)>,
    /// How large an entry may be.
    pub limits: Limits,
}

/// What a compaction came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compacted {
    /// The bytes of the session before.
    pub bytes_before: u64,
    /// The bytes of the session after.
    pub bytes_after: u64,
    /// What this added to the archive, as it is kept.
    pub archive_bytes: u64,
}

/// What to bring back into a session.
#[derive(Clone, Debug)]
pub struct Return {
    /// Which session.
    pub session: SessionId,
    /// Who asks.
    pub by: String,
    /// Why.
    pub reason: String,
    /// When.
    pub at: Time,
    /// Which memories; all that were compacted if none is named.
    pub ids: Option<Vec<MemoryId>>,
    /// Summaries that stand for nothing any more, and go, whatever else comes back.
    pub summaries: Vec<MemoryId>,
}

/// A memory that was compacted away, and can be brought back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Away {
    /// Its id.
    pub id: MemoryId,
    /// Its short name.
    pub handle: Option<Handle>,
    /// In which session's archive it is.
    pub session: SessionId,
    /// Since when, if that is known.
    pub since: Option<Time>,
}
