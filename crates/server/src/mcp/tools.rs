//! What is offered: two tools, described in as few words as do.
//!
//! Every client hands these descriptions to its model at every turn, so each
//! word is paid for again and again. A test counts them.

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

/// The name of the tool that keeps.
pub const REMEMBER: &str = "remember";
/// The name of the tool that finds.
pub const RECALL: &str = "recall";

/// When to use which; clients hand this to their model.
pub const INSTRUCTIONS: &str = "\
    mnemon is your memory across sessions. \
    Recall before you start a task, or ask the user something that they may have told before. \
    Remember decisions with their reasons, findings, preferences and corrections as soon as they \
    come up, one self-contained statement each.";

/// The tools.
pub fn all() -> Vec<Tool> {
    vec![remember(), recall()]
}

fn remember() -> Tool {
    let annotations = ToolAnnotations::new()
        .destructive(false)
        // The same again is kept twice, unless it has an id.
        .idempotent(false)
        .open_world(false);
    let description = "Keep a memory for later: `text`, or several as `memories`. Goes to the \
        session (made if new), agent or shared memory that is named, else to the default.";
    Tool::new(REMEMBER, description, object(&remember_fields())).with_annotations(annotations)
}

fn remember_fields() -> Value {
    json!({
        "text": text("Self-contained statement"),
        "session": text("Keep in this session"),
        "agent": text("Keep in this agent's long-term memory"),
        "shared": flag("Keep for all agents"),
        "kind": { "type": "string", "enum": KINDS, "default": "fact" },
        "tags": texts("Dots make a hierarchy"),
        "importance": { "type": "number", "minimum": 0, "maximum": 1, "default": 0.5 },
        "confidence": { "type": "number", "minimum": 0, "maximum": 1 },
        "author": text("Who said or found it"),
        "ref": texts("Related: ids or handles"),
        "links": {
            "type": "array",
            "items": { "type": "object" },
            "description": "{rel: supersedes|resolves|led_to|…, to: id or handle}",
        },
        "pinned": flag("Never fades"),
        "sensitive": flag(""),
        "created_at": text("If not now"),
        "body": any_object("Fields of its kind: rationale, severity, key, value…"),
        "metadata": any_object(""),
        "id": text("Your own; makes repeating safe"),
        "memories": {
            "type": "array",
            "maxItems": 1000,
            "items": { "type": "object" },
            "description": "Each with these fields",
        },
    })
}

fn recall() -> Tool {
    let annotations = ToolAnnotations::new().read_only(true).open_world(false);
    let description = "Find memories by words and meaning, best first. Filters are optional; \
        without session, agent or shared everything is searched. Minimums and confidence: 0 to 1.";
    let mut schema = object(&recall_fields());
    schema.insert("required".into(), json!(["query"]));
    Tool::new(RECALL, description, schema).with_annotations(annotations)
}

fn recall_fields() -> Value {
    json!({
        "query": text("Question or words; \"phrase\", wild*, * for all"),
        "session": texts("Any of these"),
        "agent": texts("Long-term memory of these"),
        "shared": flag("Shared memory"),
        "kind": texts("As in remember"),
        "author": texts(""),
        "tag": texts("All of these"),
        "any_tag": texts(""),
        "not_tag": texts(""),
        "since": text("2026-01-10, 24h, 2 weeks, yesterday"),
        "until": text(""),
        "min_importance": number(),
        "min_priority": number(),
        "confidence": number(),
        "open": flag("Unresolved decisions, findings"),
        "resolved": flag(""),
        "contains": text("Exact text"),
        "meta": any_object("Metadata to match"),
        "include_forgotten": flag(""),
        "sort": choice(&[
            "relevance",
            "newest",
            "oldest",
            "importance",
            "accessed",
            "access-count",
            "priority",
        ]),
        "limit": { "type": "integer", "default": 10 },
        "offset": { "type": "integer" },
        "mode": choice(&["hybrid", "text", "semantic"]),
        "profile": choice(&["balanced", "product", "weighted"]),
        "min_similarity": number(),
        "min_score": number(),
        "full": flag("Whole texts, body and metadata"),
    })
}

const KINDS: [&str; 10] = [
    "conversation",
    "decision",
    "finding",
    "preference",
    "learning",
    "fact",
    "event",
    "procedure",
    "state",
    "artifact",
];

fn object(properties: &Value) -> Map<String, Value> {
    let schema = json!({ "type": "object", "properties": properties });
    schema.as_object().cloned().unwrap_or_default()
}

fn described(mut schema: Value, description: &str) -> Value {
    if !description.is_empty() {
        schema["description"] = json!(description);
    }
    schema
}

fn text(description: &str) -> Value {
    described(json!({ "type": "string" }), description)
}

fn texts(description: &str) -> Value {
    described(
        json!({ "type": "array", "items": { "type": "string" } }),
        description,
    )
}

fn flag(description: &str) -> Value {
    described(json!({ "type": "boolean" }), description)
}

fn number() -> Value {
    json!({ "type": "number" })
}

fn any_object(description: &str) -> Value {
    described(json!({ "type": "object" }), description)
}

fn choice(names: &[&str]) -> Value {
    json!({ "type": "string", "enum": names })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mnemon::memory::Kind;

    #[test]
    fn the_schema_names_every_kind() {
        assert_eq!(KINDS, Kind::ALL.map(Kind::as_str));
    }
}
