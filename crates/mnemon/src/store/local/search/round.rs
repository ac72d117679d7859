//! What a fill writes about memories beside their words and vectors: facts, names, their sequence.

use std::collections::{BTreeMap, HashMap};

use rusqlite::{Connection, OptionalExtension};

use super::facts::{CHUNK_ROWS, Facts, ROW_BYTES};
use super::fill::Known;
use super::kept_rows::{self, CHUNK_BYTES};
use super::pending::{RowNow, Sequence};

/// The rows that one round of a fill changes.
pub(super) struct Round<'a> {
    connection: &'a Connection,
    stamp: i64,
    chunks: BTreeMap<u32, Vec<u8>>,
    names: HashMap<String, u32>,
    sequence: Sequence,
}

impl<'a> Round<'a> {
    pub(super) fn new(connection: &'a Connection, stamp: i64) -> Self {
        Self {
            connection,
            stamp,
            chunks: BTreeMap::new(),
            names: HashMap::new(),
            sequence: Sequence::default(),
        }
    }

    /// What is still there is put in again; its place in the sequence stays.
    pub(super) fn take_out(&mut self, n: u32) -> rusqlite::Result<()> {
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

    pub(super) fn put_in(
        &mut self,
        row: &RowNow,
        known: &Known,
        is_new: bool,
    ) -> rusqlite::Result<()> {
        let n = row.n;
        let mut facts = known.facts;
        facts.place = row.log;
        facts.flags.is_superseded = row.is_superseded;
        facts.flags.forgotten = row.is_forgotten;
        if let Some(author) = &known.author {
            facts.author = self.name(author.as_str())?;
        }
        if is_new {
            facts.previous =
                self.sequence
                    .append(self.connection, row.log, row.is_of_session, n)?;
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

    pub(super) fn write(self) -> rusqlite::Result<()> {
        kept_rows::write(self.connection, self.stamp, &self.chunks)?;
        self.sequence.write(self.connection)
    }
}
