//! Another master key for the same data keys.
//!
//! The steps, each of which may be the last one before a crash: the next key
//! is written beside the key file and synced; the ring is replaced as a whole;
//! the next key takes the place of the old one. Between the last two the key
//! file holds the old key, and [`Ring::unlock`](super::Ring::unlock) finds the
//! next one beside it.

use std::path::{Path, PathBuf};

use super::master::{Master, beside, sync_folder_of};
use crate::error::{Error, Result};

/// Where the next key waits while a key file is being replaced.
pub fn next_to(path: &Path) -> PathBuf {
    beside(path, ".next")
}

/// Writes the next key beside the key file; one that a rotation before this left is used again.
pub fn prepare(path: &Path) -> Result<Master> {
    let next = next_to(path);
    if next.exists() {
        // It may wrap the ring already, so it must not be lost.
        return super::Source::File(next).master(None);
    }
    let master = Master::random();
    master.write(&next)?;
    Ok(master)
}

/// Puts the next key in the place of the old one.
pub fn finish(path: &Path) -> Result<()> {
    let next = next_to(path);
    std::fs::rename(&next, path).map_err(Error::io("rename", &next))?;
    sync_folder_of(path)
}
