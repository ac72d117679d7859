//! The language of queries: its examples can be asked, and its schema takes what the program does.

use jiff::tz::TimeZone;
use mnemon::recall::structured::{Aggregation, Field, Operator};
use mnemon_wire::parse_structured;
use serde_json::{Value, json};

use crate::schema::fits;
use crate::{read, table_rows};

fn schema() -> Value {
    serde_json::from_str(&read("docs/query.schema.json")).unwrap()
}

fn ask(query: &Value) -> mnemon::Result<()> {
    let now = "2026-01-11T00:00:00Z".parse().unwrap();
    parse_structured(query.clone(), now, &TimeZone::UTC).map(drop)
}

/// The blocks of JSON in the document.
fn examples() -> Vec<Value> {
    let text = read("docs/query.md");
    let blocks = text.split("\n```json\n").skip(1);
    let blocks = blocks.map(|rest| rest.split("\n```").next().unwrap());
    blocks
        .map(|block| serde_json::from_str(block).unwrap())
        .collect()
}

#[test]
fn every_example_can_be_asked_and_fits_the_schema() {
    let schema = schema();
    let examples = examples();
    assert!(examples.len() >= 6, "only {} examples", examples.len());
    for example in examples {
        ask(&example).unwrap_or_else(|error| panic!("{example}: {error}"));
        assert!(fits(&schema, &example), "{example}");
    }
}

#[test]
fn schema_and_program_take_the_same_queries() {
    let schema = schema();
    let good = [
        json!({}),
        json!({"text": null, "limit": null, "sort": null, "mode": null, "tags": null}),
        json!({"text": "x", "query": null, "min_score": 1, "minRelevance": null}),
        json!({"includeRelated": true, "minSimilarity": 0.5, "asOf": "yesterday"}),
        json!({"include_related": 5, "limit": 10.0, "offset": 0}),
        json!({"timeRange": {"start": "24h", "end": null}}),
        json!({"types": "decisions", "agents": ["a"], "session": [], "tags": {"exclude": "x"}}),
        json!({"sort": [{"field": "kind", "direction": "ASC"}, "relevance"]}),
        json!({"sort": [{"field": "body.a", "direction": null}]}),
        json!({"sort": "importance_asc"}),
        json!({"sort_by": "access-count"}),
        json!({"sortBy": [{"field": "decay.priority"}]}),
        json!({"sort": "metadata.n_desc"}),
        json!({"aggregations": "count"}),
        json!({"aggregations": ["by_kind", "topics"]}),
    ];
    for query in good {
        ask(&query).unwrap_or_else(|error| panic!("{query}: {error}"));
        assert!(fits(&schema, &query), "{query}");
    }
    let bad = [
        json!([]),
        json!({"filter": []}),
        json!({"Limit": 1}),
        json!({"include_Related": true}),
        json!({"text": ""}),
        json!({"text": " \n"}),
        json!({"text": "x".repeat(16_385)}),
        json!({"text": "a", "query": "b"}),
        json!({"include_related": true, "includeRelated": true}),
        json!({"min_score": 1, "minRelevance": 1}),
        json!({"limit": -1}),
        json!({"limit": 1.5}),
        json!({"include_related": 6}),
        json!({"min_similarity": 1.1}),
        json!({"mode": "HYBRID"}),
        json!({"time_range": {"begin": "24h"}}),
        json!({"tags": {"only": "x"}}),
        json!({"types": [null]}),
        json!({"sort": "colour"}),
        json!({"sort": "tags"}),
        json!({"sort": [{"direction": "asc"}]}),
        json!({"sort": [{"field": "tags"}]}),
        json!({"sort": [{"field": "kind", "direction": "up"}]}),
        json!({"aggregations": ["by_mood"]}),
        json!({"filters": [7]}),
        json!({"filters": [{"operator": "in"}]}),
        json!({"filters": [{"field": "colour", "value": 1}]}),
        json!({"filters": [{"field": "metadata.", "value": 1}]}),
        json!({"filters": [{"field": "tags", "operator": "less_than", "value": "x"}]}),
        json!({"filters": [{"field": "tags", "value": "x", "not": true}]}),
    ];
    for query in bad {
        assert!(ask(&query).is_err(), "{query}");
        assert!(!fits(&schema, &query), "{query}");
    }
}

/// A value that the field can have.
fn value_of(field: &str) -> Value {
    match field.parse().unwrap() {
        Field::Kind => json!("decision"),
        Field::Status => json!("open"),
        Field::Pinned | Field::Sensitive => json!(true),
        Field::Importance | Field::Priority => json!(0.5),
        Field::Confidence => json!("high"),
        Field::AccessCount => json!(3),
        Field::CreatedAt | Field::RecordedAt | Field::UpdatedAt | Field::LastAccess => {
            json!("2026-01-10")
        }
        Field::Space => json!("shared"),
        Field::Handle => json!("DEC-001"),
        _ => json!("a"),
    }
}

#[test]
fn schema_and_program_take_the_same_operators_and_values_for_every_field() {
    let schema = schema();
    let own = Operator::ALL.map(Operator::as_str);
    let others = Operator::OTHER_NAMES.map(|(name, _)| name);
    let more = ["lessThan", "notIn", "startsWith", "LESS_THAN", "like", ""];
    let names = own.into_iter().chain(others).chain(more).map(Value::from);
    let operators: Vec<Option<Value>> = [None, Some(Value::Null)]
        .into_iter()
        .chain(names.map(Some))
        .collect();
    let fields = Field::NAMES.iter().map(|(name, _)| *name);
    let mut taken = 0;
    for field in fields.chain(["metadata.a.b", "body.x"]) {
        let one = value_of(field);
        let values = [
            None,
            Some(json!(null)),
            Some(one.clone()),
            Some(json!([])),
            Some(json!([one])),
            Some(json!([one, one])),
            Some(json!([one, one, one])),
            Some(json!([null, null])),
            Some(json!([[one]])),
            Some(json!({"a": one})),
            Some(json!(false)),
            Some(json!(7)),
        ];
        for operator in &operators {
            for value in &values {
                let mut filter = json!({ "field": field });
                if let Some(operator) = operator {
                    filter["operator"] = operator.clone();
                }
                if let Some(value) = value {
                    filter["value"] = value.clone();
                }
                let query = json!({ "filters": [filter] });
                let asked = ask(&query);
                assert_eq!(fits(&schema, &query), asked.is_ok(), "{query}: {asked:?}");
                taken += u32::from(asked.is_ok());
            }
        }
    }
    assert!(taken > 1000, "only {taken} were taken");
}

#[test]
fn the_tables_have_every_field_and_operator_and_the_schema_every_count() {
    let cells: String = table_rows(&read("docs/query.md")).concat().join(" ");
    let fields = Field::NAMES.iter().map(|(name, _)| *name);
    let own = Operator::ALL.map(Operator::as_str);
    let others = Operator::OTHER_NAMES.map(|(name, _)| name);
    for name in own.into_iter().chain(others).chain(fields) {
        assert!(
            cells.contains(&format!("`{name}`")),
            "{name} is not in a table"
        );
    }
    let schema = schema();
    let counts = schema["$defs"]["aggregation"]["enum"].as_array().unwrap();
    let counts: Vec<_> = counts.iter().map(|name| name.as_str().unwrap()).collect();
    assert_eq!(counts, Aggregation::ALL.map(|(name, _)| name));
}

#[test]
fn every_member_of_the_schema_is_read_and_no_other() {
    let schema = schema();
    let properties = schema["properties"].as_object().unwrap();
    for name in properties.keys() {
        // Null is the same as missing, but only for members that are known.
        ask(&json!({ name: null })).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    let said = ask(&json!({"zz": 1})).unwrap_err().to_string();
    let listed: Vec<_> = said
        .split("there are ")
        .nth(1)
        .unwrap()
        .split(", ")
        .collect();
    for name in &listed {
        assert!(properties.contains_key(*name), "{name}");
    }
    let is_ours = |name: &&String| !name.contains(|c: char| c.is_ascii_uppercase());
    assert_eq!(listed.len(), properties.keys().filter(is_ours).count());
}
