//! The `OpenAPI` document, made from the table of routes.

use mnemon_wire::RecallRequest;
use serde_json::{Map, Value, json};

use super::route::{Again, Answers, Body, Method, Route, Run, Sort};
use super::routes::{NOT_OVER_HTTP, routes};
use super::schema;

/// Members of a question that mean nothing for a list, unless a route says so.
pub(super) const NO_FILTERS: [&str; 7] = [
    // What no filter means anyway.
    "all",
    "query",
    "mode",
    "profile",
    "min_score",
    "min_similarity",
    "as_of",
];

/// The whole document, of `OpenAPI` 3.1, for a server whose pages hold so many.
pub(super) fn document(page_max: usize) -> Value {
    let mut document = unbounded();
    bound_pages(&mut document, page_max);
    document
}

/// Says of every limit how high it may be.
fn bound_pages(value: &mut Value, page_max: usize) {
    match value {
        Value::Object(members) => {
            if members.get("name").is_some_and(|name| name == "limit") {
                members["schema"]["maximum"] = json!(page_max);
            }
            if let Some(Value::Object(limit)) = members
                .get_mut("properties")
                .and_then(|properties| properties.get_mut("limit"))
                .and_then(|limit| limit.pointer_mut("/anyOf/0"))
            {
                limit.insert("maximum".into(), json!(page_max));
            }
            let inner = members.values_mut();
            inner.for_each(|it| bound_pages(it, page_max));
        }
        Value::Array(items) => items.iter_mut().for_each(|it| bound_pages(it, page_max)),
        _ => {}
    }
}

fn unbounded() -> Value {
    let mut paths = Map::new();
    for route in routes() {
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method.as_str().to_lowercase()] = operation(route);
    }
    let not_over_http: Map<String, Value> = NOT_OVER_HTTP
        .iter()
        .map(|(operation, why)| (operation.name().to_owned(), json!(why)))
        .collect();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "mnemon",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "Memory for AI agents",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "paths": paths,
        "components": {
            "schemas": schema::all(),
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "Needed once there is a token; `mnemon token new` makes one.",
                },
            },
        },
        "security": [{ "token": [] }, {}],
        "x-not-over-http": not_over_http,
    })
}

fn operation(route: &Route) -> Value {
    let mut operation = json!({
        "operationId": operation_id(route),
        "summary": route.about,
        "tags": [tag(route)],
        "responses": responses(route),
    });
    if route.is_public() {
        operation["security"] = json!([]);
    }
    if let Some(first) = route.does.first() {
        operation["description"] = json!(format!("Needs the role {}.", first.needs().as_str()));
    }
    let parameters = parameters(route);
    if !parameters.is_empty() {
        operation["parameters"] = Value::Array(parameters);
    }
    match route.body {
        Body::None => {}
        Body::Json(name) | Body::MaybeJson(name) => {
            operation["requestBody"] = json!({
                "required": matches!(route.body, Body::Json(_)),
                "content": { "application/json": { "schema": reference(name) } },
            });
        }
        Body::Bytes => {
            operation["requestBody"] = json!({
                // What is empty is an export of nothing.
                "required": false,
                "content": { "application/octet-stream": {} },
            });
        }
    }
    operation
}

/// `post_v1_sessions_session_close`: told apart by method and path, as routes are.
fn operation_id(route: &Route) -> String {
    let path = route
        .path
        .replace(['{', '}'], "")
        .replace(['/', '-', '.'], "_");
    format!("{}{path}", route.method.as_str().to_lowercase())
}

fn tag(route: &Route) -> &str {
    let mut parts = route.path.split('/').skip(1);
    match parts.next() {
        Some("v1") => parts.next().unwrap_or("v1"),
        _ => "server",
    }
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

fn parameters(route: &Route) -> Vec<Value> {
    let mut all = Vec::new();
    for part in route.path.split('/') {
        if let Some(name) = part.strip_prefix('{').and_then(|it| it.strip_suffix('}')) {
            all.push(json!({
                "name": name,
                "in": "path",
                "required": true,
                "schema": schema::part(name),
            }));
        }
    }
    for parameter in route.parameters {
        let schema = match parameter.sort {
            Sort::Text => json!({ "type": "string" }),
            Sort::Matching(pattern) => json!({ "type": "string", "pattern": pattern }),
            Sort::Flag => json!({ "type": "boolean" }),
            Sort::Count(max) => json!({ "type": "integer", "minimum": 0, "maximum": max }),
            Sort::Share => json!({ "type": "number", "minimum": 0, "maximum": 1 }),
            Sort::OneOf(words) => json!({ "type": "string", "enum": words }),
        };
        all.push(json!({
            "name": parameter.name,
            "in": "query",
            "description": parameter.about,
            // Nothing is taken away without one.
            "required": parameter.name == "reason",
            "schema": schema,
        }));
    }
    if route.filters {
        let own = |name: &str| route.parameters.iter().any(|it| it.name == name);
        let filters = RecallRequest::schema();
        let filters = filters["properties"]
            .as_object()
            .cloned()
            .unwrap_or_default();
        for (name, mut schema) in filters {
            if own(&name) || NO_FILTERS.contains(&name.as_str()) {
                continue;
            }
            let about = schema
                .as_object_mut()
                .and_then(|it| it.remove("description"));
            schema = schema::filter(&name, schema);
            let mut parameter = json!({ "name": name, "in": "query", "schema": schema });
            if let Some(about) = about {
                parameter["description"] = about;
            }
            all.push(parameter);
        }
    }
    if route.method == Method::Patch {
        let about = "The ETag that the change was made for";
        all.push(header("If-Match", about, "^(\"[0-9]{1,18}\"|\\*)$"));
    }
    if matches!(route.again, Again::Meets | Again::Unknown) {
        let about = "The same for every try of the same request, so that it is done once";
        all.push(header("Idempotency-Key", about, "^[!-~]{1,255}$"));
    }
    if matches!(route.run, Run::Events) {
        all.push(header("Last-Event-ID", "The last event that was seen", ""));
    }
    all
}

fn header(name: &str, about: &str, pattern: &str) -> Value {
    json!({
        "name": name,
        "in": "header",
        "description": about,
        "schema": { "type": "string", "pattern": pattern },
    })
}

fn responses(route: &Route) -> Value {
    let content = match route.answers {
        Answers::Json(name) => json!({ "application/json": { "schema": reference(name) } }),
        Answers::Media("application/x-ndjson" | "application/octet-stream") => {
            json!({ "*/*": {} })
        }
        // Of one event, because a stream of them has no end.
        Answers::Media(media @ "text/event-stream") => {
            json!({ media: { "schema": reference("StreamedEvent") } })
        }
        Answers::Media(media) => json!({ media: { "schema": { "type": "string" } } }),
    };
    let refused = json!({
        "description": "Refused: a code, a sentence, and what to do next",
        "content": { "application/json": { "schema": reference("Error") } },
    });
    json!({
        route.status.to_string(): { "description": "Done", "content": content },
        "414": { "description": "The address is longer than HTTP takes; there is no body" },
        "431": { "description": "The headers are longer than HTTP takes; there is no body" },
        "4XX": refused,
        "5XX": refused,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::http::route::NAME;

    fn references(value: &Value, found: &mut BTreeSet<String>) {
        match value {
            Value::Object(members) => {
                if let Some(Value::String(to)) = members.get("$ref") {
                    found.insert(to.clone());
                }
                members.values().for_each(|it| references(it, found));
            }
            Value::Array(items) => items.iter().for_each(|it| references(it, found)),
            _ => {}
        }
    }

    #[test]
    fn every_reference_leads_somewhere_and_every_schema_is_used() {
        let document = document(1000);
        let mut found = BTreeSet::new();
        references(&document, &mut found);
        let known = document["components"]["schemas"].as_object().unwrap();
        let known: BTreeSet<String> = known
            .keys()
            .map(|name| format!("#/components/schemas/{name}"))
            .collect();
        assert_eq!(found, known);
    }

    #[test]
    fn every_sort_of_handle_is_a_name() {
        for kind in mnemon::memory::Kind::ALL {
            assert!(NAME.contains(kind.handle_prefix()), "{kind}");
        }
    }

    #[test]
    fn every_route_is_in_the_document_with_the_parts_of_its_path() {
        let document = document(1000);
        let mut ids = BTreeSet::new();
        for route in routes() {
            let method = route.method.as_str().to_lowercase();
            let operation = &document["paths"][route.path][&method];
            let id = operation["operationId"].as_str().unwrap();
            assert!(ids.insert(id.to_owned()), "{id} twice");
            let parts = operation["parameters"].as_array().into_iter().flatten();
            let parts = parts.filter(|it| it["in"] == "path").count();
            assert_eq!(parts, route.path.matches('{').count(), "{}", route.path);
            let answer = &operation["responses"][route.status.to_string()];
            assert!(answer.is_object(), "{}", route.path);
        }
    }
}
