//! Bad input by the thousand: refused with a code and a place, never a panic.

use jiff::tz::TimeZone;
use mnemon_testkit::hostile::check_query;
use mnemon_wire::parse_structured_text;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::now;

/// Any JSON, with the names and words of queries among others.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop::sample::select(vec![
            "",
            "\0",
            "kind",
            "tags",
            "between",
            "in",
            "decision",
            "asc",
            "by_kind",
            "2026-01-01",
            "99999999999999d",
            "metadata.",
            "body.a.b",
            "relevance",
            "high",
        ])
        .prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        let name = prop_oneof![
            4 => prop::sample::select(vec![
                "text", "filters", "field", "operator", "value", "sort", "direction", "limit",
                "aggregations", "include_related", "tags", "time_range", "start", "query",
                "session", "meta", "since", "open", "as_of",
            ])
            .prop_map(str::to_owned),
            1 => ".{0,8}",
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(name, inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

#[test]
fn random_json_is_read_or_refused() {
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: 5000,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    runner
        .run(&any_json(), |value| {
            check_query(value.to_string().as_bytes());
            check_query(json!({ "filters": [value] }).to_string().as_bytes());
            Ok(())
        })
        .unwrap();
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table with a row for each case")]
fn what_is_wrong_is_refused_with_its_place() {
    let filter = |filter: Value| json!({ "filters": [filter] });
    for (query, place) in [
        (json!(7), "request"),
        (json!({"filter": []}), "filter"),
        (json!({"filters": {}}), "filters"),
        (json!({"filters": [7]}), "filters[0]"),
        (filter(json!({})), "filters[0].field"),
        (filter(json!({"field": 1})), "filters[0].field"),
        (filter(json!({"field": "metadata."})), "filters[0].field"),
        (filter(json!({"field": "kind", "op": "="})), "filters[0].op"),
        (
            filter(json!({"field": "kind", "operator": "like"})),
            "filters[0].operator",
        ),
        (filter(json!({"field": "kind"})), "filters[0].value"),
        (
            filter(json!({"field": "kind", "value": "idea"})),
            "filters[0].value",
        ),
        (
            filter(json!({"field": "kind", "value": ["fact", 2]})),
            "filters[0].value[1]",
        ),
        (
            filter(json!({"field": "kind", "operator": "in", "value": "fact"})),
            "filters[0].value",
        ),
        (
            filter(json!({"field": "pinned", "value": "yes"})),
            "filters[0].value",
        ),
        (
            filter(json!({"field": "importance", "value": 1.5})),
            "filters[0].value",
        ),
        (
            filter(json!({"field": "importance", "value": "0.5"})),
            "filters[0].value",
        ),
        (
            filter(json!({"field": "confidence", "value": "sure"})),
            "filters[0].value",
        ),
        (
            filter(json!({"field": "created_at", "value": "someday"})),
            "filters[0].value",
        ),
        (
            filter(json!({"field": "created_at", "operator": "between", "value": ["24h"]})),
            "filters[0].value",
        ),
        (
            filter(json!({"field": "created_at", "operator": "between", "value": ["24h", "48h"]})),
            "filters[0].value",
        ),
        (
            filter(json!({"field": "importance", "operator": "between", "value": [0.7, 0.3]})),
            "filters[0].value",
        ),
        (
            filter(json!({"field": "metadata.n", "operator": "between", "value": ["b", "a"]})),
            "filters[0].value",
        ),
        (
            filter(json!({"field": "tags", "value": "two words"})),
            "filters[0].value",
        ),
        (
            filter(json!({"field": "space", "value": "nowhere"})),
            "filters[0].value",
        ),
        (
            filter(json!({"field": "handle", "value": "X-1"})),
            "filters[0].value",
        ),
        (
            filter(json!({"field": "status", "value": "done"})),
            "filters[0].value",
        ),
        (
            filter(json!({"field": "metadata.k", "value": {"a": 1}})),
            "filters[0].value",
        ),
        (
            filter(json!({"field": "tags", "operator": "exists", "value": 1})),
            "filters[0].value",
        ),
        (
            json!({"filters": vec![json!({"field": "tags", "value": "x"}); 300]}),
            "filters",
        ),
        (json!({"sort": 1}), "sort"),
        (json!({"sort": "colour"}), "sort"),
        (json!({"sort": [{"direction": "asc"}]}), "sort[0].field"),
        (json!({"sort": [{"field": "tags"}]}), "sort[0].field"),
        (
            json!({"sort": ["newest", {"field": "kind", "direction": "up"}]}),
            "sort[1].direction",
        ),
        (json!({"sort": "newest", "sort_by": "oldest"}), "sort_by"),
        (
            json!({"aggregations": ["by_kind", "by_mood"]}),
            "aggregations[1]",
        ),
        (json!({"include_related": 9}), "include_related"),
        (json!({"limit": 1e30}), "limit"),
        (json!({"limit": 1, "Limit": 1}), "Limit"),
        (json!({"text": " "}), "text"),
        (json!({"text": "a", "query": "b"}), "query"),
        (json!({"tags": {"exclude": [""]}}), "tags.exclude[0]"),
        (json!({"tags": 5}), "tags"),
        (json!({"time_range": "today"}), "time_range"),
        (json!({"time_range": {"start": "x"}}), "time_range.start"),
        (json!({"time_range": {"begin": "24h"}}), "time_range.begin"),
        (json!({"mode": "x"}), "mode"),
        (json!({"as_of": "x"}), "as_of"),
        (json!({"as_of": "tomorrow"}), "as_of"),
        (
            json!({"include_related": true, "includeRelated": true}),
            "include_related",
        ),
    ] {
        let error = parse_structured_text(&query.to_string(), now(), &TimeZone::UTC).unwrap_err();
        let said = error.to_string();
        assert_eq!(error.code().as_str(), "E_INVALID_QUERY", "{query}: {said}");
        assert!(said.starts_with(&format!("{place}: ")), "{query}: {said}");
    }
}

#[test]
fn deep_huge_and_broken_texts_are_refused() {
    for text in [
        String::new(),
        "\0".into(),
        "{".into(),
        "[".repeat(100_000),
        format!("{}{}", "[".repeat(200), "]".repeat(200)),
        format!("{{\"filters\":{}{}}}", "[".repeat(100), "]".repeat(100)),
        "{\"limit\":1e999}".into(),
        format!("{{\"limit\":{}}}", "9".repeat(500)),
        format!("{{\"text\":\"{}\"}}", "x".repeat(20_000)),
        "{\"text\":\"\\ud800\"}".into(),
    ] {
        let error = parse_structured_text(&text, now(), &TimeZone::UTC).unwrap_err();
        assert!(error.to_string().len() < 2000, "the refusal is short");
        check_query(text.as_bytes());
    }
}
