//! Batches: what is written together, in one space.

use crate::memory::{Draft, Handle, Limits, MemoryId, Revision, Space};
use crate::session::SessionDetails;
use crate::time::Time;

/// Writes to one space that are kept together or not at all.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Where all of it happens.
    pub space: Space,
    /// Who asks.
    pub by: String,
    /// What time it is; the store makes sure that recorded times grow.
    pub now: Time,
    /// The writes, in order; later ones see what earlier ones did.
    pub writes: Vec<Write>,
    /// How large an entry may be.
    pub limits: Limits,
    /// How many bytes the space may have, if it is bounded.
    pub quota_bytes: Option<u64>,
    /// What to do when the disk is full.
    pub on_full: OnFull,
}

/// What to do when the file system can't take a write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnFull {
    /// Try again a few times, then fail.
    #[default]
    Refuse,
    /// Hold it in memory, say that it is not durable, and write it with a later
    /// write or [`flush`](crate::store::Store::flush). Only so much is held.
    Buffer,
}

/// One write.
#[derive(Clone, Debug)]
pub enum Write {
    /// Opens the space's session; refused if it exists.
    CreateSession(SessionDetails),
    /// Sets the session's details.
    ChangeSession(SessionDetails),
    /// Keeps a memory under this id.
    Add {
        /// Its id: the draft's own, or a new one.
        id: MemoryId,
        /// What to keep.
        draft: Box<Draft>,
    },
    /// Changes a memory.
    Revise {
        /// Which.
        id: MemoryId,
        /// The version that the caller has seen, if it wants to be sure.
        expected: Option<u64>,
        /// The wish.
        revision: Box<Revision>,
    },
    /// Hides a memory until it is restored or purged.
    Forget {
        /// Which.
        id: MemoryId,
        /// Why.
        reason: String,
        /// Until when it can be brought back.
        recover_until: Time,
        /// When and by whom, if that was before it came into this store.
        earlier: Option<Earlier>,
    },
    /// Brings a forgotten memory back.
    Restore {
        /// Which.
        id: MemoryId,
        /// Why.
        reason: String,
    },
    /// Counts that a memory was asked for.
    Access {
        /// Which.
        id: MemoryId,
        /// How often, more than before.
        count: u64,
        /// When last.
        last: Time,
    },
}

/// When and by whom something was done elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Earlier {
    /// When.
    pub at: Time,
    /// By whom.
    pub by: String,
}

impl Batch {
    /// How many memories it brings that don't say when they came into being.
    pub(crate) fn untimed(&self) -> u32 {
        let untimed = |write: &&Write| matches!(write, Write::Add { draft, .. } if draft.created_at.is_none());
        let count = self.writes.iter().filter(untimed).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    }
}

impl Write {
    /// Whether it makes the space larger in a way that a quota is there to bound.
    pub fn grows(&self) -> bool {
        matches!(self, Self::Add { .. } | Self::Revise { .. })
    }
}

/// What became of a batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Receipt {
    /// One for each write, in order.
    pub outcomes: Vec<Outcome>,
    /// False only while a batch waits in memory, or as the durability setting allows.
    pub durable: bool,
    /// How large the space was before, and is now; none if that is not known yet.
    pub grown: Option<Grown>,
}

/// How a space grew by a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grown {
    /// Its bytes before.
    pub from_bytes: u64,
    /// Its bytes after.
    pub to_bytes: u64,
}

/// What became of one write.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The memory, unless the write was about the session.
    pub id: Option<MemoryId>,
    /// Its short name in its session.
    pub handle: Option<Handle>,
    /// The version that it has now.
    pub version: u64,
    /// False if all was so already.
    pub changed: bool,
}
