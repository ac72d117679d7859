//! What comes back.

use serde_json::{Map, Value, json};

use super::{count, flag, list, named, number, object, or_null, text, texts, time, to};

/// An object that always has these members; more may come.
fn open(members: &[(&str, Value)]) -> Value {
    let properties: Map<String, Value> = members
        .iter()
        .map(|(name, schema)| ((*name).to_owned(), schema.clone()))
        .collect();
    let needed: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
    json!({ "type": "object", "properties": properties, "required": needed })
}

fn memory() -> Value {
    open(&[
        ("id", text()),
        ("handle", or_null(text())),
        ("space", text()),
        ("kind", text()),
        ("author", or_null(text())),
        ("text", text()),
        ("created_at", time()),
        ("recorded_at", time()),
        ("updated_at", time()),
        ("version", count()),
        ("importance", number()),
        ("confidence", or_null(number())),
        ("tags", texts()),
        ("links", list(&object())),
        ("pinned", flag()),
        ("sensitive", flag()),
        ("body", object()),
        ("metadata", object()),
        ("state", object()),
        ("embedding", or_null(list(&number()))),
    ])
}

fn hit() -> Value {
    open(&[
        ("memory", to("Memory")),
        ("score", number()),
        ("similarity", or_null(number())),
        ("cosine", or_null(number())),
        ("rank", count()),
        ("why", list(&object())),
    ])
}

fn token() -> Vec<(&'static str, Value)> {
    vec![
        ("id", text()),
        ("name", or_null(text())),
        ("agent", or_null(text())),
        ("user", or_null(text())),
        ("role", text()),
        ("tier", or_null(text())),
        ("created_at", time()),
        ("expires_at", or_null(time())),
        ("expired", flag()),
    ]
}

fn error() -> Value {
    open(&[(
        "error",
        open(&[
            ("code", text()),
            ("message", text()),
            ("hint", text()),
            ("retryable", flag()),
        ]),
    )])
}

/// Every answer.
pub(super) fn all() -> Vec<(String, Value)> {
    let mut all = Vec::new();
    all.extend(named(memories()));
    all.extend(named(asking()));
    all.extend(named(sessions()));
    all.extend(named(agents()));
    all.extend(named(care()));
    all
}

/// A page of them, and how many there are in all.
fn page(name: &str, items: &Value) -> Value {
    open(&[(name, list(items)), ("total", count())])
}

fn memories() -> Vec<(&'static str, Value)> {
    vec![
        ("Object", object()),
        ("Error", error()),
        (
            "StreamedEvent",
            open(&[("event", text()), ("data", text())]),
        ),
        ("Health", open(&[("status", text()), ("version", text())])),
        ("Memory", memory()),
        ("Memories", page("memories", &to("Memory"))),
        (
            "Remembered",
            open(&[
                ("id", text()),
                ("handle", or_null(text())),
                ("space", text()),
                ("durable", flag()),
            ]),
        ),
        ("RememberedMany", page("memories", &to("Remembered"))),
        (
            "History",
            open(&[
                ("id", text()),
                ("handle", or_null(text())),
                ("space", text()),
                ("changes", list(&object())),
            ]),
        ),
        (
            "Related",
            open(&[
                ("id", text()),
                ("hits", list(&object())),
                ("total", count()),
            ]),
        ),
        (
            "Similar",
            open(&[
                ("id", text()),
                ("by", text()),
                ("hits", list(&to("Hit"))),
                ("total", count()),
            ]),
        ),
        ("Hit", hit()),
        ("Forgotten", open(&[("count", count()), ("ids", texts())])),
        ("Erased", open(&[("count", count()), ("ids", texts())])),
        (
            "Location",
            open(&[("id", text()), ("space", text()), ("at", text())]),
        ),
        ("Deleted", page("memories", &to("Memory"))),
    ]
}

fn asking() -> Vec<(&'static str, Value)> {
    vec![
        ("Recalled", page("hits", &to("Hit"))),
        ("RecalledBatch", open(&[("answers", list(&object()))])),
        (
            "QueryAnswer",
            open(&[
                ("hits", list(&to("Hit"))),
                ("total", count()),
                ("aggregations", object()),
                ("related", list(&to("Memory"))),
            ]),
        ),
        (
            "Context",
            open(&[
                ("text", text()),
                ("items", list(&object())),
                ("tokens", count()),
                ("budget", count()),
                ("tokenizer", text()),
                ("left_out", count()),
            ]),
        ),
        (
            "KeptTurn",
            open(&[
                ("turn", list(&to("Remembered"))),
                ("memories", list(&to("Remembered"))),
                ("state", or_null(to("Remembered"))),
            ]),
        ),
        ("Topics", page("topics", &object())),
        (
            "Timeline",
            open(&[
                ("events", list(&object())),
                ("buckets", object()),
                ("total", count()),
            ]),
        ),
        ("Activity", page("agents", &object())),
        ("Duplicates", page("groups", &object())),
        (
            "Consolidated",
            open(&[("links", list(&object())), ("count", count())]),
        ),
    ]
}

fn sessions() -> Vec<(&'static str, Value)> {
    vec![
        ("MadeSession", open(&[("session_id", text())])),
        (
            "Session",
            open(&[("session_id", text()), ("id", text()), ("state", text())]),
        ),
        ("Sessions", page("sessions", &to("Session"))),
        (
            "DeletedSession",
            open(&[
                ("session_id", text()),
                ("state", text()),
                ("deleted_at", time()),
            ]),
        ),
        ("DeletedSessions", page("sessions", &to("DeletedSession"))),
    ]
}

fn agents() -> Vec<(&'static str, Value)> {
    vec![
        (
            "Policy",
            open(&[("agent", text()), ("policy", or_null(object()))]),
        ),
        (
            "Working",
            open(&[
                ("agent", text()),
                ("entries", list(&to("Entry"))),
                ("total", count()),
            ]),
        ),
        (
            "Entry",
            open(&[("scope", text()), ("key", text()), ("value", json!({}))]),
        ),
        (
            "WorkingSet",
            open(&[
                ("agent", text()),
                ("scope", text()),
                ("key", text()),
                ("replaced", flag()),
            ]),
        ),
        ("Counted", open(&[("agent", text()), ("count", count())])),
        (
            "Window",
            open(&[
                ("agent", text()),
                ("items", list(&object())),
                ("tokens", count()),
                ("budget", count()),
                ("tokenizer", text()),
            ]),
        ),
        (
            "Added",
            open(&[
                ("id", text()),
                ("kept", flag()),
                ("fallen_out", list(&object())),
            ]),
        ),
        (
            "Snapshots",
            open(&[
                ("snapshots", list(&to("SnapshotSummary"))),
                ("total", count()),
                ("stats", object()),
            ]),
        ),
        (
            "SnapshotSummary",
            open(&[("id", text()), ("agent", text()), ("created_at", time())]),
        ),
        (
            "SnapshotSchedule",
            open(&[("agent", text()), ("routine", or_null(object()))]),
        ),
    ]
}

fn care() -> Vec<(&'static str, Value)> {
    let mut made_token = token();
    made_token.push(("token", text()));
    vec![
        (
            "Imported",
            open(&[("imported", count()), ("skipped", count())]),
        ),
        (
            "Stats",
            open(&[("memories", count()), ("forgotten", count())]),
        ),
        ("Audit", page("entries", &object())),
        (
            "Verification",
            open(&[
                ("ok", flag()),
                ("checked", count()),
                ("problems", list(&object())),
                ("notes", texts()),
            ]),
        ),
        ("Token", open(&token())),
        ("MadeToken", open(&made_token)),
        ("Tokens", page("tokens", &to("Token"))),
    ]
}
