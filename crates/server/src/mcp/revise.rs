//! `revise`: changes a memory; what it was before stays in its history.

use std::fmt::Write as _;

use mnemon::memory::body::confidence_from_word;
use mnemon::memory::{Confidence, Importance, Memory, Resolution, Revision, SessionId, Tag};
use mnemon::redact::{Redaction, sum};
use mnemon::{Error, Result};
use mnemon_wire::kind_from_word;
use serde_json::{Value, json};

use super::answer::Answer;
use super::brief::Brief;
use super::door::Need;
use super::fields::{self, Arguments};
use super::{Shared, links};

/// What can be said.
const KNOWN: [&str; 18] = [
    "id",
    "session",
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
    "if_version",
];

/// Changes what the arguments say.
pub(super) fn revise(shared: &Shared, arguments: Arguments) -> Answer {
    revised(shared, arguments).unwrap_or_else(|error| shared.refused(&error))
}

fn revised(shared: &Shared, mut arguments: Arguments) -> Result<Answer> {
    fields::only(&arguments, &KNOWN)?;
    let name = fields::needed(&mut arguments, "id")?;
    let session = shared.session_of(&mut arguments)?;
    let expected = fields::whole(&mut arguments, "if_version", 1, u64::MAX)?;
    let mut revision = plain(&mut arguments)?;
    let opened = shared.opened(Need::There)?;
    let (engine, caller) = (&opened.engine, &opened.caller);
    let memory = engine.find(caller, &name, session.as_ref())?;
    // Links of a memory in a session mean that session unless told otherwise.
    let within: Option<&SessionId> = memory.space.session().or(session.as_ref());
    let related = fields::texts(&mut arguments, "ref")?;
    if !related.is_empty() {
        let related = related.into_iter().map(Value::String).collect();
        arguments.insert("ref".into(), Value::Array(related));
    }
    for field in ["links", "ref"] {
        let more = links::read(&opened, within, &mut arguments, field)?;
        revision.add_links.extend(more);
    }
    revision.remove_links = links::read(&opened, within, &mut arguments, "remove_links")?;
    if revision == Revision::default() {
        return Err(Error::Rule {
            field: "id",
            rule: "with something to change: text, importance, add_tags, resolve…".into(),
            given: String::new(),
        });
    }
    // Once more below, where nothing is left to be found; here to say what it was.
    let redacted = engine.redactor().redact_revision(&mut revision)?;
    let after = engine.revise(caller, &memory, expected, revision)?;
    shared.background.wake(&opened);
    shared.compacting.wake(&opened);
    Ok(said(&memory, &after, &redacted))
}

/// What needs no store.
fn plain(arguments: &mut Arguments) -> Result<Revision> {
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

fn said(before: &Memory, after: &Memory, redacted: &[Redaction]) -> Answer {
    let name = after.name(None);
    let mut text = if before.version == after.version {
        format!("{name} was so already (version {})", after.version)
    } else {
        format!("revised {name} to version {}", after.version)
    };
    for Redaction { class, count } in sum(redacted) {
        let _ = write!(text, "\nredacted before it was kept: {count} {class}");
    }
    let mut shape = Brief::LINE.shape(after);
    shape["version"] = json!(after.version);
    Answer::new(text, json!({ "memory": shape }))
}
