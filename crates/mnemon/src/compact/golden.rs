//! Each rule of the source, with numbers worked out by hand.

use serde_json::{Value, json};

use super::{Item, Plan, Protection, Reach, Rule, Settings, Situation};
use crate::decay::{At, Rules};
use crate::memory::{Body, Draft, Forgotten, Handle, Kind, Memory, MemoryId};
use crate::time::Time;

/// The moment of the examples.
pub(super) const NOW: &str = "2026-06-01T12:00:00Z";

pub(super) fn now() -> Time {
    NOW.parse().unwrap()
}

fn hours_ago(hours: i64) -> Time {
    Time::from_micros(now().micros() - hours * 3_600_000_000).unwrap()
}

/// A memory of session `s` that came into being so many hours ago.
pub(super) fn memory(kind: Kind, number: u32, hours: i64, text: &str) -> Memory {
    let mut draft = Draft::new(kind, text.parse().unwrap());
    draft.created_at = Some(hours_ago(hours));
    let id = format!("{}_{number}", kind.id_prefix()).parse().unwrap();
    let handle = Some(Handle { kind, number });
    draft.into_memory(id, "session/s".parse().unwrap(), handle, hours_ago(hours))
}

pub(super) fn turn(number: u32, hours: i64, text: &str) -> Memory {
    memory(Kind::Conversation, number, hours, text)
}

/// With lines of a thousand bytes.
pub(super) fn item(memory: Memory) -> Item {
    Item {
        memory,
        bytes: 1_000,
    }
}

fn with_body(mut memory: Memory, body: Value) -> Memory {
    let Value::Object(fields) = body else {
        unreachable!("a body is an object")
    };
    memory.body = Body::from_map(memory.kind(), fields).unwrap();
    memory
}

fn important(mut memory: Memory, importance: f64) -> Memory {
    memory.importance = importance.try_into().unwrap();
    memory
}

fn forgotten(mut memory: Memory, recover_until: Time) -> Memory {
    memory.state.forgotten = Some(Forgotten {
        at: hours_ago(0),
        by: "dana".into(),
        reason: "wrong".into(),
        recover_until,
    });
    memory
}

fn plan(items: &[Item], target_bytes: u64) -> Plan {
    plan_with(items, &Settings::default(), target_bytes)
}

fn plan_with(items: &[Item], settings: &Settings, target_bytes: u64) -> Plan {
    let rules = Rules::default();
    let situation = Situation {
        items,
        log_bytes: items.iter().map(|item| item.bytes).sum(),
        settings,
        at: At {
            rules: &rules,
            now_micros: now().micros(),
        },
    };
    Plan::to_free(&situation, target_bytes)
}

/// What becomes of one memory if as much as possible is to be freed.
fn fate(memory: Memory) -> String {
    let plan = plan(&[item(memory)], u64::MAX);
    match (plan.actions.as_slice(), plan.spared.as_slice()) {
        ([action], []) => action.rule.as_str().into(),
        ([], [spared]) => match spared.why {
            Some(why) => format!("kept: {}", why.as_str()),
            None => "kept".into(),
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_memory_goes_by_its_rule_or_stays_for_its_reason() {
    let fact = |hours, importance| important(memory(Kind::Fact, 1, hours, "x"), importance);
    let finding = |body| with_body(memory(Kind::Finding, 1, 200, "x"), body);
    let decision = |body| important(with_body(memory(Kind::Decision, 1, 9_000, "x"), body), 0.1);
    let accessed = |hours| {
        let mut fact = fact(9_000, 0.1);
        fact.state.last_access = Some(hours_ago(hours));
        fact
    };
    let pinned = |mut memory: Memory| {
        memory.pinned = true;
        memory
    };
    let preference = |word: &str| {
        let preference = memory(Kind::Preference, 1, 9_000, "x");
        important(with_body(preference, json!({"confidence": word})), 0.1)
    };
    let cases = vec![
        // 1. Forgotten and past recovery, whatever else it is.
        (forgotten(fact(1, 1.0), hours_ago(1)), "purge_forgotten"),
        (
            pinned(forgotten(fact(1, 1.0), hours_ago(1))),
            "purge_forgotten",
        ),
        (
            forgotten(fact(9_000, 0.1), hours_ago(-1)),
            "kept: recoverable",
        ),
        // 2. Facts have a half-life of 720 h: 0.5 × 2^(-530/720) = 0.3002, ^(-532/720) = 0.2996.
        (fact(530, 0.5), "kept"),
        (fact(532, 0.5), "remove_decayed"),
        (fact(25, 0.29), "remove_decayed"),
        // 3. Turns that matter are replaced when a week has passed; one alone is not worth it.
        (important(turn(1, 169, "x"), 0.9), "kept"),
        // 4. Findings have a half-life of 336 h: 0.5 × 2^(-200/336) = 0.33.
        (finding(json!({"status": "resolved"})), "archive_findings"),
        (finding(json!({"status": "open"})), "kept: open"),
        // 5. The newest state of an agent stays, faded or not.
        (memory(Kind::State, 1, 9_000, "x"), "kept: newest_state"),
        // Never: open decisions and findings, explicit preferences, …
        (decision(json!({})), "kept: open"),
        (decision(json!({"resolved": true})), "remove_decayed"),
        (preference("explicit"), "kept: explicit_preference"),
        (preference("inferred"), "remove_decayed"),
        // … the last 24 hours, …
        (fact(23, 0.1), "kept: recent"),
        (fact(-5, 0.1), "kept: recent"),
        (fact(25, 0.1), "remove_decayed"),
        // … a priority above 0.7: 0.9 × 2^(-250/720) = 0.7075, ^(-270/720) = 0.694, …
        (fact(250, 0.9), "kept: priority"),
        (fact(270, 0.9), "kept"),
        // … what is pinned, and what was asked for in the last 48 hours.
        (pinned(fact(9_000, 0.1)), "kept: pinned"),
        (accessed(47), "kept: accessed"),
        (accessed(49), "remove_decayed"),
    ];
    for (memory, expected) in cases {
        let told = format!("{memory:?}");
        assert_eq!(fate(memory), expected, "{told}");
    }
}

#[test]
fn rules_are_tried_in_their_order_and_no_further_than_needed() {
    let long = "We spoke about the parser again and found nothing new in it. ".repeat(20);
    let mut items = vec![
        item(forgotten(memory(Kind::Fact, 1, 30, "gone"), hours_ago(1))),
        item(important(memory(Kind::Fact, 2, 30, "faded"), 0.2)),
        item(important(memory(Kind::Fact, 3, 30, "more faded"), 0.1)),
        item(with_body(
            memory(Kind::Finding, 1, 200, "settled"),
            json!({"status": "resolved"}),
        )),
        item(memory(Kind::State, 1, 48, "old state")),
        item(memory(Kind::State, 2, 47, "new state")),
    ];
    items.extend((1..=20).map(|number| item(important(turn(number, 200, &long), 0.9))));
    let rules = |target| -> Vec<(Rule, usize)> {
        let plan = plan(&items, target);
        assert!(plan.is_enough(), "{target}");
        assert_eq!(plan.spared, [], "{target}");
        let actions = plan.actions.iter();
        actions.map(|it| (it.rule, it.ids.len())).collect()
    };
    assert_eq!(rules(0), []);
    assert_eq!(rules(1), [(Rule::Purged, 1)]);
    assert_eq!(rules(1_001), [(Rule::Purged, 1), (Rule::Faded, 1)]);
    let plan_of_faded = plan(&items, 2_000);
    assert_eq!(plan_of_faded.actions[1].ids[0].as_str(), "fact_3");
    let most = [
        (Rule::Purged, 1),
        (Rule::Faded, 2),
        (Rule::Conversation, 20),
        (Rule::ResolvedFindings, 1),
        (Rule::AgentStates, 1),
    ];
    assert_eq!(rules(3_001), most[..3]);
    let conversation = plan(&items, 3_001).freed_bytes();
    assert_eq!(rules(conversation + 1), most[..4]);
    assert_eq!(rules(conversation + 1_001), most);

    let all = plan(&items, u64::MAX);
    assert!(!all.is_enough());
    assert_eq!(all.freed_bytes(), conversation + 2_000);
    let spared: Vec<_> = all.spared.iter().map(|it| (it.why, it.memories)).collect();
    assert_eq!(spared, [(Some(Protection::NewestState), 1)]);
}

#[test]
fn each_agent_keeps_its_newest_state() {
    let state = |number, hours, agent: &str| {
        let state = memory(Kind::State, number, hours, "x");
        item(with_body(state, json!({"agent_id": agent})))
    };
    let items = [
        state(1, 100, "a"),
        state(2, 50, "a"),
        state(3, 9_000, "b"),
        state(4, 8_000, "c"),
        state(5, 9_000, "c"),
    ];
    let plan = plan(&items, u64::MAX);
    let gone: Vec<_> = plan.shelved().map(MemoryId::as_str).collect();
    assert_eq!(gone, ["state_5", "state_1"]);
}

#[test]
fn a_tenth_or_a_fifth_is_the_target() {
    let items: Vec<Item> = (1..=100)
        .map(|number| item(important(memory(Kind::Fact, number, 30, "x"), 0.1)))
        .collect();
    for (reach, gone) in [(Reach::Gentle, 10), (Reach::Aggressive, 20)] {
        let rules = Rules::default();
        let settings = Settings::default();
        let situation = Situation {
            items: &items,
            log_bytes: 100_000,
            settings: &settings,
            at: At {
                rules: &rules,
                now_micros: now().micros(),
            },
        };
        let plan = Plan::new(&situation, reach);
        assert_eq!(plan.shelved().count(), gone);
        assert_eq!(plan.freed_bytes(), plan.target_bytes);
    }
}

#[test]
fn faded_turns_leave_a_summary_if_it_is_worth_it() {
    let long = "We spoke about the parser again and found nothing new in it. ".repeat(20);
    let many: Vec<Item> = (1..=20).map(|n| item(turn(n, 900, &long))).collect();
    let plan_of_many = plan(&many, u64::MAX);
    assert_eq!(plan_of_many.actions.len(), 1);
    let action = &plan_of_many.actions[0];
    assert_eq!((action.rule, action.ids.len()), (Rule::Faded, 20));
    assert!(
        action.summary_bytes * 5 < action.bytes,
        "{}",
        action.summary_bytes
    );
    let summary = action.summary.as_ref().unwrap();
    let linked: Vec<_> = summary.links.iter().map(|link| link.to.clone()).collect();
    assert_eq!(linked, action.ids);

    let few = [item(turn(1, 900, "Yes."))];
    let plan_of_few = plan(&few, u64::MAX);
    assert_eq!(plan_of_few.actions[0].summary, None);
}

#[test]
fn a_summary_does_not_fade_and_stays_for_a_day() {
    let long = "We spoke about the parser again and found nothing new in it. ".repeat(20);
    let turns: Vec<Item> = (1..=20).map(|n| item(turn(n, 9_000, &long))).collect();
    let draft = plan(&turns, u64::MAX).actions.remove(0).summary.unwrap();
    let made = |hours: i64| {
        let id = "art_1".parse().unwrap();
        draft
            .clone()
            .into_memory(id, "session/s".parse().unwrap(), None, hours_ago(hours))
    };
    assert_eq!(fate(made(0)), "kept: recent");
    assert_eq!(fate(made(23)), "kept: recent");
    assert_eq!(fate(made(25)), "archive_summaries");
    assert_eq!(fate(made(9_000)), "archive_summaries");
}

#[test]
fn settings_move_every_line() {
    let fact = item(important(memory(Kind::Fact, 1, 30, "x"), 0.4));
    let settings = |change: fn(&mut Settings)| {
        let mut settings = Settings::default();
        change(&mut settings);
        plan_with(std::slice::from_ref(&fact), &settings, u64::MAX)
    };
    assert_eq!(settings(|_| ()).actions, []);
    assert_eq!(settings(|it| it.faded_below = 0.5).actions.len(), 1);
    let recent = settings(|it| {
        it.faded_below = 0.5;
        it.keep_recent_hours = 31;
    });
    assert_eq!(recent.spared[0].why, Some(Protection::Recent));
    let priority = settings(|it| it.keep_priority_above = 0.3);
    assert_eq!(priority.spared[0].why, Some(Protection::Priority));
}
