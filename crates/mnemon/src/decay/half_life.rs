//! `half_life`: exponential decay by kind, down to a floor.

use super::{Facts, Reason, Settings, hours_between, spared, sums_up};

/// `max(floor, exp(-ln 2 / half-life × age))`, and never more than 1.
pub(super) fn factor(settings: &Settings, facts: &Facts, now_micros: i64) -> (f64, Reason) {
    if let Some(reason) = spared(settings, facts).or_else(|| sums_up(facts)) {
        return (1.0, reason);
    }
    let half_life_hours = settings.half_life_hours.of(facts.kind);
    if half_life_hours <= 0.0 {
        return (1.0, Reason::Never);
    }
    let factor = left_after(half_life_hours, facts, now_micros);
    if factor < settings.min_factor {
        let at = settings.min_factor;
        return (at, Reason::Floor { at });
    }
    (factor, Reason::HalfLife { half_life_hours })
}

/// What a half-life leaves of a memory at its age.
pub(super) fn left_after(half_life_hours: f64, facts: &Facts, now_micros: i64) -> f64 {
    let age_hours = hours_between(facts.created_micros, now_micros);
    (-std::f64::consts::LN_2 / half_life_hours * age_hours).exp()
}
