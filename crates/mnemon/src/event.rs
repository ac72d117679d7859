//! Events: what happened, for whoever wants to know at once.
//!
//! They carry names and sizes, never content, and are published after what
//! they tell was acknowledged. Each subscriber has a queue of its own that
//! holds so many: when it is full the oldest go, and the subscriber is told how
//! many it missed. Nobody who publishes ever waits.
//!
//! [`Mnemon::subscribe`](crate::Mnemon::subscribe) gives a [`Subscription`].

mod channel;

pub(crate) use channel::{Audience, Bus};
pub use channel::{Received, Subscription};

use serde::Serialize;

use crate::memory::{AgentId, Kind, MemoryId, SessionId, Space};
use crate::time::Time;

/// An event with its number.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Published {
    /// One more than that of the event before; to go on from with `subscribe`.
    pub sequence: u64,
    /// When it was published.
    pub at: Time,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event {
    /// A memory was kept.
    MemoryStored {
        /// Where.
        space: Space,
        /// Which.
        id: MemoryId,
        /// Of which kind.
        kind: Kind,
        /// How much it matters.
        importance: f64,
        /// How many bytes its text has.
        text_bytes: u64,
        /// Whether it was encrypted.
        encrypted: bool,
        /// How long it took to embed it; none if that is done later.
        embedding_micros: Option<u64>,
    },
    /// A memory was asked for by its name.
    MemoryRetrieved {
        /// Where it lives.
        space: Space,
        /// Which.
        id: MemoryId,
        /// Of which kind.
        kind: Kind,
        /// Whether it was decrypted.
        decrypted: bool,
    },
    /// A memory was changed.
    MemoryRevised {
        /// Where it lives.
        space: Space,
        /// Which.
        id: MemoryId,
    },
    /// A memory was hidden, or removed for good.
    MemoryForgotten {
        /// Where it lived, if that is still known.
        space: Option<Space>,
        /// Which.
        id: MemoryId,
        /// Whether it was erased, and can't be brought back.
        permanent: bool,
    },
    /// A memory was brought back.
    MemoryRestored {
        /// Where it lives.
        space: Space,
        /// Which.
        id: MemoryId,
    },
    /// A question was answered.
    SearchCompleted {
        /// The agent that asked; none for the user.
        agent: Option<AgentId>,
        /// How many characters the question had.
        query_chars: u64,
        /// How many hits it got.
        results: u64,
        /// How long it took.
        micros: u64,
    },
    /// A space fills up.
    QuotaWarning {
        /// Which.
        space: Space,
        /// How many bytes it has.
        used_bytes: u64,
        /// How many it may have.
        limit_bytes: u64,
        /// The share of it, in percent.
        percent: u64,
    },
    /// Something became of a session.
    SessionChanged {
        /// Which.
        session: SessionId,
        /// What.
        change: SessionChange,
    },
    /// A snapshot was made.
    SnapshotCreated {
        /// Of which agent.
        agent: AgentId,
        /// Which.
        snapshot: String,
        /// How many bytes it has.
        bytes: u64,
        /// Whether it names long-term memories.
        includes_long_term: bool,
        /// How long it took.
        micros: u64,
    },
    /// A snapshot was written down.
    SnapshotPersisted {
        /// Of which agent.
        agent: AgentId,
        /// Which.
        snapshot: String,
        /// How many bytes it has.
        bytes: u64,
    },
    /// An agent is as it was when a snapshot was made.
    SnapshotRestored {
        /// Which agent.
        agent: AgentId,
        /// Which snapshot.
        snapshot: String,
        /// How many entries of working memory came back.
        working_entries: u64,
        /// How many items of the context window came back.
        context_items: u64,
        /// How long it took.
        micros: u64,
    },
    /// A retention policy was carried out.
    RetentionCompleted {
        /// Of which agent; none if of all.
        agent: Option<AgentId>,
        /// How many entries went.
        entries_deleted: u64,
        /// How many snapshots went.
        snapshots_deleted: u64,
        /// How many bytes there are less.
        bytes_freed: u64,
        /// How long it took.
        micros: u64,
    },
}

/// What can become of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionChange {
    /// It was made.
    Created,
    /// Its details were changed: closed, or opened again.
    Changed,
    /// It was put into use again.
    Activated,
    /// An archive is in its place.
    Archived,
    /// It was opened, or what was compacted came back.
    Restored,
    /// It was put into the trash.
    Deleted,
    /// It was taken out of the trash.
    Undeleted,
    /// It was removed for good.
    Purged,
    /// Some of it was moved to its archive.
    Compacted,
}
