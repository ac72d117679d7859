//! From a question to its answer: understand, probe, rank, cut out the page.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use super::hit::{Hit, Recalled};
use super::probe::{Key, Probe, Term};
use super::query::{Mode, Query, lets_through_unasked};
use super::rank::{self, Scored};
use super::understood::Understood;
use crate::decay::Rules;
use crate::embed::{Embedder, SetName, Vector};
use crate::error::Result;
use crate::memory::Memory;
use crate::store::{Filter, Store, View};

/// Candidates by words, and as many by meaning, before all others.
const MOST: usize = 64;

/// What is less similar, and nothing else speaks for, is no answer, even where there is no better one.
const UNRELATED: f32 = 0.006;

/// Memories that are read before somebody looks at the clock.
const LOADED_AT_ONCE: usize = 256;

/// What a question means to an embedder that was asked before the store is looked at.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Whose vectors it is compared with.
    pub set: SetName,
    /// The meaning, if it has one.
    pub vector: Option<Vector>,
}

/// The memories of a store that answer a question, the best first.
///
/// The embedder is the one that was `asked`, or one that answers at once.
///
/// # Panics
///
/// If the store takes no look and says nothing about it.
pub fn recall(
    store: &dyn Store,
    embedder: &dyn Embedder,
    asked: Option<&Asked>,
    query: &Query,
) -> Result<Recalled> {
    if query.question.is_everything() {
        return everything(store, query);
    }
    if query.question.terms().is_empty() {
        // Nothing but punctuation asks for nothing, however near some vector is.
        return Ok(Recalled {
            hits: Vec::new(),
            total: 0,
            notes: Vec::new(),
        });
    }
    let mut answer = None;
    store.look(&mut |view| {
        let query = &*with_session_decay(query, view)?;
        let understood = Understood::new(&query.question, &*view.authors()?);
        let unrelated = embedder.cosine_for(UNRELATED);
        let mut probe = probe(embedder, asked, query, &understood)?;
        // From here on: an index that had to be made first is no fault of the question.
        probe.deadline = query.filter.patience.map(|it| Instant::now() + it);
        let mut candidates = view.candidates(&probe)?;
        let mut ranked = rank::rank(query, &understood, &candidates, unrelated, view)?;
        let fits = |scored: &Scored| fits(embedder, query, scored);
        let fitting = ranked.iter().filter(|scored| fits(scored)).count();
        let may_go_on = !candidates.is_complete && may_fit_behind(embedder, query, ranked.last());
        // By nearness alone the store has counted them already.
        let counts_hits = query.counts_hits() && nearest_that_fits(embedder, query).is_none();
        if may_go_on && (counts_hits || query.reaches_behind(fitting)) {
            // The best stay where they are, whatever page is asked for.
            probe.most = usize::MAX;
            candidates = view.candidates(&probe)?;
            let known: HashSet<Key> = ranked.iter().map(|scored| scored.key).collect();
            let all = rank::rank(query, &understood, &candidates, unrelated, view)?;
            let others = all.into_iter().filter(|it| !known.contains(&it.key));
            rank::follow(&mut ranked, others);
        }
        ranked.retain(fits);
        answer = Some(Recalled {
            total: if counts_hits {
                ranked.len() as u64
            } else {
                // What is near a match is shown with it, and counts where nothing else is left out.
                candidates.total.max(shown(query, ranked.len()))
            },
            hits: page(embedder, query, ranked, &probe, view)?,
            notes: Vec::new(),
        });
        Ok(())
    })?;
    Ok(answer.expect("a look that succeeds was taken"))
}

/// How many of those that fit come before the end of the page.
fn shown(query: &Query, fitting: usize) -> u64 {
    let end = query.filter.offset.saturating_add(query.filter.limit);
    fitting.min(end) as u64
}

/// The question with what sessions say of their own about how they fade.
fn with_session_decay<'q>(query: &'q Query, view: &dyn View) -> Result<Cow<'q, Query>> {
    let own = view.session_decay()?;
    if own.is_empty() {
        return Ok(Cow::Borrowed(query));
    }
    let mut query = query.clone();
    query.filter.decay = Arc::new(Rules::new(&query.filter.decay.everywhere, &own));
    Ok(Cow::Owned(query))
}

fn probe(
    embedder: &dyn Embedder,
    asked: Option<&Asked>,
    query: &Query,
    understood: &Understood,
) -> Result<Probe> {
    let by_words = query.mode != Mode::Semantic;
    let by_meaning = query.mode != Mode::Text;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a threshold needs no more digits"
    )]
    let near = query.least_similarity().unwrap_or(Query::MIN_SIMILARITY) as f32;
    let is_demanded = |term: &Term| matches!(term, Term::Phrase(_) | Term::Pattern(_));
    let demanded = (0_u64..)
        .zip(&understood.terms)
        .filter(|(_, term)| query.mode == Mode::Text && is_demanded(term))
        .fold(0, |bits, (place, _)| bits | (1 << place));
    Ok(Probe {
        filter: query.filter.clone(),
        terms: if by_words {
            understood.terms.clone()
        } else {
            Vec::new()
        },
        demanded,
        // Also where only words count: people want to know how near a hit is.
        vector: match asked {
            Some(asked) => asked.vector.clone(),
            None => meaning_of(embedder, &understood.meaning)?,
        },
        set: asked.map(|asked| asked.set.clone()),
        by_meaning,
        near: nearest_that_fits(embedder, query).unwrap_or_else(|| embedder.cosine_for(near)),
        most: MOST,
        // By words or meaning alone, those that were not chosen could be better than they are.
        with_neighbours: query.mode == Mode::Hybrid,
        deadline: None,
    })
}

/// The least cosine that is good enough, to the last bit; none if nearness alone does not tell.
fn nearest_that_fits(embedder: &dyn Embedder, query: &Query) -> Option<f32> {
    /// So far the way back from a similarity to its cosine may be off.
    const STEPS: usize = 256;
    if query.mode != Mode::Semantic || query.sort.is_some() || query.min_score.is_some() {
        return None;
    }
    let least = query.least_similarity()?;
    let fits = |cosine: f32| f64::from(embedder.similarity(cosine)) >= least;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "where it begins to look need not be exact"
    )]
    let mut cosine = embedder.cosine_for(least as f32);
    let mut steps = 0..STEPS;
    while !fits(cosine) {
        steps.next()?;
        cosine = cosine.next_up();
    }
    // What is less than nothing is never near.
    while cosine > 0.0 && fits(cosine.next_down()) {
        steps.next()?;
        cosine = cosine.next_down();
    }
    Some(cosine)
}

fn meaning_of(embedder: &dyn Embedder, text: &str) -> Result<Option<Vector>> {
    Ok(embedder.embed(&[text])?.into_iter().next().flatten())
}

fn similarity(embedder: &dyn Embedder, scored: &Scored) -> Option<f64> {
    Some(f64::from(embedder.similarity(scored.cosine?)))
}

/// Whether what was ranked is good enough.
fn fits(embedder: &dyn Embedder, query: &Query, scored: &Scored) -> bool {
    let is_as_near = |least: f64| similarity(embedder, scored).is_some_and(|own| own >= least);
    // In the order of something else nothing stays behind, so what answers must be told from what does not.
    let answers = query.sort.is_none() || scored.has_term || is_as_near(Query::MIN_SIMILARITY);
    answers
        && query.min_score.is_none_or(|least| scored.score >= least)
        && query.least_similarity().is_none_or(is_as_near)
}

/// Whether anything behind the last that was ranked can be good enough.
fn may_fit_behind(embedder: &dyn Embedder, query: &Query, last: Option<&Scored>) -> bool {
    let Some(last) = last else { return true };
    // By meaning alone the nearest come first.
    let is_near = || match query.least_similarity() {
        Some(wanted) if query.mode == Mode::Semantic => {
            similarity(embedder, last).is_some_and(|own| own >= wanted)
        }
        _ => true,
    };
    query.min_score.is_none_or(|least| last.score >= least) && is_near()
}

/// What is asked for of what fits, with its memories.
fn page(
    embedder: &dyn Embedder,
    query: &Query,
    mut fitting: Vec<Scored>,
    probe: &Probe,
    view: &dyn View,
) -> Result<Vec<Hit>> {
    if query.sort.is_none() {
        let page_end = query.filter.offset.saturating_add(query.filter.limit);
        fitting.truncate(page_end);
        fitting.drain(..query.filter.offset.min(fitting.len()));
    }
    let keys: Vec<Key> = fitting.iter().map(|scored| scored.key).collect();
    let hits = fitting.into_iter().zip(load(&keys, probe, view)?);
    let mut hits: Vec<Hit> = hits
        .map(|(scored, memory)| Hit {
            similarity: similarity(embedder, &scored),
            cosine: scored.cosine.map(f64::from),
            score: scored.score,
            rank: 0,
            has_term: scored.has_term,
            why: scored.told(),
            memory,
        })
        .collect();
    if let Some(sort) = query.sort {
        let filter = query.filter.sorted(sort);
        hits.sort_by(|a, b| filter.compare(&a.memory, &b.memory));
        hits.truncate(filter.offset.saturating_add(filter.limit));
        hits.drain(..filter.offset.min(hits.len()));
    }
    for (place, hit) in hits.iter_mut().enumerate() {
        hit.rank = query.filter.offset + place + 1;
    }
    Ok(hits)
}

/// Many memories take long to read, so the time is looked at in between.
fn load(keys: &[Key], probe: &Probe, view: &dyn View) -> Result<Vec<Memory>> {
    let mut memories = Vec::with_capacity(keys.len());
    for some in keys.chunks(LOADED_AT_ONCE) {
        memories.extend(view.load(some)?);
        probe.check_deadline()?;
    }
    Ok(memories)
}

/// `*` alone: whatever there is, in the order of the filter.
fn everything(store: &dyn Store, query: &Query) -> Result<Recalled> {
    if !lets_through_unasked(query.min_score, query.min_similarity) {
        return Ok(Recalled::default());
    }
    let found = store.select(&Filter {
        sort: query.sort.unwrap_or_default(),
        ..query.filter.clone()
    })?;
    let hit = |(place, memory): (usize, Memory)| Hit {
        memory,
        score: 1.0,
        similarity: None,
        cosine: None,
        rank: query.filter.offset + place + 1,
        has_term: true,
        why: Vec::new(),
    };
    Ok(Recalled {
        hits: found.memories.into_iter().enumerate().map(hit).collect(),
        total: found.total,
        notes: Vec::new(),
    })
}
