//! How near the memories of one look are by the vectors of an embedder outside
//! of the program, and how many of them have one.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError, RwLockReadGuard};

use super::corpus::Corpus;
use super::facts::CHUNK_ROWS;
use super::fits::{Fits, Rows};
use super::meaning::Meaning;
use crate::embed::Vector;
use crate::recall::probe::Probe;
use crate::store::SetState;
use crate::store::local::embedded::{SetRows, VectorSet};

/// In place of a row where there is none.
const NO_ROW: u32 = u32::MAX;

/// Which row of a set each searchable memory has.
#[derive(Debug, Default)]
struct RowMap {
    /// What it was made of: rows of the index, a set, and how many rows that had.
    of: Option<(i64, u64, usize)>,
    row_of: Vec<u32>,
    memories: u64,
    waiting: u64,
}

/// The last map that was made for a build of the index.
#[derive(Debug, Default)]
pub(in crate::store::local) struct RowMapCache(Mutex<Arc<RowMap>>);

/// A set as one look sees it.
pub(super) struct Outside<'a> {
    rows: Option<RwLockReadGuard<'a, SetRows>>,
    map: Arc<RowMap>,
}

impl<'a> Outside<'a> {
    pub(super) fn new(
        set: Option<&'a Arc<VectorSet>>,
        cache: &RowMapCache,
        corpus: &Corpus,
    ) -> Self {
        let rows = set.map(|set| set.rows());
        let serial = set.map_or(0, |set| set.serial);
        let stamp = corpus.loaded.stamp().unwrap_or(-1);
        let of = (stamp, serial, rows.as_ref().map_or(0, |rows| rows.len()));
        let mut cached = cache.0.lock().unwrap_or_else(PoisonError::into_inner);
        if cached.of != Some(of) {
            *cached = Arc::new(RowMap::new(of, rows.as_deref(), corpus));
        }
        let map = cached.clone();
        Self { rows, map }
    }

    /// How many memories have a vector.
    pub(super) fn state(&self, corpus: &Corpus) -> SetState {
        let (mut memories, mut waiting) = (self.map.memories, self.map.waiting);
        let pending = corpus.pending.list.iter();
        // The rows may be newer than this look, and have what is pending in it.
        let mut doubtful: BTreeSet<u32> = pending.clone().map(|pending| pending.n).collect();
        doubtful.extend(corpus.pending.unsearched.iter());
        for n in doubtful {
            if corpus.loaded.facts(n).wanted_key().is_some() {
                memories -= 1;
                waiting -= u64::from(self.map.row(n).is_none());
            }
        }
        for key in pending.filter_map(|pending| pending.facts.wanted_key()) {
            memories += 1;
            let rows = self.rows.as_ref();
            waiting += u64::from(rows.is_none_or(|rows| rows.row_of(key).is_none()));
        }
        SetState {
            complete: self.rows.as_ref().is_some_and(|rows| rows.complete),
            memories,
            waiting,
        }
    }

    /// How near each memory that may fit is.
    pub(super) fn meaning(&self, probe: &Probe, corpus: &Corpus, fits: &Fits<'_>) -> Meaning {
        let mut cosines = Vec::new();
        if let (Some(query), Some(rows)) = (&probe.vector, &self.rows) {
            cosines = vec![f32::NAN; corpus.size];
            self.searchable(query, rows, corpus, fits, &mut cosines);
            for n in corpus.pending.unsearched.iter() {
                if let Some(cosine) = cosines.get_mut(n as usize) {
                    *cosine = f32::NAN;
                }
            }
            for pending in &corpus.pending.list {
                let row = pending.facts.text_key.and_then(|key| rows.row_of(key));
                let cosine = row.and_then(|row| rows.cosine(query, row));
                cosines[pending.n as usize] = cosine.unwrap_or(f32::NAN);
            }
        }
        Meaning { cosines }
    }

    fn searchable(
        &self,
        query: &Vector,
        rows: &SetRows,
        corpus: &Corpus,
        fits: &Fits<'_>,
        cosines: &mut [f32],
    ) {
        let chunks = corpus.loaded.chunks.iter();
        let in_one_go = wants_most(corpus, fits).then(|| rows.cosines(query));
        let cosine = |row: u32| match &in_one_go {
            Some(all) => all.get(row as usize).copied(),
            None => rows.cosine(query, row),
        };
        let places = cosines.chunks_mut(CHUNK_ROWS as usize);
        for (first, (chunk, out)) in (0..).step_by(CHUNK_ROWS as usize).zip(chunks.zip(places)) {
            let Some(chunk) = chunk else { continue };
            let mut compare = |place: usize| {
                let row = self.map.row(first + u32::try_from(place).unwrap_or(0));
                if let (Some(row), Some(out)) = (row, out.get_mut(place)) {
                    *out = cosine(row).unwrap_or(f32::NAN);
                }
            };
            match fits.rows(first, &chunk.bounds) {
                Rows::None => {}
                Rows::Few(few) => few.for_each(compare),
                Rows::Any => (0..CHUNK_ROWS as usize).for_each(&mut compare),
            }
        }
    }
}

/// Whether so much is compared that reading all rows in their order is faster
/// than jumping to each, which costs two to three times as much a row.
fn wants_most(corpus: &Corpus, fits: &Fits<'_>) -> bool {
    let chunks = corpus.loaded.chunks.iter();
    let numbered = (0..).step_by(CHUNK_ROWS as usize).zip(chunks);
    let mut balance = 0_i64;
    for (first, chunk) in numbered {
        let Some(chunk) = chunk else { continue };
        let is_whole = matches!(fits.rows(first, &chunk.bounds), Rows::Any);
        balance += if is_whole { 1 } else { -1 };
    }
    balance > 0
}

impl RowMap {
    fn new(of: (i64, u64, usize), rows: Option<&SetRows>, corpus: &Corpus) -> Self {
        let chunks = &corpus.loaded.chunks;
        let mut map = Self {
            of: Some(of),
            row_of: Vec::with_capacity(chunks.len() * CHUNK_ROWS as usize),
            ..Self::default()
        };
        for chunk in chunks {
            let Some(chunk) = chunk else {
                map.row_of
                    .resize(map.row_of.len() + CHUNK_ROWS as usize, NO_ROW);
                continue;
            };
            for facts in &chunk.facts {
                let key = facts.text_key.filter(|_| facts.flags.present);
                let row = key.and_then(|key| rows?.row_of(key));
                map.row_of.push(row.unwrap_or(NO_ROW));
                if facts.wanted_key().is_some() {
                    map.memories += 1;
                    map.waiting += u64::from(row.is_none());
                }
            }
        }
        map
    }

    fn row(&self, n: u32) -> Option<u32> {
        let row = *self.row_of.get(n as usize)?;
        (row != NO_ROW).then_some(row)
    }
}
