//! Finding what is like a memory that is there already.

use crate::caller::{Caller, Operation};
use crate::embed::{Embedder, Vector};
use crate::engine::Mnemon;
use crate::error::{Error, Result};
use crate::memory::Memory;
use crate::recall::similar::{Likeness, Similar, SimilarOptions};
use crate::recall::words::words;
use crate::recall::{Candidate, Hit, Note, Part, Probe, Recalled, Term};
use crate::store::View;
use crate::tier::Gate;

impl Mnemon {
    /// The memories that are most like this one, without itself; near-duplicates come first.
    pub fn similar(
        &self,
        caller: &Caller,
        memory: &Memory,
        options: &SimilarOptions,
    ) -> Result<Similar> {
        caller.may(Operation::Similar)?;
        self.require(caller, Gate::SemanticSearch)?;
        self.require_spaces(caller, &options.filter.spaces)?;
        check_similarity(options.min_similarity)?;
        let spaces = &options.filter.spaces;
        self.with_open(caller, spaces, || {
            self.similar_once(caller, memory, options)
        })
    }

    fn similar_once(
        &self,
        caller: &Caller,
        memory: &Memory,
        options: &SimilarOptions,
    ) -> Result<Similar> {
        let options = &SimilarOptions {
            filter: self.ruled(caller, &options.filter)?,
            ..options.clone()
        };
        let (by, mut probe, note) = self.likeness(memory, options)?;
        let mut recalled = Recalled {
            hits: Vec::new(),
            total: 0,
            notes: Vec::new(),
        };
        if by != Likeness::Nothing {
            self.store.look(&mut |view| {
                probe.deadline = Some(self.deadline());
                recalled = self.alike(memory, by, options, &probe, view)?;
                Ok(())
            })?;
        }
        recalled.notes.extend(note);
        Ok(Similar { recalled, by })
    }

    /// What to compare the memory by, the question that does so, and what to say about it.
    fn likeness(
        &self,
        memory: &Memory,
        options: &SimilarOptions,
    ) -> Result<(Likeness, Probe, Option<Note>)> {
        let (asked, note) = self.vector_outside(memory)?;
        let (vector, set) = match asked {
            Some(asked) => (asked.vector, Some(asked.set)),
            None => (self.vector_of(memory)?, None),
        };
        let mut terms = Vec::new();
        if vector.is_none() {
            for word in words(memory.text.as_str()) {
                let term = Term::Stem(word.stem);
                if terms.len() < Probe::TERMS_MAX && !terms.contains(&term) {
                    terms.push(term);
                }
            }
        }
        let by = match (&vector, terms.is_empty()) {
            (Some(_), _) => Likeness::Meaning,
            (None, false) => Likeness::Words,
            (None, true) => Likeness::Nothing,
        };
        let probe = Probe {
            filter: options.filter.clone(),
            terms,
            demanded: 0,
            vector,
            by_meaning: true,
            near: 0.0,
            set,
            // All of them, because the total counts all that are near enough.
            most: usize::MAX,
            with_neighbours: false,
            deadline: None,
        };
        Ok((by, probe, note))
    }

    fn alike(
        &self,
        memory: &Memory,
        by: Likeness,
        options: &SimilarOptions,
        probe: &Probe,
        view: &dyn View,
    ) -> Result<Recalled> {
        let model = self.model(probe.set.is_some());
        let candidates = view.candidates(probe)?.list;
        let best = candidates
            .iter()
            .fold(0.0, |best: f64, it| best.max(it.text));
        let is_near = |score: f64| by == Likeness::Words || score >= options.min_similarity;
        let mut near: Vec<(f64, Candidate)> = candidates
            .into_iter()
            .filter_map(|it| {
                let score = match by {
                    // What points elsewhere is not alike, however low the threshold.
                    Likeness::Meaning => {
                        let cosine = it.cosine.filter(|cosine| *cosine > 0.0)?;
                        f64::from(model.similarity(cosine))
                    }
                    Likeness::Words | Likeness::Nothing => it.text / best,
                };
                (score > 0.0 && is_near(score)).then_some((score, it))
            })
            .collect();
        // By cosine, because very near ones have the same similarity: 1.
        near.sort_by(|(a_score, a), (b_score, b)| {
            (b.cosine.unwrap_or(0.0).total_cmp(&a.cosine.unwrap_or(0.0)))
                .then(b_score.total_cmp(a_score))
                .then(b.created_micros.cmp(&a.created_micros))
                .then(a.tie.cmp(&b.tie))
        });
        let itself = probe.vector.as_ref().map_or(1.0, |own| own.cosine(own));
        // It may be further down: another one can have exactly its vector.
        let is_among_them =
            is_near(f64::from(model.similarity(itself))) && options.filter.fits(memory);
        Ok(Recalled {
            total: near.len().saturating_sub(usize::from(is_among_them)) as u64,
            hits: page(memory, by, model, options, &near, view)?,
            notes: Vec::new(),
        })
    }

    /// The vector that the memory itself is found by: its own if it brought a fitting one.
    fn vector_of(&self, memory: &Memory) -> Result<Option<Vector>> {
        let own = memory.embedding.as_ref();
        match own.filter(|own| own.len() == self.embedder.dimension()) {
            Some(own) => Ok(Vector::nearest_to(own)),
            None => self.meaning_of(memory.text.as_str()),
        }
    }
}

/// What is asked for of what is near, without the memory itself.
fn page(
    memory: &Memory,
    by: Likeness,
    model: &dyn Embedder,
    options: &SimilarOptions,
    near: &[(f64, Candidate)],
    view: &dyn View,
) -> Result<Vec<Hit>> {
    let filter = &options.filter;
    let last = match options.sort {
        // One more, because the memory itself is among them.
        None => filter.offset.saturating_add(filter.limit).saturating_add(1),
        Some(_) => usize::MAX,
    };
    let keys: Vec<_> = near.iter().take(last).map(|(_, it)| it.key).collect();
    let memories = view.load(&keys)?;
    let mut others: Vec<_> = near
        .iter()
        .zip(memories)
        .filter(|(_, other)| other.id != memory.id)
        .collect();
    if let Some(sort) = options.sort {
        let order = filter.sorted(sort);
        others.sort_by(|(_, a), (_, b)| order.compare(a, b));
    }
    let page = (1..).zip(others).skip(filter.offset).take(filter.limit);
    let hits = page.map(|(rank, ((score, candidate), memory))| {
        let cosine = candidate.cosine.filter(|_| by == Likeness::Meaning);
        Hit {
            rank,
            has_term: candidate.matched != 0,
            similarity: cosine.map(|cosine| f64::from(model.similarity(cosine))),
            ..hit(*score, cosine, memory)
        }
    });
    Ok(hits.collect())
}

fn hit(score: f64, cosine: Option<f32>, memory: Memory) -> Hit {
    let why = match cosine {
        Some(cosine) => Part::new("meaning", score, format!("cosine {cosine:.3} between both")),
        None => Part::new(
            "text",
            score,
            format!(
                "it shares words, {:.0} % of what the best one does",
                score * 100.0
            ),
        ),
    };
    Hit {
        memory,
        score,
        similarity: None,
        cosine: cosine.map(f64::from),
        has_term: false,
        rank: 0,
        why: vec![why],
    }
}

fn check_similarity(least: f64) -> Result<()> {
    if (0.0..=1.0).contains(&least) {
        return Ok(());
    }
    Err(Error::InvalidQuery {
        field: "min-similarity".into(),
        problem: format!("must be a number from 0 to 1 (given: {least})"),
    })
}
