//! Finding what is like a memory that is there already.

use crate::caller::Caller;
use crate::embed::Vector;
use crate::engine::Mnemon;
use crate::error::{Error, Result};
use crate::memory::{Memory, Space};
use crate::recall::similar::{Likeness, Similar, SimilarOptions};
use crate::recall::words::words;
use crate::recall::{Candidate, Hit, Part, Probe, Recalled, Term};
use crate::store::View;

impl Mnemon {
    /// The memories that are most like this one, without itself; near-duplicates come first.
    pub fn similar(
        &self,
        _caller: &Caller,
        memory: &Memory,
        options: &SimilarOptions,
    ) -> Result<Similar> {
        check_similarity(options.min_similarity)?;
        for session in options.filter.spaces.iter().filter_map(Space::session) {
            self.require_session(session)?;
        }
        let options = &SimilarOptions {
            filter: self.ruled(&options.filter)?,
            ..options.clone()
        };
        let (by, probe) = self.likeness(memory, options)?;
        let mut recalled = Recalled {
            hits: Vec::new(),
            total: 0,
        };
        if by != Likeness::Nothing {
            self.store.look(&mut |view| {
                recalled = self.alike(memory, by, options, &probe, view)?;
                Ok(())
            })?;
        }
        Ok(Similar { recalled, by })
    }

    /// What to compare the memory by, and the question that does so.
    fn likeness(&self, memory: &Memory, options: &SimilarOptions) -> Result<(Likeness, Probe)> {
        let vector = self.vector_of(memory)?;
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
            // All of them, because the total counts all that are near enough.
            most: usize::MAX,
            deadline: Some(self.deadline()),
        };
        Ok((by, probe))
    }

    fn alike(
        &self,
        memory: &Memory,
        by: Likeness,
        options: &SimilarOptions,
        probe: &Probe,
        view: &dyn View,
    ) -> Result<Recalled> {
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
                        f64::from(self.embedder.similarity(cosine))
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
        let page_end = options.filter.offset.saturating_add(options.filter.limit);
        // One more, because the memory itself is among them.
        let keys: Vec<_> = near
            .iter()
            .take(page_end.saturating_add(1))
            .map(|(_, it)| it.key)
            .collect();
        let memories = view.load(&keys)?;
        let own = memories.iter().position(|it| it.id == memory.id);
        // It may be further down: another one can have exactly its vector.
        let to_itself = probe.vector.as_ref().map_or(1.0, |own| own.cosine(own));
        let own_is_near =
            is_near(f64::from(self.embedder.similarity(to_itself))) && options.filter.fits(memory);
        let total = near.len().saturating_sub(usize::from(own_is_near)) as u64;
        let hits = near
            .iter()
            .zip(memories)
            .enumerate()
            .filter(|(place, _)| Some(*place) != own)
            .map(|(_, hit)| hit)
            .enumerate()
            .skip(options.filter.offset)
            .take(options.filter.limit)
            .map(|(place, ((score, candidate), memory))| {
                self.hit(by, place + 1, *score, candidate, memory)
            })
            .collect();
        Ok(Recalled { hits, total })
    }

    fn hit(
        &self,
        by: Likeness,
        rank: usize,
        score: f64,
        candidate: &Candidate,
        memory: Memory,
    ) -> Hit {
        let cosine = candidate.cosine.filter(|_| by == Likeness::Meaning);
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
            similarity: cosine.map(|cosine| f64::from(self.embedder.similarity(cosine))),
            cosine: cosine.map(f64::from),
            has_term: candidate.matched != 0,
            rank,
            why: vec![why],
        }
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

fn check_similarity(least: f64) -> Result<()> {
    if (0.0..=1.0).contains(&least) {
        return Ok(());
    }
    Err(Error::InvalidQuery {
        field: "min-similarity".into(),
        problem: format!("must be a number from 0 to 1 (given: {least})"),
    })
}
