//! What is done again and again, and when it was last done.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::time::Time;

/// Something that is done again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Job {
    /// Memories are forgotten whose retention is over.
    Retention,
    /// What was deleted and is past recovery is removed.
    Purge,
    /// Sessions that nobody uses are archived.
    Archive,
    /// The index is put in order.
    Index,
    /// Snapshots are taken whose time has come.
    Snapshots,
    /// The store is backed up.
    Backup,
}

impl Job {
    /// In the order in which they are done: what is forgotten or removed need not be archived,
    /// and a back-up is of what is left.
    pub const ALL: [Self; 6] = [
        Self::Retention,
        Self::Purge,
        Self::Archive,
        Self::Index,
        Self::Snapshots,
        Self::Backup,
    ];
}

/// When each job was last done completely.
pub type JobTimes = BTreeMap<Job, Time>;

/// What was put in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tended {
    /// What crashes and other versions had left, and is gone.
    pub removed: Vec<PathBuf>,
    /// Bytes of all that is derived, before and after.
    pub bytes_before: u64,
    /// See there.
    pub bytes_after: u64,
}
