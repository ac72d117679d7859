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

/// Models pay for every word of a description, so those that only repeat a name are left out.
const MEMBERS: [(&str, Type, &str); 28] = [
    (
        "query",
        Type::Text,
        "Question or words; \"phrase\", wild*, * for all",
    ),
    ("session", Type::Texts, ""),
    ("agent", Type::Texts, "Long-term memory of these"),
    ("shared", Type::Flag, ""),
    ("all", Type::Flag, ""),
    ("kind", Type::Texts, "As in remember"),
    ("author", Type::Texts, ""),
    ("tag", Type::Texts, "All of these"),
    ("any_tag", Type::Texts, ""),
    ("not_tag", Type::Texts, ""),
    ("since", Type::Text, "2026-01-10, 24h, 2 weeks, yesterday"),
    ("until", Type::Text, ""),
    ("min_importance", Type::Share, ""),
    ("min_priority", Type::Share, ""),
    ("confidence", Type::Share, ""),
    ("open", Type::Flag, "Unresolved decisions, findings"),
    ("resolved", Type::Flag, ""),
    ("contains", Type::Text, "Exact text"),
    ("meta", Type::Members, "Metadata to match"),
    ("include_forgotten", Type::Flag, ""),
    ("sort", Type::OneOf(|| SORTS.to_vec()), ""),
    ("limit", Type::Count, ""),
    ("offset", Type::Count, ""),
    ("mode", Type::OneOf(modes), ""),
    ("profile", Type::OneOf(profiles), ""),
    ("min_similarity", Type::Share, ""),
    ("min_score", Type::Number, ""),
    ("as_of", Type::Text, "As it was then"),
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
            if !description.is_empty() {
                schema["description"] = json!(description);
            }
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
    /// How it is best written; whoever reads it takes a single text for a list as well.
    fn schema(&self) -> Value {
        match self {
            Self::Text => json!({"type": "string"}),
            Self::Texts => json!({"type": "array", "items": {"type": "string"}}),
            Self::Flag => json!({"type": "boolean"}),
            Self::Share => json!({"type": "number", "minimum": 0, "maximum": 1}),
            Self::Number => json!({"type": "number"}),
            Self::Count => json!({"type": "integer", "minimum": 0, "maximum": LIMIT_MAX}),
            Self::Members => json!({"type": "object"}),
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
