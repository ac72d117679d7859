//! As much of JSON Schema as ours uses.

use serde_json::Value;

/// Whether a value fits the schema of a document.
pub(crate) fn fits(root: &Value, value: &Value) -> bool {
    validates(root, root, value)
}

fn validates(root: &Value, schema: &Value, value: &Value) -> bool {
    let rules = schema.as_object().unwrap();
    rules.iter().all(|(rule, wanted)| match rule.as_str() {
        "$ref" => {
            let pointer = wanted.as_str().unwrap().trim_start_matches('#');
            validates(root, root.pointer(pointer).unwrap(), value)
        }
        "anyOf" => {
            let mut any = wanted.as_array().unwrap().iter();
            any.any(|schema| validates(root, schema, value))
        }
        "not" => !validates(root, wanted, value),
        "enum" => wanted.as_array().unwrap().contains(value),
        "const" => wanted == value,
        "type" => match wanted {
            Value::Array(names) => names.iter().any(|name| is_a(name, value)),
            name => is_a(name, value),
        },
        "minimum" | "maximum" => number_fits(rule, wanted, value),
        "minItems" | "maxItems" | "maxLength" | "pattern" => size_fits(rule, wanted, value),
        "items" => {
            let mut items = value.as_array().into_iter().flatten();
            items.all(|item| validates(root, wanted, item))
        }
        "required" => {
            let mut names = wanted.as_array().unwrap().iter();
            !value.is_object() || names.all(|name| value.get(name.as_str().unwrap()).is_some())
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

fn number_fits(rule: &str, wanted: &Value, value: &Value) -> bool {
    let wanted = wanted.as_f64().unwrap();
    value.as_f64().is_none_or(|own| match rule {
        "minimum" => own >= wanted,
        _ => own <= wanted,
    })
}

/// Rules about lists and texts; what is neither fits them.
fn size_fits(rule: &str, wanted: &Value, value: &Value) -> bool {
    let most = || usize::try_from(wanted.as_u64().unwrap()).unwrap();
    match (rule, value) {
        ("minItems", Value::Array(items)) => items.len() >= most(),
        ("maxItems", Value::Array(items)) => items.len() <= most(),
        ("maxLength", Value::String(text)) => text.chars().count() <= most(),
        ("pattern", Value::String(text)) => {
            let pattern = wanted.as_str().unwrap();
            regex::Regex::new(pattern).unwrap().is_match(text)
        }
        _ => true,
    }
}

fn is_a(name: &Value, value: &Value) -> bool {
    match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("the check does not know {other}"),
    }
}
