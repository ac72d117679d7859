//! Putting in order what is derived, and knowing when that was last done.

use rusqlite::Connection;

use super::LocalStore;
use super::index::{self, generation};
use super::lock::Held;
use super::search;
use super::whole_file;
use crate::error::{Error, Result};
use crate::store::{JobTimes, Tended};

/// How many rows of logs that are gone are swept out at a time, so that others can write in between.
const SWEPT_ROWS: u32 = 4096;

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
        while self.sweep_a_step()? {}
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

    /// False if nothing of a log that is gone is left in the index.
    fn sweep_a_step(&self) -> Result<bool> {
        let mut held = self.lock.acquire("sweep out what is gone")?;
        self.sweep_under(&mut held)
    }

    /// As [`Self::sweep_a_step`], under a lock that is held already.
    fn sweep_under(&self, held: &mut Held<'_>) -> Result<bool> {
        self.change_index(held, |connection| search::sweep(connection, SWEPT_ROWS))
    }

    /// Sweeps out everything that is gone, so that no trace of it is left in the index.
    pub(super) fn sweep_everything(&self, held: &mut Held<'_>) -> Result<()> {
        while self.sweep_under(held)? {}
        self.change_index(held, |connection| {
            search::scrub(connection).map_err(Error::index("index"))
        })
    }

    /// Does something to the index in one transaction.
    fn change_index<T>(
        &self,
        held: &mut Held<'_>,
        change: impl Fn(&Connection) -> Result<T>,
    ) -> Result<T> {
        self.with_sound_index(held, |connection| {
            let index = || Error::index("index");
            connection
                .execute_batch("BEGIN IMMEDIATE")
                .map_err(index())?;
            let answer = change(connection).inspect_err(|_| {
                let _ = connection.execute_batch("ROLLBACK");
            })?;
            index::commit(connection).map_err(index())?;
            Ok(answer)
        })
    }

    /// False if there is nothing more to merge.
    fn merge_a_piece(&self) -> Result<bool> {
        let mut held = self.lock.acquire("merge what can be searched")?;
        self.change_index(&mut held, |connection| {
            search::merge_a_piece(connection).map_err(Error::index("index"))
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
