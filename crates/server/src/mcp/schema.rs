//! JSON Schemas in few words.

use std::sync::Arc;

use serde_json::{Map, Value, json};

/// The schema of a call: its fields, and which of them must be there.
pub(super) fn input(properties: &Value, required: &[&str]) -> Map<String, Value> {
    let mut schema = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema.as_object().cloned().unwrap_or_default()
}

/// The schema of an answer.
///
/// Nothing is required: clients check refusals against it too, and those have
/// an `error` in place of everything else.
pub(super) fn output(members: &[(&str, &str)]) -> Arc<Map<String, Value>> {
    let mut schema = json!({ "type": "object" });
    for (name, kind) in members {
        schema["properties"][*name] = json!({ "type": kind });
    }
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}

fn described(mut schema: Value, description: &str) -> Value {
    if !description.is_empty() {
        schema["description"] = json!(description);
    }
    schema
}

pub(super) fn text(description: &str) -> Value {
    described(json!({ "type": "string" }), description)
}

pub(super) fn texts(description: &str) -> Value {
    described(
        json!({ "type": "array", "items": { "type": "string" } }),
        description,
    )
}

/// A list of objects.
pub(super) fn list(description: &str) -> Value {
    described(
        json!({ "type": "array", "items": { "type": "object" } }),
        description,
    )
}

pub(super) fn flag(description: &str) -> Value {
    described(json!({ "type": "boolean" }), description)
}

pub(super) fn any_object(description: &str) -> Value {
    described(json!({ "type": "object" }), description)
}
