//! Fields: what of a memory a condition or an order can be about.

use std::fmt;
use std::str::FromStr;

use super::value::Value;
use crate::decay::At;
use crate::error::{Error, Result};
use crate::memory::Memory;
use crate::nearest::nearest;
use crate::store::Status;
use crate::time::Time;

/// A part of a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field {
    /// What sort of thing it is.
    Kind,
    /// Its tags.
    Tags,
    /// Who it comes from.
    Author,
    /// What it says.
    Text,
    /// When it came into being.
    CreatedAt,
    /// When it was first written down.
    RecordedAt,
    /// When its current version was written down.
    UpdatedAt,
    /// How much it matters.
    Importance,
    /// How sure it is, if anybody said so.
    Confidence,
    /// How much it matters now.
    Priority,
    /// How often it was asked for.
    AccessCount,
    /// When it was last asked for, if ever.
    LastAccess,
    /// Whether it is pinned.
    Pinned,
    /// Whether it is sensitive.
    Sensitive,
    /// Where it lives.
    Space,
    /// The session in which it lives, if it is one.
    Session,
    /// Open or resolved, if it can be either.
    Status,
    /// The memories that it links to.
    Links,
    /// Its id.
    Id,
    /// Its short name, if it lives in a session.
    Handle,
    /// A member of its metadata.
    Metadata(String),
    /// A member of its body; dots lead into objects.
    Body(String),
}

/// What the values of a field are like, and so what can be asked of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One of the ten kinds.
    Kind,
    /// Open or resolved.
    Status,
    /// Yes or no.
    Flag,
    /// A number from 0 to 1.
    Share,
    /// A whole number.
    Count,
    /// A moment.
    Time,
    /// A name, compared letter by letter.
    Name,
    /// A text that people read.
    Text,
    /// Any number of tags.
    Tags,
    /// Any number of ids.
    Links,
    /// Whatever is there.
    Any,
}

impl Field {
    /// Every field by name, ours first; `metadata.<key>` and `body.<path>` come on top.
    pub const NAMES: [(&'static str, Field); 29] = [
        ("kind", Field::Kind),
        ("tags", Field::Tags),
        ("author", Field::Author),
        ("text", Field::Text),
        ("created_at", Field::CreatedAt),
        ("recorded_at", Field::RecordedAt),
        ("updated_at", Field::UpdatedAt),
        ("importance", Field::Importance),
        ("confidence", Field::Confidence),
        ("priority", Field::Priority),
        ("access_count", Field::AccessCount),
        ("last_access", Field::LastAccess),
        ("pinned", Field::Pinned),
        ("sensitive", Field::Sensitive),
        ("space", Field::Space),
        ("session", Field::Session),
        ("status", Field::Status),
        ("links", Field::Links),
        ("id", Field::Id),
        ("handle", Field::Handle),
        // The names of the sources, for those who know them.
        ("type", Field::Kind),
        ("agent", Field::Author),
        ("content", Field::Text),
        ("timestamp", Field::CreatedAt),
        ("decay.priority", Field::Priority),
        ("references", Field::Links),
        ("tag", Field::Tags),
        ("agent_id", Field::Author),
        ("session_id", Field::Session),
    ];

    /// What its values are like.
    pub fn shape(&self) -> Shape {
        match self {
            Self::Kind => Shape::Kind,
            Self::Status => Shape::Status,
            Self::Pinned | Self::Sensitive => Shape::Flag,
            Self::Importance | Self::Confidence | Self::Priority => Shape::Share,
            Self::AccessCount => Shape::Count,
            Self::CreatedAt | Self::RecordedAt | Self::UpdatedAt | Self::LastAccess => Shape::Time,
            Self::Author | Self::Space | Self::Session | Self::Id | Self::Handle => Shape::Name,
            Self::Text => Shape::Text,
            Self::Tags => Shape::Tags,
            Self::Links => Shape::Links,
            Self::Metadata(_) | Self::Body(_) => Shape::Any,
        }
    }

    /// What a memory has in it: nothing, one value, or each of a list.
    pub(super) fn values(&self, memory: &Memory, at: At<'_>) -> Vec<Value> {
        let time = |time: Time| Value::Span(time.micros(), time.micros());
        let text = |text: &dyn fmt::Display| Value::Text(text.to_string());
        let status = |open| {
            let status = if open { Status::Open } else { Status::Resolved };
            Value::Status(status)
        };
        let one = match self {
            Self::Kind => Some(Value::Kind(memory.kind())),
            Self::Author => memory.author.as_ref().map(|author| text(author)),
            Self::Text => Some(Value::Text(memory.text.as_str().to_owned())),
            Self::CreatedAt => Some(time(memory.created_at)),
            Self::RecordedAt => Some(time(memory.recorded_at)),
            Self::UpdatedAt => Some(time(memory.updated_at)),
            Self::Importance => Some(Value::Number(memory.importance.get())),
            Self::Confidence => memory.confidence.map(|own| Value::Number(own.get())),
            Self::Priority => Some(Value::Number(at.priority(memory))),
            #[expect(clippy::cast_precision_loss, reason = "nobody asks 2^53 times")]
            Self::AccessCount => Some(Value::Number(memory.state.access_count as f64)),
            Self::LastAccess => memory.state.last_access.map(time),
            Self::Pinned => Some(Value::Flag(memory.pinned)),
            Self::Sensitive => Some(Value::Flag(memory.sensitive)),
            Self::Space => Some(text(&memory.space)),
            Self::Session => memory.space.session().map(|id| text(id)),
            Self::Status => memory.body.is_open().map(status),
            Self::Id => Some(text(&memory.id)),
            Self::Handle => memory.handle.map(|handle| text(&handle)),
            Self::Tags => return memory.tags.iter().cloned().map(Value::Tag).collect(),
            Self::Links => return memory.links.iter().map(|link| text(&link.to)).collect(),
            Self::Metadata(key) => member(&memory.metadata, key),
            Self::Body(path) => member(&memory.body.to_map(), path),
        };
        one.into_iter().collect()
    }
}

/// The member of that name, or at that path; null is nothing.
fn member(members: &serde_json::Map<String, serde_json::Value>, path: &str) -> Option<Value> {
    if let Some(own) = members.get(path) {
        return (!own.is_null()).then(|| Value::Json(own.clone()));
    }
    let (first, rest) = path.split_once('.')?;
    member(members.get(first)?.as_object()?, rest)
}

impl FromStr for Field {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let known = Self::NAMES.iter().find(|(name, _)| *name == text);
        if let Some((_, field)) = known {
            return Ok(field.clone());
        }
        match text.split_once('.') {
            Some(("metadata", key)) if !key.is_empty() => {
                return Ok(Self::Metadata(key.to_owned()));
            }
            Some(("body", path)) if !path.is_empty() => return Ok(Self::Body(path.to_owned())),
            _ => {}
        }
        let names = || Self::NAMES.iter().map(|(name, _)| *name);
        let meant = match nearest(text, names()) {
            Some(near) => format!("did you mean {near}?"),
            None => {
                let names: Vec<_> = names().take(20).collect();
                format!(
                    "there are {}, metadata.<key>, body.<path>",
                    names.join(", ")
                )
            }
        };
        Err(Error::InvalidQuery {
            field: "field".into(),
            problem: format!("{} is not known; {meant}", crate::error::shorten(text)),
        })
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Metadata(key) => write!(f, "metadata.{key}"),
            Self::Body(path) => write!(f, "body.{path}"),
            known => {
                let mut names = Self::NAMES.iter();
                let (name, _) = names
                    .find(|(_, field)| field == known)
                    .expect("every field has a name");
                f.write_str(name)
            }
        }
    }
}
