//! The shapes of requests and answers, for the `OpenAPI` document.
//!
//! Requests are told as they are checked: what is not named is refused.
//! Answers are told by the members that are always there; more may come.

mod answers;
mod requests;

use mnemon::memory::Kind;
use serde_json::{Map, Value, json};

use super::route::{ID, NAME, REASON};

/// Every schema, by its name.
pub(super) fn all() -> Value {
    let mut all = Map::new();
    all.extend(requests::all());
    all.extend(answers::all());
    Value::Object(all)
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn flag() -> Value {
    json!({ "type": "boolean" })
}

fn count() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

fn number() -> Value {
    json!({ "type": "number" })
}

fn share() -> Value {
    json!({ "type": "number", "minimum": 0, "maximum": 1 })
}

fn object() -> Value {
    json!({ "type": "object" })
}

fn time() -> Value {
    json!({ "type": "string", "format": "date-time" })
}

fn list(items: &Value) -> Value {
    json!({ "type": "array", "items": items })
}

fn texts() -> Value {
    list(&text())
}

fn to(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// It, or null.
fn or_null(schema: impl Into<Value>) -> Value {
    let schema: Value = schema.into();
    json!({ "anyOf": [schema, { "type": "null" }] })
}

fn matching(pattern: &str) -> Value {
    json!({ "type": "string", "pattern": pattern })
}

fn id() -> Value {
    matching(ID)
}

fn reason() -> Value {
    json!({ "type": "string", "pattern": REASON, "maxLength": 1000 })
}

fn tag() -> Value {
    matching(r"^[^\s\u0000-\u001f\u007f-\u009f]{1,64}$")
}

fn author() -> Value {
    matching(r"^[^\s\u0000-\u001f\u007f-\u009f]{1,128}$")
}

fn kind() -> Value {
    one_of(&Kind::ALL.map(Kind::as_str))
}

/// One of them, or a list of them.
fn some(item: &Value) -> Value {
    json!({ "anyOf": [item, { "type": "array", "items": item, "maxItems": 1000 }] })
}

/// Names of memories, at least one.
fn names() -> Value {
    let name = matching(NAME);
    json!({ "anyOf": [name, { "type": "array", "items": name, "minItems": 1, "maxItems": 1000 }] })
}

/// A part of a path.
pub(super) fn part(name: &str) -> Value {
    match name {
        "session" | "agent" | "token" => id(),
        "id" => matching(NAME),
        "key" => matching("^[A-Za-z0-9_.-]{1,64}$"),
        _ => json!({ "type": "string", "minLength": 1 }),
    }
}

/// A filter as a parameter or a member, told more closely than a model needs it.
pub(super) fn filter(name: &str, plain: Value) -> Value {
    let item = match name {
        "session" | "agent" => id(),
        "kind" => kind(),
        "author" => author(),
        "tag" | "any_tag" | "not_tag" => tag(),
        "meta" => matching("^[^=]+="),
        _ => return plain,
    };
    json!({ "type": "array", "items": item, "maxItems": 1000 })
}

/// The schemas under their names.
fn named(all: Vec<(&str, Value)>) -> impl Iterator<Item = (String, Value)> {
    all.into_iter()
        .map(|(name, schema)| (name.to_owned(), schema))
}

fn one_of(words: &[&str]) -> Value {
    json!({ "type": "string", "enum": words })
}
