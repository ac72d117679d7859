//! The rows of facts as the index keeps them, in chunks with a check: a chunk
//! is longer than a page, and SQLite notices no change in what lies beyond one.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, Row, ffi, params};

use super::facts::{CHUNK_ROWS, ROW_BYTES};
use super::row_sum::row_sum;

/// Bytes of a chunk.
pub(super) const CHUNK_BYTES: usize = CHUNK_ROWS as usize * ROW_BYTES;

/// The rows of one chunk, if there are any.
pub(super) fn of_chunk(connection: &Connection, number: u32) -> rusqlite::Result<Option<Vec<u8>>> {
    let chunk = connection
        .prepare_cached("SELECT chunk, rows, sum FROM facts WHERE chunk = ?1")?
        .query_row([number], sound)
        .optional()?;
    Ok(chunk.map(|(_, rows)| rows))
}

/// The chunks that were written after a fill, with their numbers.
pub(super) fn since(connection: &Connection, stamp: i64) -> rusqlite::Result<Vec<(u32, Vec<u8>)>> {
    connection
        .prepare_cached("SELECT chunk, rows, sum FROM facts WHERE stamp > ?1")?
        .query_map([stamp], sound)?
        .collect()
}

pub(super) fn write(
    connection: &Connection,
    stamp: i64,
    chunks: &BTreeMap<u32, Vec<u8>>,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT OR REPLACE INTO facts (chunk, stamp, sum, rows) VALUES (?1, ?2, ?3, ?4)",
    )?;
    for (number, rows) in chunks {
        statement.execute(params![number, stamp, row_sum(*number, rows), rows])?;
    }
    Ok(())
}

/// A chunk with its number.
fn sound(row: &Row<'_>) -> rusqlite::Result<(u32, Vec<u8>)> {
    let (number, rows, sum): (u32, Vec<u8>, u32) = (row.get(0)?, row.get(1)?, row.get(2)?);
    if rows.len() == CHUNK_BYTES && row_sum(number, &rows) == sum {
        return Ok((number, rows));
    }
    Err(damaged(format!("chunk {number} of the facts is damaged")))
}

/// As if SQLite had noticed the damage itself: the index is made anew.
pub(super) fn damaged(message: String) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_CORRUPT), Some(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_byte_is_noticed_wherever_it_is() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(super::super::OWN_TABLES).unwrap();
        let rows: Vec<u8> = (0..=250).cycle().take(CHUNK_BYTES).collect();
        write(&connection, 1, &BTreeMap::from([(3, rows.clone())])).unwrap();
        assert_eq!(of_chunk(&connection, 3).unwrap().as_ref(), Some(&rows));
        assert_eq!(of_chunk(&connection, 4).unwrap(), None);
        for place in (0..CHUNK_BYTES).step_by(997) {
            let mut changed = rows.clone();
            changed[place] ^= 1;
            connection
                .execute("UPDATE facts SET rows = ?1", [changed])
                .unwrap();
            assert!(of_chunk(&connection, 3).is_err(), "at {place}");
            assert!(since(&connection, 0).is_err(), "at {place}");
        }
    }
}
