//! The formulas of the sources with numbers worked out by hand.
//!
//! The last column of each table is the arithmetic; exponentials to six digits.

use super::*;

const HOUR: i64 = 3_600_000_000;

fn facts(kind: Kind, class: Class) -> Facts {
    Facts {
        kind,
        class,
        importance: 0.5,
        created_micros: 0,
        pinned: false,
        access: Access::default(),
    }
}

fn settings(model: Model) -> Settings {
    Settings {
        model,
        ..Settings::default()
    }
}

#[track_caller]
fn assert_near(got: f64, expected: f64, arithmetic: &str) {
    assert!(
        (got - expected).abs() < 1e-6,
        "{got} ≠ {expected} = {arithmetic}"
    );
}

#[test]
fn half_life_is_exp_of_minus_ln2_by_half_life_times_age() {
    let cases = [
        (Kind::Conversation, 0, 1.0, "e^0"),
        (Kind::Conversation, 24, 0.905_724, "2^(-24/168)"),
        (Kind::Conversation, 168, 0.5, "2^-1"),
        (Kind::Conversation, 336, 0.25, "2^-2"),
        (Kind::Decision, 100, 0.908_218, "2^(-100/720)"),
        (Kind::Decision, 720, 0.5, "2^-1"),
        (Kind::Finding, 112, 0.793_701, "2^(-1/3)"),
        (Kind::Finding, 1000, 0.127_080, "2^(-1000/336)"),
        (Kind::Finding, 1200, 0.1, "2^(-1200/336) = 0.084119, floor"),
        (Kind::Preference, 87_600, 1.0, "no decay"),
        (Kind::Conversation, 87_600, 0.1, "floor"),
        (Kind::Conversation, -48, 1.0, "from the future: new"),
        // Kinds that the source lacks, as the nearest one.
        (Kind::Event, 168, 0.5, "as conversation"),
        (Kind::State, 168, 0.5, "as conversation"),
        (Kind::Fact, 720, 0.5, "as decision"),
        (Kind::Learning, 720, 0.5, "as decision"),
        (Kind::Artifact, 336, 0.5, "as finding"),
        (Kind::Procedure, 87_600, 1.0, "as preference"),
    ];
    for (kind, hours, expected, arithmetic) in cases {
        let faded = settings(Model::HalfLife).fade(&facts(kind, Class::Ordinary), hours * HOUR);
        assert_near(faded.factor, expected, arithmetic);
        assert_near(faded.priority, 0.5 * expected, "importance 0.5 × factor");
    }
}

#[test]
fn boosted_multiplies_with_the_sum_of_accesses_and_importance() {
    #[rustfmt::skip]
    let cases = [
        (Kind::Conversation, 168, 0, 0.5, 0.55, "0.5 × (1 + 0 + 0.1)"),
        (Kind::Conversation, 168, 3, 0.5, 0.7, "0.5 × (1 + 0.3 + 0.1)"),
        (Kind::Decision, 720, 2, 1.0, 0.7, "0.5 × (1 + 0.2 + 0.2)"),
        (Kind::Finding, 672, 0, 0.0, 0.25, "0.25 × 1"),
        (Kind::Preference, 1440, 5, 0.8, 0.83, "0.5 × (1 + 0.5 + 0.16)"),
        (Kind::Procedure, 1440, 5, 0.8, 0.83, "as preference"),
        (Kind::Conversation, 24, 9, 1.0, 1.0, "0.905724 × 2.1 = 1.902020, capped"),
        (Kind::Conversation, 840, 0, 0.5, 0.1, "0.03125 × 1.1 = 0.034375, floor"),
        (Kind::Conversation, 840, 30, 0.5, 0.128_125, "0.03125 × 4.1"),
        (Kind::Fact, 0, 0, 0.0, 1.0, "new"),
    ];
    for (kind, hours, count, importance, expected, arithmetic) in cases {
        let facts = Facts {
            importance,
            access: Access {
                count,
                last_micros: Some(0),
            },
            ..facts(kind, Class::Ordinary)
        };
        let faded = settings(Model::Boosted).fade(&facts, hours * HOUR);
        assert_near(faded.factor, expected, arithmetic);
        assert_near(faded.priority, importance * expected, "importance × factor");
    }
}

/// A case of the `priority` model: kind, class, accesses, days since access, days of age, what
/// comes out, and the arithmetic.
type Case = (Kind, Class, u64, Option<i64>, i64, f64, &'static str);

#[track_caller]
fn check_priority(cases: &[Case]) {
    for (kind, class, count, unused_days, age_days, expected, arithmetic) in cases {
        let now = age_days * 24 * HOUR;
        let facts = Facts {
            access: Access {
                count: *count,
                last_micros: unused_days.map(|days| now - days * 24 * HOUR),
            },
            ..facts(*kind, *class)
        };
        let faded = settings(Model::Priority).fade(&facts, now);
        assert_near(faded.priority, *expected, arithmetic);
        assert_near(
            faded.factor,
            *expected,
            "the model has no importance beside it",
        );
    }
}

#[test]
fn priority_fades_without_access_and_with_age_and_rises_with_access() {
    use Class::Ordinary;
    #[rustfmt::skip]
    check_priority(&[
        (Kind::Conversation, Ordinary, 0, None, 0, 1.0, "1 × 1 × 1 + 0"),
        (Kind::Conversation, Ordinary, 0, None, 10, 0.548_812, "1 × e^-0.5 × e^-0.1 = 0.606531 × 0.904837"),
        (Kind::Conversation, Ordinary, 5, Some(2), 10, 0.868_731, "1 × 0.904837 × 0.904837 + 0.05"),
        (Kind::Conversation, Ordinary, 100, Some(0), 30, 0.940_818, "1 × 1 × 0.740818 + 0.2 (capped)"),
        (Kind::Event, Ordinary, 0, None, 10, 0.548_812, "as conversation"),
        (Kind::Decision, Ordinary, 0, None, 30, 0.286_135, "0.95 × e^-0.9 × e^-0.3 = 0.95 × 0.406570 × 0.740818"),
        (Kind::Fact, Ordinary, 0, None, 30, 0.286_135, "as decision"),
        (Kind::Learning, Ordinary, 0, None, 30, 0.286_135, "as decision"),
        (Kind::Finding, Ordinary, 4, Some(7), 14, 0.651_342, "0.9 × e^-0.28 × e^-0.14 + 0.06 = 0.9 × 0.755784 × 0.869358 + 0.06"),
        (Kind::Finding, Ordinary, 0, None, 20, 0.331_091, "0.9 × e^-0.8 × e^-0.2 = 0.9 × 0.449329 × 0.818731"),
        (Kind::Artifact, Ordinary, 0, None, 20, 0.331_091, "as finding"),
        (Kind::Preference, Ordinary, 7, Some(1), 5, 0.992_535, "0.85 × e^-0.02 × e^-0.05 + 0.2 (0.21 capped)"),
        (Kind::Procedure, Ordinary, 0, None, 100, 0.042_319, "as preference: 0.85 × e^-2 × e^-1"),
        (Kind::State, Ordinary, 0, None, 10, 0.397_268, "0.8 × e^-0.6 × e^-0.1 = 0.8 × 0.548812 × 0.904837"),
        (Kind::Conversation, Ordinary, 50, Some(0), 0, 1.0, "1 + 0.2, capped at 1"),
    ]);
}

#[test]
fn priority_is_held_up_by_the_special_rules() {
    use Class::*;
    #[rustfmt::skip]
    check_priority(&[
        (Kind::Decision, OpenDecision, 0, None, 5, 0.777_794, "0.95 × e^-0.15 × e^-0.05, above 0.7"),
        (Kind::Decision, OpenDecision, 0, None, 30, 0.7, "0.286135, held at 0.7"),
        (Kind::Decision, HighImpactDecision, 0, None, 30, 0.9, "held at 0.9"),
        (Kind::Finding, CriticalFinding, 0, None, 20, 0.8, "0.331091, held at 0.8"),
        (Kind::Finding, CriticalResolvedFinding, 0, None, 20, 0.8, "held at 0.8"),
        (Kind::Finding, ResolvedFinding, 0, None, 20, 0.221_937, "rate 0.06: 0.9 × e^-1.2 × e^-0.2 = 0.9 × 0.301194 × 0.818731"),
        (Kind::Preference, ExplicitPreference, 0, None, 200, 0.6, "0.002107, held at 0.6"),
        (Kind::Preference, InferredPreference, 0, None, 200, 0.3, "held at 0.3"),
        (Kind::Preference, Ordinary, 0, None, 200, 0.002_107, "0.85 × e^-4 × e^-2: nothing holds it"),
    ]);
}

#[test]
fn what_is_pinned_or_switched_off_does_not_fade() {
    let year = 8_760 * HOUR;
    for model in [Model::HalfLife, Model::Boosted, Model::Priority] {
        let whole = match model {
            // The base of a decision.
            Model::Priority => 0.95,
            _ => 1.0,
        };
        let mut pinned = facts(Kind::Decision, Class::Ordinary);
        pinned.pinned = true;
        let faded = settings(model).fade(&pinned, year);
        assert_near(faded.factor, whole, "pinned");
        assert_eq!(faded.reason, Reason::Pinned);
        let mut off = settings(model);
        off.enabled = false;
        let faded = off.fade(&facts(Kind::Decision, Class::Ordinary), year);
        assert_near(faded.factor, whole, "switched off");
        assert_eq!(faded.reason, Reason::Off);
    }
}

#[test]
fn settings_change_the_curve_by_kind() {
    let mut own = settings(Model::HalfLife);
    own.half_life_hours.conversation = 24.0;
    own.half_life_hours.preference = 48.0;
    own.min_factor = 0.3;
    own.rate_per_day.decision = 0.0;
    let after = |own: &Settings, kind: Kind| own.fade(&facts(kind, Class::Ordinary), 48 * HOUR);
    assert_near(
        after(&own, Kind::Conversation).factor,
        0.3,
        "2^-2 = 0.25, floor 0.3",
    );
    assert_near(after(&own, Kind::Preference).factor, 0.5, "2^-1");
    assert_near(after(&own, Kind::Decision).factor, 0.954_842, "2^(-48/720)");
    own.model = Model::Priority;
    assert_near(
        after(&own, Kind::Decision).factor,
        0.931_189,
        "0.95 × e^0 × e^-0.02",
    );
}

#[test]
fn the_reason_says_which_rule_it_was() {
    let day = 24 * HOUR;
    let cases = [
        (
            Model::HalfLife,
            facts(Kind::Conversation, Class::Ordinary),
            "half of it goes in 168 h",
        ),
        (
            Model::HalfLife,
            facts(Kind::Preference, Class::Ordinary),
            "its kind does not fade",
        ),
        (
            Model::Boosted,
            facts(Kind::Conversation, Class::Ordinary),
            "half of it goes in 168 h, × 1.10 for accesses and importance",
        ),
        (
            Model::Priority,
            facts(Kind::Conversation, Class::Ordinary),
            "a day without access takes 5.0 %, a day of age 1 %; accesses add 0.000",
        ),
        (
            Model::Priority,
            facts(Kind::Decision, Class::HighImpactDecision),
            "decisions with high impact keep 0.9",
        ),
    ];
    for (model, facts, says) in cases {
        // A decision after a day: 0.95 × 0.970446 × 0.990050 = 0.912749, so five days.
        let faded = settings(model).fade(&facts, 5 * day);
        assert_eq!(faded.reason.to_string(), says);
    }
    let faded = settings(Model::HalfLife).fade(&facts(Kind::Event, Class::Ordinary), 100 * day);
    assert_eq!(faded.reason.to_string(), "it fades no further than 0.1");
}
