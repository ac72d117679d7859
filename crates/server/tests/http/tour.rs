//! Every route once: each answers as the `OpenAPI` document says it does.

use std::collections::BTreeSet;

use mnemon_server::http::{openapi, routes};
use serde_json::{Value, json};

use crate::client::Answer;
use crate::house::House;

/// A request and the route that it belongs to.
type Step = (&'static str, &'static str, &'static str, Value);

/// In an order in which each finds what it needs.
#[expect(clippy::too_many_lines, reason = "a table reads best in one piece")]
fn steps() -> Vec<Step> {
    let none = || Value::Null;
    vec![
        ("GET", "/health", "/health", none()),
        ("GET", "/v1/openapi.json", "/v1/openapi.json", none()),
        (
            "POST",
            "/v1/sessions",
            "/v1/sessions",
            json!({ "id": "s", "tags": ["a"] }),
        ),
        ("POST", "/v1/sessions", "/v1/sessions", json!({ "id": "t" })),
        (
            "POST",
            "/v1/memories",
            "/v1/memories",
            json!({ "id": "m1", "session": "s", "kind": "decision", "text": "Use PostgreSQL" }),
        ),
        (
            "POST",
            "/v1/memories/batch",
            "/v1/memories/batch",
            json!({ "session": "s", "memories": [
                { "id": "m2", "text": "Use SQLite", "links": [{ "rel": "related", "to": "m1" }] },
                { "id": "m3", "kind": "finding", "text": "The index is slow" },
            ] }),
        ),
        (
            "POST",
            "/v1/memories",
            "/v1/memories",
            json!({ "id": "m4", "text": "The cache is cleared every night" }),
        ),
        (
            "POST",
            "/v1/memories",
            "/v1/memories",
            json!({ "id": "m5", "text": "The cache is cleared every night" }),
        ),
        (
            "POST",
            "/v1/turns",
            "/v1/turns",
            json!({ "session": "s", "turn": "hello", "memories": ["a fact"] }),
        ),
        (
            "GET",
            "/v1/memories?session=s&limit=3",
            "/v1/memories",
            none(),
        ),
        (
            "POST",
            "/v1/memories/get",
            "/v1/memories/get",
            json!({ "ids": ["m1", "m9"] }),
        ),
        ("GET", "/v1/memories/m1", "/v1/memories/{id}", none()),
        (
            "PATCH",
            "/v1/memories/m1",
            "/v1/memories/{id}",
            json!({ "pinned": true }),
        ),
        (
            "GET",
            "/v1/memories/m1/history",
            "/v1/memories/{id}/history",
            none(),
        ),
        (
            "GET",
            "/v1/memories/m1/related?depth=2",
            "/v1/memories/{id}/related",
            none(),
        ),
        (
            "GET",
            "/v1/memories/m1/similar",
            "/v1/memories/{id}/similar",
            none(),
        ),
        (
            "GET",
            "/v1/memories/m1/location",
            "/v1/memories/{id}/location",
            none(),
        ),
        (
            "POST",
            "/v1/recall",
            "/v1/recall",
            json!({ "query": "database", "limit": 2 }),
        ),
        (
            "POST",
            "/v1/recall/batch",
            "/v1/recall/batch",
            json!({ "queries": [{ "qid": "a", "query": "database" }] }),
        ),
        (
            "POST",
            "/v1/query",
            "/v1/query",
            json!({ "aggregations": ["topics"] }),
        ),
        (
            "POST",
            "/v1/context",
            "/v1/context",
            json!({ "session": "s", "topic": "storage" }),
        ),
        ("GET", "/v1/duplicates?session=s", "/v1/duplicates", none()),
        ("POST", "/v1/duplicates/link", "/v1/duplicates/link", none()),
        (
            "POST",
            "/v1/duplicates/unlink",
            "/v1/duplicates/unlink",
            json!({ "ids": ["m5"] }),
        ),
        (
            "PUT",
            "/v1/agents/ada/snapshot-schedule",
            "/v1/agents/{agent}/snapshot-schedule",
            json!({ "schedule": "@daily", "keep": 3 }),
        ),
        (
            "GET",
            "/v1/agents/ada/snapshot-schedule",
            "/v1/agents/{agent}/snapshot-schedule",
            none(),
        ),
        (
            "DELETE",
            "/v1/agents/ada/snapshot-schedule",
            "/v1/agents/{agent}/snapshot-schedule",
            none(),
        ),
        ("GET", "/v1/topics", "/v1/topics", none()),
        ("GET", "/v1/timeline?session=s", "/v1/timeline", none()),
        ("GET", "/v1/activity", "/v1/activity", none()),
        ("GET", "/v1/summary?sentences=2", "/v1/summary", none()),
        (
            "DELETE",
            "/v1/memories/m3?reason=wrong",
            "/v1/memories/{id}",
            none(),
        ),
        ("GET", "/v1/forgotten", "/v1/forgotten", none()),
        (
            "POST",
            "/v1/memories/unforget",
            "/v1/memories/unforget",
            json!({ "ids": ["m3"], "reason": "right" }),
        ),
        (
            "POST",
            "/v1/memories/forget",
            "/v1/memories/forget",
            json!({ "filter": { "kind": "finding" }, "reason": "old" }),
        ),
        (
            "POST",
            "/v1/memories/erase",
            "/v1/memories/erase",
            json!({ "ids": ["m3"], "reason": "asked to" }),
        ),
        ("GET", "/v1/sessions", "/v1/sessions", none()),
        ("GET", "/v1/sessions/s", "/v1/sessions/{session}", none()),
        (
            "GET",
            "/v1/sessions/s/size",
            "/v1/sessions/{session}/size",
            none(),
        ),
        (
            "GET",
            "/v1/sessions/s/summary",
            "/v1/sessions/{session}/summary",
            none(),
        ),
        (
            "GET",
            "/v1/sessions/s/timeline",
            "/v1/sessions/{session}/timeline",
            none(),
        ),
        (
            "GET",
            "/v1/sessions/s/topics",
            "/v1/sessions/{session}/topics",
            none(),
        ),
        (
            "GET",
            "/v1/sessions/s/anonymized",
            "/v1/sessions/{session}/anonymized",
            none(),
        ),
        (
            "POST",
            "/v1/sessions/s/compact",
            "/v1/sessions/{session}/compact",
            json!({ "dry_run": true }),
        ),
        (
            "POST",
            "/v1/sessions/s/close",
            "/v1/sessions/{session}/close",
            none(),
        ),
        (
            "POST",
            "/v1/sessions/s/activate",
            "/v1/sessions/{session}/activate",
            none(),
        ),
        (
            "POST",
            "/v1/sessions/s/archive",
            "/v1/sessions/{session}/archive",
            json!({ "reason": "done" }),
        ),
        (
            "POST",
            "/v1/sessions/s/restore",
            "/v1/sessions/{session}/restore",
            none(),
        ),
        (
            "POST",
            "/v1/sessions/s/bring-back",
            "/v1/sessions/{session}/bring-back",
            json!({ "reason": "needed" }),
        ),
        (
            "DELETE",
            "/v1/sessions/t?reason=done",
            "/v1/sessions/{session}",
            none(),
        ),
        (
            "GET",
            "/v1/deleted-sessions",
            "/v1/deleted-sessions",
            none(),
        ),
        (
            "GET",
            "/v1/deleted-sessions/t",
            "/v1/deleted-sessions/{session}",
            none(),
        ),
        (
            "POST",
            "/v1/sessions/t/undelete",
            "/v1/sessions/{session}/undelete",
            json!({ "reason": "needed" }),
        ),
        (
            "DELETE",
            "/v1/sessions/t?reason=done",
            "/v1/sessions/{session}",
            none(),
        ),
        (
            "POST",
            "/v1/sessions/t/purge",
            "/v1/sessions/{session}/purge",
            none(),
        ),
        (
            "GET",
            "/v1/agents/ada/stats",
            "/v1/agents/{agent}/stats",
            none(),
        ),
        (
            "PUT",
            "/v1/agents/ada/retention",
            "/v1/agents/{agent}/retention",
            json!({ "max_snapshots": 3 }),
        ),
        (
            "GET",
            "/v1/agents/ada/retention",
            "/v1/agents/{agent}/retention",
            none(),
        ),
        (
            "POST",
            "/v1/agents/ada/retention/run",
            "/v1/agents/{agent}/retention/run",
            json!({ "dry_run": true }),
        ),
        ("POST", "/v1/retention/run", "/v1/retention/run", none()),
        (
            "PUT",
            "/v1/agents/ada/working/goal?scope=task",
            "/v1/agents/{agent}/working/{key}",
            json!({ "value": { "n": 1 }, "tags": ["x"] }),
        ),
        (
            "GET",
            "/v1/agents/ada/working/goal?scope=task%2Fstep",
            "/v1/agents/{agent}/working/{key}",
            none(),
        ),
        (
            "GET",
            "/v1/agents/ada/working",
            "/v1/agents/{agent}/working",
            none(),
        ),
        (
            "POST",
            "/v1/agents/ada/window",
            "/v1/agents/{agent}/window",
            json!({ "text": "in view" }),
        ),
        (
            "GET",
            "/v1/agents/ada/window",
            "/v1/agents/{agent}/window",
            none(),
        ),
        (
            "POST",
            "/v1/agents/ada/window/pin",
            "/v1/agents/{agent}/window/pin",
            json!({ "items": ["w1"] }),
        ),
        (
            "PUT",
            "/v1/agents/ada/window/budget",
            "/v1/agents/{agent}/window/budget",
            json!({ "tokens": 9000 }),
        ),
        (
            "POST",
            "/v1/agents/ada/snapshots",
            "/v1/agents/{agent}/snapshots",
            json!({ "name": "before" }),
        ),
        (
            "GET",
            "/v1/agents/ada/snapshots",
            "/v1/agents/{agent}/snapshots",
            none(),
        ),
        (
            "GET",
            "/v1/agents/ada/snapshots/before",
            "/v1/agents/{agent}/snapshots/{snapshot}",
            none(),
        ),
        (
            "POST",
            "/v1/agents/ada/snapshots/before/restore",
            "/v1/agents/{agent}/snapshots/{snapshot}/restore",
            json!({ "keep": true }),
        ),
        (
            "GET",
            "/v1/agents/ada/snapshots/before/export",
            "/v1/agents/{agent}/snapshots/{snapshot}/export",
            none(),
        ),
        (
            "DELETE",
            "/v1/agents/ada/snapshots/before",
            "/v1/agents/{agent}/snapshots/{snapshot}",
            none(),
        ),
        (
            "DELETE",
            "/v1/agents/ada/working/goal?scope=task",
            "/v1/agents/{agent}/working/{key}",
            none(),
        ),
        (
            "DELETE",
            "/v1/agents/ada/working",
            "/v1/agents/{agent}/working",
            none(),
        ),
        (
            "DELETE",
            "/v1/agents/ada/window/w1",
            "/v1/agents/{agent}/window/{item}",
            none(),
        ),
        (
            "DELETE",
            "/v1/agents/ada/window",
            "/v1/agents/{agent}/window",
            none(),
        ),
        (
            "GET",
            "/v1/export?shared=true&format=json",
            "/v1/export",
            none(),
        ),
        (
            "POST",
            "/v1/import?dry_run=true",
            "/v1/import",
            json!([{ "text": "x" }]),
        ),
        ("GET", "/v1/stats", "/v1/stats", none()),
        ("GET", "/v1/audit?limit=5", "/v1/audit", none()),
        ("GET", "/v1/embedding", "/v1/embedding", none()),
        ("POST", "/v1/embedding/run", "/v1/embedding/run", none()),
        ("GET", "/v1/sealing", "/v1/sealing", none()),
        (
            "POST",
            "/v1/maintenance",
            "/v1/maintenance",
            json!({ "dry_run": true }),
        ),
        (
            "POST",
            "/v1/maintenance/verify",
            "/v1/maintenance/verify",
            none(),
        ),
        (
            "POST",
            "/v1/maintenance/repair",
            "/v1/maintenance/repair",
            none(),
        ),
        (
            "POST",
            "/v1/maintenance/reindex",
            "/v1/maintenance/reindex",
            none(),
        ),
        (
            "POST",
            "/v1/backup",
            "/v1/backup",
            json!({ "name": "today" }),
        ),
        ("GET", "/metrics", "/metrics", none()),
        ("GET", "/v1/events", "/v1/events", none()),
        (
            "POST",
            "/mcp",
            "/mcp",
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} }),
        ),
        ("GET", "/v1/tokens", "/v1/tokens", none()),
    ]
}

#[test]
fn every_route_answers_as_the_document_says() {
    let backups = tempfile::tempdir().unwrap();
    let folder = backups.path().display();
    let house = House::with(&format!("backup.folder = '{folder}'"));
    let document = openapi();
    let mut visited = BTreeSet::new();
    for (method, path, route, body) in steps() {
        let answer = ask(&house, method, path, &body);
        check(&document, (method, path, route), &answer);
        visited.insert((method, route));
    }
    // What needs a name that was given before, or shuts the door behind it.
    let client = house.client();
    client
        .json("POST", "/v1/agents/ada/snapshots", &json!({ "name": "b" }))
        .json(201);
    let exported = client.get("/v1/agents/ada/snapshots/b/export?format=binary");
    let import = "/v1/agents/{agent}/snapshots/import";
    let answer = client.send(
        "POST",
        "/v1/agents/bob/snapshots/import",
        &[],
        &exported.body,
    );
    assert_eq!(answer.refusal(422), "E_SCHEMA_INVALID");
    let answer = client.send(
        "POST",
        "/v1/agents/ada/snapshots/import",
        &[],
        &exported.body,
    );
    check(&document, ("POST", "import", import), &answer);
    visited.insert(("POST", import));
    let made = client.json("POST", "/v1/tokens", &json!({ "role": "admin" }));
    check(&document, ("POST", "tokens", "/v1/tokens"), &made);
    visited.insert(("POST", "/v1/tokens"));
    let made = made.json(201);
    let admin = crate::client::Client::with_token(house.address, made["token"].as_str().unwrap());
    let revoked = admin.delete(&format!("/v1/tokens/{}", made["id"].as_str().unwrap()));
    check(
        &document,
        ("DELETE", "token", "/v1/tokens/{token}"),
        &revoked,
    );
    visited.insert(("DELETE", "/v1/tokens/{token}"));

    let all: BTreeSet<_> = routes()
        .iter()
        .map(|(m, path, _)| (m.as_str(), *path))
        .collect();
    let missing: Vec<_> = all.difference(&visited).collect();
    assert!(missing.is_empty(), "not visited: {missing:?}");
}

fn ask(house: &House, method: &str, path: &str, body: &Value) -> Answer {
    let client = house.client();
    if body.is_null() {
        return client.send(method, path, &[], b"");
    }
    let accept = [("accept", "application/json, text/event-stream")];
    client.json_with(method, path, &accept, body)
}

/// Whether an answer is what the document promises.
fn check(document: &Value, (method, path, route): (&str, &str, &str), answer: &Answer) {
    let operation = &document["paths"][route][method.to_lowercase()];
    let promised = &operation["responses"][answer.status.to_string()];
    let place = format!("{method} {path}: {} {}", answer.status, answer.text());
    assert!(promised.is_object(), "{place}");
    let schema = &promised["content"]["application/json"]["schema"];
    if schema.is_object() {
        let value: Value = serde_json::from_slice(&answer.body).unwrap();
        if let Err(problem) = fits(document, schema, &value, "answer") {
            panic!("{place}\n{problem}");
        }
    }
}

/// As much of JSON Schema as the document uses.
fn fits(document: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    if let Some(to) = schema["$ref"].as_str() {
        let target = document
            .pointer(&to[1..])
            .ok_or(format!("{to} leads nowhere"))?;
        return fits(document, target, value, at);
    }
    if let Some(any) = schema["anyOf"].as_array() {
        let fitting = any.iter().any(|it| fits(document, it, value, at).is_ok());
        return fitting
            .then_some(())
            .ok_or(format!("{at}: none of them fits {value}"));
    }
    let is_right = match schema["type"].as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_u64() || value.is_i64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        _ => true,
    };
    if !is_right {
        return Err(format!("{at}: {value} is no {}", schema["type"]));
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        let name = name.as_str().unwrap_or_default();
        value.get(name).ok_or(format!("{at}: {name} is missing"))?;
    }
    for (name, own) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(member) = value.get(name) {
            fits(document, own, member, &format!("{at}.{name}"))?;
        }
    }
    if let (Some(items), Some(values)) = (schema.get("items"), value.as_array()) {
        for (number, item) in values.iter().enumerate() {
            fits(document, items, item, &format!("{at}[{number}]"))?;
        }
    }
    Ok(())
}
