//! Whatever is in a session: nothing protected goes, and a plan says what it can't reach.

use std::collections::HashSet;

use proptest::prelude::*;
use serde_json::json;

use super::golden::{memory, now};
use super::{Item, Plan, Protection, Rule, Settings, Situation};
use crate::decay::{At, Model, Rules};
use crate::memory::{Body, Forgotten, Kind, MemoryId};
use crate::time::Time;

/// Some of everything that rules and protections look at.
fn items() -> impl Strategy<Value = Vec<Item>> {
    let one = (
        0..Kind::ALL.len(),
        -10..2_000_i64,
        0.0..=1.0_f64,
        any::<[bool; 4]>(),
        proptest::option::of(0..200_i64),
        proptest::option::of(-100..100_i64),
        1..5_000_u64,
        1..12_usize,
    );
    proptest::collection::vec(one, 0..120).prop_map(|all| {
        let all = (1..).zip(all);
        all.map(
            |(number, (kind, hours, importance, flags, asked, until, bytes, words))| {
                let kind = Kind::ALL[kind];
                let text = "We looked into the parser once more. ".repeat(words);
                let mut memory = memory(kind, number, hours, &text);
                memory.importance = importance.try_into().unwrap();
                memory.pinned = flags[0] && flags[1];
                let ago =
                    |hours: i64| Time::from_micros(now().micros() - hours * 3_600_000_000).unwrap();
                memory.state.last_access = asked.map(ago);
                memory.state.forgotten = until.filter(|_| flags[2]).map(|until| Forgotten {
                    at: ago(hours),
                    by: "dana".into(),
                    reason: "wrong".into(),
                    recover_until: ago(until),
                });
                let body = match kind {
                    Kind::Decision => json!({"resolved": flags[3]}),
                    Kind::Finding if flags[3] => json!({"status": "resolved"}),
                    Kind::Preference if flags[3] => json!({"confidence": "explicit"}),
                    Kind::State => json!({"agent_id": if flags[3] { "a" } else { "b" }}),
                    _ => json!({}),
                };
                let serde_json::Value::Object(body) = body else {
                    unreachable!("an object")
                };
                memory.body = Body::from_map(kind, body).unwrap();
                Item { memory, bytes }
            },
        )
        .collect()
    })
}

proptest! {
    #[test]
    fn nothing_protected_goes_and_the_target_is_reached_or_explained(
        items in items(),
        target in 0..200_000_u64,
        model in 0..3_usize,
    ) {
        let mut rules = Rules::default();
        rules.everywhere.model = [Model::HalfLife, Model::Priority, Model::Boosted][model];
        let settings = Settings::default();
        let situation = Situation {
            items: &items,
            log_bytes: items.iter().map(|item| item.bytes).sum(),
            settings: &settings,
            at: At { rules: &rules, now_micros: now().micros() },
        };
        let plan = Plan::to_free(&situation, target);
        let find = |id: &MemoryId| items.iter().find(|item| item.memory.id == *id).unwrap();

        let shelved: Vec<_> = plan.shelved().collect();
        let purged: Vec<_> = plan.purged().collect();
        let distinct: HashSet<_> = shelved.iter().chain(&purged).collect();
        prop_assert_eq!(distinct.len(), shelved.len() + purged.len());
        for id in &shelved {
            let memory = &find(id).memory;
            prop_assert_eq!(Protection::of(memory, &situation), None);
            prop_assert_eq!(&memory.state.forgotten, &None);
        }
        for id in &purged {
            let forgotten = find(id).memory.state.forgotten.clone().unwrap();
            prop_assert!(forgotten.recover_until < now());
        }
        for agent in ["a", "b"] {
            let own = |item: &&Item| {
                super::protection::agent_of(&item.memory) == Some(agent)
                    && item.memory.state.forgotten.is_none()
            };
            let newest = items.iter().filter(own).max_by_key(|item| item.memory.created_at);
            if let Some(newest) = newest {
                prop_assert!(!shelved.contains(&&newest.memory.id) || items.iter().filter(own).any(
                    |item| item.memory.created_at == newest.memory.created_at
                        && !shelved.contains(&&item.memory.id)));
            }
        }

        for action in &plan.actions {
            let bytes: u64 = action.ids.iter().map(|id| find(id).bytes).sum();
            prop_assert_eq!(action.bytes, bytes);
            if let Some(summary) = &action.summary {
                let linked: Vec<_> = summary.links.iter().map(|link| &link.to).collect();
                prop_assert_eq!(linked, action.ids.iter().collect::<Vec<_>>());
                prop_assert!(action.summary_bytes * 2 <= action.bytes);
            } else {
                prop_assert!(action.rule != Rule::Conversation);
            }
        }
        // No further than needed: without the last step it is not enough.
        let (last, before) = match plan.actions.split_last() {
            Some((last, before)) => (Some(last), before),
            None => (None, &plan.actions[..]),
        };
        if last.is_some() {
            let before: u64 = before.iter().map(super::Action::freed_bytes).sum();
            prop_assert!(before < target);
        }
        let gone: u64 = plan.actions.iter().map(|action| action.bytes).sum();
        if plan.is_enough() {
            prop_assert_eq!(&plan.spared, &[]);
        } else {
            let spared: u64 = plan.spared.iter().map(|it| it.bytes).sum();
            prop_assert_eq!(spared + gone, situation.log_bytes);
        }
    }
}
