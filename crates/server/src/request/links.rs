//! The names by which a memory refers to others, turned into ids.
//!
//! A model knows memories by their handles, and the wire links ids alone. What
//! is named must be there, or be kept by the same call: most other names are
//! slips of the pen.

use std::collections::HashSet;

use mnemon::Result;
use mnemon::memory::{Link, SessionId};
use serde_json::{Value, json};

use super::fields::{self, Arguments};
use crate::opened::Opened;

/// Replaces names in `links`, `ref` and `turn`; bare handles are looked up in `session`.
pub(crate) fn resolve(
    opened: &Opened,
    session: Option<&SessionId>,
    own_ids: &HashSet<String>,
    members: &mut Arguments,
) -> Result<()> {
    let id = |name: &str| -> Result<String> {
        if own_ids.contains(name) {
            return Ok(name.to_owned());
        }
        let memory = opened.engine.find(&opened.caller, name, session)?;
        Ok(memory.id.to_string())
    };
    let mut links = Vec::new();
    for link in given(members, "links")? {
        links.push(named(link, &id)?);
    }
    for name in fields::texts(members, "ref")? {
        links.push(json!({ "rel": "related", "to": id(&name)? }));
    }
    if !links.is_empty() {
        members.insert("links".into(), Value::Array(links));
    }
    if let Some(turn) = fields::text(members, "turn")? {
        members.insert("turn".into(), Value::String(id(&turn)?));
    }
    Ok(())
}

/// The links in a field; bare handles are looked up in `session`.
pub(crate) fn read(
    opened: &Opened,
    session: Option<&SessionId>,
    members: &mut Arguments,
    field: &'static str,
) -> Result<Vec<Link>> {
    let id = |name: &str| -> Result<String> {
        let memory = opened.engine.find(&opened.caller, name, session)?;
        Ok(memory.id.to_string())
    };
    let link = |given: Value| {
        let named = named(given, &id)?;
        let part = |name: &str| named.get(name).and_then(Value::as_str);
        match (part("rel"), part("to")) {
            (Some(rel), Some(to)) => Ok(Link {
                rel: rel.parse()?,
                to: to.parse()?,
            }),
            (None, Some(to)) => Ok(Link::related(to.parse()?)),
            (_, None) => Err(fields::wrong(field, "objects with `rel` and `to`", &named)),
        }
    };
    given(members, field)?.into_iter().map(link).collect()
}

fn given(members: &mut Arguments, field: &'static str) -> Result<Vec<Value>> {
    match fields::take(members, field) {
        None => Ok(Vec::new()),
        Some(Value::Array(items)) => Ok(items),
        Some(single @ (Value::String(_) | Value::Object(_))) => Ok(vec![single]),
        Some(other) => Err(fields::wrong(field, "a list", &other)),
    }
}

/// A link with the id in place of the name: an object, `REL:ID`, or a name alone.
fn named(link: Value, id: &impl Fn(&str) -> Result<String>) -> Result<Value> {
    match link {
        Value::String(text) => match text.split_once(':') {
            Some((rel, name)) => Ok(json!({ "rel": rel, "to": id(name)? })),
            None => Ok(json!({ "rel": "related", "to": id(&text)? })),
        },
        Value::Object(mut parts) => {
            for end in ["to", "target"] {
                if let Some(Value::String(name)) = parts.get(end) {
                    let resolved = id(name)?;
                    parts.insert(end.into(), Value::String(resolved));
                }
            }
            // What else is wrong with it, the wire says.
            Ok(Value::Object(parts))
        }
        other => Err(fields::wrong(
            "links",
            "objects with `rel` and `to`",
            &other,
        )),
    }
}
