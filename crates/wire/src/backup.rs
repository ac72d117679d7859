//! Back-ups as they are told of.

use std::path::Path;

use mnemon::Time;
use mnemon::store::{BackedUp, BroughtBack};
use serde::Serialize;

/// What was backed up.
#[derive(Debug, Serialize)]
pub struct BackedUpShape<'a> {
    folder: &'a Path,
    taken_at: Time,
    files: u64,
    bytes: u64,
    lines: u64,
    damage: &'a [String],
}

impl<'a> BackedUpShape<'a> {
    /// The shape of a back-up.
    pub fn of(done: &'a BackedUp) -> Self {
        Self {
            folder: &done.folder,
            taken_at: done.taken_at,
            files: done.files,
            bytes: done.bytes,
            lines: done.lines,
            damage: &done.damage,
        }
    }
}

/// What was brought back.
#[derive(Debug, Serialize)]
pub struct BroughtBackShape<'a> {
    root: &'a Path,
    taken_at: Time,
    files: u64,
    bytes: u64,
    replaced: Option<&'a Path>,
    erased_again: u64,
}

impl<'a> BroughtBackShape<'a> {
    /// The shape of what came back.
    pub fn of(done: &'a BroughtBack) -> Self {
        Self {
            root: &done.root,
            taken_at: done.taken_at,
            files: done.files,
            bytes: done.bytes,
            replaced: done.replaced.as_deref(),
            erased_again: done.erased_again,
        }
    }
}
