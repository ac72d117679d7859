//! A fill: what is pending becomes searchable, many memories at a time.
//!
//! One at a time would cost a write more pages than all the rest of it: each
//! transaction gives the full-text table a segment of its own.

use std::collections::{BTreeMap, HashMap};

use rusqlite::{Connection, OptionalExtension};

use super::facts::{CHUNK_ROWS, Facts, ROW_BYTES};
use super::kept_rows::{self, CHUNK_BYTES};
use super::pending::{self, Row, Rows, Sequence};
use super::prepare::{Prepared, Preparer};
use super::vectors::VectorFile;
use super::{Progress, full_text};
use crate::embed::Vector;
use crate::error::{Error, Result};
use crate::store::local::files::LogFiles;
use crate::store::local::index::whole_or_not;

/// How many new memories one round takes.
const ROUND: u32 = 1024;

/// Makes everything pending searchable if enough is; the caller has a transaction open.
///
/// If it fails, the transaction is as before and the memories stay pending:
/// whoever asks looks at them one by one.
pub(in crate::store::local) fn fill_if_due(
    connection: &Connection,
    files: &LogFiles,
    preparer: &Preparer,
    vectors: &VectorFile,
    pending_max: u32,
) -> Result<()> {
    let index = || Error::index("index");
    let pending = count_pending(connection).map_err(index())?;
    preparer.keep_last(pending);
    if pending < pending_max {
        return Ok(());
    }
    whole_or_not(
        connection,
        |error| Error::index("index")(error),
        || fill(connection, files, preparer, vectors),
    )
}

fn count_pending(connection: &Connection) -> rusqlite::Result<u32> {
    connection
        .prepare_cached(
            "SELECT coalesce((SELECT max(n) FROM memories), 0) - upto + (SELECT count(*) FROM unsearched) FROM search",
        )?
        .query_row([], |row| Ok(u32::try_from(row.get::<_, i64>(0)?).unwrap_or(0)))
}

fn fill(
    connection: &Connection,
    files: &LogFiles,
    preparer: &Preparer,
    vectors: &VectorFile,
) -> Result<()> {
    let index = || Error::index("index");
    let embedder = &*preparer.embedder;
    let mut progress = Progress::read(connection).map_err(index())?;
    if progress.stamp == 0 {
        full_text::create(connection).map_err(index())?;
        embedder.id().clone_into(&mut progress.embedder);
        progress.dimension = u32::try_from(embedder.dimension()).unwrap_or(u32::MAX);
    }
    progress.stamp += 1;
    loop {
        let rows = pending::rows(connection, progress.upto, ROUND, Rows::ToFill).map_err(index())?;
        let mut round = Round::new(connection, progress.stamp);
        for n in pending::changed(connection).map_err(index())?.iter() {
            round.take_out(n).map_err(index())?;
        }
        let new = rows.iter().filter(|row| row.n() > progress.upto).count();
        let last = rows.iter().map(Row::n).max();
        for row in &rows {
            let ready = match preparer.take(row.version()) {
                Some(ready) => ready,
                None => match row.pointer.load_as_kept(files) {
                    Ok(memory) => Prepared::of(memory.into(), embedder)?,
                    // A line that can't be read is told of by verify; here it is just not there.
                    Err(_) => continue,
                },
            };
            round
                .put_in(row, &ready, row.n() > progress.upto)
                .map_err(index())?;
            round.vectors.push((row.n(), ready.vector));
        }
        round.vectors.sort_by_key(|(n, _)| *n);
        vectors
            .write(progress.dimension as usize, &round.vectors)
            .map_err(Error::io("write", "the vectors"))?;
        round.write_chunks().map_err(index())?;
        round.sequence.write(connection).map_err(index())?;
        progress.upto = progress.upto.max(last.unwrap_or(0));
        finish(connection, &progress).map_err(index())?;
        if new < ROUND as usize {
            return Ok(());
        }
    }
}

fn finish(connection: &Connection, progress: &Progress) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM unsearched", [])?;
    progress.write(connection)
}

/// One round of a fill.
pub(super) struct Round<'a> {
    connection: &'a Connection,
    stamp: i64,
    chunks: BTreeMap<u32, Vec<u8>>,
    vectors: Vec<(u32, Option<Vector>)>,
    names: HashMap<String, u32>,
    sequence: Sequence,
}

impl<'a> Round<'a> {
    pub(super) fn new(connection: &'a Connection, stamp: i64) -> Self {
        Self {
            connection,
            stamp,
            chunks: BTreeMap::new(),
            vectors: Vec::new(),
            names: HashMap::new(),
            sequence: Sequence::default(),
        }
    }

    /// What is still there is put in again; its place in the sequence stays.
    pub(super) fn take_out(&mut self, n: u32) -> rusqlite::Result<()> {
        full_text::remove(self.connection, n)?;
        let row = self.row(n)?;
        let before = Facts::read(row);
        let gone = Facts {
            previous: before.previous,
            next: before.next,
            ..Facts::NONE
        };
        gone.write(row);
        Ok(())
    }

    fn put_in(&mut self, row: &Row, ready: &Prepared, is_new: bool) -> rusqlite::Result<()> {
        let n = row.n();
        let Prepared {
            memory, document, ..
        } = ready;
        let author = match &memory.author {
            Some(author) => self.name(author.as_str())?,
            None => 0,
        };
        let mut facts = Facts::of(
            memory,
            document,
            row.log,
            author,
            row.version(),
            row.is_superseded,
        );
        facts.flags.forgotten = row.pointer.state.forgotten.is_some();
        if is_new {
            facts.previous = self.sequence.append(self.connection, row)?;
            if facts.previous != 0 {
                let previous = self.row(facts.previous)?;
                let mut before = Facts::read(previous);
                before.next = n;
                before.write(previous);
            }
        } else {
            let before = Facts::read(self.row(n)?);
            facts.previous = before.previous;
            facts.next = before.next;
        }
        full_text::insert(self.connection, n, document.stems(), document.forms())?;
        facts.write(self.row(n)?);
        Ok(())
    }

    fn name(&mut self, name: &str) -> rusqlite::Result<u32> {
        if let Some(number) = self.names.get(name) {
            return Ok(*number);
        }
        let known = self
            .connection
            .prepare_cached("SELECT n FROM names WHERE name = ?1")?
            .query_row([name], |row| row.get(0))
            .optional()?;
        let number = match known {
            Some(number) => number,
            None => self
                .connection
                .prepare_cached("INSERT INTO names (name) VALUES (?1) RETURNING n")?
                .query_row([name], |row| row.get(0))?,
        };
        self.names.insert(name.to_owned(), number);
        Ok(number)
    }

    /// The row of a memory, in a chunk that is written at the end of the round.
    fn row(&mut self, n: u32) -> rusqlite::Result<&mut [u8]> {
        let number = n / CHUNK_ROWS;
        if !self.chunks.contains_key(&number) {
            let known = kept_rows::of_chunk(self.connection, number)?;
            let empty = || vec![0; CHUNK_BYTES];
            self.chunks.insert(number, known.unwrap_or_else(empty));
        }
        let chunk = self.chunks.get_mut(&number).expect("put in above");
        let begin = (n % CHUNK_ROWS) as usize * ROW_BYTES;
        Ok(&mut chunk[begin..begin + ROW_BYTES])
    }

    pub(super) fn write_chunks(&self) -> rusqlite::Result<()> {
        kept_rows::write(self.connection, self.stamp, &self.chunks)
    }
}
