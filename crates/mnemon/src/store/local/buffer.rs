//! Batches that wait in memory while the disk is full, for callers that asked for it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::LocalStore;
use crate::error::{Error, Result};
use crate::store::{Batch, Outcome, Receipt, Write};

/// Batches in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Buffer(Mutex<VecDeque<Arc<Batch>>>);

impl LocalStore {
    /// Holds a batch that the disk could not take, if there is room; else the error stands.
    pub(super) fn hold(&self, batch: Arc<Batch>, error: Error) -> Result<Receipt> {
        let mut waiting = self
            .waiting
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let held: u64 = waiting.iter().map(|batch| bytes(batch)).sum();
        if held + bytes(&batch) > self.options.buffer_bytes_max {
            return Err(error);
        }
        let outcomes = batch.writes.iter().map(expected_outcome).collect();
        waiting.push_back(batch);
        Ok(Receipt {
            outcomes,
            durable: false,
            grown: None,
        })
    }

    /// Whether anything waits.
    pub(super) fn anything_waits(&self) -> bool {
        !self
            .waiting
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_empty()
    }

    /// Writes what waits, in order; what can't be written yet goes on waiting.
    pub(super) fn write_what_waits(&self) -> Result<()> {
        loop {
            let next = self
                .waiting
                .0
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .pop_front();
            let Some(batch) = next else { return Ok(()) };
            match self.commit_once(&batch) {
                Ok(_) => {}
                Err(
                    error @ (Error::Full { .. } | Error::Io { .. } | Error::LockTimeout { .. }),
                ) => {
                    self.waiting
                        .0
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push_front(batch);
                    return Err(error);
                }
                // It can never be written, as when its session was deleted: its
                // caller knew that it was not kept yet.
                Err(error) => return Err(error),
            }
        }
    }
}

/// What the caller can be told before anything is written: no handle, no version.
fn expected_outcome(write: &Write) -> Outcome {
    let id = match write {
        Write::Add { id, .. }
        | Write::Revise { id, .. }
        | Write::Forget { id, .. }
        | Write::Restore { id, .. }
        | Write::Access { id, .. } => Some(id.clone()),
        Write::CreateSession(_) | Write::ChangeSession(_) => None,
    };
    Outcome {
        id,
        handle: None,
        version: 0,
        changed: true,
    }
}

/// About how much memory a batch takes.
fn bytes(batch: &Batch) -> u64 {
    let text = |write: &Write| match write {
        Write::Add { draft, .. } => draft.text.as_str().len() + 512,
        Write::Revise { revision, .. } => {
            revision.text.as_ref().map_or(0, |text| text.as_str().len()) + 512
        }
        _ => 256,
    };
    batch.writes.iter().map(|write| text(write) as u64).sum()
}
