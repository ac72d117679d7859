//! Ranking: from candidates to an order, with the reasons.
//!
//! First every candidate gets a match between 0 and 1 from its words and its
//! meaning; then the profile makes a score of it.

mod balanced;
mod product;
mod soft;
mod weighted;

use balanced::Parts;

use super::hit::Part;
use super::probe::{Candidate, Candidates, Key, Term};
use super::query::{Mode, Profile, Query};
use super::understood::Understood;
use crate::error::Result;
use crate::store::View;

/// Profiles that need the memories themselves look at so many, if no page needs more.
const LOADED_MAX: usize = 200;

/// A candidate with its score.
#[derive(Clone, Debug)]
pub(crate) struct Scored {
    pub(crate) key: Key,
    pub(crate) created_micros: i64,
    pub(crate) tie: u64,
    pub(crate) cosine: Option<f32>,
    pub(crate) score: f64,
    /// How well words and meaning fit, from 0 to 1.
    pub(crate) quality: f64,
    pub(crate) why: Why,
}

/// What a score is made of; told in words only for what is shown.
#[derive(Clone, Debug)]
pub(crate) enum Why {
    /// By the balanced profile.
    Balanced(Parts),
    /// Already told.
    Told(Vec<Part>),
}

impl Why {
    pub(crate) fn told(self) -> Vec<Part> {
        match self {
            Self::Balanced(parts) => parts.why(),
            Self::Told(parts) => parts,
        }
    }
}

/// All candidates that answer, the best first.
pub(crate) fn rank(
    query: &Query,
    understood: &Understood,
    candidates: &Candidates,
    view: &dyn View,
) -> Result<Vec<Scored>> {
    let mut scored = match query.mode {
        Mode::Hybrid => balanced::score(query, understood, candidates),
        Mode::Text => by_words(understood, candidates),
        Mode::Semantic => by_meaning(candidates),
    };
    sort(&mut scored);
    if query.profile != Profile::Balanced {
        let wanted = query.filter.offset.saturating_add(query.filter.limit);
        scored.truncate(wanted.max(LOADED_MAX));
        let keys: Vec<Key> = scored.iter().map(|scored| scored.key).collect();
        for (scored, memory) in scored.iter_mut().zip(view.load(&keys)?) {
            match query.profile {
                Profile::Weighted => weighted::refine(query, scored, &memory),
                _ => product::refine(query, scored, &memory),
            }
        }
        sort(&mut scored);
    }
    Ok(scored)
}

/// The best first; of equals the newest.
fn sort(scored: &mut [Scored]) {
    scored.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then(b.created_micros.cmp(&a.created_micros))
            .then(a.tie.cmp(&b.tie))
    });
}

fn scored(candidate: &Candidate, score: f64, why: Why) -> Scored {
    Scored {
        key: candidate.key,
        created_micros: candidate.created_micros,
        tie: candidate.tie,
        cosine: candidate.cosine,
        score,
        quality: score,
        why,
    }
}

/// The best match has 1; a name counts for its author too.
fn by_words(understood: &Understood, candidates: &Candidates) -> Vec<Scored> {
    let worth = |candidate: &Candidate| {
        let terms = understood.terms.iter().zip(&candidates.terms);
        let named = terms
            .enumerate()
            .filter(|(bit, (term, _))| {
                matches!(term, Term::Name { .. }) && candidate.matched & (1 << bit) != 0
            })
            .map(|(_, (_, rarity))| rarity.weight);
        candidate.text + named.sum::<f64>()
    };
    let best = candidates.list.iter().map(worth).fold(0.0, f64::max);
    let fitting = candidates
        .list
        .iter()
        .filter(|candidate| candidate.matched != 0);
    fitting
        .map(|candidate| {
            let value = if best > 0.0 {
                worth(candidate) / best
            } else {
                0.0
            };
            let says = format!(
                "its words fit {:.0} % as well as those of the best match",
                value * 100.0
            );
            let part = Part::new("text", value, says);
            scored(candidate, value, Why::Told(vec![part]))
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
            scored(candidate, value, Why::Told(vec![part]))
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
