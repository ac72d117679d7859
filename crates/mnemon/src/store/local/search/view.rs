//! One look at the searchable memories: what bears on a question.

use std::cell::OnceCell;
use std::path::Path;
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension};
use serde_json::{Map, Value};

use super::Progress;
use super::best::Best;
use super::chunks::Chunks;
use super::corpus::Corpus;
use super::deadline;
use super::fits::Fits;
use super::found::{Found, Text};
use super::full_text::Posting;
use super::meaning::Meaning;
use super::numbers::Numbers;
use super::outside::{Outside, RowMapCache};
use super::pending::{self, PendingCache, Wanted};
use super::postings::PostingsCache;
use super::seen::Seen;
use super::vectors::VectorFile;
use crate::decay::Access;
use crate::embed::{Embedder, SetName, TextKey, Vector};
use crate::error::{Error, Result};
use crate::memory::{Memory, SessionId};
use crate::recall::probe::{Candidate, Candidates, Key, Probe, Rarity, Term};
use crate::recall::{Authors, bm25};
use crate::store::local::embedded::Sets;
use crate::store::local::files::LogFiles;
use crate::store::local::index::position::unsigned;
use crate::store::local::index::read::{POINTER_COLUMNS, Pointer, refuse_archived};
use crate::store::{SetState, View};

/// Memories this near to a candidate in its session are candidates too.
const NEIGHBOURS: usize = 3;

/// Cosines that are looked at together.
const LANES: usize = 32;

/// One consistent look at the index.
pub(in crate::store::local) struct LocalView<'a> {
    pub(in crate::store::local) connection: &'a Connection,
    pub(in crate::store::local) path: &'a Path,
    pub(in crate::store::local) files: &'a LogFiles,
    pub(in crate::store::local) embedder: &'a dyn Embedder,
    pub(in crate::store::local) chunks: &'a Chunks,
    pub(in crate::store::local) pending: &'a PendingCache,
    pub(in crate::store::local) postings: &'a PostingsCache,
    pub(in crate::store::local) vectors: &'a VectorFile,
    pub(in crate::store::local) sets: &'a Sets,
    pub(in crate::store::local) row_map: &'a RowMapCache,
    pub(in crate::store::local) seen: &'a Seen,
    /// What there is to search, once somebody asked: within a look it stays the same.
    pub(in crate::store::local) corpus: OnceCell<Arc<Corpus>>,
}

impl View for LocalView<'_> {
    fn authors(&self) -> Result<Arc<Authors>> {
        Ok(self.corpus()?.authors.clone())
    }

    fn candidates(&self, probe: &Probe) -> Result<Candidates> {
        deadline::until(probe.deadline, || self.search(probe))
    }

    fn set_state(&self, set: &SetName) -> Result<SetState> {
        let corpus = self.corpus()?;
        let found = self.sets.current(set)?;
        Ok(Outside::new(found.as_ref(), self.row_map, &corpus).state(&corpus))
    }

    fn vector_in(&self, set: &SetName, key: TextKey) -> Result<Option<Vector>> {
        let found = self.sets.current(set)?;
        Ok(found.and_then(|set| {
            let rows = set.rows();
            rows.vector(rows.row_of(key)?)
        }))
    }

    fn load(&self, keys: &[Key]) -> Result<Vec<Memory>> {
        let sql = format!(
            "SELECT {POINTER_COLUMNS} FROM memories m JOIN logs l ON l.n = m.log WHERE m.n = ?1"
        );
        let mut statement = self
            .connection
            .prepare_cached(&sql)
            .map_err(Error::index(self.path))?;
        let mut memories = Vec::with_capacity(keys.len());
        for key in keys {
            let pointer = statement
                .query_row([key.0], Pointer::from_row)
                .optional()
                .map_err(Error::index(self.path))?;
            let pointer = pointer.expect("a key of the same look");
            memories.push(pointer.load(self.files)?);
        }
        Ok(memories)
    }

    fn session_decay(&self) -> Result<Vec<(SessionId, Map<String, Value>)>> {
        let read = || -> rusqlite::Result<Vec<(String, String)>> {
            self.connection
                .prepare_cached("SELECT id, decay FROM sessions WHERE decay IS NOT NULL")?
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        };
        let rows = read().map_err(Error::index(self.path))?;
        // The index was written by us: what can't be read is not there.
        let parse = |(id, own): &(String, String)| {
            Some((id.parse().ok()?, serde_json::from_str(own).ok()?))
        };
        Ok(rows.iter().filter_map(parse).collect())
    }
}

impl LocalView<'_> {
    /// What there is to search.
    fn corpus(&self) -> Result<Arc<Corpus>> {
        if let Some(known) = self.corpus.get() {
            return Ok(known.clone());
        }
        let corpus = self.seen.current(self.connection, || {
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
            Ok(Corpus::new(&progress, loaded, pending))
        })?;
        Ok(self.corpus.get_or_init(|| corpus).clone())
    }

    fn search(&self, probe: &Probe) -> Result<Candidates> {
        refuse_archived(self.connection, &probe.filter)?;
        let corpus = self.corpus()?;
        let fits = Fits::new(self.connection, self.files, &probe.filter, &corpus.authors)?;
        let text = self.text(probe, &corpus, &fits)?;
        probe.check_deadline()?;
        let meaning = match &probe.set {
            None => Meaning::of(probe, &corpus, &fits),
            // A set that can't be read has nothing to say; the words still have.
            Some(set) => {
                let found = self.sets.current(set).unwrap_or_default();
                Outside::new(found.as_ref(), self.row_map, &corpus).meaning(probe, &corpus, &fits)
            }
        };
        probe.check_deadline()?;
        let chosen = choose(probe, &corpus, &fits, &text, &meaning);
        let mut list = candidates(&corpus, &chosen.numbers, &text, &meaning);
        if probe.filter.decay.need_access() {
            self.add_accesses(&mut list)
                .map_err(Error::index(self.path))?;
        }
        let places = corpus
            .places_of(self.connection, &list)
            .map_err(Error::index(self.path))?;
        Ok(Candidates {
            total: chosen.total,
            is_complete: chosen.is_complete,
            list,
            places,
            terms: text.terms,
        })
    }

    /// How often candidates were asked for: that changes without them becoming pending.
    fn add_accesses(&self, list: &mut [Candidate]) -> rusqlite::Result<()> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT access_count, last_access FROM memories WHERE n = ?1")?;
        for candidate in list {
            candidate.access = statement.query_row([candidate.key.0], |row| {
                Ok(Access {
                    count: unsigned(row.get(0)?),
                    last_micros: row.get(1)?,
                })
            })?;
        }
        Ok(())
    }

    /// Which memories have the words, and how good that is.
    fn text(&self, probe: &Probe, corpus: &Corpus, fits: &Fits<'_>) -> Result<Text> {
        let mut text = Text::default();
        if probe.terms.is_empty() {
            return Ok(text);
        }
        // What somebody does not see must not count either, or scores would tell of it.
        let (documents, mean_length) = fits.extent(corpus);
        for (bit, term) in probe.terms.iter().enumerate() {
            let postings = self.postings(term, corpus)?;
            let counts = |posting: &&Posting| fits.counts(posting.0, corpus);
            let live = postings.iter().filter(counts).count();
            let weight = bm25::rarity(documents, live as u64);
            let is_name = matches!(term, Term::Name { .. });
            let found = postings.iter().map(|(n, count)| Found {
                n: *n,
                matched: 1 << bit,
                score: if is_name {
                    0.0
                } else {
                    bm25::worth(weight, *count, corpus.length(*n), mean_length)
                },
            });
            text.add(found);
            text.terms.push(Rarity {
                memories: live as u64,
                weight,
            });
            probe.check_deadline()?;
        }
        Ok(text)
    }

    /// The memories with a term, in the order of their numbers.
    fn postings(&self, term: &Term, corpus: &Corpus) -> Result<Arc<[Posting]>> {
        let filled = self.filled_postings(term, corpus)?;
        let mut more = Vec::new();
        if let Term::Name { word, .. } = term {
            corpus.each_by_author(word, &mut |n| more.push((n, 1)));
        }
        let wanted = Wanted::new(term);
        for pending in &corpus.pending.list {
            let count = pending.occurrences(&wanted);
            if count > 0 {
                more.push((pending.n, count));
            }
        }
        let all_count = corpus.pending.unsearched.is_empty()
            && filled.last().is_none_or(|(n, _)| *n <= corpus.upto);
        if more.is_empty() && all_count {
            return Ok(filled);
        }
        let counting = filled.iter().filter(|(n, _)| corpus.counts(*n));
        let mut postings: Vec<Posting> = counting.copied().chain(more).collect();
        postings.sort_unstable();
        postings.dedup_by_key(|(n, _)| *n);
        Ok(postings.into())
    }

    /// What the full text says about a term, whether it counts or not.
    fn filled_postings(&self, term: &Term, corpus: &Corpus) -> Result<Arc<[Posting]>> {
        let read = || {
            let segments = self.postings.segments(corpus.stamp, self.connection)?;
            segments.postings(self.connection, term)
        };
        match term {
            Term::Stem(stem) => self.postings.of(corpus.stamp, stem, read),
            _ => read().map(Into::into),
        }
        .map_err(Error::index(self.path))
    }
}

/// What is chosen of a corpus.
struct Chosen {
    /// In their order.
    numbers: Vec<u32>,
    is_complete: bool,
    /// How many have a term and fit.
    total: u64,
}

/// The best by words and the best by meaning, and the turns around them.
fn choose(
    probe: &Probe,
    corpus: &Corpus,
    fits: &Fits<'_>,
    text: &Text,
    meaning: &Meaning,
) -> Chosen {
    let allowed = |n: u32| fits.fits(n, corpus) && text.has_demanded(n, probe);
    let mut total = 0;
    let mut by_words = Best::new(corpus, probe.most);
    for found in &text.found {
        if allowed(found.n) {
            total += 1;
            by_words.offer(found.score, found.n);
        }
    }
    let mut by_meaning = Best::new(corpus, probe.most);
    let cosines: &[f32] = if probe.by_meaning {
        &meaning.cosines
    } else {
        &[]
    };
    // What is neither near nor among the nearest is most of it, so one comparison has to do.
    let mut floor = 0.0;
    let mut met = text.walk();
    for (first, some) in (0..).step_by(LANES).zip(cosines.chunks(LANES)) {
        // Counting them takes several at once; looking for the first would not.
        if some.iter().filter(|cosine| **cosine > floor).count() == 0 {
            continue;
        }
        for (n, cosine) in (first..).zip(some) {
            if *cosine > floor && allowed(n) {
                if *cosine >= probe.near && met.of(n).is_none() {
                    total += 1;
                }
                by_meaning.offer(f64::from(*cosine), n);
                floor = probe.near.next_down().min(by_meaning.floor()).max(0.0);
            }
        }
    }
    let is_complete = by_words.is_complete() && by_meaning.is_complete();
    let mut chosen = by_words.numbers();
    chosen.extend(by_meaning.numbers());
    chosen.sort_unstable();
    chosen.dedup();
    if probe.with_neighbours {
        add_neighbours(&mut chosen, corpus, &allowed);
    }
    Chosen {
        numbers: Numbers::of(&chosen).iter().collect(),
        is_complete,
        total,
    }
}

/// What lies around the chosen in their sessions.
fn add_neighbours(chosen: &mut Vec<u32>, corpus: &Corpus, allowed: &impl Fn(u32) -> bool) {
    for place in 0..chosen.len() {
        for walk in [Corpus::previous, Corpus::next] {
            let mut at = chosen[place];
            for _ in 0..NEIGHBOURS {
                at = walk(corpus, at);
                if at == 0 {
                    break;
                }
                if allowed(at) {
                    chosen.push(at);
                }
            }
        }
    }
}

fn candidates(corpus: &Corpus, chosen: &[u32], text: &Text, meaning: &Meaning) -> Vec<Candidate> {
    // What lies side by side in a session was mostly kept one after the other.
    let place_of = |guess: usize, n: u32| match chosen.get(guess) {
        Some(there) if *there == n => Some(guess),
        _ => chosen.binary_search(&n).ok(),
    };
    let mut met = text.walk();
    chosen
        .iter()
        .enumerate()
        .map(|(place, n)| {
            let facts = corpus.facts(*n);
            let found = met.of(*n);
            Candidate {
                key: Key(*n),
                tie: facts.tie,
                place: facts.place,
                author: (facts.author != 0).then_some(facts.author),
                created_micros: facts.created_micros,
                kind: facts.kind,
                class: facts.class,
                access: Access::default(),
                importance: facts.importance,
                is_question: facts.flags.is_question,
                has_time: facts.flags.has_time,
                pinned: facts.flags.pinned,
                is_open: facts.flags.is_open,
                is_superseded: facts.flags.is_superseded || corpus.pending.supersede(*n),
                pieces: facts.pieces,
                text: found.map_or(0.0, |found| found.score),
                matched: found.map_or(0, |found| found.matched),
                cosine: meaning.cosine(*n),
                previous: place_of(place.wrapping_sub(1), corpus.previous(*n)),
                next: place_of(place + 1, corpus.next(*n)),
            }
        })
        .collect()
}
