//! What is done to whole sessions, beyond what is written in them.

use crate::memory::{Draft, Limits, Memory, MemoryId, SessionId};
use crate::session::SessionDeed;
use crate::store::Away;

/// A session to be archived.
#[derive(Clone, Debug)]
pub struct Archiving {
    /// Which, by whom, when and why.
    pub deed: SessionDeed,
    /// What is found in its place until it is opened again; none if there is nothing to sum up.
    pub summary: Option<(MemoryId, Box<Draft>)>,
    /// How large the summary may be.
    pub limits: Limits,
}

/// Where a memory lies that can't be found because its session is put away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shelved {
    /// The session.
    pub session: SessionId,
    /// Whether the session was deleted; else it is archived.
    pub deleted: bool,
}

/// Where the memory of a name is.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// At hand.
    Here(Box<Memory>),
    /// In a session that is archived, or nowhere, if it is a name in that session.
    Archived(SessionId),
    /// In a session that was deleted, or nowhere, if it is a name in that session.
    Deleted(SessionId),
    /// Compacted away.
    Away(Away),
    /// There is none.
    Nowhere,
}
