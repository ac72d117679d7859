//! `balanced`: words and meaning half and half, lifted by the turns around.

use super::{Scored, best_text, scored};
use crate::recall::hit::Part;
use crate::recall::probe::{Candidate, Candidates};
use crate::recall::query::Query;

/// What a turn gives to the turns next to it, and to those after.
const NEAR: f64 = 0.5;
const FAR: f64 = 0.2;

pub(super) fn score(_query: &Query, candidates: &Candidates) -> Vec<Scored> {
    let best_text = best_text(candidates);
    let best_cosine = candidates
        .list
        .iter()
        .filter_map(|candidate| candidate.cosine)
        .fold(0.0_f32, f32::max);
    let own: Vec<f64> = candidates
        .list
        .iter()
        .map(|candidate| {
            let text = candidate.text / best_text;
            let meaning =
                f64::from(candidate.cosine.unwrap_or(0.0).max(0.0) / best_cosine.max(1e-6));
            0.5 * text + 0.5 * meaning * meaning
        })
        .collect();
    let around = |candidate: &Candidate| {
        let list = &candidates.list;
        let before = candidate.previous;
        let after = candidate.next;
        let far_before = before.and_then(|place| list[place].previous);
        let far_after = after.and_then(|place| list[place].next);
        let value = |place: Option<usize>| place.map_or(0.0, |place| own[place]);
        NEAR * (value(before) + value(after)) + FAR * (value(far_before) + value(far_after))
    };
    candidates
        .list
        .iter()
        .zip(&own)
        .map(|(candidate, own)| {
            let neighbours = around(candidate);
            let why = vec![
                Part::new("match", *own, "words and meaning, half and half"),
                Part::new("neighbours", neighbours, "what the turns around it bring"),
            ];
            scored(candidate, own + neighbours, why)
        })
        .collect()
}
