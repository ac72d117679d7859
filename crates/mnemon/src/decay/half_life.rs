//! `half_life`: exponential decay by kind, down to a floor.

use super::Facts;
use crate::memory::Kind;

/// No memory fades below this part of its importance.
const FLOOR: f64 = 0.1;

/// `max(floor, exp(-ln 2 / half-life × age))`, and never more than 1.
pub(super) fn factor(facts: &Facts, now_micros: i64) -> f64 {
    let Some(half_life_hours) = half_life_hours(facts.kind).filter(|_| !facts.pinned) else {
        return 1.0;
    };
    #[expect(clippy::cast_precision_loss, reason = "an age needs no microseconds")]
    let age_hours = now_micros.saturating_sub(facts.created_micros) as f64 / 3.6e9;
    // A memory from the future (clock skew) counts as new.
    (-std::f64::consts::LN_2 / half_life_hours * age_hours.max(0.0))
        .exp()
        .max(FLOOR)
}

/// Kinds that the model does not name have the half-life of the nearest one.
fn half_life_hours(kind: Kind) -> Option<f64> {
    match kind {
        Kind::Conversation | Kind::Event | Kind::State => Some(168.0),
        Kind::Decision | Kind::Learning | Kind::Fact => Some(720.0),
        Kind::Finding | Kind::Artifact => Some(336.0),
        Kind::Preference | Kind::Procedure => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Importance;

    fn after(kind: Kind, hours: i64, pinned: bool) -> f64 {
        let facts = Facts {
            kind,
            importance: Importance::default(),
            created_micros: 0,
            pinned,
        };
        factor(&facts, hours * 3_600_000_000)
    }

    #[test]
    fn a_half_life_halves_and_the_floor_holds() {
        let cases = [
            (Kind::Conversation, 0, 1.0),
            (Kind::Conversation, 168, 0.5),
            (Kind::Conversation, 336, 0.25),
            (Kind::Decision, 720, 0.5),
            (Kind::Finding, 336, 0.5),
            (Kind::Finding, 168, std::f64::consts::FRAC_1_SQRT_2),
            (Kind::Preference, 87_600, 1.0),
            (Kind::Conversation, 87_600, 0.1),
            (Kind::Conversation, -48, 1.0),
        ];
        for (kind, hours, expected) in cases {
            let got = after(kind, hours, false);
            assert!(
                (got - expected).abs() < 1e-12,
                "{kind} after {hours} h: {got}"
            );
        }
        assert!(
            (after(Kind::Conversation, 168, true) - 1.0).abs() < 1e-12,
            "pinned"
        );
    }
}
