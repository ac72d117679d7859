//! One memory, read from JSON: ours, or in the shape of the sources.
//!
//! All but the text may be missing. What is not known is kept in the body, and
//! what is known but wrong is refused with the field and its rule.
//! `source` turns other shapes into ours first; `field` reads single fields.

mod field;
mod source;
mod state;

use mnemon::engine::Base;
use mnemon::memory::body::confidence_from_word;
use mnemon::memory::{Body, Confidence, Draft, Importance, Kind, Link, Space, State, Text};
use mnemon::seal::SealProblem;
use mnemon::{Error, Result};
use serde_json::{Map, Value};

pub(crate) use field::{rule, shorten};
pub use source::kind_from_word;

/// A memory as it was read: where it says it belongs, its content, its state.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// Where it lives, if it says so.
    pub space: Option<Space>,
    /// What it is.
    pub draft: Draft,
    /// What had happened to it.
    pub state: State,
    /// Which version of it this is, if it was exported.
    pub base: Option<Base>,
}

/// Members that describe a line or are ours to decide, so nobody can set them.
const OURS: [&str; 5] = ["checksum", "recorded_at", "updated_at", "version", "op"];

/// The members that mean something beside the fields of a body, ours first.
pub const MEMBERS: [&str; 31] = [
    "text",
    "kind",
    "id",
    "handle",
    "space",
    "author",
    "turn",
    "created_at",
    "importance",
    "confidence",
    "tags",
    "links",
    "pinned",
    "sensitive",
    "sealed",
    "tokens",
    "embedding",
    "body",
    "metadata",
    "state",
    "recorded_at",
    "updated_at",
    "version",
    "checksum",
    "op",
    // The names of the sources.
    "content",
    "type",
    "timestamp",
    "session_id",
    "agent_id",
    "references",
];

/// Reads one memory.
pub fn parse_memory(value: Value) -> Result<Parsed> {
    let Value::Object(mut map) = value else {
        return Err(field::unparsable(&value, "a memory is an object"));
    };
    // A known member that is null is the same as a missing one.
    map.retain(|_, value| !value.is_null());
    if map.remove("sealed").is_some_and(|sealed| sealed != false) {
        let id = map.get("id").and_then(Value::as_str);
        return Err(Error::Crypto(SealProblem::Locked {
            what: id.unwrap_or("a memory").chars().take(64).collect(),
        }));
    }
    let recorded_at = map.remove("recorded_at");
    let base = state::base(&map);
    let kind = source::normalise(&mut map)?;
    let space = field::parsed::<Space>(&mut map, "space")?;
    let text = map.remove("text").ok_or_else(|| Error::Rule {
        field: "text",
        rule: "there: a memory without it has nothing to say".into(),
        given: String::new(),
    })?;
    let text = Text::try_from(field::string("text", text)?)?;
    let state = state::take(&mut map)?;

    let mut draft = Draft::new(kind, text);
    draft.id = field::parsed(&mut map, "id")?;
    draft.handle = field::parsed(&mut map, "handle")?;
    draft.author = field::parsed(&mut map, "author")?;
    draft.turn = field::parsed(&mut map, "turn")?;
    draft.created_at = field::time(&mut map, "created_at")?;
    if let (None, Some(recorded)) = (draft.created_at, recorded_at) {
        draft.created_at = Some(field::string("recorded_at", recorded)?.parse()?);
    }
    if let Some(value) = map.remove("importance") {
        draft.importance = Importance::try_from(field::number("importance", &value)?)?;
    }
    draft.tags = field::list(&mut map, "tags", |tag| field::string("tags", tag)?.parse())?;
    draft.links = field::list(&mut map, "links", link)?;
    for reference in source::references(&mut map)? {
        draft.links.push(Link::related(reference.parse()?));
    }
    draft.pinned = field::flag(&mut map, "pinned")?;
    draft.sensitive = field::flag(&mut map, "sensitive")?;
    draft.tokens = field::tokens(&mut map)?;
    draft.embedding = field::embedding(&mut map)?;
    draft.metadata = field::object(&mut map, "metadata")?;
    let mut body = field::object(&mut map, "body")?;
    draft.confidence = confidence(&mut map, &mut body)?;
    for name in OURS {
        map.remove(name);
    }
    draft.body = Body::from_map(kind, with_the_rest(body, map)?)?;
    Ok(Parsed {
        space,
        draft,
        state,
        base,
    })
}

/// A number, or a word that stands for one and is kept in the body.
fn confidence(
    map: &mut Map<String, Value>,
    body: &mut Map<String, Value>,
) -> Result<Option<Confidence>> {
    match map.remove("confidence") {
        None => Ok(None),
        Some(Value::String(word)) => {
            let number = confidence_from_word(&word).ok_or_else(|| Error::Rule {
                field: "confidence",
                rule: "a number from 0 to 1, or explicit, high, medium, inferred, low, uncertain"
                    .into(),
                given: field::shorten(&word),
            })?;
            body.entry("confidence").or_insert(Value::String(word));
            Confidence::try_from(number).map(Some)
        }
        Some(number) => Confidence::try_from(field::number("confidence", &number)?).map(Some),
    }
}

fn link(value: Value) -> Result<Link> {
    match value {
        Value::Object(mut parts) => {
            let mut part = |names: [&str; 2]| names.iter().find_map(|name| parts.remove(*name));
            let (rel, to) = (part(["rel", "type"]), part(["to", "target"]));
            match (rel, to) {
                (Some(rel), Some(to)) => Ok(Link {
                    rel: field::string("links", rel)?.parse()?,
                    to: field::string("links", to)?.parse()?,
                }),
                (None, Some(to)) => Ok(Link::related(field::string("links", to)?.parse()?)),
                (_, None) => Err(field::rule("links", "objects with `rel` and `to`", "")),
            }
        }
        Value::String(id) => Ok(Link::related(id.parse()?)),
        other => Err(field::rule(
            "links",
            "objects with `rel` and `to`",
            &other.to_string(),
        )),
    }
}

/// The body with the members that nothing else has a place for.
fn with_the_rest(
    mut body: Map<String, Value>,
    rest: Map<String, Value>,
) -> Result<Map<String, Value>> {
    for (name, value) in rest {
        match body.get(&name) {
            Some(own) if *own != value => {
                let rule = format!("without `{}`, or it is given twice", field::shorten(&name));
                return Err(field::rule("body", rule, ""));
            }
            _ => body.insert(name, value),
        };
    }
    Ok(body)
}

/// The kind when nothing tells it.
pub(crate) const DEFAULT_KIND: Kind = Kind::Fact;

#[cfg(test)]
mod tests;
