//! The searchable rows as a process keeps them in memory: loaded when they are
//! first needed, and again when a fill has changed them.
//!
//! A copy that is newer than the reader's view of the index is no harm: what
//! it has more does not count there (see [`super`]).

use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;

use super::Progress;
use super::facts::{CHUNK_ROWS, Facts, ROW_BYTES};
use super::kept_rows;
use super::numbers::Numbers;
use super::vectors::{VectorFile, VectorRows};
use crate::error::{Error, Result};

/// Some rows that lie together.
#[derive(Debug)]
pub(super) struct Chunk {
    pub(super) facts: Vec<Facts>,
    pub(super) bounds: Bounds,
    pub(super) vectors: VectorRows,
}

/// Between what the rows of a chunk lie: memories that were kept one after the
/// other are mostly of few places and of about the same time.
#[derive(Clone, Debug)]
pub(super) struct Bounds {
    pub(super) places: RangeInclusive<u32>,
    pub(super) created_micros: RangeInclusive<i64>,
}

impl Bounds {
    fn of(facts: &[Facts]) -> Self {
        let (mut places, mut created) = ((u32::MAX, 0), (i64::MAX, i64::MIN));
        for facts in facts.iter().filter(|facts| facts.flags.present) {
            places = (places.0.min(facts.place), places.1.max(facts.place));
            created = (
                created.0.min(facts.created_micros),
                created.1.max(facts.created_micros),
            );
        }
        Self {
            places: places.0..=places.1,
            created_micros: created.0..=created.1,
        }
    }
}

/// All rows, and the names of authors.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    stamp: Option<i64>,
    /// With no gaps: a chunk that is not there has no rows.
    pub(super) chunks: Vec<Option<Arc<Chunk>>>,
    pub(super) names: Arc<BTreeMap<u32, String>>,
    /// How many rows each author has; a name stays when the last is gone.
    pub(super) by_author: HashMap<u32, u64>,
    /// What is not forgotten: how many in each place, and how many words in all.
    pub(super) live: BTreeMap<u32, u64>,
    pub(super) live_words: u64,
    /// What is asked of thousands of rows for each word, close together: which
    /// are not forgotten, and how many words each has.
    pub(super) live_numbers: Numbers,
    pub(super) lengths: Vec<u32>,
}

/// What this process has loaded.
#[derive(Debug, Default)]
pub(in crate::store::local) struct Chunks {
    loaded: Mutex<Arc<Loaded>>,
    /// Whoever loads does it for all: side by side they would read the same rows.
    loading: Mutex<()>,
}

impl Chunks {
    /// The rows as of this view of the index, or newer.
    pub(super) fn current(
        &self,
        connection: &Connection,
        vectors: &VectorFile,
        progress: &Progress,
        unsearched: &Numbers,
        path: &Path,
    ) -> Result<Arc<Loaded>> {
        let is_current = |known: &Loaded| known.stamp.is_some_and(|it| it >= progress.stamp);
        let known = self.loaded();
        if is_current(&known) {
            return Ok(known);
        }
        drop(known);
        let _loading = self.loading.lock().unwrap_or_else(PoisonError::into_inner);
        let known = self.loaded();
        if is_current(&known) {
            return Ok(known);
        }
        let changed =
            kept_rows::since(connection, known.stamp.unwrap_or(-1)).map_err(Error::index(path))?;
        let mut chunks = known.chunks.clone();
        for (number, rows) in changed {
            let first = number * CHUNK_ROWS;
            let counts = |n: u32| n <= progress.upto && !unsearched.contains(n);
            let vectors = vectors
                .read(progress.dimension as usize, first, CHUNK_ROWS, counts)
                .map_err(|error| Error::index(path)(kept_rows::damaged(error.to_string())))?;
            let place = number as usize;
            if chunks.len() <= place {
                chunks.resize(place + 1, None);
            }
            let facts: Vec<Facts> = rows.chunks_exact(ROW_BYTES).map(Facts::read).collect();
            chunks[place] = Some(Arc::new(Chunk {
                bounds: Bounds::of(&facts),
                facts,
                vectors,
            }));
        }
        let (live, live_words) = count_live(&chunks);
        let loaded = Arc::new(Loaded {
            stamp: Some(progress.stamp),
            live,
            live_words,
            live_numbers: live_numbers(&chunks),
            lengths: lengths(&chunks),
            by_author: count_by_author(&chunks),
            chunks,
            names: Arc::new(names(connection).map_err(Error::index(path))?),
        });
        let mut latest = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        latest.clone_from(&loaded);
        Ok(loaded)
    }

    fn loaded(&self) -> Arc<Loaded> {
        let loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        loaded.clone()
    }
}

impl Loaded {
    /// Another number means other rows.
    pub(super) fn stamp(&self) -> Option<i64> {
        self.stamp
    }

    /// The facts of a memory.
    #[inline]
    pub(super) fn facts(&self, n: u32) -> &Facts {
        self.chunks
            .get((n / CHUNK_ROWS) as usize)
            .and_then(Option::as_ref)
            .and_then(|chunk| chunk.facts.get((n % CHUNK_ROWS) as usize))
            .unwrap_or(&Facts::NONE)
    }
}

/// Memories by place, and words, of all rows.
fn count_live(chunks: &[Option<Arc<Chunk>>]) -> (BTreeMap<u32, u64>, u64) {
    let mut live: BTreeMap<u32, u64> = BTreeMap::new();
    let mut words = 0;
    let rows = chunks.iter().flatten().flat_map(|chunk| &chunk.facts);
    let mut run = (0, 0);
    for facts in rows.filter(|facts| facts.is_live()) {
        words += u64::from(facts.length);
        if facts.place != run.0 {
            *live.entry(run.0).or_default() += run.1;
            run = (facts.place, 0);
        }
        run.1 += 1;
    }
    *live.entry(run.0).or_default() += run.1;
    (live, words)
}

/// Memories by author, forgotten ones too.
fn count_by_author(chunks: &[Option<Arc<Chunk>>]) -> HashMap<u32, u64> {
    let mut by_author = HashMap::new();
    let rows = chunks.iter().flatten().flat_map(|chunk| &chunk.facts);
    for facts in rows.filter(|facts| facts.flags.present) {
        *by_author.entry(facts.author).or_default() += 1;
    }
    by_author
}

/// The numbers of all rows that are not forgotten.
fn live_numbers(chunks: &[Option<Arc<Chunk>>]) -> Numbers {
    let mut numbers = Vec::new();
    for (first, chunk) in (0..).step_by(CHUNK_ROWS as usize).zip(chunks) {
        let rows = chunk.iter().flat_map(|chunk| &chunk.facts);
        let live = (first..).zip(rows).filter(|(_, facts)| facts.is_live());
        numbers.extend(live.map(|(n, _)| n));
    }
    Numbers::of(&numbers)
}

/// How many words each row has, by its number.
fn lengths(chunks: &[Option<Arc<Chunk>>]) -> Vec<u32> {
    let mut lengths = vec![0; chunks.len() * CHUNK_ROWS as usize];
    for (chunk, lengths) in chunks.iter().zip(lengths.chunks_mut(CHUNK_ROWS as usize)) {
        let rows = chunk.iter().flat_map(|chunk| &chunk.facts);
        for (length, facts) in lengths.iter_mut().zip(rows) {
            *length = facts.length;
        }
    }
    lengths
}

fn names(connection: &Connection) -> rusqlite::Result<BTreeMap<u32, String>> {
    connection
        .prepare_cached("SELECT n, name FROM names")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect()
}
