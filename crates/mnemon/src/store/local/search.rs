//! Search: finding memories by words and by meaning.
//!
//! Derived like the rest of the index, but in pieces: a write makes its
//! memories *pending*, and every so many of them are made searchable together
//! (`fill`): words into a segment of the full text, facts for ranking into chunks of
//! rows, vectors into a flat file. A question reads these tables and looks at
//! the pending memories itself (`pending`), so it misses nothing.
//!
//! Invariant: a row of the tables counts only up to `search.upto`, and not if
//! its number is in `unsearched`; so a fill that was cut short changes no answer.

mod best;
mod check;
mod chunks;
mod corpus;
mod deadline;
mod facts;
mod fill;
mod fits;
mod found;
mod full_text;
mod kept_rows;
mod meaning;
mod numbers;
mod outside;
mod pending;
mod postings;
mod prepare;
mod round;
mod row_sum;
mod seen;
mod sweep;
mod vectors;
mod view;
mod waiting;

pub(super) use check::first_wrong;
pub(super) use chunks::Chunks;
pub(super) use deadline::{check as check_deadline, until, watch as watch_deadline};
pub(super) use fill::{Ready, fill};
pub(super) use full_text::{Merge, merge_a_piece, scrub};
pub(super) use outside::RowMapCache;
pub(super) use pending::PendingCache;
pub(super) use postings::PostingsCache;
pub(super) use prepare::Preparer;
pub(super) use seen::Seen;
pub(super) use sweep::sweep;
pub(super) use vectors::VectorFile;
pub(super) use view::LocalView;
pub(super) use waiting::{text_keys, waiting};

/// The tables of search.
pub(super) const TABLES: [&str; 2] = [OWN_TABLES, full_text::TABLES];

const OWN_TABLES: &str = "
CREATE TABLE search (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    upto INTEGER NOT NULL, stamp INTEGER NOT NULL, embedder TEXT NOT NULL, dimension INTEGER NOT NULL
);
INSERT INTO search VALUES (1, 0, 0, '', 0);
CREATE TABLE unsearched (n INTEGER PRIMARY KEY);
CREATE TABLE facts (chunk INTEGER PRIMARY KEY, stamp INTEGER NOT NULL, sum INTEGER NOT NULL, rows BLOB NOT NULL);
CREATE TABLE ends (place INTEGER PRIMARY KEY, n INTEGER NOT NULL);
CREATE TABLE names (n INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
";

/// How far search has come.
#[derive(Clone, Debug, PartialEq)]
struct Progress {
    /// Memories up to this number are searchable, but for those in `unsearched`.
    upto: u32,
    /// One more with every change of the tables: a round of a fill, a merge, a sweep.
    stamp: i64,
    /// Whose vectors there are.
    embedder: String,
    dimension: u32,
}

impl Progress {
    fn read(connection: &rusqlite::Connection) -> rusqlite::Result<Self> {
        connection
            .prepare_cached("SELECT upto, stamp, embedder, dimension FROM search")?
            .query_row([], |row| {
                Ok(Self {
                    upto: row.get(0)?,
                    stamp: row.get(1)?,
                    embedder: row.get(2)?,
                    dimension: row.get(3)?,
                })
            })
    }

    fn write(&self, connection: &rusqlite::Connection) -> rusqlite::Result<()> {
        connection
            .prepare_cached(
                "UPDATE search SET upto = ?1, stamp = ?2, embedder = ?3, dimension = ?4",
            )?
            .execute(rusqlite::params![
                self.upto,
                self.stamp,
                self.embedder,
                self.dimension
            ])?;
        Ok(())
    }
}
