//! Checking: every line of every log and archive, and the index against them.

mod put_away;
mod sealed;

use rusqlite::Connection;
use rusqlite::types::Value;

use super::LocalStore;
use super::fresh::everything_bad;
use super::index::generation::Generation;
use super::index::position::unsigned;
use super::lost::is_trace;
use super::search;
use crate::error::{Code, Error, Result};
use crate::memory::Space;
use crate::store::{Progress, Verification, VerifyProblem};

/// What two indexes over the same logs agree on; row numbers are each one's own.
const CONTENT: [(&str, &str); 9] = [
    (
        "memories",
        "SELECT m.id, l.space, m.kind, m.author, m.created, m.importance, m.confidence, m.pinned, m.open,
                m.handle_kind, m.handle_number, m.version, m.offset, m.length, m.number, m.sum, m.first_offset,
                m.first_length, m.access_count, m.last_access, m.forgotten, m.sealed, m.preference_key, m.replaced
         FROM memories m JOIN logs l ON l.n = m.log ORDER BY m.id",
    ),
    ("tags", "SELECT m.id, t.tag FROM all_tags t JOIN memories m ON m.n = t.n JOIN logs l ON l.n = m.log ORDER BY 1, 2"),
    ("links", "SELECT m.id, k.rel, k.target FROM all_links k JOIN memories m ON m.n = k.n JOIN logs l ON l.n = m.log ORDER BY 1, 2, 3"),
    ("metadata", "SELECT m.id, d.key, d.value FROM all_metadata d JOIN memories m ON m.n = d.n JOIN logs l ON l.n = m.log ORDER BY 1, 2"),
    (
        "handles",
        "SELECT m.id, h.kind, h.number, l.space FROM all_handles h JOIN memories m ON m.n = h.n JOIN logs l ON l.n = h.log
         ORDER BY 1, 2, 3",
    ),
    ("changes", "SELECT m.id, c.offset, c.length FROM changes c JOIN memories m ON m.n = c.n JOIN logs l ON l.n = m.log ORDER BY 1, 2"),
    (
        "tallies",
        "SELECT l.space, t.kind, t.author, sum(t.count), max(t.last) FROM all_tallies t JOIN logs l ON l.n = t.log
         GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
    ),
    (
        "sessions",
        "SELECT s.id, s.details, s.created, s.detailed, l.recorded, l.records
         FROM sessions s JOIN logs l ON l.n = s.log ORDER BY 1",
    ),
    (
        "archives",
        "SELECT s.source, s.session, s.trashed, s.lines, s.broken, i.id
         FROM shelves s LEFT JOIN all_shelved i ON i.shelf = s.n WHERE s.broken IS NULL ORDER BY 1, 6",
    ),
];

impl LocalStore {
    /// Checks everything; the store stays in use meanwhile.
    pub(super) fn verify_everything(
        &self,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Verification> {
        self.refuse_after_fork()?;
        let fresh = self.fresh_index(progress)?;
        let mut found = Verification::default();
        self.note_tails(&fresh, &mut found)?;
        for bad in everything_bad(&fresh)? {
            found.problems.push(VerifyProblem {
                space: bad.space.to_string(),
                line: Some(bad.number),
                code: Code::StorageCorrupt,
                message: bad.message,
            });
        }
        let unreadable = self.unreadable_logs()?;
        for (space, error) in &unreadable {
            found.problems.push(VerifyProblem {
                space: space.to_string(),
                line: None,
                code: Code::StorageIo,
                message: error.to_string(),
            });
        }
        self.verify_what_is_put_away(&mut found)?;
        if let Some(reason) = self.poisoned()? {
            found.problems.push(VerifyProblem {
                space: "store".into(),
                line: None,
                code: Code::StorageIo,
                message: format!(
                    "writing is stopped after a failed sync ({reason}); run `mnemon repair`"
                ),
            });
        }
        self.find_altered(&fresh, &mut found)?;
        if unreadable.is_empty() {
            self.compare_index(&fresh, &mut found)?;
        } else {
            let note = "the index was not compared with the logs, because some can't be read";
            found.notes.push(note.into());
        }
        // Last: the index in use may just have noticed that a log is gone.
        self.find_lost_logs(&mut found)?;
        Ok(found)
    }

    /// Logs that are there but can't be read, and why.
    pub(super) fn unreadable_logs(&self) -> Result<Vec<(Space, Error)>> {
        let mut unreadable = Vec::new();
        for space in self.spaces()? {
            let path = self.layout.log(&space);
            let mut byte = [0];
            let read = self
                .disk
                .open_read(&path)
                .and_then(|file| file.read_at(&mut byte, 0));
            match read {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    unreadable.push((space, Error::io("read", path)(error)));
                }
                _ => {}
            }
        }
        Ok(unreadable)
    }

    fn note_tails(&self, fresh: &Generation, found: &mut Verification) -> Result<()> {
        let connection = fresh.borrow()?;
        let rows = || -> rusqlite::Result<Vec<(String, u64, u64)>> {
            connection
                .prepare("SELECT space, records, tail_length FROM logs ORDER BY space")?
                .query_map([], |row| {
                    Ok((row.get(0)?, unsigned(row.get(1)?), unsigned(row.get(2)?)))
                })?
                .collect()
        };
        for (space, records, tail_length) in rows().map_err(Error::index("index"))? {
            found.checked += records;
            if tail_length > 0 {
                found.notes.push(format!(
                    "{space}: {tail_length} bytes at the end of the log were never committed; the next write sets them aside"
                ));
            }
        }
        let set_aside = self
            .disk
            .list(&self.layout.quarantine())
            .map_err(Error::io("read", self.layout.quarantine()))?;
        if self.has_unfinished_erasure()? {
            let note = "an erasure was cut short; `mnemon repair` finishes it";
            found.notes.push(note.into());
        }
        let pieces = set_aside.iter().filter(|name| !is_trace(name)).count();
        if pieces > 0 {
            found.notes.push(format!(
                "{pieces} pieces of logs were set aside in quarantine/"
            ));
        }
        Ok(())
    }

    /// Compares the index in use with the fresh one, both at the same moment.
    fn compare_index(&self, fresh: &Generation, found: &mut Verification) -> Result<()> {
        let Ok(Some(mut held)) = self.lock.try_acquire("verify") else {
            found.notes.push("the index was not compared with the logs: somebody is writing, or the folder is read-only".into());
            return Ok(());
        };
        let generation = match self.index_for_writing(&mut held) {
            Ok(generation) => generation,
            Err(error) => {
                found
                    .notes
                    .push(format!("the index was not compared with the logs: {error}"));
                return Ok(());
            }
        };
        let theirs = generation.borrow()?;
        let ours = fresh.borrow()?;
        for connection in [&theirs, &ours] {
            let stale = self.stale_files(connection)?;
            self.catch_up(connection, &stale)?;
        }
        // From here on both see this moment, and writers may go on.
        theirs
            .execute_batch("BEGIN; SELECT count(*) FROM logs;")
            .map_err(Error::index("index"))?;
        drop(held);
        for (what, sql) in CONTENT {
            if let Some(difference) =
                first_difference(&ours, &theirs, sql).map_err(Error::index("index"))?
            {
                found.problems.push(VerifyProblem {
                    space: "index".into(),
                    line: None,
                    code: Code::StorageCorrupt,
                    message: format!("{what} in the index differ from the logs ({difference}); run `mnemon reindex`"),
                });
            }
        }
        let searchable = search::first_wrong(&theirs, &generation.vectors, generation.path())?;
        if let Some(id) = searchable {
            found.problems.push(VerifyProblem {
                space: "index".into(),
                line: None,
                code: Code::StorageCorrupt,
                message: format!(
                    "search differs from the logs (first at {id}); run `mnemon reindex`"
                ),
            });
        }
        theirs
            .execute_batch("COMMIT")
            .map_err(Error::index("index"))
    }
}

/// The first row in which two answers differ.
fn first_difference(
    ours: &Connection,
    theirs: &Connection,
    sql: &str,
) -> rusqlite::Result<Option<String>> {
    let (mut our_statement, mut their_statement) = (ours.prepare(sql)?, theirs.prepare(sql)?);
    let columns = our_statement.column_count();
    let (mut our_rows, mut their_rows) = (our_statement.query([])?, their_statement.query([])?);
    let read = |row: Option<&rusqlite::Row<'_>>| -> rusqlite::Result<Option<Vec<Value>>> {
        row.map(|row| (0..columns).map(|column| row.get(column)).collect())
            .transpose()
    };
    loop {
        let (our_row, their_row) = (read(our_rows.next()?)?, read(their_rows.next()?)?);
        if our_row != their_row {
            let name = our_row.or(their_row).and_then(|row| row.into_iter().next());
            return Ok(Some(match name {
                Some(Value::Text(name)) => format!("first at {name}"),
                _ => "unnamed".into(),
            }));
        }
        if our_row.is_none() {
            return Ok(None);
        }
    }
}

/// How many sound records an index was made from.
pub(super) fn count_records(fresh: &Generation) -> Result<u64> {
    let connection = fresh.borrow()?;
    connection
        .query_row("SELECT coalesce(sum(records), 0) FROM logs", [], |row| {
            Ok(unsigned(row.get(0)?))
        })
        .map_err(Error::index("index"))
}
