//! One look at the searchable memories: what bears on a question.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension};

use super::Progress;
use super::chunks::{Chunks, Loaded};
use super::facts::{CHUNK_ROWS, Facts};
use super::fits::Fits;
use super::pending::{self, Pending, PendingCache, PendingMemories};
use super::vectors::{VectorFile, VectorRows};
use super::{deadline, full_text};
use crate::embed::dot::dot_rows;
use crate::embed::{Embedder, Vector};
use crate::error::{Error, Result};
use crate::memory::Memory;
use crate::recall::bm25;
use crate::recall::document::name_words;
use crate::recall::probe::{Candidate, Candidates, Key, Place, Probe, Rarity, Term};
use crate::store::View;
use crate::store::local::files::LogFiles;
use crate::store::local::index::read::{POINTER_COLUMNS, Pointer};

/// Memories this near to a candidate in its session are candidates too.
const NEIGHBOURS: usize = 3;

/// One consistent look at the index.
pub(in crate::store::local) struct LocalView<'a> {
    pub(in crate::store::local) connection: &'a Connection,
    pub(in crate::store::local) path: &'a Path,
    pub(in crate::store::local) files: &'a LogFiles,
    pub(in crate::store::local) embedder: &'a dyn Embedder,
    pub(in crate::store::local) chunks: &'a Chunks,
    pub(in crate::store::local) pending: &'a PendingCache,
    pub(in crate::store::local) vectors: &'a VectorFile,
    pub(in crate::store::local) seen: OnceCell<Seen>,
}

impl View for LocalView<'_> {
    fn authors(&self) -> Result<BTreeMap<u32, String>> {
        Ok(self.seen()?.authors.clone())
    }

    fn candidates(&self, probe: &Probe) -> Result<Candidates> {
        deadline::until(probe.deadline, || self.search(probe))
    }

    fn load(&self, keys: &[Key]) -> Result<Vec<Memory>> {
        let sql = format!(
            "SELECT {POINTER_COLUMNS} FROM memories m JOIN logs l ON l.n = m.log WHERE m.n = ?1"
        );
        let mut memories = Vec::with_capacity(keys.len());
        for key in keys {
            let pointer = self
                .connection
                .prepare_cached(&sql)
                .and_then(|mut statement| {
                    statement.query_row([key.0], Pointer::from_row).optional()
                })
                .map_err(Error::index(self.path))?;
            let pointer = pointer.expect("a key of the same look");
            memories.push(pointer.load(self.files)?);
        }
        Ok(memories)
    }
}

impl LocalView<'_> {
    /// What there is to search, the same for every question of this look.
    fn seen(&self) -> Result<&Seen> {
        if let Some(seen) = self.seen.get() {
            return Ok(seen);
        }
        let index = || Error::index(self.path);
        let progress = Progress::read(self.connection).map_err(index())?;
        let unsearched = pending::unsearched(self.connection).map_err(index())?;
        let loaded = self.chunks.current(
            self.connection,
            self.vectors,
            &progress,
            &unsearched,
            self.path,
        )?;
        let pending = self.pending.load(
            self.connection,
            self.files,
            self.embedder,
            &progress,
            &loaded,
        )?;
        let mut authors = (*loaded.names).clone();
        authors.extend(pending.new_authors.clone());
        Ok(self.seen.get_or_init(|| Seen {
            is_filled: progress.stamp > 0,
            upto: progress.upto,
            loaded,
            pending,
            authors,
        }))
    }

    fn search(&self, probe: &Probe) -> Result<Candidates> {
        let seen = self.seen()?;
        let fits = Fits::new(self.connection, self.files, &probe.filter, &seen.authors)?;
        let corpus = Corpus::new(seen);
        let text = self.text(probe, &corpus)?;
        probe.check_deadline()?;
        let meaning = Meaning::of(probe, &corpus);
        probe.check_deadline()?;
        let chosen = choose(probe, &corpus, &fits, &text, &meaning);
        let list = candidates(&corpus, &chosen, &text, &meaning);
        let places = self
            .places(&corpus, &list)
            .map_err(Error::index(self.path))?;
        Ok(Candidates {
            total: text.total(&corpus, &fits, probe),
            list,
            places,
            terms: text.terms,
        })
    }

    /// Which memories have the words, and how good that is.
    fn text(&self, probe: &Probe, corpus: &Corpus<'_>) -> Result<Text> {
        let mut text = Text {
            scores: vec![0.0; corpus.size],
            matched: HashMap::new(),
            terms: Vec::new(),
        };
        if probe.terms.is_empty() {
            return Ok(text);
        }
        let (documents, mean_length) = (corpus.live, corpus.mean_length());
        for (place, term) in probe.terms.iter().enumerate() {
            let mut postings = Vec::new();
            if corpus.seen.is_filled {
                full_text::each_posting(self.connection, term, &mut |(n, count)| {
                    if corpus.counts(n) {
                        postings.push((n, count));
                    }
                })
                .map_err(Error::index(self.path))?;
            }
            if let Term::Name { word, .. } = term {
                corpus.each_by_author(word, &mut |n| postings.push((n, 1)));
                postings.sort_unstable();
                postings.dedup_by_key(|(n, _)| *n);
            }
            for pending in &corpus.seen.pending.list {
                let count = pending.occurrences(term);
                if count > 0 {
                    postings.push((pending.n, count));
                }
            }
            let live = postings
                .iter()
                .filter(|(n, _)| corpus.facts(*n).is_live())
                .count();
            let weight = bm25::rarity(documents, live as u64);
            let is_name = matches!(term, Term::Name { .. });
            for (n, count) in postings {
                if !is_name {
                    let length = corpus.facts(n).length;
                    text.scores[n as usize] += bm25::worth(weight, count, length, mean_length);
                }
                *text.matched.entry(n).or_default() |= 1 << place;
            }
            text.terms.push(Rarity {
                memories: live as u64,
                weight,
            });
            probe.check_deadline()?;
        }
        Ok(text)
    }

    fn places(
        &self,
        corpus: &Corpus<'_>,
        list: &[Candidate],
    ) -> rusqlite::Result<BTreeMap<u32, Place>> {
        let mut places = BTreeMap::new();
        let mut statement = self
            .connection
            .prepare_cached("SELECT space, recorded FROM logs WHERE n = ?1")?;
        for candidate in list {
            if places.contains_key(&candidate.place) {
                continue;
            }
            let place = statement.query_row([candidate.place], |row| {
                let space: String = row.get(0)?;
                Ok(Place {
                    space: space.parse().map_err(|_| rusqlite::Error::InvalidQuery)?,
                    last_written_micros: row.get(1)?,
                    memories: corpus.live_in(candidate.place),
                })
            })?;
            places.insert(candidate.place, place);
        }
        Ok(places)
    }
}

/// What there is to search in one look.
pub(in crate::store::local) struct Seen {
    /// Whether there is a full-text table.
    is_filled: bool,
    upto: u32,
    loaded: Arc<Loaded>,
    pending: PendingMemories,
    authors: BTreeMap<u32, String>,
}

/// All memories of one look, searchable and pending alike.
struct Corpus<'a> {
    seen: &'a Seen,
    by_number: HashMap<u32, &'a Arc<Pending>>,
    /// One more than the highest number.
    size: usize,
    /// How many memories are not forgotten, how many words they have, and
    /// what of them is in which place beyond what the loaded rows say.
    live: u64,
    live_words: u64,
    live_more: HashMap<u32, i64>,
}

impl<'a> Corpus<'a> {
    fn new(seen: &'a Seen) -> Self {
        let last_pending = seen.pending.list.last().map_or(0, |last| last.n);
        let list = seen.pending.list.iter();
        let mut corpus = Self {
            seen,
            by_number: list.map(|pending| (pending.n, pending)).collect(),
            size: seen.upto.max(last_pending) as usize + 1,
            live: seen.loaded.live.values().sum(),
            live_words: seen.loaded.live_words,
            live_more: HashMap::new(),
        };
        corpus.correct_counts();
        corpus
    }

    /// Takes out what the loaded rows count and does not count here, and adds what is pending.
    fn correct_counts(&mut self) {
        let pending = self.seen.pending.list.iter();
        let mut doubtful: Vec<u32> = pending.clone().map(|pending| pending.n).collect();
        doubtful.extend(&self.seen.pending.unsearched);
        doubtful.sort_unstable();
        doubtful.dedup();
        for n in doubtful {
            let facts = self.seen.loaded.facts(n);
            if facts.is_live() {
                self.live -= 1;
                self.live_words -= u64::from(facts.length);
                *self.live_more.entry(facts.place).or_default() -= 1;
            }
        }
        for pending in pending.filter(|pending| pending.facts.is_live()) {
            self.live += 1;
            self.live_words += u64::from(pending.facts.length);
            *self.live_more.entry(pending.facts.place).or_default() += 1;
        }
    }

    fn mean_length(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a mean needs no more digits")]
        let (words, memories) = (self.live_words as f64, self.live.max(1) as f64);
        words / memories
    }

    fn live_in(&self, place: u32) -> u64 {
        let loaded = self.seen.loaded.live.get(&place).copied().unwrap_or(0);
        let more = self.live_more.get(&place).copied().unwrap_or(0);
        loaded.saturating_add_signed(more)
    }

    /// Whether the row in the tables counts.
    fn counts(&self, n: u32) -> bool {
        let unsearched = &self.seen.pending.unsearched;
        n <= self.seen.upto && (unsearched.is_empty() || !unsearched.contains(&n))
    }

    fn facts(&self, n: u32) -> &Facts {
        if self.counts(n) {
            return self.seen.loaded.facts(n);
        }
        self.by_number
            .get(&n)
            .map_or(&Facts::NONE, |pending| &pending.facts)
    }

    /// The rows that count and are by somebody of that name.
    fn each_by_author(&self, word: &str, each: &mut dyn FnMut(u32)) {
        let names = self.seen.authors.iter();
        let meant: Vec<u32> = names
            .filter(|(_, name)| name_words(name).iter().any(|own| own == word))
            .map(|(number, _)| *number)
            .collect();
        let chunks = self.seen.loaded.chunks.iter();
        for (first, chunk) in (0..).step_by(CHUNK_ROWS as usize).zip(chunks) {
            let Some(chunk) = chunk else { continue };
            for (n, facts) in (first..).zip(&chunk.facts) {
                if facts.flags.present && meant.contains(&facts.author) && self.counts(n) {
                    each(n);
                }
            }
        }
    }

    /// The memories before and after in the session; 0 if there is none.
    fn neighbours(&self, n: u32) -> (u32, u32) {
        let facts = self.facts(n);
        let pending = &self.seen.pending;
        let previous = pending.previous.get(&n).copied().unwrap_or(facts.previous);
        // A changed memory keeps its place; only what is new moves the end.
        let in_rows = self.seen.loaded.facts(n).next;
        let next = pending.next.get(&n).copied().unwrap_or(in_rows);
        let same = |other: u32| {
            let there = self.facts(other);
            if there.flags.present && there.place == facts.place {
                other
            } else {
                0
            }
        };
        (same(previous), same(next))
    }
}

/// How well each memory fits the words.
struct Text {
    scores: Vec<f64>,
    matched: HashMap<u32, u64>,
    terms: Vec<Rarity>,
}

impl Text {
    fn has_demanded(&self, n: u32, probe: &Probe) -> bool {
        let matched = self.matched.get(&n).copied().unwrap_or(0);
        probe.demanded & !matched == 0
    }

    fn total(&self, corpus: &Corpus<'_>, fits: &Fits<'_>, probe: &Probe) -> u64 {
        let fitting = self
            .matched
            .keys()
            .filter(|n| fits.fits(**n, corpus.facts(**n)) && self.has_demanded(**n, probe));
        fitting.count() as u64
    }
}

/// How near each memory is in meaning.
struct Meaning {
    /// Not a number where there is no vector, or nobody wants to know.
    cosines: Vec<f32>,
}

impl Meaning {
    fn of(probe: &Probe, corpus: &Corpus<'_>) -> Self {
        let Some(query) = &probe.vector else {
            return Self {
                cosines: Vec::new(),
            };
        };
        let mut cosines = vec![f32::NAN; corpus.size];
        let chunks = corpus.seen.loaded.chunks.iter();
        for (chunk, out) in chunks.zip(cosines.chunks_mut(CHUNK_ROWS as usize)) {
            if let Some(chunk) = chunk {
                chunk_cosines(query, &chunk.vectors, out);
            }
        }
        for n in &corpus.seen.pending.unsearched {
            if let Some(cosine) = cosines.get_mut(*n as usize) {
                *cosine = f32::NAN;
            }
        }
        for pending in &corpus.seen.pending.list {
            let vector = pending.vector.as_ref();
            let cosine = vector.filter(|own| own.components().len() == query.components().len());
            cosines[pending.n as usize] = cosine.map_or(f32::NAN, |own| query.cosine(own));
        }
        Self { cosines }
    }

    fn cosine(&self, n: u32) -> Option<f32> {
        let cosine = *self.cosines.get(n as usize)?;
        (!cosine.is_nan()).then_some(cosine)
    }
}

/// The cosines of the rows of a chunk, as many as there is room for.
fn chunk_cosines(query: &Vector, rows: &VectorRows, out: &mut [f32]) {
    let dimension = query.components().len();
    let Some(components) = rows.components.get(..dimension * out.len()) else {
        return;
    };
    let mut products = [0; CHUNK_ROWS as usize];
    let products = &mut products[..out.len()];
    dot_rows(query.components(), components, products);
    for ((out, product), norm) in out.iter_mut().zip(products).zip(&rows.inverse_norms) {
        if *norm > 0.0 {
            *out = query.cosine_from(*product, *norm);
        }
    }
}

/// The best by words and the best by meaning, and the turns around them.
fn choose(
    probe: &Probe,
    corpus: &Corpus<'_>,
    fits: &Fits<'_>,
    text: &Text,
    meaning: &Meaning,
) -> Vec<u32> {
    let allowed = |n: u32| fits.fits(n, corpus.facts(n)) && text.has_demanded(n, probe);
    let by_words = text
        .matched
        .keys()
        .filter(|n| allowed(**n))
        .map(|n| (text.scores[*n as usize], *n))
        .collect();
    let by_meaning = (0_u32..)
        .zip(&meaning.cosines)
        .filter(|(n, cosine)| **cosine > 0.0 && allowed(*n))
        .map(|(n, cosine)| (f64::from(*cosine), n))
        .collect();
    let mut chosen = best(corpus, by_words, probe.most);
    chosen.extend(best(corpus, by_meaning, probe.most));
    for n in chosen.clone() {
        let (mut before, mut after) = (n, n);
        for _ in 0..NEIGHBOURS {
            before = corpus.neighbours(before).0;
            after = corpus.neighbours(after).1;
            let both = [before, after].into_iter();
            chosen.extend(both.filter(|n| *n != 0 && allowed(*n)));
        }
    }
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

/// The numbers with the highest scores; of equal ones the newest.
fn best(corpus: &Corpus<'_>, mut scored: Vec<(f64, u32)>, most: usize) -> Vec<u32> {
    let order = |a: &(f64, u32), b: &(f64, u32)| {
        let tie = |n: u32| {
            let facts = corpus.facts(n);
            (std::cmp::Reverse(facts.created_micros), facts.tie)
        };
        b.0.total_cmp(&a.0).then_with(|| tie(a.1).cmp(&tie(b.1)))
    };
    if most == 0 {
        return Vec::new();
    }
    if scored.len() > most {
        scored.select_nth_unstable_by(most - 1, order);
        scored.truncate(most);
    }
    scored.into_iter().map(|(_, n)| n).collect()
}

fn candidates(
    corpus: &Corpus<'_>,
    chosen: &[u32],
    text: &Text,
    meaning: &Meaning,
) -> Vec<Candidate> {
    let place_of = |n: u32| chosen.binary_search(&n).ok();
    chosen
        .iter()
        .map(|n| {
            let facts = corpus.facts(*n);
            let (previous, next) = corpus.neighbours(*n);
            Candidate {
                key: Key(*n),
                tie: facts.tie,
                place: facts.place,
                author: (facts.author != 0).then_some(facts.author),
                created_micros: facts.created_micros,
                kind: facts.kind,
                importance: facts.importance,
                is_question: facts.flags.is_question,
                has_time: facts.flags.has_time,
                pinned: facts.flags.pinned,
                is_open: facts.flags.is_open,
                is_superseded: facts.flags.is_superseded,
                pieces: facts.pieces,
                text: text.scores[*n as usize],
                matched: text.matched.get(n).copied().unwrap_or(0),
                cosine: meaning.cosine(*n),
                previous: place_of(previous),
                next: place_of(next),
            }
        })
        .collect()
}
