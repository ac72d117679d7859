//! Single arguments of a tool call, each refused under its own name.

use mnemon::nearest::nearest;
use mnemon::{Error, Result};
use serde_json::{Map, Value};

/// The arguments of a call; what was read is taken out.
pub(crate) type Arguments = Map<String, Value>;

pub(crate) fn wrong(field: &'static str, rule: &str, given: &Value) -> Error {
    Error::Rule {
        field,
        rule: rule.to_owned(),
        given: short(&given.to_string()),
    }
}

/// At most 60 characters of what was given, without line breaks.
pub(crate) fn short(text: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().take(60).map(plain).collect()
}

/// A value that is there and not null.
pub(crate) fn take(arguments: &mut Arguments, field: &str) -> Option<Value> {
    arguments.remove(field).filter(|value| !value.is_null())
}

pub(crate) fn text(arguments: &mut Arguments, field: &'static str) -> Result<Option<String>> {
    match take(arguments, field) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(wrong(field, "text", &other)),
    }
}

/// A list of texts; a single one stands for a list of one.
pub(crate) fn texts(arguments: &mut Arguments, field: &'static str) -> Result<Vec<String>> {
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

pub(crate) fn flag(arguments: &mut Arguments, field: &'static str) -> Result<bool> {
    match take(arguments, field) {
        None => Ok(false),
        Some(Value::Bool(flag)) => Ok(flag),
        Some(other) => Err(wrong(field, "true or false", &other)),
    }
}

/// A whole number from `min` to `max`.
pub(crate) fn whole(
    arguments: &mut Arguments,
    field: &'static str,
    min: u64,
    max: u64,
) -> Result<Option<u64>> {
    let Some(value) = take(arguments, field) else {
        return Ok(None);
    };
    // Some programs know only one sort of number, and write 10.0.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is whole, and within what a float counts exactly"
    )]
    let from_float = |number: f64| {
        (number.fract() == 0.0 && (0.0..1e15).contains(&number)).then_some(number as u64)
    };
    let number = value
        .as_u64()
        .or_else(|| value.as_f64().and_then(from_float));
    match number.filter(|number| (min..=max).contains(number)) {
        Some(number) => Ok(Some(number)),
        None => {
            let rule = format!("a whole number from {min} to {max}");
            Err(wrong(field, &rule, &value))
        }
    }
}

/// An object.
pub(crate) fn members(arguments: &mut Arguments, field: &'static str) -> Result<Arguments> {
    match take(arguments, field) {
        None => Ok(Arguments::new()),
        Some(Value::Object(members)) => Ok(members),
        Some(other) => Err(wrong(field, "an object", &other)),
    }
}

/// Refuses a name that the tool does not know, and says which was probably meant.
pub(crate) fn only(arguments: &Arguments, known: &[&str]) -> Result<()> {
    let Some(name) = arguments
        .keys()
        .find(|name| !known.contains(&name.as_str()))
    else {
        return Ok(());
    };
    let meant = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("there are {}", known.join(", ")),
    };
    Err(Error::InvalidQuery {
        field: short(name).into(),
        problem: format!("is not known; {meant}"),
    })
}

/// A text that must be there.
pub(crate) fn needed(arguments: &mut Arguments, field: &'static str) -> Result<String> {
    text(arguments, field)?.ok_or_else(|| missing(field))
}

/// It must be there, and is not.
pub(crate) fn missing(field: &'static str) -> Error {
    Error::Rule {
        field,
        rule: "there".into(),
        given: String::new(),
    }
}
