//! `priority`: fades without access and with age, rises with every access, and
//! is held up where something is still open or weighs much.

use super::{Class, Facts, Reason, Settings, hours_between, spared};
use crate::memory::Kind;

/// What a day of age takes, whatever the kind and however often it is asked for.
const AGE_RATE_PER_DAY: f64 = 0.01;
/// Accesses add no more than this.
const ACCESS_BOOST_MAX: f64 = 0.2;
/// A resolved finding fades so much faster.
const RESOLVED_FASTER: f64 = 1.5;

/// `base × exp(-rate × days since access) × exp(-0.01 × days of age) + boost`,
/// between 0 and 1, and not below what its class keeps.
pub(super) fn priority(settings: &Settings, facts: &Facts, now_micros: i64) -> (f64, Reason) {
    let (base, boost_per_access) = base(facts.kind);
    #[expect(clippy::cast_precision_loss, reason = "a boost is capped long before")]
    let boost = (facts.access.count as f64 * boost_per_access).min(ACCESS_BOOST_MAX);
    let rate_per_day = match facts.class {
        Class::ResolvedFinding | Class::CriticalResolvedFinding => {
            settings.rate_per_day.of(facts.kind) * RESOLVED_FASTER
        }
        _ => settings.rate_per_day.of(facts.kind),
    };
    let spared = spared(settings, facts);
    let left = match spared {
        Some(_) => 1.0,
        None => {
            let accessed = facts.access.last_micros.unwrap_or(facts.created_micros);
            let unused_days = hours_between(accessed, now_micros) / 24.0;
            let age_days = hours_between(facts.created_micros, now_micros) / 24.0;
            (-rate_per_day * unused_days).exp() * (-AGE_RATE_PER_DAY * age_days).exp()
        }
    };
    let priority = (base * left + boost).clamp(0.0, 1.0);
    if let Some(at) = kept_by(facts.class).filter(|at| priority < *at) {
        let class = facts.class;
        return (at, Reason::Held { class, at });
    }
    let reason = spared.unwrap_or(Reason::Rate {
        rate_per_day,
        boost,
    });
    (priority, reason)
}

/// Where a kind begins and what an access adds; kinds that the source lacks are
/// treated as the nearest one.
fn base(kind: Kind) -> (f64, f64) {
    match kind {
        Kind::Conversation | Kind::Event => (1.0, 0.01),
        Kind::Decision | Kind::Learning | Kind::Fact => (0.95, 0.02),
        Kind::Finding | Kind::Artifact => (0.90, 0.015),
        Kind::Preference | Kind::Procedure => (0.85, 0.03),
        Kind::State => (0.80, 0.01),
    }
}

/// What time does not take from a memory of this class.
fn kept_by(class: Class) -> Option<f64> {
    match class {
        Class::OpenDecision | Class::Summary => Some(0.7),
        Class::HighImpactDecision => Some(0.9),
        Class::CriticalFinding | Class::CriticalResolvedFinding => Some(0.8),
        Class::ExplicitPreference => Some(0.6),
        Class::InferredPreference => Some(0.3),
        Class::Ordinary | Class::ResolvedFinding => None,
    }
}
