//! Single arguments of a tool call, each refused under its own name.

use mnemon::{Error, Result};
use serde_json::{Map, Value};

/// The arguments of a call; what was read is taken out.
pub(super) type Arguments = Map<String, Value>;

pub(super) fn wrong(field: &'static str, rule: &str, given: &Value) -> Error {
    Error::Rule {
        field,
        rule: rule.to_owned(),
        given: short(&given.to_string()),
    }
}

/// At most 60 characters of what was given, without line breaks.
pub(super) fn short(text: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().take(60).map(plain).collect()
}

/// A value that is there and not null.
pub(super) fn take(arguments: &mut Arguments, field: &str) -> Option<Value> {
    arguments.remove(field).filter(|value| !value.is_null())
}

pub(super) fn text(arguments: &mut Arguments, field: &'static str) -> Result<Option<String>> {
    match take(arguments, field) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(wrong(field, "text", &other)),
    }
}

/// A list of texts; a single one stands for a list of one.
pub(super) fn texts(arguments: &mut Arguments, field: &'static str) -> Result<Vec<String>> {
    let items = match take(arguments, field) {
        None => return Ok(Vec::new()),
        Some(Value::Array(items)) => items,
        Some(single) => vec![single],
    };
    items
        .into_iter()
        .map(|item| match item {
            Value::String(text) => Ok(text),
            other => Err(wrong(field, "a list of texts", &other)),
        })
        .collect()
}

pub(super) fn flag(arguments: &mut Arguments, field: &'static str) -> Result<bool> {
    match take(arguments, field) {
        None => Ok(false),
        Some(Value::Bool(flag)) => Ok(flag),
        Some(other) => Err(wrong(field, "true or false", &other)),
    }
}
