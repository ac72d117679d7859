//! Finding again.

use std::time::{Duration, Instant};

use crate::caller::Caller;
use crate::embed::Vector;
use crate::engine::Mnemon;
use crate::error::Result;
use crate::memory::{Memory, Space};
use crate::recall::rank::{self, Scored};
use crate::recall::{Hit, Mode, Probe, Query, Recalled, Term};
use crate::store::{Filter, View};

/// Candidates by words, and as many by meaning, for pages that end before that.
const MOST: usize = 256;

impl Mnemon {
    /// The memories that answer a question, the best first.
    pub fn recall(&self, _caller: &Caller, query: &Query) -> Result<Recalled> {
        for session in query.filter.spaces.iter().filter_map(Space::session) {
            self.require_session(session)?;
        }
        if query.question.is_everything() {
            return self.everything(query);
        }
        let probe = self.probe(query)?;
        let mut answer = None;
        self.store.look(&mut |view| {
            let candidates = view.candidates(&probe)?;
            let ranked = rank::rank(query, &candidates, view)?;
            let hits = self.page(query, ranked, view)?;
            answer = Some(Recalled {
                hits,
                total: candidates.total,
            });
            Ok(())
        })?;
        Ok(answer.expect("a look that succeeds was taken"))
    }

    fn probe(&self, query: &Query) -> Result<Probe> {
        let mut terms = query.question.terms();
        let demanding = |term: &Term| !matches!(term, Term::Stem(_));
        let all_terms = query.mode == Mode::Text && terms.iter().any(demanding);
        if all_terms {
            terms.retain(demanding);
        }
        if query.mode == Mode::Semantic {
            terms.clear();
        }
        let page_end = query.filter.offset.saturating_add(query.filter.limit);
        let everything = page_end > MOST || query.sort.is_some();
        Ok(Probe {
            filter: query.filter.clone(),
            terms,
            all_terms,
            vector: if query.mode == Mode::Text {
                None
            } else {
                self.meaning_of(query.question.text())?
            },
            most: if everything { usize::MAX } else { MOST },
            deadline: Some(self.deadline()),
        })
    }

    pub(super) fn meaning_of(&self, text: &str) -> Result<Option<Vector>> {
        Ok(self.embedder.embed(&[text])?.into_iter().next().flatten())
    }

    pub(super) fn deadline(&self) -> Instant {
        Instant::now() + Duration::from_millis(self.config.search.timeout_ms)
    }

    /// What is asked for of what was ranked, with its memories.
    fn page(&self, query: &Query, ranked: Vec<Scored>, view: &dyn View) -> Result<Vec<Hit>> {
        let similarity = |scored: &Scored| {
            scored
                .cosine
                .map(|cosine| f64::from(self.embedder.similarity(cosine)))
        };
        let fits = |scored: &Scored| {
            query.min_score.is_none_or(|least| scored.score >= least)
                && query
                    .least_similarity()
                    .is_none_or(|least| similarity(scored).is_some_and(|own| own >= least))
        };
        let mut fitting: Vec<Scored> = ranked.into_iter().filter(fits).collect();
        if query.sort.is_none() {
            let page_end = query.filter.offset.saturating_add(query.filter.limit);
            fitting.truncate(page_end);
            fitting.drain(..query.filter.offset.min(fitting.len()));
        }
        let missing: Vec<_> = fitting.iter().map(|scored| scored.key).collect();
        let memories = view.load(&missing)?;
        let mut hits: Vec<Hit> = fitting
            .into_iter()
            .zip(memories)
            .enumerate()
            .map(|(place, (scored, memory))| Hit {
                similarity: similarity(&scored),
                cosine: scored.cosine.map(f64::from),
                score: scored.score,
                rank: query.filter.offset + place + 1,
                why: scored.why,
                memory,
            })
            .collect();
        if let Some(sort) = query.sort {
            let filter = Filter {
                sort,
                ..query.filter.clone()
            };
            hits.sort_by(|a, b| filter.compare(&a.memory, &b.memory));
            hits = hits
                .into_iter()
                .skip(filter.offset)
                .take(filter.limit)
                .collect();
            for (place, hit) in hits.iter_mut().enumerate() {
                hit.rank = filter.offset + place + 1;
            }
        }
        Ok(hits)
    }

    /// `*` alone: whatever there is, in the order of the filter.
    fn everything(&self, query: &Query) -> Result<Recalled> {
        let found = self.store.select(&Filter {
            sort: query.sort.unwrap_or_default(),
            ..query.filter.clone()
        })?;
        let hit = |(place, memory): (usize, Memory)| Hit {
            memory,
            score: 1.0,
            similarity: None,
            cosine: None,
            rank: query.filter.offset + place + 1,
            why: Vec::new(),
        };
        Ok(Recalled {
            hits: found.memories.into_iter().enumerate().map(hit).collect(),
            total: found.total,
        })
    }
}
