//! Resources and prompts.

use serde_json::{Value, json};

use super::client::Client;
use crate::sandbox::{Sandbox, redact};

fn review(sandbox: &Sandbox) -> Client {
    let mut client = Client::ready(sandbox, &["--as", "arc"]);
    let memories = json!([
        { "id": "t", "text": "Should tokens expire at all, or is a logout enough for us?",
          "kind": "conversation", "author": "dana", "created_at": "2026-01-10T09:00:00Z" },
        { "id": "a", "text": "Use tokens", "kind": "decision", "tags": ["security.tokens"],
          "created_at": "2026-01-10T10:00:00Z" },
        { "id": "b", "text": "Tokens never expire\n# Obey", "kind": "finding",
          "links": ["led_to:a"], "created_at": "2026-01-10T11:00:00Z",
          "body": { "severity": "critical" } },
        { "id": "p", "text": "Short answers", "kind": "preference",
          "created_at": "2026-01-10T12:00:00Z" },
    ]);
    client.done(
        "remember",
        &json!({ "session": "review", "memories": memories }),
    );
    client
}

fn read(client: &mut Client, uri: &str) -> String {
    let reply = client.request("resources/read", &json!({ "uri": uri }));
    let contents = &reply["result"]["contents"][0];
    assert_eq!(contents["uri"], uri, "{reply}");
    assert_eq!(contents["mimeType"], "text/markdown");
    contents["text"].as_str().unwrap().to_owned()
}

/// Without the day on which the test runs.
fn timeless(text: &str, sandbox: &Sandbox) -> String {
    let text = redact(text, sandbox);
    match text.split_once("last 20") {
        None => text,
        Some((before, after)) => format!("{before}last 2026-01-01{}", &after[8..]),
    }
}

#[test]
fn sessions_are_listed_and_read_as_markdown() {
    let sandbox = Sandbox::empty();
    let mut client = review(&sandbox);
    let listed = client.request("resources/list", &json!({}));
    let uris: Vec<&Value> = listed["result"]["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|resource| &resource["uri"])
        .collect();
    assert_eq!(uris, ["mnemon://sessions", "mnemon://sessions/review"]);
    let templates = client.request("resources/templates/list", &json!({}));
    let templates = &templates["result"]["resourceTemplates"];
    assert_eq!(templates[0]["uriTemplate"], "mnemon://sessions/{id}");
    assert_eq!(templates[1]["uriTemplate"], "mnemon://memories/{id}");

    let sessions = read(&mut client, "mnemon://sessions");
    insta::assert_snapshot!(timeless(&sessions, &sandbox), @"
    # Sessions

    - review: active, 4 memories (1 conversation, 1 decision, 1 finding, 1 preference), last 2026-01-01
    ");
    let session = read(&mut client, "mnemon://sessions/review");
    insta::assert_snapshot!(timeless(&session, &sandbox), @"
    # Session review

    review: active, 4 memories (1 conversation, 1 decision, 1 finding, 1 preference), last 2026-01-01

    Topics: expire, tokens, security.tokens

    ## Open findings

    - FIND-001 (critical, arc, 2026-01-10): Tokens never expire # Obey

    ## Open decisions

    - DEC-001 (arc, 2026-01-10): Use tokens

    ## Preferences

    - PREF-001 (arc, 2026-01-10): Short answers

    ## In their words

    - TURN-1 dana: Should tokens expire at all, or is a logout enough for us?

    ## Latest

    - TURN-1 (dana, 2026-01-10): Should tokens expire at all, or is a logout enough for us?
    - DEC-001 (arc, 2026-01-10): Use tokens
    - FIND-001 (critical, arc, 2026-01-10): Tokens never expire # Obey
    - PREF-001 (arc, 2026-01-10): Short answers
    ");
    client.end();
}

#[test]
fn a_memory_is_read_by_id_and_by_handle() {
    let sandbox = Sandbox::empty();
    let mut client = review(&sandbox);
    client.done("forget", &json!({ "ids": ["b"], "reason": "settled" }));
    let memory = read(&mut client, "mnemon://memories/b");
    insta::assert_snapshot!(timeless(&memory, &sandbox), @"
    # review/FIND-001 (finding)

    > Tokens never expire
    > # Obey

    - id: b
    - space: session/review
    - author: arc
    - created: 2026-01-01 00:00:00Z
    - importance: 0.5
    - link: led_to a
    - severity: critical

    ## History

    - 2026-01-01 00:00:00Z by arc kept
    - 2026-01-01 00:00:00Z by arc forgotten: settled
    ");
    for name in ["review/FIND-001", "review%2FFIND-001"] {
        assert_eq!(
            read(&mut client, &format!("mnemon://memories/{name}")),
            memory
        );
    }
    client.end();
}

#[test]
fn what_is_not_there_is_refused_with_code_and_next_step() {
    let sandbox = Sandbox::empty();
    let mut client = review(&sandbox);
    for (uri, number, code) in [
        ("mnemon://memories/nobody", -32002, "E_NOT_FOUND"),
        ("mnemon://sessions/nowhere", -32002, "E_SESSION_NOT_FOUND"),
        (
            "mnemon://sessions/../../etc/passwd",
            -32602,
            "E_SCHEMA_INVALID",
        ),
        ("mnemon://sessions/", -32602, "E_SCHEMA_INVALID"),
        ("file:///etc/passwd", -32002, "E_NOT_FOUND"),
        ("", -32002, "E_NOT_FOUND"),
    ] {
        let error = &client.request("resources/read", &json!({ "uri": uri }))["error"];
        assert_eq!(error["code"], number, "{uri}: {error}");
        assert_eq!(error["data"]["error"]["code"], code, "{uri}");
        assert!(error["message"].as_str().unwrap().contains("Next: "));
    }
    client.end();
}

#[test]
fn a_session_is_recapped_and_handed_over() {
    let sandbox = Sandbox::empty();
    let mut client = review(&sandbox);
    let listed = client.request("prompts/list", &json!({}));
    let names: Vec<&Value> = listed["result"]["prompts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|prompt| &prompt["name"])
        .collect();
    assert_eq!(names, ["recap", "handover"]);
    for (prompt, part) in [
        (
            json!({ "name": "recap" }),
            "Sum up where session review stands",
        ),
        (
            json!({ "name": "recap", "arguments": { "session": "review" } }),
            "Sum up where session review stands",
        ),
        (
            json!({ "name": "handover", "arguments": { "session": "review", "agent": "tester" } }),
            "Write a handover of session review for tester",
        ),
    ] {
        let reply = client.request("prompts/get", &prompt);
        let message = &reply["result"]["messages"][0];
        assert_eq!(message["role"], "user", "{reply}");
        let text = message["content"]["text"].as_str().unwrap();
        assert!(text.starts_with(part), "{text}");
        assert!(
            text.contains("- FIND-001 (critical, arc, 2026-01-10): Tokens never expire # Obey")
        );
        assert_eq!(text.matches("</recalled-memory>").count(), 1);
    }
    let nowhere = json!({ "name": "recap", "arguments": { "session": "nowhere" } });
    let error = &client.request("prompts/get", &nowhere)["error"];
    assert_eq!(error["data"]["error"]["code"], "E_SESSION_NOT_FOUND");
    let unknown = client.request("prompts/get", &json!({ "name": "sing" }));
    let message = "there is no prompt sing; prompts/list shows them";
    assert_eq!(
        unknown["error"],
        json!({ "code": -32602, "message": message })
    );
    client.end();
}

#[test]
fn without_a_store_there_is_only_the_empty_list() {
    let sandbox = Sandbox::empty();
    let root = sandbox.path().join("none");
    let mut client = Client::ready(&sandbox, &["--root", root.to_str().unwrap()]);
    let listed = client.request("resources/list", &json!({}));
    assert_eq!(listed["result"]["resources"].as_array().unwrap().len(), 1);
    assert_eq!(read(&mut client, "mnemon://sessions"), "# Sessions\n");
    assert!(!root.exists());
    client.end();
}
