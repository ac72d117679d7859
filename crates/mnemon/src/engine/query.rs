//! Asking by fields.

use crate::caller::{Caller, Operation};
use crate::decay::At;
use crate::engine::Mnemon;
use crate::error::Result;
use crate::memory::Memory;
use crate::recall::query::lets_through_unasked;
use crate::recall::structured::{Aggregated, Aggregation, Key};
use crate::recall::{Answer, Condition, Hit, Mode, Note, Query, Recalled, StructuredQuery};
use crate::store::{Filter, Forgottenness, Sort};

/// What fits, and what of it counts.
struct Found {
    hits: Vec<Hit>,
    total: u64,
    aggregations: Vec<(Aggregation, Aggregated)>,
    notes: Vec<Note>,
}

impl Mnemon {
    /// The memories that fit a structured query, with what was to be counted of them.
    pub fn query(&self, caller: &Caller, query: &StructuredQuery) -> Result<Answer> {
        caller.may(Operation::Query)?;
        if let Some(moment) = query.as_of {
            let then = StructuredQuery {
                as_of: None,
                now: moment,
                ..query.clone()
            };
            return self.as_of(moment)?.query(caller, &then);
        }
        let (filter, rest) = query.split();
        let found = match page_of_the_store(query, &rest) {
            Some(sort) => self.one_page(caller, query, filter, sort)?,
            None => self.all_that_fit(caller, query, filter, &rest)?,
        };
        let related = self.related_to(caller, &found.hits, query)?;
        Ok(Answer {
            hits: found.hits,
            total: found.total,
            aggregations: found.aggregations,
            related,
            notes: found.notes,
        })
    }

    /// The store orders, counts and cuts: only the page is read.
    fn one_page(
        &self,
        caller: &Caller,
        query: &StructuredQuery,
        filter: Filter,
        sort: Option<Sort>,
    ) -> Result<Found> {
        let filter = Filter {
            sort: sort.unwrap_or_default(),
            limit: query.limit,
            offset: query.offset,
            ..filter
        };
        let Recalled { hits, total, notes } = self.hits(caller, query, filter)?;
        let count = |aggregation: &Aggregation| (*aggregation, Aggregated::Count(total));
        Ok(Found {
            hits,
            total,
            aggregations: query.aggregations.iter().map(count).collect(),
            notes,
        })
    }

    /// Everything that the filter lets through is read, and what does not fit is dropped.
    fn all_that_fit(
        &self,
        caller: &Caller,
        query: &StructuredQuery,
        filter: Filter,
        rest: &[&Condition],
    ) -> Result<Found> {
        let rules = self.current_rules()?;
        let at = At {
            rules: &rules,
            now_micros: query.now.micros(),
        };
        let everything = Filter {
            limit: usize::MAX,
            ..filter
        };
        let Recalled {
            mut hits, notes, ..
        } = self.hits(caller, query, everything)?;
        hits.retain(|hit| rest.iter().all(|own| own.fits(&hit.memory, at)));
        let by_relevance = query.is_by_relevance();
        if !by_relevance {
            // In another order, what is only near in meaning would crowd the rest out.
            hits.retain(|hit| counts(query, hit));
        }
        let counted = hits
            .iter()
            .filter(|hit| !by_relevance || counts(query, hit));
        let counted: Vec<&Memory> = counted.map(|hit| &hit.memory).collect();
        let total = counted.len() as u64;
        let aggregate = |own: &Aggregation| (*own, own.of(&counted, &query.zone));
        let aggregations = query.aggregations.iter().map(aggregate).collect();
        sort(&mut hits, query, at);
        Ok(Found {
            hits: page(hits, query),
            total,
            aggregations,
            notes,
        })
    }

    fn hits(&self, caller: &Caller, query: &StructuredQuery, filter: Filter) -> Result<Recalled> {
        let Some(question) = &query.question else {
            if !lets_through_unasked(query.min_score, query.min_similarity) {
                return Ok(Recalled::default());
            }
            let found = self.list(caller, &filter)?;
            let numbered = found.memories.into_iter().enumerate();
            let hits = numbered.map(|(place, memory)| Hit {
                memory,
                score: 1.0,
                similarity: None,
                cosine: None,
                has_term: true,
                rank: filter.offset + place + 1,
                why: Vec::new(),
            });
            return Ok(Recalled {
                hits: hits.collect(),
                total: found.total,
                notes: Vec::new(),
            });
        };
        self.recall(
            caller,
            &Query {
                question: question.clone(),
                mode: query.mode,
                profile: query.profile,
                filter,
                sort: None,
                min_similarity: query.min_similarity,
                min_score: query.min_score,
                zone: query.zone.clone(),
            },
        )
    }

    /// What the hits name and what names them, so many steps away; the nearest first.
    fn related_to(
        &self,
        caller: &Caller,
        hits: &[Hit],
        query: &StructuredQuery,
    ) -> Result<Vec<Memory>> {
        if query.related_depth == 0 || hits.is_empty() {
            return Ok(Vec::new());
        }
        let forgotten = if query.include_forgotten {
            Forgottenness::With
        } else {
            Forgottenness::Without
        };
        let page = hits.iter().map(|hit| hit.memory.clone()).collect();
        let reached = self.reach(caller, page, query.related_depth, forgotten)?;
        let related = reached.into_iter().filter(|it| it.distance > 0);
        Ok(related.map(|it| it.memory).collect())
    }
}

/// The order of the store that gives the page, if it can: `None` inside is by relevance.
#[expect(
    clippy::option_option,
    reason = "no page of the store differs from one without an order of its own"
)]
fn page_of_the_store(query: &StructuredQuery, rest: &[&Condition]) -> Option<Option<Sort>> {
    let counted = |own: &Aggregation| *own == Aggregation::Count;
    if !rest.is_empty() || !query.aggregations.iter().all(counted) {
        return None;
    }
    match (&query.question, &query.order[..]) {
        (_, []) => Some(None),
        (Some(_), [only]) => {
            (*only == crate::recall::structured::Order::descending(Key::Relevance)).then_some(None)
        }
        (None, [only]) => only.as_sort().map(Some),
        _ => None,
    }
}

/// Whether a hit counts: everything where nothing is asked, else what has a word of it or is near.
fn counts(query: &StructuredQuery, hit: &Hit) -> bool {
    let Some(question) = &query.question else {
        return true;
    };
    let terms = question.terms();
    if query.mode == Mode::Semantic || question.is_everything() || terms.is_empty() {
        return true;
    }
    let is_near = || {
        hit.similarity
            .is_some_and(|own| own >= Query::MIN_SIMILARITY)
    };
    hit.has_term || (query.mode == Mode::Hybrid && is_near())
}

/// By every key in turn; what is equal comes newest first, then by id.
fn sort(hits: &mut [Hit], query: &StructuredQuery, at: At<'_>) {
    if query.order.is_empty() {
        // As it was found: by relevance, or the newest first.
        return;
    }
    hits.sort_by(|a, b| {
        let mut keys = query.order.iter().map(|order| order.compare(a, b, at));
        let first = keys.find(|order| order.is_ne());
        first.unwrap_or_else(|| {
            let created = |hit: &Hit| hit.memory.created_at.micros();
            created(b)
                .cmp(&created(a))
                .then_with(|| a.memory.id.cmp(&b.memory.id))
        })
    });
}

fn page(hits: Vec<Hit>, query: &StructuredQuery) -> Vec<Hit> {
    let numbered = (1..).zip(hits);
    let page = numbered.skip(query.offset).take(query.limit);
    page.map(|(rank, hit)| Hit { rank, ..hit }).collect()
}
