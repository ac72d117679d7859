//! Following relations: one step after the other, until nothing is new.

use std::collections::{HashMap, HashSet};

use crate::caller::{Caller, Operation, Sight};
use crate::engine::Mnemon;
use crate::error::{Error, Result};
use crate::memory::{Memory, MemoryId, SessionId};
use crate::recall::related::{
    Direction, Related, RelatedHit, RelatedOptions, Step, score, strength, weight,
};
use crate::store::Forgottenness;

/// So many memories are asked about at once; between two questions the time is looked at.
const AT_ONCE: usize = 256;

/// A memory on the way, and how it was reached.
pub(super) struct Reached {
    pub(super) memory: Memory,
    /// How many steps away; 0 for an origin.
    pub(super) distance: u32,
    weight: f64,
    /// Where in the list the step before is, and the step; none for an origin.
    last: Option<(usize, Step)>,
}

impl Mnemon {
    /// The memories around one: what it names, what names it, and so on.
    ///
    /// Links, turns and the fields of bodies that name memories are followed
    /// in both directions. A memory is told once, at its shortest distance,
    /// and never as related to itself.
    pub fn related(
        &self,
        caller: &Caller,
        name: &str,
        session: Option<&SessionId>,
        options: &RelatedOptions,
    ) -> Result<Related> {
        caller.may(Operation::Related)?;
        check_depth(options.depth)?;
        let filter = self.ruled(caller, &options.filter)?;
        let origin = match options.filter.forgotten {
            Forgottenness::Without => self.get(caller, name, session)?,
            Forgottenness::With | Forgottenness::Only => self.find(caller, name, session)?,
        };
        let origins = vec![origin.clone()];
        let reached = self.reach(caller, origins, options.depth, options.filter.forgotten)?;
        let mut hits: Vec<(usize, &Reached)> = reached
            .iter()
            .enumerate()
            .filter(|(_, it)| it.distance > 0 && filter.fits(&it.memory))
            .collect();
        if let Some(sort) = options.sort {
            let order = filter.sorted(sort);
            hits.sort_by(|(_, a), (_, b)| order.compare(&a.memory, &b.memory));
        }
        let total = hits.len() as u64;
        let page = hits
            .into_iter()
            .skip(options.filter.offset)
            .take(options.filter.limit)
            .map(|(place, it)| RelatedHit {
                memory: it.memory.clone(),
                distance: it.distance,
                via: way(&reached, place),
                score: score(it.distance, it.weight),
            });
        Ok(Related {
            hits: page.collect(),
            total,
            origin,
        })
    }

    /// Everything within the depth, in the order in which it is told, after the origins themselves.
    pub(super) fn reach(
        &self,
        caller: &Caller,
        origins: Vec<Memory>,
        depth: u32,
        forgotten: Forgottenness,
    ) -> Result<Vec<Reached>> {
        let deadline = self.deadline();
        let sight = Sight::of(caller);
        // No way leads over what the caller does not see.
        let hidden = |memory: &Memory| {
            let is_forgotten = memory.state.forgotten.is_some();
            (forgotten == Forgottenness::Without && is_forgotten) || !sight.sees(memory)
        };
        let mut known: HashSet<MemoryId> = origins.iter().map(|it| it.id.clone()).collect();
        let origin = |memory: Memory| Reached {
            memory,
            distance: 0,
            weight: 0.0,
            last: None,
        };
        let mut reached: Vec<Reached> = origins.into_iter().map(origin).collect();
        let mut nearer = 0..reached.len();
        for distance in 1..=depth {
            let frontier: Vec<Memory> = reached[nearer.clone()]
                .iter()
                .map(|it| it.memory.clone())
                .collect();
            let mut found: HashMap<MemoryId, Memory> = HashMap::new();
            for some in frontier.chunks(AT_ONCE) {
                if std::time::Instant::now() >= deadline {
                    return Err(Error::QueryTimeout);
                }
                for memory in self.store.neighbours(some)? {
                    if !known.contains(&memory.id) && !hidden(&memory) {
                        found.insert(memory.id.clone(), memory);
                    }
                }
            }
            known.extend(found.keys().cloned());
            let steps = Steps::from(&frontier);
            let mut new: Vec<Reached> = found
                .into_values()
                .filter_map(|memory| {
                    let (place, step) = steps.best_to(&memory)?;
                    Some(Reached {
                        distance,
                        weight: weight(&step, &memory),
                        last: Some((nearer.start + place, step)),
                        memory,
                    })
                })
                .collect();
            new.sort_by(before);
            nearer = reached.len()..reached.len() + new.len();
            reached.append(&mut new);
            if nearer.is_empty() {
                break;
            }
        }
        Ok(reached)
    }
}

/// The order of what is equally far: by weight, then the newest, then by id.
fn before(a: &Reached, b: &Reached) -> std::cmp::Ordering {
    let created = |it: &Reached| it.memory.created_at.micros();
    b.weight
        .total_cmp(&a.weight)
        .then(created(b).cmp(&created(a)))
        .then_with(|| a.memory.id.cmp(&b.memory.id))
}

/// All steps that lead on from some memories.
struct Steps<'a> {
    frontier: &'a [Memory],
    /// Who can be meant by a name.
    named: HashMap<String, usize>,
    /// Who mentions a name, and how.
    mentioned: HashMap<String, Vec<(usize, Step)>>,
}

impl<'a> Steps<'a> {
    fn from(frontier: &'a [Memory]) -> Self {
        let mut steps = Self {
            frontier,
            named: HashMap::new(),
            mentioned: HashMap::new(),
        };
        for (place, memory) in frontier.iter().enumerate() {
            for name in memory.references() {
                steps.named.insert(name.key(), place);
            }
            for mention in memory.mentions() {
                let step = Step {
                    rel: mention.rel,
                    direction: Direction::Out,
                    from: memory.id.clone(),
                };
                let from_here = steps.mentioned.entry(mention.to.key()).or_default();
                from_here.push((place, step));
            }
        }
        steps
    }

    /// The step that says most; of equals the one from the memory that is told first.
    fn best_to(&self, memory: &Memory) -> Option<(usize, Step)> {
        let out = memory
            .references()
            .into_iter()
            .filter_map(|name| self.mentioned.get(&name.key()))
            .flatten()
            .cloned();
        let back = memory.mentions().into_iter().filter_map(|mention| {
            let place = *self.named.get(&mention.to.key())?;
            let step = Step {
                rel: mention.rel,
                direction: Direction::In,
                from: self.frontier[place].id.clone(),
            };
            Some((place, step))
        });
        out.chain(back).min_by(|(a_place, a), (b_place, b)| {
            strength(&b.rel)
                .total_cmp(&strength(&a.rel))
                .then(a_place.cmp(b_place))
                .then(a.direction.cmp(&b.direction))
                .then_with(|| a.rel.cmp(&b.rel))
        })
    }
}

/// The steps from the origin to this place in the list.
fn way(reached: &[Reached], mut place: usize) -> Vec<Step> {
    let mut steps = Vec::new();
    while let Some((before, step)) = &reached[place].last {
        steps.push(step.clone());
        place = *before;
    }
    steps.reverse();
    steps
}

fn check_depth(depth: u32) -> Result<()> {
    let max = RelatedOptions::DEPTH_MAX;
    if (1..=max).contains(&depth) {
        return Ok(());
    }
    Err(Error::InvalidQuery {
        field: "depth".into(),
        problem: format!("must be a whole number from 1 to {max} (given: {depth})"),
    })
}
