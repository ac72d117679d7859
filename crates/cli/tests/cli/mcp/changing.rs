//! `revise` and `forget`.

use serde_json::{Value, json};

use super::client::{Client, text_of, texts_of};
use crate::sandbox::Sandbox;

fn with_a_finding(sandbox: &Sandbox) -> Client {
    let mut client = Client::ready(sandbox, &[]);
    let finding = json!({
        "session": "review", "text": "Passwords can be guessed", "kind": "finding", "id": "weak",
        "tags": ["draft"], "metadata": { "ticket": 7 },
    });
    client.done("remember", &finding);
    client
}

#[test]
fn a_revision_changes_what_it_names_and_nothing_else() {
    let sandbox = Sandbox::empty();
    let mut client = with_a_finding(&sandbox);
    client.done(
        "remember",
        &json!({ "session": "review", "text": "Limit attempts", "kind": "decision" }),
    );
    let revised = client.done(
        "revise",
        &json!({
            "id": "review/FIND-001", "text": "Passwords of four digits can be guessed",
            "importance": 0.9, "confidence": "high", "add_tags": ["security.passwords"],
            "remove_tags": "draft", "pinned": true, "resolve": "Attempts are limited",
            "links": [{ "rel": "led_to", "to": "DEC-001" }], "ref": "DEC-001",
            "body": { "severity": "critical" }, "metadata": { "ticket": null, "owner": "ada" },
        }),
    );
    assert_eq!(text_of(&revised), "revised review/FIND-001 to version 2");
    let memory = sandbox.json(&["get", "weak"]);
    let decision = sandbox.json(&["get", "review/DEC-001"])["id"].clone();
    for (field, expected) in [
        ("text", json!("Passwords of four digits can be guessed")),
        ("importance", json!(0.9)),
        ("tags", json!(["security.passwords"])),
        ("pinned", json!(true)),
        ("metadata", json!({ "owner": "ada" })),
        ("version", json!(2)),
        ("kind", json!("finding")),
        (
            "links",
            json!([{ "rel": "led_to", "to": decision }, { "rel": "related", "to": decision }]),
        ),
    ] {
        assert_eq!(memory[field], expected, "{field}");
    }
    assert_eq!(memory["body"]["severity"], "critical");
    assert_eq!(memory["state"]["open"], false);
    assert_eq!(revised["structuredContent"]["memory"]["version"], 2);

    let again = client.done("revise", &json!({ "id": "weak", "importance": 0.9 }));
    assert_eq!(
        text_of(&again),
        "review/FIND-001 was so already (version 2)"
    );
    client.done("revise", &json!({ "id": "weak", "reopen": true }));
    assert_eq!(sandbox.json(&["get", "weak"])["state"]["open"], true);
    client.end();
}

#[test]
fn bare_handles_mean_the_session_that_is_named_or_the_default() {
    let sandbox = Sandbox::empty();
    with_a_finding(&sandbox).end();
    let mut client = Client::ready(&sandbox, &["--session", "review"]);
    client.done("revise", &json!({ "id": "FIND-001", "importance": 0.8 }));
    client.end();
    let mut client = Client::ready(&sandbox, &[]);
    let change = json!({ "id": "FIND-001", "session": "review", "importance": 0.7 });
    client.done("revise", &change);
    let nowhere = client.refused("revise", &json!({ "id": "FIND-001", "importance": 0.6 }));
    assert_eq!(nowhere.0, "E_NOT_FOUND");
    client.end();
    assert_eq!(sandbox.json(&["get", "weak"])["importance"], 0.7);
}

#[test]
fn revisions_that_make_no_sense_are_refused_and_change_nothing() {
    let sandbox = Sandbox::empty();
    let mut client = with_a_finding(&sandbox);
    let turn =
        json!({ "session": "review", "text": "hello", "kind": "conversation", "id": "turn" });
    client.done("remember", &turn);
    for (change, code) in [
        (json!({ "importance": 0.5 }), "E_SCHEMA_INVALID"),
        (json!({ "id": "weak" }), "E_SCHEMA_INVALID"),
        (json!({ "id": "weak", "text": " " }), "E_SCHEMA_INVALID"),
        (json!({ "id": "weak", "text": 7 }), "E_SCHEMA_INVALID"),
        (json!({ "id": "weak", "importance": 2 }), "E_SCHEMA_INVALID"),
        (
            json!({ "id": "weak", "importance": "much" }),
            "E_SCHEMA_INVALID",
        ),
        (json!({ "id": "weak", "pinned": "yes" }), "E_SCHEMA_INVALID"),
        (
            json!({ "id": "weak", "resolve": "x", "reopen": true }),
            "E_SCHEMA_INVALID",
        ),
        (
            json!({ "id": "weak", "links": [{ "rel": "led_to" }] }),
            "E_SCHEMA_INVALID",
        ),
        (json!({ "id": "weak", "links": ["nobody"] }), "E_NOT_FOUND"),
        (json!({ "id": "weak", "imprtance": 0.1 }), "E_INVALID_QUERY"),
        (
            json!({ "id": "weak", "text": "x", "if_version": 2 }),
            "E_CONCURRENT_MOD",
        ),
        (json!({ "id": "nobody", "text": "x" }), "E_NOT_FOUND"),
        // What was said was said.
        (
            json!({ "id": "turn", "text": "goodbye" }),
            "E_SCHEMA_INVALID",
        ),
    ] {
        assert_eq!(client.refused("revise", &change).0, code, "{change}");
    }
    let (_, text) = client.refused("revise", &json!({ "id": "weak", "imprtance": 0.1 }));
    assert!(text.contains("did you mean importance?"), "{text}");
    client.end();
    assert_eq!(sandbox.json(&["get", "weak"])["version"], 1);
}

#[test]
fn secrets_are_taken_out_of_revisions_too() {
    let sandbox = Sandbox::empty();
    let mut client = with_a_finding(&sandbox);
    let text = "the key is ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let revised = client.done("revise", &json!({ "id": "weak", "text": text }));
    let said = text_of(&revised);
    assert!(
        said.ends_with("redacted before it was kept: 1 github_token"),
        "{said}"
    );
    client.end();
}

#[test]
fn what_is_forgotten_is_not_found_until_it_is_brought_back() {
    let sandbox = Sandbox::empty();
    let mut client = with_a_finding(&sandbox);
    let question = json!({ "query": "passwords" });
    let forget = json!({ "ids": ["review/FIND-001"], "reason": "was wrong" });
    let forgotten = client.done("forget", &forget);
    assert_eq!(
        text_of(&forgotten),
        "forgot review/FIND-001; restore: true brings them back"
    );
    assert_eq!(
        forgotten["structuredContent"],
        json!({ "count": 1, "ids": ["weak"] })
    );
    assert_eq!(texts_of(&client.done("recall", &question)), [] as [&str; 0]);
    let again = client.done("forget", &forget);
    assert_eq!(text_of(&again), "forgotten already: review/FIND-001");
    assert_eq!(again["structuredContent"]["count"], 0);

    let back = json!({ "id": "weak", "reason": "it was right", "restore": true });
    assert_eq!(
        text_of(&client.done("forget", &back)),
        "brought back review/FIND-001"
    );
    assert_eq!(
        texts_of(&client.done("recall", &question)),
        ["Passwords can be guessed"]
    );
    assert_eq!(
        text_of(&client.done("forget", &back)),
        "not forgotten: review/FIND-001"
    );
    client.end();
}

#[test]
fn nothing_is_forgotten_without_a_name_and_a_reason_or_if_one_name_is_wrong() {
    let sandbox = Sandbox::empty();
    let mut client = with_a_finding(&sandbox);
    let many: Vec<String> = (0..101).map(|number| format!("id{number}")).collect();
    for (call, code) in [
        (json!({ "reason": "x" }), "E_SCHEMA_INVALID"),
        (json!({ "ids": [], "reason": "x" }), "E_SCHEMA_INVALID"),
        (json!({ "ids": many, "reason": "x" }), "E_SCHEMA_INVALID"),
        (json!({ "ids": ["weak"] }), "E_SCHEMA_INVALID"),
        (
            json!({ "ids": ["weak"], "reason": " " }),
            "E_SCHEMA_INVALID",
        ),
        (
            json!({ "ids": ["weak", "nobody"], "reason": "x" }),
            "E_NOT_FOUND",
        ),
        (
            json!({ "ids": ["weak"], "reason": "x", "query": "all" }),
            "E_INVALID_QUERY",
        ),
    ] {
        assert_eq!(client.refused("forget", &call).0, code, "{call}");
    }
    client.end();
    let memory = sandbox.json(&["get", "weak"]);
    assert_eq!(memory["state"]["forgotten"], Value::Null);
}
