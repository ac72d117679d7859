//! A fill: what is pending becomes searchable, many memories at a time.
//!
//! One at a time would cost a write more pages than all the rest of it: each
//! fill gives the full text a segment of its own. Most of the work is done
//! before anybody has to wait for it ([`Ready`]).

use rusqlite::Connection;

use super::Progress;
use super::facts::Facts;
use super::full_text::{self, SortedWords, Words};
use super::numbers::Numbers;
use super::pending::{self, Row, RowNow, Rows};
use super::prepare::{Prepared, Preparer};
use super::round::Round;
use super::vectors::VectorFile;
use crate::embed::Vector;
use crate::error::{Error, Result};
use crate::memory::Author;
use crate::store::local::files::LogFiles;
use crate::store::local::index::whole_or_not;

/// How many new memories one round takes.
const ROUND: u32 = 1024;

/// Makes everything pending searchable; the caller has a transaction open.
///
/// If it fails, the transaction is as before and the memories stay pending:
/// whoever asks looks at them one by one.
pub(in crate::store::local) fn fill(
    connection: &Connection,
    files: &LogFiles,
    preparer: &Preparer,
    vectors: &VectorFile,
) -> Result<()> {
    let fill = || loop {
        let ready = Ready::read(connection, files, preparer)?;
        let is_last = ready.is_last();
        if !ready.put_in(connection, vectors)? || is_last {
            return full_text::merge_if_due(connection).map_err(Error::index("index"));
        }
    };
    whole_or_not(connection, |error| Error::index("index")(error), fill)
}

/// One round of a fill, as far as it can be made ready while others write.
pub(in crate::store::local) struct Ready {
    /// How far search had come, and what had changed.
    before: Progress,
    changed: Numbers,
    /// Every memory that was looked at, by number and version, with what search keeps of it
    /// if its line could be read.
    looked_at: Vec<(u32, u64, Option<Known>)>,
    new: u32,
    words: SortedWords,
    has_vectors: bool,
}

/// What a look at a memory told, beside its words.
pub(super) struct Known {
    /// But for what the index alone knows: the numbers of its log, its author and its neighbours,
    /// and whether it is forgotten or superseded.
    pub(super) facts: Facts,
    pub(super) author: Option<Author>,
    vector: Option<Vector>,
}

impl Known {
    fn of(prepared: Prepared, row: &Row) -> Self {
        let Prepared {
            memory,
            document,
            vector,
        } = prepared;
        Self {
            facts: Facts::of(&memory, &document, 0, 0, row.version(), false),
            author: memory.author.clone(),
            vector,
        }
    }
}

impl Ready {
    /// Makes the next round ready, as this view of the index has it.
    pub(in crate::store::local) fn read(
        connection: &Connection,
        files: &LogFiles,
        preparer: &Preparer,
    ) -> Result<Self> {
        let index = || Error::index("index");
        let mut before = Progress::read(connection).map_err(index())?;
        if before.stamp == 0 {
            let embedder = &*preparer.embedder;
            embedder.id().clone_into(&mut before.embedder);
            before.dimension = u32::try_from(embedder.dimension()).unwrap_or(u32::MAX);
        }
        let changed = pending::changed(connection).map_err(index())?;
        let rows = pending::rows(connection, before.upto, ROUND, Rows::ToFill).map_err(index())?;
        let new = rows.iter().filter(|row| row.n() > before.upto).count();
        let mut ready = Vec::with_capacity(rows.len());
        let mut known = preparer.take(&rows.iter().map(Row::version).collect());
        for row in &rows {
            ready.push(match known.remove(&row.version()) {
                Some(known) => Some(known),
                None => match row.pointer.load_as_kept(files) {
                    Ok(memory) => Some(Prepared::of(memory.into(), &*preparer.embedder)?),
                    // A line that can't be read is told of by verify; here it is just not there.
                    Err(_) => None,
                },
            });
        }
        let mut words = Words::default();
        for n in changed.iter() {
            words.take_out(n);
        }
        for (row, one) in rows.iter().zip(&ready) {
            if let Some(one) = one {
                words.put_in(row.n(), &one.document);
            }
        }
        let words = words.sorted();
        let looked_at = rows.iter().zip(ready).map(|(row, one)| {
            let known = one.map(|one| Known::of(one, row));
            (row.n(), row.version(), known)
        });
        let looked_at = looked_at.collect();
        Ok(Self {
            before,
            changed,
            looked_at,
            new: u32::try_from(new).unwrap_or(u32::MAX),
            words,
            has_vectors: false,
        })
    }

    /// Writes the vectors, which will count once it is put in; the caller has the lock, and syncs
    /// them. Not if it can't be put in any more: another process may have written newer ones.
    pub(in crate::store::local) fn write_vectors(
        &mut self,
        connection: &Connection,
        vectors: &VectorFile,
    ) -> Result<()> {
        let can_be_put_in = self.is_so_now(connection).map_err(Error::index("index"))?;
        if can_be_put_in {
            self.write_to(vectors)?;
            self.has_vectors = true;
        }
        Ok(())
    }

    fn write_to(&self, vectors: &VectorFile) -> Result<()> {
        let readable = self.looked_at.iter();
        let readable = readable.filter_map(|(n, _, known)| Some((*n, known.as_ref()?)));
        let rows: Vec<(u32, Option<&Vector>)> = readable
            .map(|(n, known)| (n, known.vector.as_ref()))
            .collect();
        vectors
            .write(self.before.dimension as usize, &rows)
            .map_err(Error::io("write", "the vectors"))
    }

    /// Whether every line could be read. Without the lock one may be just on its way elsewhere.
    pub(in crate::store::local) fn is_whole(&self) -> bool {
        self.looked_at.iter().all(|(_, _, known)| known.is_some())
    }

    /// Whether nothing is left for another round.
    pub(in crate::store::local) fn is_last(&self) -> bool {
        self.new < ROUND
    }

    /// Makes it count; false if something was changed since it was made ready.
    /// The caller has a transaction open.
    pub(in crate::store::local) fn put_in(
        &self,
        connection: &Connection,
        vectors: &VectorFile,
    ) -> Result<bool> {
        let index = || Error::index("index");
        let Some(rows) = self.rows_now(connection).map_err(index())? else {
            return Ok(false);
        };
        if !self.has_vectors {
            self.write_to(vectors)?;
            vectors.sync().map_err(Error::io("sync", "the vectors"))?;
        }
        let mut progress = self.before.clone();
        progress.stamp += 1;
        let mut round = Round::new(connection, progress.stamp);
        for n in self.changed.iter() {
            round.take_out(n).map_err(index())?;
        }
        for (row, (n, _, known)) in rows.iter().zip(&self.looked_at) {
            if let Some(known) = known {
                let is_new = *n > progress.upto;
                round.put_in(row, known, is_new).map_err(index())?;
            }
        }
        round.write().map_err(index())?;
        self.words.write(connection).map_err(index())?;
        let mut settle = connection
            .prepare_cached("DELETE FROM unsearched WHERE n >= ?1 AND n <= ?2")
            .map_err(index())?;
        let last = rows.iter().map(|row| row.n).max().unwrap_or(0);
        let changed = self.changed.iter().map(|n| (n, n));
        for (from, to) in changed.chain([(progress.upto + 1, last)]) {
            settle.execute([from, to]).map_err(index())?;
        }
        progress.upto = progress.upto.max(last);
        progress.write(connection).map_err(index())?;
        Ok(true)
    }

    /// Whether nobody has filled since.
    fn is_next(&self, connection: &Connection) -> rusqlite::Result<bool> {
        let now = Progress::read(connection)?;
        Ok((now.upto, now.stamp) == (self.before.upto, self.before.stamp))
    }

    /// Whether [`Self::rows_now`] would give them, for less.
    fn is_so_now(&self, connection: &Connection) -> rusqlite::Result<bool> {
        if !self.is_next(connection)? {
            return Ok(false);
        }
        let now = pending::versions(connection, self.before.upto, self.new)?;
        Ok(self.are_looked_at(now.into_iter()))
    }

    /// Whether these are the memories that were looked at, by number and version; others that
    /// were searchable before can be pending by now.
    fn are_looked_at(&self, now: impl Iterator<Item = (u32, u64)>) -> bool {
        let upto = self.before.upto;
        let now = now.filter(|(n, _)| *n > upto || self.changed.contains(*n));
        now.eq(self.looked_at.iter().map(|(n, version, _)| (*n, *version)))
    }

    /// The rows that were looked at, with what may have changed of them; none if one was
    /// rewritten or is gone.
    ///
    /// Others that were searchable before can be pending by now: they stay so.
    fn rows_now(&self, connection: &Connection) -> rusqlite::Result<Option<Vec<RowNow>>> {
        if !self.is_next(connection)? {
            return Ok(None);
        }
        let upto = self.before.upto;
        let mut rows = pending::rows_now(connection, upto, self.new)?;
        let is_same = self.are_looked_at(rows.iter().map(|row| (row.n, row.version)));
        rows.retain(|row| row.n > upto || self.changed.contains(row.n));
        Ok(is_same.then_some(rows))
    }
}
