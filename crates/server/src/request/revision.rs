//! A change of a memory as a program hands it in.

use mnemon::memory::body::confidence_from_word;
use mnemon::memory::{Confidence, Importance, Memory, Resolution, Revision, SessionId, Tag};
use mnemon::{Error, Result};
use mnemon_wire::kind_from_word;
use serde_json::Value;

use super::fields::{self, Arguments};
use super::links;
use crate::opened::Opened;

/// What can be said of a change.
pub(crate) const KNOWN: [&str; 15] = [
    "text",
    "kind",
    "importance",
    "confidence",
    "add_tags",
    "remove_tags",
    "links",
    "remove_links",
    "ref",
    "pinned",
    "sensitive",
    "resolve",
    "reopen",
    "body",
    "metadata",
];

/// The links that come and go; bare handles are looked up in the memory's session.
pub(crate) fn add_links(
    opened: &Opened,
    memory: &Memory,
    session: Option<&SessionId>,
    arguments: &mut Arguments,
    revision: &mut Revision,
) -> Result<()> {
    // Links of a memory in a session mean that session unless told otherwise.
    let within: Option<&SessionId> = memory.space.session().or(session);
    let related = fields::texts(arguments, "ref")?;
    if !related.is_empty() {
        let related = related.into_iter().map(Value::String).collect();
        arguments.insert("ref".into(), Value::Array(related));
    }
    for field in ["links", "ref"] {
        let more = links::read(opened, within, arguments, field)?;
        revision.add_links.extend(more);
    }
    revision.remove_links = links::read(opened, within, arguments, "remove_links")?;
    Ok(())
}

/// Refuses what changes nothing, because something else was meant.
pub(crate) fn refuse_empty(revision: &Revision) -> Result<()> {
    if *revision != Revision::default() {
        return Ok(());
    }
    Err(Error::Rule {
        field: "id",
        rule: "with something to change: text, importance, add_tags, resolve…".into(),
        given: String::new(),
    })
}

/// What needs no store.
pub(crate) fn plain(arguments: &mut Arguments) -> Result<Revision> {
    let mut revision = Revision {
        text: fields::text(arguments, "text")?
            .map(TryInto::try_into)
            .transpose()?,
        kind: fields::text(arguments, "kind")?
            .map(|word| kind_from_word(&word))
            .transpose()?,
        add_tags: tags(arguments, "add_tags")?,
        remove_tags: tags(arguments, "remove_tags")?,
        pinned: optional_flag(arguments, "pinned")?,
        sensitive: optional_flag(arguments, "sensitive")?,
        body: fields::members(arguments, "body")?,
        metadata: fields::members(arguments, "metadata")?,
        ..Revision::default()
    };
    if let Some(value) = fields::take(arguments, "importance") {
        revision.importance = Some(Importance::try_from(number("importance", &value)?)?);
    }
    if let Some(value) = fields::take(arguments, "confidence") {
        let by_word = value.as_str().and_then(confidence_from_word);
        if by_word.is_some() {
            revision
                .body
                .entry("confidence")
                .or_insert_with(|| value.clone());
        }
        let number = by_word.map_or_else(|| number("confidence", &value), Ok)?;
        revision.confidence = Some(Confidence::try_from(number)?);
    }
    let resolve = fields::text(arguments, "resolve")?;
    revision.resolution = match (resolve, fields::flag(arguments, "reopen")?) {
        (Some(_), true) => {
            return Err(Error::Rule {
                field: "resolve",
                rule: "without reopen: it can't be both".into(),
                given: String::new(),
            });
        }
        (Some(how), false) => Some(Resolution::Resolve(how)),
        (None, true) => Some(Resolution::Reopen),
        (None, false) => None,
    };
    Ok(revision)
}

fn number(field: &'static str, value: &Value) -> Result<f64> {
    let wrong = || fields::wrong(field, "a number from 0 to 1", value);
    value.as_f64().ok_or_else(wrong)
}

fn tags(arguments: &mut Arguments, field: &'static str) -> Result<Vec<Tag>> {
    let texts = fields::texts(arguments, field)?;
    texts.iter().map(|text| text.parse()).collect()
}

fn optional_flag(arguments: &mut Arguments, field: &'static str) -> Result<Option<bool>> {
    let is_said = arguments.get(field).is_some_and(|value| !value.is_null());
    let flag = fields::flag(arguments, field)?;
    Ok(is_said.then_some(flag))
}
