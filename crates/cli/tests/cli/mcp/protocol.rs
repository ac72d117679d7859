//! The handshake, the tools, and how it ends.

use serde_json::{Value, json};

use super::client::{Client, text_of, texts_of};
use crate::sandbox::Sandbox;

#[test]
fn what_one_process_keeps_another_finds() {
    let sandbox = Sandbox::empty();
    let mut one = Client::ready(&sandbox, &[]);
    let memory =
        json!({ "session": "review", "text": "Use PostgreSQL as database", "kind": "decision" });
    let kept = one.done("remember", &memory);
    let id = kept["structuredContent"]["memories"][0]["id"]
        .as_str()
        .unwrap();
    assert_eq!(
        kept["structuredContent"],
        json!({
            "memories": [
                { "id": id, "handle": "DEC-001", "space": "session/review", "durable": true, "new": true },
            ],
            "new_sessions": ["review"],
        })
    );
    assert_eq!(
        text_of(&kept),
        format!("kept DEC-001 ({id}) in session/review\nsession review is new")
    );
    let question = json!({ "query": "which database?" });
    assert_eq!(
        texts_of(&one.done("recall", &question)),
        ["Use PostgreSQL as database"]
    );

    let mut other = Client::ready(&sandbox, &[]);
    assert_eq!(
        texts_of(&other.done("recall", &question)),
        ["Use PostgreSQL as database"]
    );
    other.done(
        "remember",
        &json!({ "text": "The database runs on port 5432" }),
    );
    assert_eq!(texts_of(&one.done("recall", &question)).len(), 2);
    one.end();
    other.end();
    let listed = sandbox.json(&["list", "--session", "review"]);
    assert_eq!(listed["memories"][0]["id"], id);
}

#[test]
fn the_handshake_touches_no_file_and_the_first_memory_makes_the_store() {
    let sandbox = Sandbox::empty();
    let root = sandbox.path().join("not").join("there");
    let mut client = Client::ready(&sandbox, &["--root", root.to_str().unwrap()]);
    client.request("tools/list", &json!({}));
    assert!(!root.exists());
    let nothing = client.done("recall", &json!({ "query": "x" }));
    assert_eq!(
        text_of(&nothing),
        "Nothing is remembered yet; the first remember makes the store."
    );
    assert_eq!(
        nothing["structuredContent"],
        json!({ "hits": [], "total": 0 })
    );
    let (code, _) = client.refused("recall", &json!({ "query": "x", "limt": 1 }));
    assert_eq!(code, "E_INVALID_QUERY");
    assert!(!root.exists());
    client.done("remember", &json!({ "text": "x" }));
    assert_eq!(
        texts_of(&client.done("recall", &json!({ "query": "x" }))),
        ["x"]
    );
    client.end();
}

#[test]
fn settings_that_are_wrong_refuse_calls_and_not_the_handshake() {
    let sandbox = Sandbox::with_session();
    let settings = sandbox.file(".mnemon/mnemon.toml", "[storage]\ndurabilty = \"os\"\n");
    let mut client = Client::ready(&sandbox, &[]);
    let (code, text) = client.refused("remember", &json!({ "text": "x" }));
    assert_eq!(code, "E_INVALID_FORMAT");
    assert!(text.contains("durability"), "{text}");
    // Corrected, they hold without a restart.
    std::fs::remove_file(settings).unwrap();
    client.done("remember", &json!({ "text": "x" }));
    client.end();
}

#[test]
fn a_store_that_is_taken_away_is_made_again() {
    let sandbox = Sandbox::empty();
    let root = sandbox.path().join("store");
    let mut client = Client::ready(&sandbox, &["--root", root.to_str().unwrap()]);
    client.done("remember", &json!({ "text": "before" }));
    std::fs::remove_dir_all(&root).unwrap();
    // The open store notices it once, and says so.
    let refused = client.refused("remember", &json!({ "text": "meanwhile" }));
    assert_eq!(refused.0, "E_STORAGE_IO");
    client.done("remember", &json!({ "text": "after" }));
    let found = client.done("recall", &json!({ "query": "*" }));
    assert_eq!(texts_of(&found), ["after"]);
    client.end();
}

#[test]
fn a_question_to_a_store_that_is_gone_says_so() {
    let sandbox = Sandbox::empty();
    let root = sandbox.path().join("store");
    let mut client = Client::ready(&sandbox, &["--root", root.to_str().unwrap()]);
    client.done("remember", &json!({ "text": "before" }));
    let question = json!({ "query": "before" });
    assert_eq!(texts_of(&client.done("recall", &question)), ["before"]);
    std::fs::remove_dir_all(&root).unwrap();
    for _ in 0..2 {
        let (code, text) = client.refused("recall", &question);
        assert_eq!(code, "E_STORAGE_IO");
        assert!(text.contains("holds no store"), "{text}");
        assert!(text.contains("was moved or removed meanwhile"), "{text}");
    }
    client.done("remember", &json!({ "text": "after" }));
    assert_eq!(
        texts_of(&client.done("recall", &json!({ "query": "*" }))),
        ["after"]
    );
    client.end();
}

#[test]
fn the_version_that_the_client_asks_for_is_spoken_if_it_is_known() {
    let sandbox = Sandbox::empty();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut client = Client::start(&sandbox, &[]);
        assert_eq!(client.initialize(version)["protocolVersion"], version);
        client.end();
    }
    for unknown in ["1999-01-01", "2999-01-01", "soon"] {
        let mut client = Client::start(&sandbox, &[]);
        assert_eq!(client.initialize(unknown)["protocolVersion"], "2025-11-25");
        client.end();
    }
}

#[test]
fn notifications_are_not_answered() {
    let sandbox = Sandbox::empty();
    let mut client = Client::ready(&sandbox, &[]);
    for method in [
        "notifications/initialized",
        "notifications/cancelled",
        "notifications/roots/list_changed",
        "notifications/nobody/knows",
    ] {
        client.notify(method);
        // The next line is the answer to this, and to nothing else.
        assert_eq!(client.request("ping", &json!({}))["result"], json!({}));
    }
    client.end();
}

#[test]
fn unknown_tools_and_methods_are_errors_of_the_protocol() {
    let sandbox = Sandbox::empty();
    let mut client = Client::ready(&sandbox, &[]);
    let unknown_tool = client.request("tools/call", &json!({ "name": "forget_everything" }));
    assert_eq!(unknown_tool["error"]["code"], -32602);
    let unknown_method = client.request("memories/burn", &json!({}));
    assert_eq!(unknown_method["error"]["code"], -32601);
    client.end();
}

#[test]
fn a_client_that_goes_at_once_is_no_error_and_one_that_speaks_otherwise_is_told() {
    let sandbox = Sandbox::empty();
    Client::start(&sandbox, &[]).end();
    let mut stranger = Client::start(&sandbox, &[]);
    stranger.notify("notifications/initialized");
    let ended = stranger.close();
    assert_eq!(ended.code, 2);
    assert_eq!(ended.rest, [] as [Value; 0]);
    assert!(ended.stderr.contains("is not MCP"), "{}", ended.stderr);
}

#[test]
fn a_client_that_does_not_wait_is_answered_in_order_and_after_its_last_word() {
    let sandbox = Sandbox::empty();
    let mut client = Client::ready(&sandbox, &[]);
    let asked: Vec<(u64, String)> = (0..20)
        .map(|number| {
            let text = format!("note {number}");
            client.ask_tool("remember", &json!({ "text": text }));
            let question = json!({ "query": text, "limit": 1 });
            (client.ask_tool("recall", &question), text)
        })
        .collect();
    let ended = client.close();
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    for (id, text) in asked {
        let reply = ended.rest.iter().find(|reply| reply["id"] == id).unwrap();
        assert_eq!(texts_of(&reply["result"]), [text]);
    }
}

#[test]
fn newer_clients_need_no_handshake() {
    let sandbox = Sandbox::empty();
    let mut client = Client::start(&sandbox, &[]);
    let about = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let found = client.request("server/discover", &json!({ "_meta": about }));
    assert!(
        found["result"]["capabilities"]["tools"].is_object(),
        "{found}"
    );
    let memory = json!({ "name": "remember", "arguments": { "text": "x" }, "_meta": about });
    let kept = client.request("tools/call", &memory);
    assert_eq!(kept["result"]["isError"], false, "{kept}");
    client.end();
}
