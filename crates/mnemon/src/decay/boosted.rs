//! `boosted`: the same curve, raised by accesses and importance.
//!
//! The source gives a rate and a half-life for each kind, which contradict
//! each other; the half-life holds.

use super::half_life::left_after;
use super::{Facts, Reason, Settings, spared, sums_up};

/// What an access and full importance add to the boost.
const PER_ACCESS: f64 = 0.1;
const PER_IMPORTANCE: f64 = 0.2;

/// For kinds that never fade under `half_life`: what the source has for preferences.
const SLOWEST_HALF_LIFE_HOURS: f64 = 1440.0;

/// `exp(-ln 2 / half-life × age) × (1 + 0.1 × accesses + 0.2 × importance)`,
/// between the floor and 1.
pub(super) fn factor(settings: &Settings, facts: &Facts, now_micros: i64) -> (f64, Reason) {
    if let Some(reason) = spared(settings, facts).or_else(|| sums_up(facts)) {
        return (1.0, reason);
    }
    let half_life_hours = match settings.half_life_hours.of(facts.kind) {
        hours if hours > 0.0 => hours,
        _ => SLOWEST_HALF_LIFE_HOURS,
    };
    #[expect(clippy::cast_precision_loss, reason = "a boost is capped long before")]
    let accesses = facts.access.count as f64;
    let boost = 1.0 + accesses * PER_ACCESS + facts.importance * PER_IMPORTANCE;
    let factor = left_after(half_life_hours, facts, now_micros) * boost;
    if factor < settings.min_factor {
        let at = settings.min_factor;
        return (at, Reason::Floor { at });
    }
    let reason = Reason::Boosted {
        half_life_hours,
        boost,
    };
    (factor.min(1.0), reason)
}
