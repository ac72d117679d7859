//! Random conditions: the answer is what a plain look at the JSON of every memory gives.

use mnemon::store::Filter;
use mnemon::{Caller, Time};
use mnemon_wire::MemoryShape;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::{now, stage};

/// A filter as JSON, of those for which [`fits`] knows what they mean.
fn filter() -> impl Strategy<Value = Value> {
    let list = |one: BoxedStrategy<Value>| {
        let many = prop::collection::vec(one.clone(), 0..3).prop_map(Value::from);
        (select(vec!["in", "not_in"]), many)
            .prop_map(|(operator, value)| (operator, value))
            .boxed()
    };
    let plain = |one: BoxedStrategy<Value>| {
        let same = (select(vec!["equals", "not_equals"]), one.clone());
        prop_oneof![
            same.prop_map(|(operator, value)| (operator, value)),
            list(one)
        ]
        .boxed()
    };
    let ordered = |one: BoxedStrategy<Value>| {
        let order = (select(vec![">", ">=", "<", "<="]), one.clone());
        let between = (one.clone(), one.clone()).prop_map(|(one, other)| {
            let mut both = [one, other];
            both.sort_by(|a, b| size(a).partial_cmp(&size(b)).unwrap());
            ("between", json!(both))
        });
        prop_oneof![
            plain(one),
            order.prop_map(|(operator, value)| (operator, value)),
            between
        ]
        .boxed()
    };
    let words = |words: Vec<&'static str>| select(words).prop_map(Value::from).boxed();
    let shares = || {
        select(vec![0.1, 0.3, 0.5, 0.7, 0.9, 1.0])
            .prop_map(Value::from)
            .boxed()
    };
    let times = || {
        words(vec![
            "2026-01-01T10:00:00Z",
            "2026-01-02T10:00:00Z",
            "2026-01-02T11:30:00Z",
            "2026-01-05T00:00:00Z",
            "2026-01-07T00:00:00Z",
        ])
    };
    let of = |field: &'static str, tests: BoxedStrategy<(&'static str, Value)>| {
        tests.prop_map(
            move |(operator, value)| json!({"field": field, "operator": operator, "value": value}),
        )
    };
    let kinds = words(vec!["decision", "finding", "fact", "preference", "event"]);
    prop_oneof![
        of("kind", plain(kinds)),
        of(
            "author",
            plain(words(vec!["dana", "erik", "Erik", "nobody"]))
        ),
        of(
            "space",
            plain(words(vec!["session/s", "session/r", "agent/x", "shared"]))
        ),
        of("importance", ordered(shares())),
        of("confidence", ordered(shares())),
        of("created_at", ordered(times())),
        of(
            "tags",
            plain(words(vec!["db", "db.sql", "perf", "dbx", "none"]))
        ),
        of(
            "metadata.k",
            plain(words(vec!["v", "w", "5", "true", "null"]))
        ),
        of(
            "text",
            words(vec!["POSTGRES", "a", "zeta"])
                .prop_map(|part| ("contains", part))
                .boxed()
        ),
        of(
            "last_access",
            any::<bool>().prop_map(|is| ("exists", json!(is))).boxed()
        ),
    ]
}

/// What a filter means for a memory as JSON, said once more and plainly.
fn fits(memory: &Value, filter: &Value) -> bool {
    let field = filter["field"].as_str().unwrap();
    let own = match field {
        "metadata.k" => &memory["metadata"]["k"],
        "last_access" => &memory["state"]["last_access"],
        name => &memory[name],
    };
    let same = |wanted: &Value| match (field, own, wanted) {
        (_, Value::Null, _) => false,
        ("tags", Value::Array(tags), Value::String(wanted)) => tags.iter().any(|tag| {
            let tag = tag.as_str().unwrap();
            tag == wanted || tag.starts_with(&format!("{wanted}."))
        }),
        ("metadata.k", Value::Bool(own), Value::String(wanted)) => own.to_string() == *wanted,
        _ => size(own) == size(wanted),
    };
    let value = &filter["value"];
    let any = || value.as_array().unwrap().iter().any(same);
    let order = |wanted: &Value| {
        size(own)
            .partial_cmp(&size(wanted))
            .filter(|_| !own.is_null())
    };
    match filter["operator"].as_str().unwrap() {
        "equals" => same(value),
        "not_equals" => !same(value),
        "in" => any(),
        "not_in" => !any(),
        "contains" => {
            let own = own.as_str().unwrap().to_lowercase();
            own.contains(&value.as_str().unwrap().to_lowercase())
        }
        ">" => order(value).is_some_and(std::cmp::Ordering::is_gt),
        ">=" => order(value).is_some_and(std::cmp::Ordering::is_ge),
        "<" => order(value).is_some_and(std::cmp::Ordering::is_lt),
        "<=" => order(value).is_some_and(std::cmp::Ordering::is_le),
        "between" => {
            order(&value[0]).is_some_and(std::cmp::Ordering::is_ge)
                && order(&value[1]).is_some_and(std::cmp::Ordering::is_le)
        }
        "exists" => own.is_null() != value.as_bool().unwrap(),
        other => panic!("{other}"),
    }
}

/// Something that can be compared: times as moments, the rest as it is.
fn size(value: &Value) -> (f64, String) {
    let moment = value.as_str().and_then(|text| text.parse::<Time>().ok());
    #[expect(clippy::cast_precision_loss, reason = "these times are round")]
    match (value.as_f64(), moment) {
        (Some(number), _) => (number, String::new()),
        (None, Some(time)) => (time.micros() as f64, String::new()),
        (None, None) => (0.0, value.as_str().unwrap_or_default().to_owned()),
    }
}

#[test]
fn random_conditions_find_what_a_plain_look_finds() {
    let stage = stage();
    let me = Caller::user("me");
    let all = stage
        .mnemon
        .list(&me, &Filter::all(now().micros()))
        .unwrap();
    let shapes: Vec<Value> = all
        .memories
        .iter()
        .map(|memory| serde_json::to_value(MemoryShape::of(memory, 5)).unwrap())
        .collect();
    let strategy = prop::collection::vec(filter(), 0..4);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: 3000,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    runner
        .run(&strategy, |filters| {
            let expected: Vec<_> = shapes
                .iter()
                .filter(|memory| filters.iter().all(|filter| fits(memory, filter)))
                .map(|memory| memory["id"].as_str().unwrap())
                .collect();
            // Once the store cuts the page, once all that fits is read.
            prop_assert_eq!(stage.ids(json!({"filters": filters})), expected.join(" "));
            let walked = stage.ids(json!({"filters": filters, "aggregations": "by_kind"}));
            prop_assert_eq!(walked, expected.join(" "));
            Ok(())
        })
        .unwrap();
}
