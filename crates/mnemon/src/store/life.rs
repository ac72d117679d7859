//! What is done to whole sessions, beyond what is written in them.

use crate::memory::{Draft, Limits, MemoryId, SessionId};
use crate::session::SessionDeed;

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
