//! `weighted`: 0.4 text + 0.3 time + 0.2 importance + 0.1 access.

use serde_json::Value;

use super::{Scored, Why};
use crate::memory::{Kind, Memory};
use crate::recall::hit::Part;
use crate::recall::query::Query;

const TEXT: f64 = 0.4;
const TIME: f64 = 0.3;
const IMPORTANCE: f64 = 0.2;
const ACCESS: f64 = 0.1;

/// Loss of an hour of age, and of an hour since the last access.
const AGE_RATE: f64 = 0.1;
const ACCESS_RATE: f64 = 0.05;
/// For what was never asked for.
const NEVER_ASKED: f64 = 0.5;

pub(super) fn refine(query: &Query, scored: &mut Scored, memory: &Memory) {
    let now = query.filter.now_micros;
    let text = scored.quality.clamp(0.0, 1.0);
    let age_hours = hours_between(memory.created_at.micros(), now);
    let time = query.filter.at().fade(memory).factor * (-AGE_RATE * age_hours).exp();
    let importance = importance(memory);
    let access =
        hours_since_access(memory, now).map_or(NEVER_ASKED, |hours| (-ACCESS_RATE * hours).exp());
    scored.why = Why::Told(vec![
        Part::new("match", text, "how well words and meaning fit, × 0.4"),
        Part::new("time", time, "how fresh it is, × 0.3"),
        Part::new(
            "importance",
            importance,
            "how much its kind and its body say it matters, × 0.2",
        ),
        Part::new("access", access, "how recently it was asked for, × 0.1"),
    ]);
    scored.score = TEXT * text + TIME * time + IMPORTANCE * importance + ACCESS * access;
}

/// By kind; more if it is severe, has much impact, or somebody approved it.
fn importance(memory: &Memory) -> f64 {
    let base = match memory.kind() {
        Kind::Decision => 1.0,
        Kind::Finding => 0.8,
        Kind::Preference => 0.7,
        _ => 0.5,
    };
    let body = memory.body.to_map();
    let says = |field: &str, word: &str| body.get(field).and_then(Value::as_str) == Some(word);
    let severe = says("severity", "critical") || says("impact", "high");
    let approved = ["approved_by", "approvals"].iter().any(|field| {
        body.get(*field)
            .and_then(Value::as_array)
            .is_some_and(|list| !list.is_empty())
    });
    let more = if severe { 1.3 } else { 1.0 } * if approved { 1.2 } else { 1.0 };
    f64::min(base * more, 1.0)
}

pub(super) fn hours_since_access(memory: &Memory, now_micros: i64) -> Option<f64> {
    memory
        .state
        .last_access
        .map(|last| hours_between(last.micros(), now_micros))
}

#[expect(clippy::cast_precision_loss, reason = "an age needs no microseconds")]
fn hours_between(then_micros: i64, now_micros: i64) -> f64 {
    (now_micros.saturating_sub(then_micros) as f64 / 3.6e9).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_never_negative() {
        assert!((hours_between(0, 7_200_000_000) - 2.0).abs() < 1e-12);
        assert!(hours_between(7_200_000_000, 0).abs() < 1e-12);
    }
}
