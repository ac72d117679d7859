//! The members of a request: their names, types and meaning, in one table.

use mnemon::recall::{Mode, Profile};
use serde_json::{Map, Value, json};

use super::LIMIT_MAX;

/// What a member can be.
enum Type {
    Text,
    Texts,
    Flag,
    Share,
    Number,
    Count,
    Members,
    ShareOrWord,
    OneOf(fn() -> Vec<&'static str>),
}

/// The orders of an answer.
pub(super) const SORTS: [&str; 7] = [
    "relevance",
    "newest",
    "oldest",
    "importance",
    "accessed",
    "access-count",
    "priority",
];

const MEMBERS: [(&str, Type, &str); 28] = [
    (
        "query",
        Type::Text,
        "What to look for; \"phrases\" and wild*cards are understood, * is everything",
    ),
    ("session", Type::Texts, "Only in these sessions"),
    (
        "agent",
        Type::Texts,
        "Only in the long-term memory of these agents",
    ),
    ("shared", Type::Flag, "In the shared memory"),
    (
        "all",
        Type::Flag,
        "In the whole store, which is also what no scope means",
    ),
    ("kind", Type::Texts, "Of any of these kinds"),
    ("author", Type::Texts, "By any of these authors"),
    (
        "tag",
        Type::Texts,
        "With all of these tags, or tags below them",
    ),
    ("any_tag", Type::Texts, "With any of these tags"),
    ("not_tag", Type::Texts, "With none of these tags"),
    (
        "since",
        Type::Text,
        "Created then or later: RFC 3339, 2026-01-10, 24h, 2 weeks, yesterday",
    ),
    ("until", Type::Text, "Created then or earlier"),
    ("min_importance", Type::Share, "At least this important"),
    (
        "min_priority",
        Type::Share,
        "With at least this priority now",
    ),
    (
        "confidence",
        Type::ShareOrWord,
        "At least this sure: a number, or high, medium, low",
    ),
    ("open", Type::Flag, "Only open decisions and findings"),
    (
        "resolved",
        Type::Flag,
        "Only resolved decisions and findings",
    ),
    (
        "contains",
        Type::Text,
        "With this in the text, whatever the case",
    ),
    ("meta", Type::Members, "With these members in the metadata"),
    ("include_forgotten", Type::Flag, "Forgotten memories too"),
    (
        "sort",
        Type::OneOf(|| SORTS.to_vec()),
        "The order; by relevance if missing",
    ),
    ("limit", Type::Count, "At most so many; 10 if missing"),
    ("offset", Type::Count, "After so many"),
    (
        "mode",
        Type::OneOf(modes),
        "By words, by meaning, or by both",
    ),
    ("profile", Type::OneOf(profiles), "How to rank"),
    (
        "min_similarity",
        Type::Share,
        "At least this near in meaning",
    ),
    ("min_score", Type::Number, "With at least this score"),
    ("as_of", Type::Text, "As it was at this moment"),
];

/// The names of all members.
pub(super) fn names() -> Vec<&'static str> {
    MEMBERS.iter().map(|(name, _, _)| *name).collect()
}

/// The JSON Schema of a request.
pub(super) fn schema() -> Value {
    let properties: Map<String, Value> = MEMBERS
        .iter()
        .map(|(name, kind, description)| {
            let mut schema = kind.schema();
            schema["description"] = json!(description);
            ((*name).to_owned(), schema)
        })
        .collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": ["query"],
        "additionalProperties": false,
    })
}

impl Type {
    fn schema(&self) -> Value {
        match self {
            Self::Text => json!({"type": "string"}),
            Self::Texts => {
                json!({"type": ["string", "array"], "items": {"type": "string"}})
            }
            Self::Flag => json!({"type": "boolean"}),
            Self::Share => json!({"type": "number", "minimum": 0, "maximum": 1}),
            Self::ShareOrWord => {
                json!({"type": ["number", "string"], "minimum": 0, "maximum": 1})
            }
            Self::Number => json!({"type": "number"}),
            Self::Count => json!({"type": "integer", "minimum": 0, "maximum": LIMIT_MAX}),
            Self::Members => {
                json!({"type": "object", "additionalProperties": {"type": "string"}})
            }
            Self::OneOf(words) => json!({"type": "string", "enum": words()}),
        }
    }
}

fn modes() -> Vec<&'static str> {
    Mode::ALL.iter().map(|(name, _)| *name).collect()
}

fn profiles() -> Vec<&'static str> {
    Profile::ALL.iter().map(|(name, _)| *name).collect()
}
