//! What had happened to a memory before it was exported, and which version of it that was.

use mnemon::engine::Base;
use mnemon::memory::{Forgotten, State};
use mnemon::{Error, Result, Time};
use serde_json::{Map, Value};

use super::field;

/// Reads `state`; what follows from the content (`open`, `flags`) is passed over.
pub(super) fn take(map: &mut Map<String, Value>) -> Result<State> {
    // An agent's state as another program writes it is content, and not this.
    if !map.get("state").is_some_and(Value::is_object) {
        return Ok(State::default());
    }
    let mut state = field::object(map, "state")?;
    state.retain(|_, value| !value.is_null());
    let access_count = match state.remove("access_count") {
        None => 0,
        Some(value) => value
            .as_u64()
            .ok_or_else(|| wrong("access_count is a whole number", &value))?,
    };
    let forgotten = match state.remove("forgotten") {
        None => None,
        Some(Value::Object(parts)) => Some(forgotten(parts)?),
        Some(other) => return Err(wrong("forgotten is an object", &other)),
    };
    let compacted = match state.remove("compacted") {
        None => false,
        Some(value) => value
            .as_bool()
            .ok_or_else(|| wrong("compacted is true or false", &value))?,
    };
    Ok(State {
        access_count,
        compacted,
        last_access: time(&mut state, "last_access")?,
        forgotten,
    })
}

/// The version of an export; what other programs mean by these members is not ours to judge.
pub(super) fn base(map: &Map<String, Value>) -> Option<Base> {
    let updated_at = map.get("updated_at").and_then(Value::as_str);
    Some(Base {
        version: map.get("version")?.as_u64()?,
        updated_at: updated_at.and_then(|text| text.parse().ok()),
    })
}

fn forgotten(mut parts: Map<String, Value>) -> Result<Forgotten> {
    let at = time(&mut parts, "at")?;
    let recover_until = time(&mut parts, "recover_until")?.or(at);
    let mut text = |name: &str| match parts.remove(name) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    };
    let (by, reason) = (text("by"), text("reason"));
    match (at.or(recover_until), recover_until) {
        (Some(at), Some(recover_until)) => Ok(Forgotten {
            at,
            by,
            reason,
            recover_until,
        }),
        _ => Err(wrong(
            "forgotten has `at` and `recover_until`",
            &Value::Null,
        )),
    }
}

fn time(map: &mut Map<String, Value>, name: &'static str) -> Result<Option<Time>> {
    map.remove(name)
        .map(|value| match value {
            Value::String(text) => text.parse(),
            other => Err(wrong("times are text in RFC 3339", &other)),
        })
        .transpose()
}

fn wrong(what: &str, given: &Value) -> Error {
    let given = if given.is_null() {
        String::new()
    } else {
        given.to_string()
    };
    field::rule("state", format!("an object in which {what}"), &given)
}
