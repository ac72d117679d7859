//! The language of queries: its examples can be asked, and its schema knows all of it.

use jiff::tz::TimeZone;
use mnemon::Time;
use mnemon::recall::structured::{Aggregation, Field, Operator};
use mnemon_wire::parse_structured;
use serde_json::Value;

use crate::{read, table_rows};

fn schema() -> Value {
    serde_json::from_str(&read("docs/query.schema.json")).unwrap()
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

/// As much of JSON Schema as ours uses.
fn validates(root: &Value, schema: &Value, value: &Value) -> bool {
    let rules = schema.as_object().unwrap();
    rules.iter().all(|(rule, wanted)| match rule.as_str() {
        "$ref" => {
            let name = wanted.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
            validates(root, &root["$defs"][name], value)
        }
        "anyOf" => {
            let mut any = wanted.as_array().unwrap().iter();
            any.any(|schema| validates(root, schema, value))
        }
        "enum" => wanted.as_array().unwrap().contains(value),
        "const" => wanted == value,
        "type" => match wanted {
            Value::Array(names) => names.iter().any(|name| is_a(name, value)),
            name => is_a(name, value),
        },
        "minimum" => value
            .as_f64()
            .is_none_or(|own| own >= wanted.as_f64().unwrap()),
        "maximum" => value
            .as_f64()
            .is_none_or(|own| own <= wanted.as_f64().unwrap()),
        "maxItems" => {
            let items = value.as_array().map_or(0, Vec::len);
            items as u64 <= wanted.as_u64().unwrap()
        }
        "items" => {
            let mut items = value.as_array().into_iter().flatten();
            items.all(|item| validates(root, wanted, item))
        }
        "pattern" => {
            assert_eq!(wanted, r"^(metadata|body)\..+$");
            let parts = value.as_str().and_then(|text| text.split_once('.'));
            parts.is_some_and(|(first, rest)| {
                ["metadata", "body"].contains(&first) && !rest.is_empty()
            })
        }
        "required" => {
            let mut names = wanted.as_array().unwrap().iter();
            names.all(|name| value.get(name.as_str().unwrap()).is_some())
        }
        "properties" => {
            let mut members = value.as_object().into_iter().flatten();
            members.all(|(name, member)| {
                let schema = wanted.get(name);
                schema.is_none_or(|schema| validates(root, schema, member))
            })
        }
        "additionalProperties" => {
            assert_eq!(wanted, false);
            let mut members = value.as_object().into_iter().flatten();
            members.all(|(name, _)| rules["properties"].get(name).is_some())
        }
        "$schema" | "title" | "description" | "$defs" => true,
        other => panic!("the check does not know {other}"),
    })
}

fn is_a(name: &Value, value: &Value) -> bool {
    match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("the check does not know {other}"),
    }
}

/// With `includeRelated` as the schema has it.
fn in_our_names(mut query: Value) -> Value {
    if let Some(related) = query.as_object_mut().unwrap().remove("includeRelated") {
        query["include_related"] = related;
    }
    query
}

#[test]
fn every_example_can_be_asked_and_fits_the_schema() {
    let schema = schema();
    let now: Time = "2026-01-11T00:00:00Z".parse().unwrap();
    let examples = examples();
    assert!(examples.len() >= 6, "only {} examples", examples.len());
    for example in examples {
        parse_structured(example.clone(), now, &TimeZone::UTC)
            .unwrap_or_else(|error| panic!("{example}: {error}"));
        let example = in_our_names(example);
        assert!(validates(&schema, &schema, &example), "{example}");
    }
    for bad in [
        serde_json::json!({"filter": []}),
        serde_json::json!({"filters": [{"field": "colour"}]}),
        serde_json::json!({"filters": [{"operator": "in"}]}),
        serde_json::json!({"limit": -1}),
        serde_json::json!([]),
    ] {
        assert!(!validates(&schema, &schema, &bad), "{bad}");
    }
}

#[test]
fn the_schema_and_the_tables_have_every_field_operator_and_count() {
    let schema = schema();
    let words = |list: &Value| -> Vec<String> {
        let words = list.as_array().unwrap().iter();
        words
            .map(|word| word.as_str().unwrap().to_owned())
            .collect()
    };
    let cells: String = table_rows(&read("docs/query.md")).concat().join(" ");
    let fields = words(&schema["$defs"]["field"]["anyOf"][0]["enum"]);
    let known: Vec<_> = Field::NAMES.iter().map(|(name, _)| *name).collect();
    assert_eq!(fields, known);
    let operators = words(&schema["$defs"]["operator"]["enum"]);
    for operator in &operators {
        assert!(operator.parse::<Operator>().is_ok(), "{operator}");
    }
    let own = Operator::ALL.map(Operator::as_str);
    let others = Operator::OTHER_NAMES.map(|(name, _)| name);
    for name in own.iter().chain(&others) {
        assert!(operators.iter().any(|known| known == name), "{name}");
    }
    for name in own.iter().chain(&others).chain(&known) {
        assert!(
            cells.contains(&format!("`{name}`")),
            "{name} is not in a table"
        );
    }
    let counts = words(&schema["$defs"]["aggregation"]["enum"]);
    assert_eq!(counts, Aggregation::ALL.map(|(name, _)| name));
}

#[test]
fn every_member_of_the_schema_is_read_and_no_other() {
    let schema = schema();
    let now: Time = "2026-01-11T00:00:00Z".parse().unwrap();
    let properties = schema["properties"].as_object().unwrap();
    for name in properties.keys() {
        // Null is the same as missing, but only for members that are known.
        let query = serde_json::json!({ name: null });
        parse_structured(query, now, &TimeZone::UTC)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    let refused = parse_structured(serde_json::json!({"zz": 1}), now, &TimeZone::UTC);
    let said = refused.unwrap_err().to_string();
    let listed = said.split("there are ").nth(1).unwrap();
    assert_eq!(listed.split(", ").count(), properties.len(), "{listed}");
}
