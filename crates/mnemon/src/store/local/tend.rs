//! Putting in order what is derived, and knowing when that was last done.

use super::LocalStore;
use super::index::generation;
use super::whole_file;
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
        self.with_sound_index(&mut held, |connection| {
            // Readers who are still busy keep some of it; that is no failure.
            connection
                .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
                .and_then(|()| connection.execute_batch("PRAGMA optimize"))
                .map_err(Error::index("index"))
        })?;
        Ok(Tended {
            removed,
            bytes_before,
            bytes_after: generation::bytes(&folder),
        })
    }

    /// False if there is nothing more to merge.
    fn merge_a_piece(&self) -> Result<bool> {
        let mut held = self.lock.acquire("merge what can be searched")?;
        self.with_sound_index(&mut held, |connection| {
            super::search::merge(connection, MERGED_PAGES).map_err(Error::index("index"))
        })
    }

    /// When each job was last done; what can't be read was never done.
    pub(super) fn read_job_times(&self) -> Result<JobTimes> {
        let bytes = whole_file::read(&*self.disk, &self.layout.maintenance())?;
        Ok(bytes
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default())
    }

    pub(super) fn write_job_times(&self, times: &JobTimes) -> Result<()> {
        let bytes = serde_json::to_vec(times).expect("plain fields");
        whole_file::replace(&*self.disk, &self.layout.maintenance(), &bytes)
    }
}
