//! What is handed in.

use mnemon::Tier;
use mnemon::caller::Role;
use mnemon_wire::RecallRequest;
use mnemon_wire::request::CHOOSING;
use serde_json::{Map, Value, json};

use super::{
    author, count, filter, flag, id, kind, list, matching, named, names, object, one_of, or_null,
    reason, share, some, tag, text, to,
};
use crate::http::route::NAME;

/// Every request.
pub(super) fn all() -> Vec<(String, Value)> {
    let mut all = Vec::new();
    all.extend(named(memories()));
    all.extend(named(asking()));
    all.extend(named(sessions()));
    all.extend(named(agents()));
    all.extend(named(care()));
    all
}

/// An object with these members and no others.
fn strict(members: &[(&str, Value)], needed: &[&str]) -> Value {
    let properties: Map<String, Value> = members
        .iter()
        .map(|(name, schema)| ((*name).to_owned(), schema.clone()))
        .collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": needed,
        "additionalProperties": false,
    })
}

fn maybe_flag() -> Value {
    or_null(flag())
}

fn space() -> Vec<(&'static str, Value)> {
    vec![
        ("session", or_null(id())),
        ("agent", or_null(id())),
        ("shared", maybe_flag()),
        (
            "space",
            or_null(matching("^(shared|(session|agent)/[A-Za-z0-9_-]{1,64})$")),
        ),
    ]
}

/// Refuses more than one of these members; null is as good as none.
fn at_most_one(mut schema: Value, members: &[&str]) -> Value {
    let given = |name: &str| {
        let is_given = json!({ "not": { "enum": [null, false] } });
        json!({ "required": [name], "properties": { name: is_given } })
    };
    let pairs =
        (0..members.len()).flat_map(|one| (one + 1..members.len()).map(move |two| (one, two)));
    let both =
        pairs.map(|(one, two)| json!({ "allOf": [given(members[one]), given(members[two])] }));
    schema["not"] = json!({ "anyOf": both.collect::<Vec<_>>() });
    schema
}

const SPACE: [&str; 4] = ["session", "agent", "shared", "space"];

fn links() -> Value {
    let name = matching(NAME);
    let link = json!({
        "anyOf": [
            name,
            {
                "type": "object",
                "properties": { "rel": matching("^[a-z][a-z_]{0,31}$"), "to": name },
                "required": ["to"],
            },
        ],
    });
    or_null(list(&link))
}

fn memory() -> Value {
    let mut members = space();
    members.extend([
        ("text", json!({ "type": "string", "pattern": r"\S" })),
        ("kind", or_null(kind())),
        ("id", or_null(id())),
        ("author", or_null(author())),
        ("tags", or_null(some(&tag()))),
        ("importance", or_null(share())),
        ("confidence", or_null(share())),
        ("links", links()),
        ("ref", or_null(some(&matching(NAME)))),
        ("turn", or_null(matching(NAME))),
        ("pinned", maybe_flag()),
        ("sensitive", maybe_flag()),
        ("created_at", or_null(text())),
        ("tokens", or_null(count())),
        ("embedding", or_null(list(&json!({ "type": "number" })))),
        ("body", or_null(object())),
        ("metadata", or_null(object())),
    ]);
    at_most_one(strict(&members, &["text"]), &SPACE)
}

fn revision() -> Value {
    strict(
        &[
            (
                "text",
                or_null(json!({ "type": "string", "pattern": r"\S" })),
            ),
            ("kind", or_null(kind())),
            ("importance", or_null(share())),
            ("confidence", or_null(share())),
            ("add_tags", or_null(some(&tag()))),
            ("remove_tags", or_null(some(&tag()))),
            ("links", links()),
            ("remove_links", links()),
            ("ref", or_null(some(&matching(NAME)))),
            ("pinned", maybe_flag()),
            ("sensitive", maybe_flag()),
            ("resolve", or_null(text())),
            ("reopen", maybe_flag()),
            ("body", or_null(object())),
            ("metadata", or_null(object())),
        ],
        &[],
    )
}

/// Names, or a filter.
fn targets() -> Value {
    let mut targets = strict(
        &[
            ("ids", names()),
            ("session", or_null(id())),
            ("filter", only_filters()),
            ("reason", reason()),
            ("dry_run", maybe_flag()),
        ],
        &["reason"],
    );
    targets["oneOf"] = json!([{ "required": ["ids"] }, { "required": ["filter"] }]);
    targets
}

fn memories() -> Vec<(&'static str, Value)> {
    let mut batch = space();
    let items = json!({
        "type": "array",
        "items": to("NewMemory"),
        "minItems": 1,
        "maxItems": 1000,
    });
    batch.push(("memories", items));
    let by_name = |more: &[(&'static str, Value)], needed: &[&str]| {
        let mut members = vec![("ids", names()), ("session", or_null(id()))];
        members.extend(more.iter().cloned());
        strict(&members, needed)
    };
    vec![
        ("NewMemory", memory()),
        (
            "NewMemories",
            at_most_one(strict(&batch, &["memories"]), &SPACE),
        ),
        ("Revision", revision()),
        ("Names", by_name(&[], &["ids"])),
        ("Forget", targets()),
        ("Erase", targets()),
        (
            "Unforget",
            by_name(&[("reason", reason())], &["ids", "reason"]),
        ),
    ]
}

/// A question with its filters.
fn question() -> Value {
    let mut recall = RecallRequest::schema();
    if let Some(members) = recall["properties"].as_object_mut() {
        for (name, member) in members.iter_mut() {
            let own = member.take();
            let own = match name.as_str() {
                "meta" => own,
                "query" => json!({ "type": "string", "pattern": r"\S", "maxLength": 16384 }),
                name => match filter(name, own) {
                    list if list["items"].is_object() => some(&list["items"]),
                    plain => plain,
                },
            };
            *member = if name == "query" { own } else { or_null(own) };
        }
    }
    recall
}

/// The filters of a question that choose memories, at least one.
fn only_filters() -> Value {
    let mut filters = RecallRequest::schema();
    filters["required"] = json!([]);
    filters["minProperties"] = json!(1);
    if let Some(members) = filters["properties"].as_object_mut() {
        members.retain(|name, _| CHOOSING.contains(&name.as_str()));
        for (name, member) in members.iter_mut() {
            *member = filter(name, member.take());
        }
    }
    filters
}

fn asking() -> Vec<(&'static str, Value)> {
    let mut numbered = question();
    numbered["properties"]["qid"] = json!({});
    let several = json!({ "type": "array", "items": numbered, "minItems": 1, "maxItems": 1000 });
    let said = json!({ "anyOf": [
        { "type": "string", "pattern": r"\S" },
        {
            "type": "object",
            "properties": { "text": { "type": "string", "pattern": r"\S" } },
            "required": ["text"],
        },
    ] });
    vec![
        ("RecallRequest", question()),
        ("RecallBatch", strict(&[("queries", several)], &["queries"])),
        ("StructuredQuery", object()),
        (
            "ContextRequest",
            strict(
                &[
                    ("session", id()),
                    ("topic", or_null(text())),
                    (
                        "budget",
                        or_null(json!({ "type": "integer", "minimum": 1, "maximum": 1_000_000 })),
                    ),
                    ("read", or_null(some(&text()))),
                ],
                &["session"],
            ),
        ),
        (
            "Turn",
            strict(
                &[
                    ("session", id()),
                    ("turn", or_null(some(&said))),
                    ("memories", or_null(list(&said))),
                    ("state", or_null(said)),
                ],
                &["session"],
            ),
        ),
    ]
}

fn sessions() -> Vec<(&'static str, Value)> {
    vec![
        (
            "NewSession",
            strict(
                &[
                    ("id", or_null(id())),
                    ("user", or_null(text())),
                    ("agents", list(&text())),
                    ("project", or_null(text())),
                    ("phase", or_null(text())),
                    ("tags", list(&tag())),
                    ("metadata", object()),
                    ("preferences", object()),
                    ("decay", object()),
                    ("compaction", object()),
                ],
                &[],
            ),
        ),
        ("MaybeReason", strict(&[("reason", or_null(reason()))], &[])),
        ("Reason", strict(&[("reason", reason())], &["reason"])),
        (
            "BringBack",
            strict(
                &[("ids", or_null(some(&id()))), ("reason", reason())],
                &["reason"],
            ),
        ),
        (
            "Compact",
            strict(
                &[("dry_run", maybe_flag()), ("aggressive", maybe_flag())],
                &[],
            ),
        ),
    ]
}

fn policy() -> Value {
    let days = json!({ "type": "integer", "minimum": 0, "maximum": 36_500 });
    let number = json!({ "type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32 });
    strict(
        &[
            ("working_max_age_days", or_null(days.clone())),
            ("long_term_max_age_days", or_null(days.clone())),
            ("forgotten_retention_days", days.clone()),
            ("max_snapshots", or_null(number)),
            ("snapshot_max_age_days", or_null(days)),
            ("exempt_importance", or_null(share())),
            ("exempt_tags", list(&tag())),
            ("auto_cleanup", flag()),
            ("schedule", text()),
        ],
        &[],
    )
}

fn agents() -> Vec<(&'static str, Value)> {
    let tokens = json!({ "type": "integer", "minimum": 1, "maximum": 100_000_000 });
    let keep = json!({ "type": "integer", "minimum": 1, "maximum": 1000 });
    let mut item = strict(
        &[
            (
                "text",
                or_null(json!({ "type": "string", "pattern": r"\S" })),
            ),
            ("memory", or_null(matching(NAME))),
            ("session", or_null(id())),
            ("priority", or_null(share())),
            ("pinned", maybe_flag()),
        ],
        &[],
    );
    item["anyOf"] = json!([{ "required": ["text"] }, { "required": ["memory"] }]);
    let entry = [
        ("value", json!({})),
        ("importance", or_null(share())),
        ("tags", or_null(some(&tag()))),
        ("pinned", maybe_flag()),
    ];
    let new_snapshot = [
        ("name", or_null(text())),
        ("long_term", maybe_flag()),
        ("metadata", or_null(object())),
        ("encrypt", maybe_flag()),
    ];
    let restoring = ["keep", "working", "window", "long_term"];
    vec![
        ("DryRun", strict(&[("dry_run", maybe_flag())], &[])),
        ("RetentionPolicy", policy()),
        ("NewEntry", strict(&entry, &["value"])),
        ("NewItem", item),
        (
            "Pin",
            strict(&[("items", names()), ("pinned", maybe_flag())], &["items"]),
        ),
        ("Budget", strict(&[("tokens", tokens)], &["tokens"])),
        ("NewSnapshot", strict(&new_snapshot, &[])),
        (
            "RestoreSnapshot",
            strict(&restoring.map(|name| (name, maybe_flag())), &[]),
        ),
        (
            "NewSchedule",
            strict(
                &[
                    ("schedule", text()),
                    ("long_term", maybe_flag()),
                    ("keep", or_null(keep)),
                ],
                &["schedule"],
            ),
        ),
    ]
}

fn care() -> Vec<(&'static str, Value)> {
    let ahead = json!({ "type": "integer", "minimum": 0, "maximum": 3650 });
    let label = json!({ "type": "string", "pattern": r"^[^\u0000-\u001f]*\S$", "maxLength": 128 });
    vec![
        (
            "Maintain",
            strict(
                &[("dry_run", maybe_flag()), ("ahead_days", or_null(ahead))],
                &[],
            ),
        ),
        ("Repair", strict(&[("accept_edits", maybe_flag())], &[])),
        ("Backup", strict(&[("name", id())], &["name"])),
        (
            "NewToken",
            at_most_one(
                strict(
                    &[
                        ("name", or_null(label.clone())),
                        ("agent", or_null(id())),
                        ("user", or_null(label)),
                        ("role", or_null(one_of(&Role::ALL.map(Role::as_str)))),
                        ("tier", or_null(one_of(&Tier::ALL.map(Tier::as_str)))),
                        ("expires", or_null(text())),
                    ],
                    &[],
                ),
                &["agent", "user"],
            ),
        ),
    ]
}
