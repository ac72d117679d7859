//! All memories of one state of the index, searchable and pending alike.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;

use super::Progress;
use super::chunks::Loaded;
use super::facts::{CHUNK_ROWS, Facts};
use super::pending::{Pending, PendingMemories};
use crate::recall::Authors;
use crate::recall::probe::{Candidate, Place};

/// All memories of one state of the index, searchable and pending alike.
#[derive(Debug)]
pub(in crate::store::local) struct Corpus {
    /// After which fill.
    pub(super) stamp: i64,
    pub(super) upto: u32,
    pub(super) loaded: Arc<Loaded>,
    pub(super) pending: PendingMemories,
    pub(super) authors: Arc<Authors>,
    by_number: HashMap<u32, Arc<Pending>>,
    /// One more than the highest number.
    pub(super) size: usize,
    /// How many memories are not forgotten, how many words they have, and
    /// what of them is in which place beyond what the loaded rows say.
    pub(super) live: u64,
    live_words: u64,
    live_more: HashMap<u32, i64>,
    /// Nothing before has a pending memory beside it.
    first_linked: u32,
    /// Those that questions have asked for.
    places: Mutex<HashMap<u32, Place>>,
}

impl Corpus {
    pub(super) fn new(progress: &Progress, loaded: Arc<Loaded>, pending: PendingMemories) -> Self {
        let last_pending = pending.list.last().map_or(0, |last| last.n);
        let list = pending.list.iter();
        let linked = pending.previous.keys().chain(pending.next.keys());
        let mut corpus = Self {
            stamp: progress.stamp,
            upto: progress.upto,
            authors: Arc::default(),
            by_number: list.map(|own| (own.n, own.clone())).collect(),
            size: progress.upto.max(last_pending) as usize + 1,
            live: loaded.live.values().sum(),
            live_words: loaded.live_words,
            live_more: HashMap::new(),
            first_linked: linked.min().copied().unwrap_or(u32::MAX),
            places: Mutex::default(),
            loaded,
            pending,
        };
        corpus.correct_counts();
        corpus
    }

    /// Takes out what the loaded rows count and does not count here, and adds what is pending.
    fn correct_counts(&mut self) {
        let pending = self.pending.list.iter();
        let mut doubtful: Vec<u32> = pending.clone().map(|pending| pending.n).collect();
        doubtful.extend(self.pending.unsearched.iter());
        doubtful.sort_unstable();
        doubtful.dedup();
        let mut by_author = self.loaded.by_author.clone();
        for n in doubtful {
            let facts = self.loaded.facts(n);
            if facts.flags.present
                && let Some(count) = by_author.get_mut(&facts.author)
            {
                *count -= 1;
            }
            if facts.is_live() {
                self.live -= 1;
                self.live_words -= u64::from(facts.length);
                *self.live_more.entry(facts.place).or_default() -= 1;
            }
        }
        for pending in pending {
            *by_author.entry(pending.facts.author).or_default() += 1;
            if pending.facts.is_live() {
                self.live += 1;
                self.live_words += u64::from(pending.facts.length);
                *self.live_more.entry(pending.facts.place).or_default() += 1;
            }
        }
        // Whoever wrote nothing that is left is no name that a question could mean.
        let names = self.loaded.names.iter().chain(&self.pending.new_authors);
        let names = names.filter(|(number, _)| by_author.get(number).is_some_and(|it| *it > 0));
        let names = names.map(|(number, name)| (*number, name.clone()));
        self.authors = Arc::new(Authors::new(names));
    }

    pub(super) fn mean_length(&self) -> f64 {
        mean(self.live_words, self.live)
    }

    /// Where candidates live.
    pub(super) fn places_of(
        &self,
        connection: &Connection,
        candidates: &[Candidate],
    ) -> rusqlite::Result<BTreeMap<u32, Place>> {
        let mut known = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let mut places = BTreeMap::new();
        let mut before = None;
        for candidate in candidates {
            let n = candidate.place;
            // The next one is mostly of the same session.
            if before == Some(n) || places.contains_key(&n) {
                continue;
            }
            before = Some(n);
            let place = match known.get(&n) {
                Some(place) => place.clone(),
                None => {
                    let place = self.place(connection, n)?;
                    known.insert(n, place.clone());
                    place
                }
            };
            places.insert(n, place);
        }
        Ok(places)
    }

    fn place(&self, connection: &Connection, n: u32) -> rusqlite::Result<Place> {
        connection
            .prepare_cached("SELECT space, recorded FROM logs WHERE n = ?1")?
            .query_row([n], |row| {
                let space: String = row.get(0)?;
                Ok(Place {
                    space: space.parse().map_err(|_| rusqlite::Error::InvalidQuery)?,
                    last_written_micros: row.get(1)?,
                    memories: self.live_in(n),
                })
            })
    }

    fn live_in(&self, place: u32) -> u64 {
        let loaded = self.loaded.live.get(&place).copied().unwrap_or(0);
        let more = self.live_more.get(&place).copied().unwrap_or(0);
        loaded.saturating_add_signed(more)
    }

    /// Whether the row in the tables counts.
    #[inline]
    pub(super) fn counts(&self, n: u32) -> bool {
        n <= self.upto && !self.pending.unsearched.contains(n)
    }

    #[inline]
    pub(super) fn facts(&self, n: u32) -> &Facts {
        if self.counts(n) {
            return self.loaded.facts(n);
        }
        self.by_number
            .get(&n)
            .map_or(&Facts::NONE, |pending| &pending.facts)
    }

    /// As [`Facts::is_live`], without a look at the facts.
    #[inline]
    pub(super) fn is_live(&self, n: u32) -> bool {
        if !self.counts(n) {
            return self.facts(n).is_live();
        }
        let is_live = self.loaded.live_numbers.contains(n);
        debug_assert_eq!(is_live, self.facts(n).is_live(), "{n}");
        is_live
    }

    /// How many words a memory has.
    #[inline]
    pub(super) fn length(&self, n: u32) -> u32 {
        let loaded = self.loaded.lengths.get(n as usize);
        let length = match loaded.filter(|_| self.counts(n)) {
            Some(length) => *length,
            None => self.facts(n).length,
        };
        debug_assert_eq!(length, self.facts(n).length, "{n}");
        length
    }

    /// The rows that count and are by somebody of that name.
    pub(super) fn each_by_author(&self, word: &str, each: &mut dyn FnMut(u32)) {
        let authors = self.authors.iter();
        let meant: Vec<u32> = authors
            .filter(|author| author.words.iter().any(|own| own == word))
            .map(|author| author.number)
            .collect();
        let chunks = self.loaded.chunks.iter();
        for (first, chunk) in (0..).step_by(CHUNK_ROWS as usize).zip(chunks) {
            let Some(chunk) = chunk else { continue };
            for (n, facts) in (first..).zip(&chunk.facts) {
                if facts.flags.present && meant.contains(&facts.author) && self.counts(n) {
                    each(n);
                }
            }
        }
    }

    /// The memory before in the session; 0 if there is none.
    pub(super) fn previous(&self, n: u32) -> u32 {
        let facts = self.facts(n);
        let pending = self.pending_link(n, &self.pending.previous);
        self.same_place(facts, pending.unwrap_or(facts.previous))
    }

    /// The memory after in the session; 0 if there is none.
    pub(super) fn next(&self, n: u32) -> u32 {
        let pending = self.pending_link(n, &self.pending.next);
        // A changed memory keeps its place; only what is new moves the end.
        let next = pending.unwrap_or_else(|| self.loaded.facts(n).next);
        self.same_place(self.facts(n), next)
    }

    fn pending_link(&self, n: u32, links: &HashMap<u32, u32>) -> Option<u32> {
        if n < self.first_linked {
            return None;
        }
        links.get(&n).copied()
    }

    fn same_place(&self, facts: &Facts, other: u32) -> u32 {
        let there = self.facts(other);
        if there.flags.present && there.place == facts.place {
            other
        } else {
            0
        }
    }
}

/// How many words a memory has on average.
#[expect(clippy::cast_precision_loss, reason = "a mean needs no more digits")]
pub(super) fn mean(words: u64, memories: u64) -> f64 {
    words as f64 / memories.max(1) as f64
}
