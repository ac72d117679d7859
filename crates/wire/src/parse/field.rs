//! Single fields of a memory, each refused under its own name.

use std::fmt::Write;
use std::str::FromStr;

use mnemon::{Error, Result, Time};
use serde_json::{Map, Value};

pub(crate) fn rule(field: &'static str, rule: impl Into<String>, given: &str) -> Error {
    Error::Rule {
        field,
        rule: rule.into(),
        given: shorten(given),
    }
}

pub(crate) fn unparsable(input: &Value, problem: &str) -> Error {
    Error::Unparsable {
        what: "a memory",
        input: shorten(&input.to_string()),
        problem: problem.to_owned(),
    }
}

/// At most 60 characters, with control characters made visible.
pub(crate) fn shorten(input: &str) -> String {
    let mut short = String::new();
    for c in input.chars().take(60) {
        if c.is_control() {
            let _ = write!(short, "{}", c.escape_default());
        } else {
            short.push(c);
        }
    }
    if input.chars().nth(60).is_some() {
        short.push('…');
    }
    short
}

pub(crate) fn string(field: &'static str, value: Value) -> Result<String> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(rule(field, "text", &other.to_string())),
    }
}

pub(crate) fn number(field: &'static str, value: &Value) -> Result<f64> {
    value
        .as_f64()
        .ok_or_else(|| rule(field, "a number from 0 to 1", &value.to_string()))
}

/// A moment; numbers are refused, because nobody can tell which unit they are in.
pub(crate) fn time(map: &mut Map<String, Value>, field: &'static str) -> Result<Option<Time>> {
    match map.remove(field) {
        None => Ok(None),
        Some(Value::String(text)) => text.parse().map(Some),
        Some(other) => Err(rule(
            field,
            "a time in RFC 3339, such as 2026-01-10T14:23:45Z",
            &other.to_string(),
        )),
    }
}

/// A field that is text with a rule of its own.
pub(crate) fn parsed<T: FromStr<Err = Error>>(
    map: &mut Map<String, Value>,
    field: &'static str,
) -> Result<Option<T>> {
    map.remove(field)
        .map(|value| string(field, value)?.parse())
        .transpose()
}

pub(crate) fn list<T>(
    map: &mut Map<String, Value>,
    field: &'static str,
    each: impl Fn(Value) -> Result<T>,
) -> Result<Vec<T>> {
    match map.remove(field) {
        None => Ok(Vec::new()),
        Some(Value::Array(items)) => items.into_iter().map(each).collect(),
        Some(other) => Err(rule(field, "a list", &other.to_string())),
    }
}

pub(crate) fn flag(map: &mut Map<String, Value>, field: &'static str) -> Result<bool> {
    match map.remove(field) {
        None => Ok(false),
        Some(Value::Bool(flag)) => Ok(flag),
        Some(other) => Err(rule(field, "true or false", &other.to_string())),
    }
}

pub(crate) fn object(
    map: &mut Map<String, Value>,
    field: &'static str,
) -> Result<Map<String, Value>> {
    match map.remove(field) {
        None => Ok(Map::new()),
        Some(Value::Object(members)) => Ok(members),
        Some(other) => Err(rule(field, "an object", &other.to_string())),
    }
}

pub(crate) fn tokens(map: &mut Map<String, Value>) -> Result<Option<u32>> {
    map.remove("tokens")
        .map(|value| {
            let count = value.as_u64().and_then(|count| u32::try_from(count).ok());
            count.ok_or_else(|| rule("tokens", "a whole number", &value.to_string()))
        })
        .transpose()
}

pub(crate) fn embedding(map: &mut Map<String, Value>) -> Result<Option<Vec<f32>>> {
    if !map.contains_key("embedding") {
        return Ok(None);
    }
    let numbers = list(map, "embedding", |value| {
        let number = value
            .as_f64()
            .ok_or_else(|| rule("embedding", "made of numbers", &value.to_string()))?;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "vectors are kept with the precision of f32"
        )]
        Ok(number as f32)
    })?;
    Ok(Some(numbers))
}
