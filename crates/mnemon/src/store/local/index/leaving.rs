//! Leaving: what was read from a log that is gone, row by row, in bounded steps.
//!
//! A log leaves at once: without its row in `logs` nobody sees the memories
//! that were read from it, and `gone` tells search not to count them. Their
//! rows and their places in the trees are swept out by later writes, so that
//! deleting a large session keeps nobody waiting. If the log only moved to the
//! trash, its rows still tell which ids lie there, until they are swept out.
//!
//! Invariant: every row without a log is in `gone`, and no log gets the number
//! of one that has rows left.

use std::sync::LazyLock;

use rusqlite::{Connection, OptionalExtension, params};

use super::by_id::has_id;
use super::position::{signed, unsigned};
use super::shelves;
use super::terms::{SortedTerms, Terms};
use crate::memory::SUPERSEDES;
use crate::store::local::disk::Stat;

pub(super) const TABLES: &str = "
CREATE TABLE leaving (
    log INTEGER PRIMARY KEY, shelf INTEGER,
    device INTEGER NOT NULL, inode INTEGER NOT NULL, size INTEGER NOT NULL, modified INTEGER NOT NULL,
    lines INTEGER NOT NULL, has_damage INTEGER NOT NULL
);
CREATE TABLE gone (n INTEGER PRIMARY KEY);
";

/// Forgets a log; what was read from it is swept out later.
pub(crate) fn leave(connection: &Connection, log: i64) -> rusqlite::Result<()> {
    no_longer_supersede(connection, log)?;
    let mut statement =
        connection.prepare_cached("INSERT INTO gone (n) SELECT n FROM memories WHERE log = ?1")?;
    if statement.execute([log])? > 0 {
        connection.execute(
            "INSERT INTO leaving (log, device, inode, size, modified, lines, has_damage)
             SELECT n, device, inode, size, modified, records, EXISTS (SELECT 1 FROM damage WHERE log = ?1)
             FROM logs WHERE n = ?1",
            [log],
        )?;
    }
    forget_log(connection, log)
}

/// The log that was in this file, and how many lines it had, if all of them were understood.
pub(crate) fn log_in(connection: &Connection, stat: &Stat) -> rusqlite::Result<Option<(i64, u64)>> {
    connection
        .prepare_cached(
            "SELECT log, lines FROM leaving WHERE NOT has_damage
             AND device = ?1 AND inode = ?2 AND size = ?3 AND modified = ?4",
        )?
        .query_row(
            params![
                signed(stat.device),
                signed(stat.inode),
                signed(stat.size),
                stat.modified_nanos
            ],
            |row| Ok((row.get(0)?, unsigned(row.get(1)?))),
        )
        .optional()
}

/// Forgets a log and everything that was read from it.
pub(crate) fn remove(connection: &Connection, log: i64) -> rusqlite::Result<()> {
    no_longer_supersede(connection, log)?;
    connection.execute(
        "INSERT OR IGNORE INTO unsearched (n) SELECT n FROM memories WHERE log = ?1",
        [log],
    )?;
    let rows = Row::read(connection, "m.log = ?1", [log])?;
    remove_rows(connection, &rows)?;
    forget_log(connection, log)?;
    lower_marks(connection)
}

/// The next rows that are to be swept out, up to so many.
pub(crate) fn next_gone(connection: &Connection, limit: u32) -> rusqlite::Result<Vec<u32>> {
    connection
        .prepare_cached("SELECT n FROM gone ORDER BY n LIMIT ?1")?
        .query_map([limit], |row| row.get(0))?
        .collect()
}

/// Sweeps out the rows up to this number that are gone; search has let go of them already.
pub(crate) fn sweep(connection: &Connection, last: u32) -> rusqlite::Result<()> {
    let which = "m.n IN (SELECT n FROM gone WHERE n <= ?1)";
    let rows = Row::read(connection, which, [last])?;
    remove_rows(connection, &rows)?;
    connection.execute("DELETE FROM gone WHERE n <= ?1", [last])?;
    connection.execute(
        "DELETE FROM leaving WHERE NOT EXISTS (SELECT 1 FROM gone)",
        [],
    )?;
    lower_marks(connection)
}

/// Sweeps out one row, so that its id can be given to another; false if it is in use.
pub(super) fn make_way(connection: &Connection, n: i64) -> rusqlite::Result<bool> {
    let was_gone = connection
        .prepare_cached("DELETE FROM gone WHERE n = ?1")?
        .execute([n])?;
    if was_gone == 0 {
        return Ok(false);
    }
    connection
        .prepare_cached("INSERT OR IGNORE INTO unsearched (n) VALUES (?1)")?
        .execute([n])?;
    let rows = Row::read(connection, "m.n = ?1", [n])?;
    remove_rows(connection, &rows)?;
    lower_marks(connection)?;
    Ok(true)
}

fn forget_log(connection: &Connection, log: i64) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM ends WHERE place = ?1", [log])?;
    for table in ["tallies", "sessions", "damage"] {
        connection.execute(&format!("DELETE FROM {table} WHERE log = ?1"), [log])?;
    }
    connection.execute("DELETE FROM logs WHERE n = ?1", [log])?;
    Ok(())
}

/// What other logs hold and one superseded is in force again.
pub(super) static NO_LONGER_SUPERSEDED: LazyLock<String> = LazyLock::new(|| {
    format!(
        "INSERT OR IGNORE INTO unsearched (n)
         SELECT m.n FROM memories s, json_each(s.terms, '$.links') k JOIN memories m ON {}
         WHERE s.log = ?1 AND instr(s.terms, '\"{SUPERSEDES}\"') AND k.value->>1 = '{SUPERSEDES}' AND m.log <> ?1",
        has_id!("(k.value->>0)")
    )
});

fn no_longer_supersede(connection: &Connection, log: i64) -> rusqlite::Result<()> {
    connection
        .prepare_cached(&NO_LONGER_SUPERSEDED)?
        .execute([log])?;
    Ok(())
}

/// Numbers behind the last memory are given out again, so they are new then.
fn lower_marks(connection: &Connection) -> rusqlite::Result<()> {
    for mark in ["search", "filed"] {
        connection
            .prepare_cached(&format!(
                "UPDATE {mark} SET upto = min(upto, coalesce((SELECT max(n) FROM memories), 0))"
            ))?
            .execute([])?;
    }
    Ok(())
}

/// What a row says of its places in the trees.
struct Row {
    n: i64,
    log: i64,
    id: String,
    handle: (Option<i64>, Option<i64>),
    terms: Option<String>,
    /// The shelf that its line lies on, if its log went there.
    shelf: Option<i64>,
}

impl Row {
    fn read<P: rusqlite::Params>(
        connection: &Connection,
        which: &str,
        bound: P,
    ) -> rusqlite::Result<Vec<Self>> {
        let mut statement = connection.prepare_cached(&format!(
            "SELECT m.n, m.log, m.id, m.handle_kind, m.handle_number, m.terms, v.shelf
             FROM memories m LEFT JOIN leaving v ON v.log = m.log WHERE {which}"
        ))?;
        let rows = statement.query_map(bound, |row| {
            Ok(Self {
                n: row.get(0)?,
                log: row.get(1)?,
                id: row.get(2)?,
                handle: (row.get(3)?, row.get(4)?),
                terms: row.get(5)?,
                shelf: row.get(6)?,
            })
        })?;
        rows.collect()
    }
}

fn remove_rows(connection: &Connection, rows: &[Row]) -> rusqlite::Result<()> {
    let terms = rows
        .iter()
        .filter_map(|row| Some((row.n, Terms::read(row.terms.as_deref()?)?)))
        .collect();
    SortedTerms::of(terms).remove(connection)?;
    let mut handle = connection.prepare_cached(
        "DELETE FROM handles WHERE log = ?1 AND kind = ?2 AND number = ?3 AND n = ?4",
    )?;
    let mut changes = connection.prepare_cached("DELETE FROM changes WHERE n = ?1")?;
    let mut memory = connection.prepare_cached("DELETE FROM memories WHERE n = ?1")?;
    for row in rows {
        if let Some(shelf) = row.shelf {
            shelves::note(connection, shelf, &row.id)?;
        }
        if let (Some(kind), Some(number)) = row.handle {
            handle.execute(params![row.log, kind, number, row.n])?;
        }
        changes.execute([row.n])?;
        memory.execute([row.n])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{apply, filing, open_memory, position, read};
    use super::*;
    use crate::memory::{Draft, Handle, Kind, Memory, Reference};
    use crate::store::local::index::position::Position;

    const TABLES_OF_ROWS: [&str; 5] = ["memories", "tags", "handles", "gone", "leaving"];

    fn memory(number: u32, space: &str) -> Memory {
        let mut draft = Draft::new(Kind::Decision, "x".parse().unwrap());
        draft.tags = vec!["a.b".parse().unwrap()];
        let handle = Handle {
            kind: Kind::Decision,
            number,
        };
        let at = crate::Time::from_micros(i64::from(number)).unwrap();
        let id = format!("dec_{number}").parse().unwrap();
        draft.into_memory(id, space.parse().unwrap(), Some(handle), at)
    }

    fn fill(connection: &Connection, space: &str, count: u32) -> Position {
        let mut position = position::create(connection, &space.parse().unwrap()).unwrap();
        for number in 1..=count {
            let place = apply::Place {
                offset: u64::from(number),
                length: 1,
                number: u64::from(number),
                checksum: [u8::try_from(number).unwrap(); 32],
                recorded_at: None,
            };
            apply::memory(connection, &mut position, &place, &memory(number, space)).unwrap();
        }
        position
    }

    fn rows(connection: &Connection) -> [i64; 5] {
        TABLES_OF_ROWS.map(|table| {
            let sql = format!("SELECT count(*) FROM {table}");
            connection.query_row(&sql, [], |row| row.get(0)).unwrap()
        })
    }

    fn owner(connection: &Connection, id: &str) -> Option<String> {
        let reference = Reference::Id(id.parse().unwrap());
        read::find(connection, &reference)
            .unwrap()
            .map(|pointer| pointer.space)
    }

    #[test]
    fn what_leaves_is_unseen_at_once_and_swept_out_in_steps() {
        let connection = open_memory().unwrap();
        let left = fill(&connection, "session/left", 3);
        filing::file(&connection).unwrap();
        assert_eq!(rows(&connection), [3, 3, 3, 0, 0]);
        leave(&connection, left.log).unwrap();
        assert_eq!(owner(&connection, "dec_1"), None);
        assert_eq!(read::stats(&connection).unwrap().memories, 0);
        assert_eq!(rows(&connection), [3, 3, 3, 3, 1]);
        for swept in 1..=3 {
            let next = next_gone(&connection, 1).unwrap();
            sweep(&connection, next[0]).unwrap();
            let rest = 3 - swept;
            assert_eq!(rows(&connection), [rest, rest, rest, rest, rest.min(1)]);
        }
    }

    #[test]
    fn an_id_that_is_leaving_can_be_given_again() {
        let connection = open_memory().unwrap();
        let left = fill(&connection, "session/left", 3);
        filing::file(&connection).unwrap();
        leave(&connection, left.log).unwrap();
        let back = fill(&connection, "session/back", 2);
        assert!(back.log > left.log, "its number is still in use");
        assert_eq!(owner(&connection, "dec_2"), Some("session/back".into()));
        assert_eq!(owner(&connection, "dec_3"), None);
        assert_eq!(rows(&connection)[3..], [1, 1]);
        sweep(&connection, u32::MAX).unwrap();
        assert_eq!(rows(&connection), [2, 0, 0, 0, 0]);
        assert_eq!(read::stats(&connection).unwrap().memories, 2);
    }
}
