//! Writing: the way of a batch from its caller to the disk.
//!
//! Threads that write at the same time are served together ([`queue`]): one of
//! them appends for all, under one hold of the lock and in one index
//! transaction ([`group`]), to each log where it ends ([`appending`]); then
//! everybody shares the sync.
//!
//! Invariant: a caller is told "kept" only when the log is synced up to its
//! lines, and those lines are in the log that has the name now.

mod appending;
mod group;
mod queue;

use std::sync::Arc;
use std::time::Duration;

use super::LocalStore;
use super::disk::{DiskFile, Stat};
use super::index;
use super::log::line::{self, Checksum};
use super::sync::Ticket;
use crate::config::Durability;
use crate::error::{Error, Result};
use crate::memory::Space;
use crate::session::SessionDeed;
use crate::store::{Batch, OnFull, Receipt};
pub(super) use queue::Queue;

/// So often somebody else may archive a session again that was opened for a batch.
const OPENED_MAX: u32 = 100;

/// A batch that is in the log and in the index, but maybe not on the disk.
#[derive(Debug)]
pub(super) struct Appended {
    pub(super) receipt: Receipt,
    /// None if its log is empty.
    pub(super) proof: Option<Proof>,
    /// How many batches were appended together.
    pub(super) together: usize,
}

/// How to find out whether appended lines are safe.
#[derive(Clone, Debug)]
pub(super) struct Proof {
    ticket: Ticket,
    stat: Stat,
    /// The checksum of the last line.
    checksum: Checksum,
    refers_to: Vec<Space>,
    /// Whether the log had its name still after the sync, if whoever led looked for the others.
    is_in_place: bool,
}

impl LocalStore {
    /// Commits, and tries again for a while if the disk can't take it.
    pub(super) fn commit_with_retries(&self, batch: Batch) -> Result<Receipt> {
        let batch = Arc::new(batch);
        let mut pause = Duration::from_millis(self.options.retry_backoff_ms);
        if self.anything_waits()
            && self.write_what_waits().is_err()
            && batch.on_full == OnFull::Buffer
        {
            // Order matters: what came before could not be written either.
            let source = std::io::Error::from(std::io::ErrorKind::StorageFull);
            let full = Error::io("append to", self.layout.log(&batch.space))(source);
            return self.hold(batch, full);
        }
        let mut attempt = 1;
        loop {
            match self.commit_once(&batch) {
                Err(error) if is_transient(&error) => {
                    if attempt >= self.options.write_attempts {
                        return match batch.on_full {
                            OnFull::Buffer => self.hold(batch, error),
                            OnFull::Refuse => Err(error),
                        };
                    }
                    attempt += 1;
                    std::thread::sleep(pause);
                    pause *= 2;
                }
                answer => return answer,
            }
        }
    }

    /// Appends, makes durable, and makes sure that the log was not replaced meanwhile.
    pub(super) fn commit_once(&self, batch: &Arc<Batch>) -> Result<Receipt> {
        if let Some(receipt) = self.commit_by_post(batch) {
            return Ok(receipt);
        }
        let mut opened = 0;
        loop {
            let appended = match self.append_in_turn(batch) {
                Err(Error::SessionArchived { source: None, .. }) if opened < OPENED_MAX => {
                    self.open_for(batch)?;
                    opened += 1;
                    continue;
                }
                appended => appended?,
            };
            let Some(proof) = appended.proof else {
                return Ok(appended.receipt);
            };
            let receipt = Receipt {
                durable: self.make_durable(&batch.space, &proof)?,
                ..appended.receipt
            };
            if self.is_still_there(&batch.space, &proof)? {
                return Ok(receipt);
            }
            // An editor saved its own copy over the log: keep it there too.
        }
    }

    /// Whoever writes to an archived session has it opened.
    fn open_for(&self, batch: &Batch) -> Result<()> {
        let Some(session) = batch.space.session() else {
            return Ok(());
        };
        self.restore_session(&SessionDeed {
            session: session.clone(),
            by: batch.by.clone(),
            reason: "it was written to".into(),
            at: batch.now,
        })?;
        Ok(())
    }

    /// Waits for the disk as the settings say; true if the lines are on it.
    pub(super) fn make_durable(&self, space: &Space, proof: &Proof) -> Result<bool> {
        if !self.wait_for_disk(space, proof)? {
            return Ok(false);
        }
        for other in &proof.refers_to {
            self.sync_referred(other)?;
        }
        Ok(true)
    }

    /// As [`Self::make_durable`], but only of the log itself.
    fn wait_for_disk(&self, space: &Space, proof: &Proof) -> Result<bool> {
        if self.options.durability != Durability::Always {
            return Ok(false);
        }
        self.syncs
            .wait(&proof.ticket)
            .inspect_err(|error| self.stop_writing(&space.to_string(), error))?;
        Ok(true)
    }

    /// Makes a log safe that new lines refer to.
    fn sync_referred(&self, space: &Space) -> Result<()> {
        self.sync_other(space)
            .inspect_err(|error| self.stop_writing(&space.to_string(), error))
    }

    /// Tells every process that the sync of a log failed.
    pub(super) fn stop_writing(&self, log: &str, error: &Error) {
        super::poison::mark(&*self.disk, &self.layout.poisoned(), log.into(), error);
    }

    /// A line that refers to another log counts only once that log is safe up to there.
    fn sync_other(&self, space: &Space) -> Result<()> {
        let path = self.layout.log(space);
        match self.disk.open_read(&path) {
            Ok(file) => {
                // The kernel tells of a failed sync once, and not to whoever opens the file later.
                let stat = file.stat().map_err(Error::io("read", &path))?;
                // So one that is under way here has to be over, and nobody's failure unknown.
                self.syncs.wait_for_file(&stat)?;
                file.sync().map_err(Error::sync(&path))?;
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(Error::io("open", &path)(error)),
        }
        // Whoever made that log may not have synced its name yet.
        for folder in self.layout.folders(space) {
            super::sync::sync_folder(&*self.disk, &folder)?;
        }
        Ok(())
    }

    /// Syncs whatever this process has appended.
    pub(super) fn sync_everything(&self) -> Result<()> {
        self.syncs
            .sync_all()
            .inspect_err(|error| self.stop_writing("a log", error))
    }

    /// Whether the file that was appended to has the log's name now.
    fn is_in_place(&self, space: &Space, proof: &Proof) -> Result<bool> {
        let path = self.layout.log(space);
        let named = self.disk.stat(&path).map_err(Error::io("read", &path))?;
        Ok(named.is_some_and(|named| named.is_same_file(&proof.stat)))
    }

    /// Whether the lines are in the file that has the log's name now.
    pub(super) fn is_still_there(&self, space: &Space, proof: &Proof) -> Result<bool> {
        // Other logs were synced since the look: that is long enough to look once more.
        let is_known = proof.is_in_place && proof.refers_to.is_empty();
        if is_known || self.is_in_place(space, proof)? {
            return Ok(true);
        }
        let path = self.layout.log(space);
        // A rewrite of ours copies every line; only somebody else's loses some.
        let _held = self.lock.acquire("look for a line")?;
        let needle = line::hex(&proof.checksum);
        if let Ok(file) = self.disk.open_read(&path)
            && holds(&*file, &needle).map_err(Error::io("read", &path))?
        {
            return Ok(true);
        }
        // Its session may have been archived or deleted since: then the line is there.
        let sources = match space.session() {
            Some(session) => self.sources_of(session)?,
            None => Vec::new(),
        };
        for source in sources {
            // What can't be read holds nothing that anybody could rely on.
            let found = match self.open_source(&source) {
                Ok(file) => holds(&*file, &needle).unwrap_or(false),
                Err(_) => false,
            };
            if found {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether a file holds these bytes anywhere.
pub(super) fn holds(file: &dyn DiskFile, needle: &[u8]) -> std::io::Result<bool> {
    let mut buffer = vec![0; 1 << 20];
    let mut offset = 0;
    loop {
        let count = file.read_at(&mut buffer, offset)?;
        if line::find(&buffer[..count], needle).is_some() {
            return Ok(true);
        }
        if count < buffer.len() {
            return Ok(false);
        }
        // The bytes may lie across two pieces.
        offset += (count - needle.len()) as u64;
    }
}

/// Whether the same write may succeed a moment later. A failed sync never does.
fn is_transient(error: &Error) -> bool {
    use std::io::ErrorKind;
    match error {
        Error::Full { .. } => true,
        Error::Io { action, source, .. } => {
            *action != "sync"
                && !matches!(
                    source.kind(),
                    ErrorKind::PermissionDenied
                        | ErrorKind::ReadOnlyFilesystem
                        | ErrorKind::NotFound
                        | ErrorKind::NotADirectory
                        | ErrorKind::IsADirectory
                )
        }
        // A damaged index was taken out of use; the next try makes another.
        Error::Index { source, .. } => index::is_unusable(source),
        _ => false,
    }
}
