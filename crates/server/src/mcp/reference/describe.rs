//! What clients are told of the tools: the names, fields and hints of the
//! reference server, in words of ours.

use std::sync::Arc;

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

use crate::mcp::schema::{input, text, texts};

pub(super) fn create_entities() -> Tool {
    let about = "Add entities with their observations; names that exist are passed over";
    let fields = json!({ "entities": list(&entity()) });
    adds("create_entities", about, &fields, &fields)
}

pub(super) fn create_relations() -> Tool {
    let about = "Add relations between entities, in active voice; known ones are passed over";
    let fields = json!({ "relations": list(&relation()) });
    adds("create_relations", about, &fields, &fields)
}

pub(super) fn add_observations() -> Tool {
    let about = "Add observations to entities that exist";
    let given = object(&json!({
        "entityName": text("Which entity"),
        "contents": texts("What was observed"),
    }));
    let added = object(&json!({ "entityName": text(""), "addedObservations": texts("") }));
    adds(
        "add_observations",
        about,
        &json!({ "observations": list(&given) }),
        &json!({ "results": list(&added) }),
    )
}

pub(super) fn delete_entities() -> Tool {
    let about = "Forget entities, their observations and their relations";
    let fields = json!({ "entityNames": texts("Which entities") });
    deletes("delete_entities", about, &fields)
}

pub(super) fn delete_observations() -> Tool {
    let about = "Forget single observations of entities";
    let deletion = object(&json!({
        "entityName": text("Which entity"),
        "observations": texts("Which observations"),
    }));
    let fields = json!({ "deletions": list(&deletion) });
    deletes("delete_observations", about, &fields)
}

pub(super) fn delete_relations() -> Tool {
    let about = "Forget single relations";
    let fields = json!({ "relations": list(&relation()) });
    deletes("delete_relations", about, &fields)
}

pub(super) fn read_graph() -> Tool {
    reads("read_graph", "All entities and relations", &json!({}))
}

pub(super) fn search_nodes() -> Tool {
    let about = "Entities whose name, type or observations contain a text, and their relations";
    let fields = json!({ "query": text("The text, in any case") });
    reads("search_nodes", about, &fields)
}

pub(super) fn open_nodes() -> Tool {
    let about = "Entities by their names, and their relations";
    let fields = json!({ "names": texts("Which entities") });
    reads("open_nodes", about, &fields)
}

fn adds(name: &'static str, about: &'static str, given: &Value, made: &Value) -> Tool {
    tool(name, about, given, made).with_annotations(hints().destructive(false).idempotent(false))
}

fn deletes(name: &'static str, about: &'static str, given: &Value) -> Tool {
    let answer = json!({ "success": { "type": "boolean" }, "message": text("") });
    tool(name, about, given, &answer).with_annotations(hints().destructive(true).idempotent(true))
}

fn reads(name: &'static str, about: &'static str, given: &Value) -> Tool {
    let answer = json!({ "entities": list(&entity()), "relations": list(&relation()) });
    let hints = ToolAnnotations::new().read_only(true).open_world(false);
    tool(name, about, given, &answer).with_annotations(hints.destructive(false).idempotent(true))
}

fn hints() -> ToolAnnotations {
    ToolAnnotations::new().read_only(false).open_world(false)
}

fn tool(name: &'static str, about: &'static str, given: &Value, answer: &Value) -> Tool {
    Tool::new(name, about, all_of(given)).with_raw_output_schema(Arc::new(all_of(answer)))
}

fn entity() -> Value {
    object(&json!({
        "name": text("Its name"),
        "entityType": text("What it is"),
        "observations": texts("What is known of it"),
    }))
}

fn relation() -> Value {
    object(&json!({
        "from": text("Where it begins"),
        "to": text("Where it ends"),
        "relationType": text("What it is, in active voice"),
    }))
}

fn list(items: &Value) -> Value {
    json!({ "type": "array", "items": items })
}

fn object(properties: &Value) -> Value {
    Value::Object(all_of(properties))
}

/// An object in which every member must be there.
fn all_of(properties: &Value) -> Map<String, Value> {
    let names: Vec<&str> = properties
        .as_object()
        .into_iter()
        .flat_map(|members| members.keys().map(String::as_str))
        .collect();
    input(properties, &names)
}
