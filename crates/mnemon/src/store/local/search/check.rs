//! Whether what is searchable is what the index knows.

use std::path::Path;

use rusqlite::Connection;

use super::chunks::Chunks;
use super::full_text::Segments;
use super::vectors::VectorFile;
use super::{Progress, pending};
use crate::error::{Error, Result};

/// The first memory that search has wrong, if there is one.
pub(in crate::store::local) fn first_wrong(
    connection: &Connection,
    vectors: &VectorFile,
    path: &Path,
) -> Result<Option<String>> {
    let index = || Error::index(path);
    let progress = Progress::read(connection).map_err(index())?;
    if progress.stamp == 0 {
        return Ok(None);
    }
    let unsearched = pending::unsearched(connection).map_err(index())?;
    // Loading compares every vector with its check.
    let loaded = Chunks::default().current(connection, vectors, &progress, &unsearched, path)?;
    let segments = Segments::read(connection, &Segments::default()).map_err(index())?;
    segments.check(connection).map_err(index())?;
    let mut statement = connection
        .prepare(
            "SELECT m.n, m.id, m.sum, m.forgotten IS NOT NULL
             FROM memories m JOIN logs l ON l.n = m.log WHERE m.n <= ?1",
        )
        .map_err(index())?;
    let mut rows = statement.query([progress.upto]).map_err(index())?;
    while let Some(row) = rows.next().map_err(index())? {
        let read = || -> rusqlite::Result<(u32, String, [u8; 32], bool)> {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        };
        let (n, id, sum, forgotten) = read().map_err(index())?;
        if unsearched.contains(n) {
            continue;
        }
        let facts = loaded.facts(n);
        let right = facts.flags.present
            && segments.have(n)
            && facts.version.to_le_bytes() == sum[..8]
            && facts.flags.forgotten == forgotten;
        if !right {
            return Ok(Some(id));
        }
    }
    Ok(None)
}
