//! Search as plainly as it can be said: every memory is looked at for every question.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mnemon::Result;
use mnemon::decay::{Access, Class, Facts};
use mnemon::embed::{BuiltIn, Embedder, SetName, TextKey, Vector};
use mnemon::memory::{Memory, SessionId, Space};
use mnemon::recall::{
    Authors, Candidate, Candidates, Document, Key, Place, Probe, Rarity, Term, tie_of,
};
use mnemon::store::{SetState, View};
use serde_json::{Map, Value};

use super::sets::Sets;
use super::state::State;

/// A look at the model; keys are the places of memories in its list.
pub(super) struct ModelView<'a>(pub(super) &'a State, pub(super) &'a Sets);

/// One memory with all that search knows of it.
struct Searched<'a> {
    memory: &'a Memory,
    document: Document,
    text: f64,
    matched: u64,
    cosine: Option<f32>,
}

impl View for ModelView<'_> {
    fn authors(&self) -> Result<Arc<Authors>> {
        Ok(Arc::new(Authors::new((1..).zip(self.author_names()))))
    }

    fn candidates(&self, probe: &Probe) -> Result<Candidates> {
        self.0.refuse_archived(&probe.filter)?;
        let terms = self.rarities(probe);
        let all = self.searched(probe, &terms)?;
        let (chosen, is_complete) = self.choose(probe, &all);
        let places = self.places();
        let place_of = |memory: &Memory| {
            let space = &memory.space;
            let number = places.iter().position(|known| known.space == *space);
            u32::try_from(number.expect("every memory lives somewhere")).unwrap_or(0)
        };
        let authors = self.author_names();
        let author_of = |memory: &Memory| {
            let own = memory.author.as_ref()?.as_str();
            let number = authors.iter().position(|name| name == own)?;
            u32::try_from(number + 1).ok()
        };
        let list: Vec<usize> = chosen.into_iter().collect();
        let in_list = |n: Option<usize>| list.iter().position(|own| Some(*own) == n);
        let candidate = |n: &usize| {
            let Searched {
                memory, document, ..
            } = &all[*n];
            Candidate {
                key: Key(u32::try_from(*n).unwrap_or(0)),
                tie: tie_of(&memory.id),
                place: place_of(memory),
                author: author_of(memory),
                created_micros: memory.created_at.micros(),
                kind: memory.kind(),
                class: Class::of(&memory.body),
                access: if probe.filter.decay.need_access() {
                    Facts::from(*memory).access
                } else {
                    Access::default()
                },
                importance: memory.importance.get(),
                is_question: document.is_question,
                has_time: document.has_time,
                pinned: memory.pinned,
                is_open: memory.body.is_open() == Some(true),
                is_superseded: self.is_superseded(memory),
                pieces: document.pieces,
                text: all[*n].text,
                matched: all[*n].matched,
                cosine: all[*n].cosine,
                previous: in_list(self.before(*n)),
                next: in_list(self.after(*n)),
            }
        };
        Ok(Candidates {
            list: list.iter().map(candidate).collect(),
            places: (0..).zip(places).collect(),
            terms,
            is_complete,
            total: (0..all.len())
                .filter(|n| allowed(probe, &all[*n]))
                .filter(|n| {
                    let near = all[*n]
                        .cosine
                        .is_some_and(|own| own > 0.0 && own >= probe.near);
                    all[*n].matched != 0 || (probe.by_meaning && near)
                })
                .count() as u64,
        })
    }

    fn session_decay(&self) -> Result<Vec<(SessionId, Map<String, Value>)>> {
        let places = self.0.places.iter();
        let own = places.filter_map(|(space, place)| {
            let own = place.session.as_ref()?.content.decay.clone();
            Some((space.session()?.clone(), own))
        });
        Ok(own.filter(|(_, own)| !own.is_empty()).collect())
    }

    fn set_state(&self, set: &SetName) -> Result<SetState> {
        Ok(self.1.state(set, self.0))
    }

    fn vector_in(&self, set: &SetName, key: TextKey) -> Result<Option<Vector>> {
        Ok(self.1.vector(set, key))
    }

    fn load(&self, keys: &[Key]) -> Result<Vec<Memory>> {
        let memory = |key: &Key| self.0.memories[key.0 as usize].now.clone();
        Ok(keys.iter().map(memory).collect())
    }
}

impl ModelView<'_> {
    fn live(&self, probe: &Probe) -> Vec<Document> {
        let shown = self.0.memories.iter().map(|kept| &kept.now);
        shown
            .filter(|memory| memory.state.forgotten.is_none() && probe.filter.sight.sees(memory))
            .map(Document::of)
            .collect()
    }

    /// ln(1 + (N - n + ½) / (n + ½)), where n is 1 at least.
    #[expect(clippy::cast_precision_loss, reason = "the model is small")]
    fn rarities(&self, probe: &Probe) -> Vec<Rarity> {
        let live = self.live(probe);
        let rarity = |term: &Term| {
            let with = live
                .iter()
                .filter(|document| document.occurrences(term) > 0);
            let memories = with.count();
            let (all, with) = (live.len() as f64, memories.max(1) as f64);
            Rarity {
                memories: memories as u64,
                weight: (1.0 + (all - with + 0.5).max(0.0) / (with + 0.5)).ln(),
            }
        };
        probe.terms.iter().map(rarity).collect()
    }

    #[expect(clippy::cast_precision_loss, reason = "the model is small")]
    fn searched(&self, probe: &Probe, rarities: &[Rarity]) -> Result<Vec<Searched<'_>>> {
        let live = self.live(probe);
        let words: u64 = live.iter().map(|document| u64::from(document.length)).sum();
        let mean = (words as f64 / live.len().max(1) as f64).max(1.0);
        let mut all = Vec::new();
        for kept in &self.0.memories {
            let memory = &kept.now;
            let document = Document::of(memory);
            let (mut text, mut matched) = (0.0, 0);
            for (place, (term, rarity)) in probe.terms.iter().zip(rarities).enumerate() {
                let count = f64::from(document.occurrences(term));
                if count > 0.0 {
                    matched |= 1 << place;
                }
                if count > 0.0 && !matches!(term, Term::Name { .. }) {
                    let relative = f64::from(document.length) / mean;
                    text += rarity.weight * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * relative));
                }
            }
            let own = match &probe.set {
                Some(set) => TextKey::of(memory).and_then(|key| self.1.vector(set, key)),
                None => vector(memory)?,
            };
            let cosine = match (&probe.vector, own) {
                (Some(query), Some(own)) => Some(query.cosine(&own)),
                _ => None,
            };
            all.push(Searched {
                memory,
                document,
                text,
                matched,
                cosine,
            });
        }
        Ok(all)
    }

    fn choose(&self, probe: &Probe, all: &[Searched<'_>]) -> (BTreeSet<usize>, bool) {
        type Counts<'a> = dyn Fn(&Searched<'_>) -> bool + 'a;
        let mut is_complete = true;
        let mut best = |score: &dyn Fn(&Searched<'_>) -> f64, counts: &Counts<'_>| -> Vec<usize> {
            let mut order: Vec<usize> = (0..all.len())
                .filter(|n| counts(&all[*n]) && allowed(probe, &all[*n]))
                .collect();
            order.sort_by(|a, b| {
                let tie = |n: usize| {
                    let memory = all[n].memory;
                    (Reverse(memory.created_at.micros()), tie_of(&memory.id))
                };
                let by_score = score(&all[*b]).total_cmp(&score(&all[*a]));
                by_score.then_with(|| tie(*a).cmp(&tie(*b)))
            });
            is_complete &= order.len() <= probe.most;
            order.truncate(probe.most);
            order
        };
        let mut chosen: BTreeSet<usize> = best(&|it| it.text, &|it| it.matched != 0)
            .into_iter()
            .collect();
        if probe.by_meaning {
            chosen.extend(best(&|it| it.cosine.map_or(0.0, f64::from), &|it| {
                it.cosine.is_some_and(|own| own > 0.0)
            }));
        }
        let among = if probe.with_neighbours {
            chosen.clone()
        } else {
            BTreeSet::new()
        };
        for n in among {
            let mut around = Vec::new();
            let (mut earlier, mut later) = (Some(n), Some(n));
            for _ in 0..3 {
                earlier = earlier.and_then(|n| self.before(n));
                later = later.and_then(|n| self.after(n));
                around.extend([earlier, later]);
            }
            let around = around.into_iter().flatten();
            chosen.extend(around.filter(|n| allowed(probe, &all[*n])));
        }
        (chosen, is_complete)
    }

    /// What was kept just before in the same session.
    fn before(&self, n: usize) -> Option<usize> {
        let space = self.session_of(n)?;
        (0..n)
            .rev()
            .find(|other| self.session_of(*other) == Some(space))
    }

    fn after(&self, n: usize) -> Option<usize> {
        let space = self.session_of(n)?;
        (n + 1..self.0.memories.len()).find(|other| self.session_of(*other) == Some(space))
    }

    fn session_of(&self, n: usize) -> Option<&Space> {
        let space = &self.0.memories[n].now.space;
        space.session().map(|_| space)
    }

    fn is_superseded(&self, memory: &Memory) -> bool {
        let shown = self.0.memories.iter().map(|kept| &kept.now);
        let shown = shown.filter(|memory| memory.state.forgotten.is_none());
        let links = shown.flat_map(|memory| &memory.links);
        links
            .into_iter()
            .any(|link| link.to == memory.id && link.rel.as_str() == "supersedes")
    }

    fn places(&self) -> Vec<Place> {
        let places = self.0.places.iter();
        let by_name: BTreeMap<String, Place> = places
            .map(|(space, place)| {
                let last_written_micros = place.recorded_micros.unwrap_or(0);
                let live = self.0.memories.iter().map(|kept| &kept.now);
                let live = live.filter(|it| it.space == *space && it.state.forgotten.is_none());
                let place = Place {
                    space: space.clone(),
                    last_written_micros,
                    memories: live.count() as u64,
                };
                (space.to_string(), place)
            })
            .collect();
        by_name.into_values().collect()
    }

    fn author_names(&self) -> Vec<String> {
        let authors = self
            .0
            .memories
            .iter()
            .filter_map(|kept| kept.now.author.as_ref());
        let names: BTreeSet<String> = authors.map(ToString::to_string).collect();
        names.into_iter().collect()
    }
}

fn allowed(probe: &Probe, it: &Searched<'_>) -> bool {
    probe.filter.fits(it.memory) && probe.demanded & !it.matched == 0
}

/// Its own vector if it brought a fitting one, else that of its text.
fn vector(memory: &Memory) -> Result<Option<Vector>> {
    let embedder = BuiltIn::new();
    let own = memory.embedding.as_ref();
    match own.filter(|own| own.len() == embedder.dimension()) {
        Some(own) => Ok(Vector::nearest_to(own)),
        None => Ok(embedder.embed(&[memory.text.as_str()])?.remove(0)),
    }
}
