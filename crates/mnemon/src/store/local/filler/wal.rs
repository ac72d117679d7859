//! Emptying SQLite's write-ahead log: its pages move into the index file.
//!
//! Only a log that is empty begins anew, so the last pages are moved while
//! nobody writes.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::store::local::LocalStore;
use crate::store::local::index::generation::Generation;

/// SQLite's write-ahead log is emptied after so many new pages: eight megabytes.
const WAL_PAGES: u32 = 2048;

/// While writers go on, emptying the log leaves what they wrote meanwhile; so few pages are
/// worth to let them wait.
const LEFT_PAGES: i64 = 64;

/// So often it is emptied beside the writers before they have to wait.
const EMPTYING_MAX: u32 = 4;

impl LocalStore {
    /// Empties it if it is long: beside the writers, and at last with the lock.
    pub(super) fn empty_wal_if_long(&self, generation: &Arc<Generation>) -> Result<()> {
        if !is_long(generation) {
            return Ok(());
        }
        for _ in 0..EMPTYING_MAX {
            if empty(generation)? <= LEFT_PAGES {
                break;
            }
        }
        let _held = self.lock.acquire("empty the index's write-ahead log")?;
        empty(generation)?;
        Ok(())
    }
}

/// Whether it has got many pages since it was last emptied.
pub(super) fn is_long(generation: &Generation) -> bool {
    generation.wal.new_pages() >= WAL_PAGES
}

/// Moves pages into the index file, as far as nobody is busy with them; how many are left.
pub(super) fn empty(generation: &Generation) -> Result<i64> {
    let connection = generation.borrow_beside()?;
    let (pages, moved): (i64, i64) = connection
        .query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| {
            Ok((row.get(1)?, row.get(2)?))
        })
        .map_err(Error::index("index"))?;
    generation.wal.emptied(u32::try_from(pages).unwrap_or(0));
    Ok(pages - moved)
}
