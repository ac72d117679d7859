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

/// Profiles that need the memories themselves order so many anew.
const LOADED_MAX: usize = 200;

/// A candidate with its score.
#[derive(Clone, Debug)]
pub(crate) struct Scored {
    pub(crate) key: Key,
    pub(crate) created_micros: i64,
    pub(crate) tie: u64,
    pub(crate) cosine: Option<f32>,
    /// Whether it has a term of the question.
    pub(crate) has_term: bool,
    pub(crate) score: f64,
    /// How well words and meaning fit, from 0 to 1.
    pub(crate) quality: f64,
    pub(crate) why: Why,
    /// What was taken off its score because it stands behind others.
    pub(crate) held_back: f64,
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
    fn told(self) -> Vec<Part> {
        match self {
            Self::Balanced(parts) => parts.why(),
            Self::Told(parts) => parts,
        }
    }
}

impl Scored {
    /// The parts of its score, in words.
    pub(crate) fn told(self) -> Vec<Part> {
        let mut parts = self.why.told();
        if self.held_back > 0.0 {
            let says =
                "taken off: it was not looked at closely, so it stays behind those that were";
            parts.push(Part::new("behind", -self.held_back, says));
        }
        parts
    }
}

/// The candidates that answer, the best first, in an order that is the same
/// for every page; those behind the last page may be missing. What nothing but
/// a cosine below `unrelated` speaks for is no answer.
pub(crate) fn rank(
    query: &Query,
    understood: &Understood,
    candidates: &Candidates,
    unrelated: f32,
    view: &dyn View,
) -> Result<Vec<Scored>> {
    let mut ranked = match query.mode {
        Mode::Hybrid => balanced::rank(query, understood, candidates, unrelated),
        Mode::Text => sorted(by_words(understood, candidates)),
        Mode::Semantic => sorted(by_meaning(candidates)),
    };
    if query.profile != Profile::Balanced {
        let mut behind = ranked.split_off(ranked.len().min(LOADED_MAX));
        refine(query, &mut ranked, view)?;
        ranked = sorted(ranked);
        if query.leaves_out() || query.reaches_behind(LOADED_MAX) {
            refine(query, &mut behind, view)?;
            follow(&mut ranked, behind);
        }
    }
    Ok(ranked)
}

/// Puts more behind what is ranked. Nothing counts more than what stands before it.
pub(crate) fn follow(ranked: &mut Vec<Scored>, more: impl IntoIterator<Item = Scored>) {
    let mut least = ranked.last().map_or(f64::INFINITY, |last| last.score);
    for mut scored in more {
        least = least.min(scored.score);
        scored.held_back += scored.score - least;
        scored.score = least;
        ranked.push(scored);
    }
}

/// Gives candidates the score of a profile that needs their memories.
fn refine(query: &Query, list: &mut [Scored], view: &dyn View) -> Result<()> {
    let keys: Vec<Key> = list.iter().map(|scored| scored.key).collect();
    for (scored, memory) in list.iter_mut().zip(view.load(&keys)?) {
        match query.profile {
            Profile::Weighted => weighted::refine(query, scored, &memory),
            _ => product::refine(query, scored, &memory),
        }
    }
    Ok(())
}

/// The best first; of equals the newest.
fn sorted(mut scored: Vec<Scored>) -> Vec<Scored> {
    scored.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then(b.created_micros.cmp(&a.created_micros))
            .then(a.tie.cmp(&b.tie))
    });
    scored
}

fn scored(candidate: &Candidate, score: f64, why: Why) -> Scored {
    Scored {
        key: candidate.key,
        created_micros: candidate.created_micros,
        tie: candidate.tie,
        cosine: candidate.cosine,
        has_term: candidate.matched != 0,
        score,
        quality: score,
        why,
        held_back: 0.0,
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
