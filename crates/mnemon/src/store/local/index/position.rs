//! How far each log has been read, and whether it is still the log that was read.

use rusqlite::{Connection, OptionalExtension, params};

use crate::memory::{Kind, Space};
use crate::store::local::disk::Stat;
use crate::store::local::log::line::Checksum;
use crate::store::local::log::scan::{End, Start};

/// What the index knows about a log.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Position {
    /// The log's number in the index.
    pub(crate) log: i64,
    /// The generation that its header names.
    pub(crate) generation: String,
    /// The file as it was when it was read.
    pub(crate) stat: Stat,
    /// Where it ended.
    pub(crate) end: End,
    /// The last line that counts: where, how long, its checksum.
    pub(crate) last: Option<(u64, u64, Checksum)>,
    /// The latest recorded time.
    pub(crate) recorded_micros: i64,
    /// How many records were read.
    pub(crate) records: u64,
    /// The highest number that any handle of each kind ever had.
    pub(crate) counters: Vec<(Kind, u32)>,
}

/// What the index knows about the log of a space, if anything.
pub(crate) fn get(connection: &Connection, space: &Space) -> rusqlite::Result<Option<Position>> {
    connection
        .prepare_cached(
            "SELECT n, generation, device, inode, size, modified, solid_offset, solid_number, newline_missing,
                    tail_length, tail_uncommitted, last_offset, last_length, last_sum, recorded, records, counters
             FROM logs WHERE space = ?1",
        )?
        .query_row([space.to_string()], from_row)
        .optional()
}

/// Every log that the index knows, by space.
pub(crate) fn all(connection: &Connection) -> rusqlite::Result<Vec<(String, Stat)>> {
    let mut statement = connection
        .prepare_cached("SELECT space, device, inode, size, modified FROM logs ORDER BY space")?;
    let rows = statement.query_map([], |row| {
        let stat = Stat {
            device: unsigned(row.get(1)?),
            inode: unsigned(row.get(2)?),
            size: unsigned(row.get(3)?),
            modified_nanos: row.get(4)?,
        };
        Ok((row.get(0)?, stat))
    })?;
    rows.collect()
}

/// Remembers a position.
pub(crate) fn put(connection: &Connection, position: &Position) -> rusqlite::Result<()> {
    let (last_offset, last_length, last_sum) = position.last.unwrap_or((0, 0, [0; 32]));
    let tail = position.end.tail.as_ref();
    let counters: Vec<_> = position
        .counters
        .iter()
        .map(|(kind, number)| (kind.as_str(), number))
        .collect();
    let counters = serde_json::to_string(&counters).unwrap_or_default();
    connection
        .prepare_cached(
            "UPDATE logs SET generation = ?2, device = ?3, inode = ?4, size = ?5, modified = ?6, solid_offset = ?7,
                    solid_number = ?8, newline_missing = ?9, tail_length = ?10, tail_uncommitted = ?11,
                    last_offset = ?12, last_length = ?13, last_sum = ?14, recorded = ?15, records = ?16, counters = ?17
             WHERE n = ?1",
        )?
        .execute(params![
            position.log,
            position.generation,
            signed(position.stat.device),
            signed(position.stat.inode),
            signed(position.stat.size),
            position.stat.modified_nanos,
            signed(position.end.start.offset),
            signed(position.end.start.number),
            position.end.newline_missing,
            signed(tail.map_or(0, |tail| tail.length)),
            signed(tail.map_or(0, |tail| tail.uncommitted)),
            signed(last_offset),
            signed(last_length),
            &last_sum[..],
            position.recorded_micros,
            signed(position.records),
            counters,
        ])?;
    Ok(())
}

/// Makes a place for a log that the index does not know, as if it were empty.
pub(crate) fn create(connection: &Connection, space: &Space) -> rusqlite::Result<Position> {
    connection
        .prepare_cached(
            "INSERT INTO logs (n, space, generation, device, inode, size, modified, solid_offset, solid_number,
                newline_missing, tail_length, tail_uncommitted, last_offset, last_length, last_sum, recorded, records, counters)
             SELECT 1 + max(coalesce((SELECT max(n) FROM logs), 0), coalesce((SELECT max(log) FROM leaving), 0)),
                ?1, '', 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, x'', 0, 0, '[]'",
        )?
        .execute([space.to_string()])?;
    Ok(Position {
        log: connection.last_insert_rowid(),
        ..Position::of_nothing()
    })
}

impl Position {
    /// Takes note of a handle that is in use.
    pub(crate) fn count(&mut self, kind: Kind, number: u32) {
        match self.counters.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, highest)) => *highest = number.max(*highest),
            None => self.counters.push((kind, number)),
        }
    }

    /// The highest number that any handle of this kind ever had.
    pub(crate) fn counted(&self, kind: Kind) -> Option<u32> {
        let found = self.counters.iter().find(|(known, _)| *known == kind);
        found.map(|(_, highest)| *highest)
    }

    /// Where a log begins that nothing was read from yet.
    pub(crate) fn of_nothing() -> Self {
        Self {
            log: -1,
            generation: String::new(),
            stat: Stat {
                device: 0,
                inode: 0,
                size: 0,
                modified_nanos: 0,
            },
            end: End {
                start: Start::BEGINNING,
                newline_missing: false,
                tail: None,
            },
            last: None,
            recorded_micros: i64::MIN,
            records: 0,
            counters: Vec::new(),
        }
    }
}

fn from_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Position> {
    let tail_length: i64 = row.get(9)?;
    let start = Start {
        offset: unsigned(row.get(6)?),
        number: unsigned(row.get(7)?),
    };
    let sum = row.get_ref(13)?.as_blob()?;
    let counters = row.get_ref(16)?.as_str()?;
    let counters: Vec<(&str, u32)> = serde_json::from_str(counters).unwrap_or_default();
    Ok(Position {
        log: row.get(0)?,
        generation: row.get(1)?,
        stat: Stat {
            device: unsigned(row.get(2)?),
            inode: unsigned(row.get(3)?),
            size: unsigned(row.get(4)?),
            modified_nanos: row.get(5)?,
        },
        end: End {
            start,
            newline_missing: row.get(8)?,
            tail: (tail_length > 0).then_some(crate::store::local::log::scan::Tail {
                offset: start.offset,
                length: unsigned(tail_length),
                uncommitted: unsigned(row.get(10)?),
            }),
        },
        last: match Checksum::try_from(sum) {
            Ok(sum) if row.get::<_, i64>(12)? > 0 => {
                Some((unsigned(row.get(11)?), unsigned(row.get(12)?), sum))
            }
            _ => None,
        },
        recorded_micros: row.get(14)?,
        records: unsigned(row.get(15)?),
        counters: counters
            .into_iter()
            .filter_map(|(kind, number)| Some((kind.parse().ok()?, number)))
            .collect(),
    })
}

/// SQLite's integers are signed; these keep all 64 bits on the way in and out.
pub(crate) fn signed(number: u64) -> i64 {
    number.cast_signed()
}

/// The way back of [`signed`].
pub(crate) fn unsigned(number: i64) -> u64 {
    number.cast_unsigned()
}
