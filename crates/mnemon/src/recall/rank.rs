//! Ranking: from candidates to an order, with the reasons.
//!
//! First every candidate gets a match between 0 and 1 from its words and its
//! meaning; then the profile makes a score of it.

mod balanced;
mod product;
mod weighted;

use super::hit::Part;
use super::probe::{Candidate, Candidates, Key};
use super::query::{Mode, Profile, Query};
use crate::error::Result;
use crate::memory::Memory;
use crate::store::View;

/// As many of the best matches are looked at closely, if no page needs more.
const CLOSE_LOOKS: usize = 50;

/// A candidate with its score.
#[derive(Clone, Debug)]
pub(crate) struct Scored {
    pub(crate) key: Key,
    pub(crate) created_micros: i64,
    pub(crate) cosine: Option<f32>,
    pub(crate) score: f64,
    pub(crate) why: Vec<Part>,
    /// There once it was needed.
    pub(crate) memory: Option<Memory>,
}

/// All candidates that answer, the best first.
pub(crate) fn rank(query: &Query, candidates: &Candidates, view: &dyn View) -> Result<Vec<Scored>> {
    let mut scored = match (query.mode, query.profile) {
        (Mode::Hybrid, _) => balanced::score(query, candidates),
        (Mode::Text, _) => by_words(candidates),
        (Mode::Semantic, _) => by_meaning(candidates),
    };
    sort(&mut scored);
    let wanted = query.filter.offset.saturating_add(query.filter.limit);
    scored.truncate(wanted.saturating_mul(2).max(4 * CLOSE_LOOKS));
    match query.profile {
        Profile::Balanced => {}
        Profile::Product => {
            load(&mut scored, view)?;
            scored
                .iter_mut()
                .for_each(|scored| product::refine(query, scored));
        }
        Profile::Weighted => {
            load(&mut scored, view)?;
            scored
                .iter_mut()
                .for_each(|scored| weighted::refine(query, scored));
        }
    }
    sort(&mut scored);
    Ok(scored)
}

/// The best first; of equals the newest, then by number.
fn sort(scored: &mut [Scored]) {
    scored.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then(b.created_micros.cmp(&a.created_micros))
            .then(a.key.cmp(&b.key))
    });
}

fn load(scored: &mut [Scored], view: &dyn View) -> Result<()> {
    let keys: Vec<Key> = scored.iter().map(|scored| scored.key).collect();
    for (scored, memory) in scored.iter_mut().zip(view.load(&keys)?) {
        scored.memory = Some(memory);
    }
    Ok(())
}

fn scored(candidate: &Candidate, score: f64, why: Vec<Part>) -> Scored {
    Scored {
        key: candidate.key,
        created_micros: candidate.created_micros,
        cosine: candidate.cosine,
        score,
        why,
        memory: None,
    }
}

/// The best match has 1.
fn by_words(candidates: &Candidates) -> Vec<Scored> {
    let best = best_text(candidates);
    let fitting = candidates
        .list
        .iter()
        .filter(|candidate| candidate.text > 0.0);
    fitting
        .map(|candidate| {
            let value = candidate.text / best;
            let says = format!(
                "its words fit {:.0} % as well as those of the best match",
                value * 100.0
            );
            scored(candidate, value, vec![Part::new("text", value, says)])
        })
        .collect()
}

fn by_meaning(candidates: &Candidates) -> Vec<Scored> {
    let near = candidates
        .list
        .iter()
        .filter_map(|candidate| Some((candidate, candidate.cosine?)));
    near.filter(|(_, cosine)| *cosine > 0.0)
        .map(|(candidate, cosine)| {
            let value = f64::from(cosine);
            let part = Part::new(
                "meaning",
                value,
                format!("cosine {value:.3} between question and memory"),
            );
            scored(candidate, value, vec![part])
        })
        .collect()
}

fn best_text(candidates: &Candidates) -> f64 {
    let best = candidates
        .list
        .iter()
        .map(|candidate| candidate.text)
        .fold(0.0, f64::max);
    if best > 0.0 { best } else { 1.0 }
}
