//! Putting in order what is derived, and knowing when that was last done.

use std::io;

use super::LocalStore;
use super::index::generation;
use crate::error::{Error, Result};
use crate::store::{JobTimes, Tended};

/// Full-text segments are merged in pieces of so many pages, so that others can write in between.
const MERGED_PAGES: u32 = 500;

/// After so many pieces the rest waits for the next time.
const PIECES_MAX: u32 = 200;

impl LocalStore {
    /// Removes what crashes left, merges what many small writes left in the
    /// full-text table, and empties the write-ahead log.
    pub(super) fn put_in_order(&self) -> Result<Tended> {
        self.refuse_after_fork()?;
        let folder = self.layout.index();
        let bytes_before = generation::bytes(&folder);
        let removed = self.tidy_everything()?;
        for _ in 0..PIECES_MAX {
            if !self.merge_a_piece()? {
                break;
            }
        }
        let mut held = self.lock.acquire("put the index in order")?;
        let generation = self.index_for_writing(&mut held)?;
        let connection = generation.borrow()?;
        // Readers who are still busy keep some of it; that is no failure.
        connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            .and_then(|()| connection.execute_batch("PRAGMA optimize"))
            .map_err(Error::index(generation.path()))?;
        Ok(Tended {
            removed,
            bytes_before,
            bytes_after: generation::bytes(&folder),
        })
    }

    /// False if there is nothing more to merge.
    fn merge_a_piece(&self) -> Result<bool> {
        let mut held = self.lock.acquire("merge what can be searched")?;
        let generation = self.index_for_writing(&mut held)?;
        let connection = generation.borrow()?;
        super::search::merge(&connection, MERGED_PAGES).map_err(Error::index(generation.path()))
    }

    /// When each job was last done; what can't be read was never done.
    pub(super) fn read_job_times(&self) -> Result<JobTimes> {
        let path = self.layout.maintenance();
        match std::fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(JobTimes::new()),
            Err(error) => Err(Error::io("read", &path)(error)),
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).unwrap_or_default()),
        }
    }

    /// Under its name only once it is whole; if a power cut takes it, something is done once more.
    pub(super) fn write_job_times(&self, times: &JobTimes) -> Result<()> {
        let path = self.layout.maintenance();
        let unique = super::unique(super::wall_micros());
        let next = self
            .layout
            .root()
            .join(format!("maintenance.json.{unique}"));
        let bytes = serde_json::to_vec(times).expect("plain fields");
        let file = self
            .disk
            .create(&next)
            .map_err(Error::io("create", &next))?;
        file.write_at(&bytes, 0)
            .and_then(|()| self.disk.rename(&next, &path))
            .map_err(Error::io("write", &path))
    }
}
