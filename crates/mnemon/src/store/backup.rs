//! Back-ups: a whole store, as it was at one moment, elsewhere.

use std::path::PathBuf;

use crate::time::Time;

/// What was backed up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackedUp {
    /// Where it lies.
    pub folder: PathBuf,
    /// Of which store it is.
    pub store_id: String,
    /// The moment that it shows.
    pub taken_at: Time,
    /// How many files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// How many lines of logs were read and found sound.
    pub lines: u64,
    /// What is damaged in the store itself, and so in its copy: files and lines.
    pub damage: Vec<String>,
}

/// What was brought back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BroughtBack {
    /// Where the store is now.
    pub root: PathBuf,
    /// The moment that it shows.
    pub taken_at: Time,
    /// How many files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Where the store is that was there before.
    pub replaced: Option<PathBuf>,
    /// Memories that had been erased since the back-up, and so were erased again.
    pub erased_again: u64,
}
