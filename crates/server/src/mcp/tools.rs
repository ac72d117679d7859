//! What is offered: two tools, described in as few words as do.
//!
//! Every client hands these descriptions to its model at every turn, so each
//! word is paid for again and again. A test counts them.

use mnemon::recall::Query;
use mnemon_wire::RecallRequest;
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

use super::recall::HITS_MAX;

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
        "session": text("In this session"),
        "agent": text("In this agent's long-term memory"),
        "shared": flag("For all agents"),
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
        without session, agent or shared everything is searched. Minimums: 0 to 1.";
    let mut schema = RecallRequest::schema();
    without_bounds(&mut schema);
    let fields = &mut schema["properties"];
    fields["limit"]["default"] = json!(Query::LIMIT);
    fields["limit"]["maximum"] = json!(HITS_MAX);
    fields["full"] = flag("Whole texts, body and metadata");
    let schema = schema.as_object().cloned().unwrap_or_default();
    Tool::new(RECALL, description, schema).with_annotations(annotations)
}

/// Bounds are told once, in words: as members of each field they cost a model more.
fn without_bounds(schema: &mut Value) {
    if let Value::Object(members) = schema {
        for name in ["minimum", "maximum", "additionalProperties"] {
            members.remove(name);
        }
        members.values_mut().for_each(without_bounds);
    }
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

fn any_object(description: &str) -> Value {
    described(json!({ "type": "object" }), description)
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
