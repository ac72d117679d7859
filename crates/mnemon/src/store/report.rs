//! What verifying, repairing, rebuilding and counting have to say.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::error::Code;
use crate::memory::{Kind, Space};

/// How far a long job has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes done.
    pub done: u64,
    /// Bytes in all.
    pub total: u64,
}

/// What a check of everything found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verification {
    /// How many records were checked.
    pub checked: u64,
    /// What is wrong.
    pub problems: Vec<VerifyProblem>,
    /// What is worth knowing but not wrong.
    pub notes: Vec<String>,
}

impl Verification {
    /// Whether nothing is wrong.
    pub fn is_ok(&self) -> bool {
        self.problems.is_empty()
    }
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct VerifyProblem {
    /// Where.
    pub space: String,
    /// The line of its log, if it is about one; the first is 1.
    pub line: Option<u64>,
    /// What sort of problem.
    pub code: Code,
    /// What it is, in a sentence.
    pub message: String,
}

/// How to repair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RepairOptions {
    /// Take lines that were edited by hand as the new truth.
    pub accept_edits: bool,
}

/// What a repair did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Repair {
    /// How many records are sound.
    pub checked: u64,
    /// Lines that were set aside.
    pub quarantined: Vec<Quarantined>,
    /// Edited lines that are the truth now, as `space:line`.
    pub accepted: Vec<String>,
    /// Logs that were written anew.
    pub rewritten: Vec<Space>,
    /// Logs that are not there any more, and without which the store goes on.
    pub gone: Vec<GoneLog>,
    /// Whether writing had been stopped and is possible again.
    pub unpoisoned: bool,
    /// What crashes had left of archives and deletions, and is gone now.
    pub removed: Vec<PathBuf>,
}

/// A piece of a log that was set aside.
#[derive(Clone, Debug, PartialEq)]
pub struct Quarantined {
    /// From which log.
    pub space: Space,
    /// From which line; the first is 1.
    pub line: u64,
    /// How many bytes.
    pub bytes: u64,
    /// What was wrong with it.
    pub problem: String,
    /// Where it is now.
    pub file: PathBuf,
}

/// A log that somebody took away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoneLog {
    /// Which.
    pub space: Space,
    /// How many memories it had, forgotten ones included.
    pub memories: u64,
}

/// What a rebuild of the index did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reindexed {
    /// How many logs were read.
    pub logs: u64,
    /// How many memories are in the index now.
    pub memories: u64,
    /// How many bytes were read.
    pub bytes: u64,
}

/// Counts and sizes of a store.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats {
    /// Memories that are not forgotten.
    pub memories: u64,
    /// Memories that are forgotten and can be brought back.
    pub forgotten: u64,
    /// By kind, without the forgotten ones.
    pub by_kind: BTreeMap<Kind, u64>,
    /// By space, in the order of their names.
    pub spaces: Vec<SpaceStats>,
    /// Bytes of all logs.
    pub log_bytes: u64,
    /// Bytes of what is derived.
    pub index_bytes: u64,
    /// Damaged lines in all logs.
    pub damaged_lines: u64,
    /// Sessions that are archived.
    pub archived_sessions: u64,
    /// Bytes of compressed archives.
    pub archive_bytes: u64,
    /// Sessions in the trash.
    pub deleted_sessions: u64,
    /// Bytes of the trash.
    pub trash_bytes: u64,
    /// Memories that are sealed, forgotten ones included.
    pub sealed: u64,
}

/// Counts and sizes of one space.
#[derive(Clone, Debug, PartialEq)]
pub struct SpaceStats {
    /// Which.
    pub space: Space,
    /// Memories that are not forgotten.
    pub memories: u64,
    /// Bytes of its log.
    pub log_bytes: u64,
    /// Damaged lines in its log.
    pub damaged_lines: u64,
}
