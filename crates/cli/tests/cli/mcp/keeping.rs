//! `remember`.

use serde_json::{Value, json};

use super::client::{Client, text_of};
use crate::sandbox::Sandbox;

/// The `space` of each memory that a call kept.
fn spaces(result: &Value) -> Vec<String> {
    let memories = result["structuredContent"]["memories"].as_array().unwrap();
    let space = |memory: &Value| memory["space"].as_str().unwrap().to_owned();
    memories.iter().map(space).collect()
}

#[test]
fn a_memory_goes_where_it_is_said_to_belong() {
    let sandbox = Sandbox::empty();
    let cases = [
        (json!({}), "shared"),
        (json!({ "session": null, "shared": false }), "shared"),
        (json!({ "shared": true }), "shared"),
        (json!({ "agent": "architect" }), "agent/architect"),
        (json!({ "session": "s" }), "session/s"),
        (json!({ "space": "session/t" }), "session/t"),
        (json!({ "session_id": "u" }), "session/u"),
    ];
    let mut plain = Client::ready(&sandbox, &[]);
    let mut at_home = Client::ready(&sandbox, &["--session", "home"]);
    for (mut arguments, space) in cases {
        arguments["text"] = json!("x");
        assert_eq!(spaces(&plain.done("remember", &arguments)), [space]);
        let named = arguments.as_object().unwrap().values();
        let is_named = named.filter(|value| !value.is_null() && **value != json!(false));
        let expected = if is_named.count() == 1 {
            "session/home"
        } else {
            space
        };
        assert_eq!(spaces(&at_home.done("remember", &arguments)), [expected]);
    }
    for two in [
        json!({ "text": "x", "session": "s", "shared": true }),
        json!({ "text": "x", "session": "s", "agent": "a" }),
    ] {
        assert_eq!(plain.refused("remember", &two).0, "E_SCHEMA_INVALID");
    }
    plain.end();
    at_home.end();
}

#[test]
fn every_field_of_the_wire_is_kept() {
    let sandbox = Sandbox::with_session();
    let mut client = Client::ready(&sandbox, &["--as", "architect"]);
    client.done(
        "remember",
        &json!({ "session": "s", "text": "first", "id": "one" }),
    );
    let whole = json!({
        "session": "s", "text": "Sessions end after 15 minutes", "kind": "decision",
        "tags": ["security.sessions"], "importance": 0.9, "confidence": "high",
        "links": [{ "rel": "supersedes", "to": "FACT-001" }, "led_to:one"], "ref": ["s/FACT-001"],
        "pinned": true, "created_at": "2026-01-10",
        "metadata": { "ticket": 7 }, "body": { "rationale": "the audit" }, "id": "two",
    });
    let kept = client.done("remember", &whole);
    assert_eq!(text_of(&kept), "kept DEC-001 (two) in session/s");
    let memory = sandbox.json(&["get", "two"]);
    let expected = json!({
        "kind": "decision", "author": "architect", "text": "Sessions end after 15 minutes",
        "tags": ["security.sessions"], "importance": 0.9, "pinned": true,
        "links": [
            { "rel": "supersedes", "to": "one" },
            { "rel": "led_to", "to": "one" },
            { "rel": "related", "to": "one" },
        ],
        "created_at": "2026-01-10T00:00:00Z", "metadata": { "ticket": 7 },
        "body": { "rationale": "the audit", "confidence": "high" },
    });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(memory[name], *value, "{name}");
    }
    // The same again changes nothing, and other content is refused.
    let again = client.done("remember", &whole);
    assert_eq!(text_of(&again), "had already DEC-001 (two) in session/s");
    assert_eq!(again["structuredContent"]["memories"][0]["new"], false);
    let mut other = whole;
    other["text"] = json!("Sessions never end");
    assert_eq!(client.refused("remember", &other).0, "E_CONCURRENT_MOD");
    client.end();
}

#[test]
fn links_need_something_at_their_other_end() {
    let sandbox = Sandbox::with_session();
    let mut client = Client::ready(&sandbox, &[]);
    for links in [
        json!({ "ref": ["DEC-009"] }),
        json!({ "links": [{ "rel": "resolves", "to": "nowhere" }] }),
        json!({ "links": ["resolves:nowhere"] }),
    ] {
        let mut memory = links;
        memory["text"] = json!("x");
        memory["session"] = json!("s");
        assert_eq!(client.refused("remember", &memory).0, "E_NOT_FOUND");
    }
    // What is kept by the same call is there.
    client.done(
        "remember",
        &json!({ "session": "s", "memories": [
            { "text": "why", "ref": ["what"] },
            { "text": "what", "id": "what" },
        ] }),
    );
    client.end();
    assert_eq!(sandbox.json(&["list"])["total"], 2);
}

#[test]
fn a_list_is_kept_space_by_space_and_checked_before() {
    let sandbox = Sandbox::empty();
    let mut client = Client::ready(&sandbox, &[]);
    let kept = client.done(
        "remember",
        &json!({ "session": "s", "memories": [
            { "text": "a" }, { "text": "b", "agent": "x" }, { "text": "c", "id": "c" },
        ] }),
    );
    assert_eq!(spaces(&kept), ["session/s", "session/s", "agent/x"]);
    let bad_items = [
        json!({ "session": "s", "memories": [{ "text": "d" }, { "text": "" }] }),
        json!({ "session": "s", "memories": [{ "text": "d" }, 7] }),
        json!({ "session": "s", "memories": [{ "text": "d", "session": "../x" }] }),
        json!({ "session": "s", "memories": [] }),
        json!({ "session": "s", "memories": [{ "text": "d" }], "kind": "decision" }),
        json!({ "session": "s", "memories": vec![json!({ "text": "d" }); 1001] }),
    ];
    for bad in bad_items {
        assert_eq!(client.refused("remember", &bad).0, "E_SCHEMA_INVALID");
    }
    assert_eq!(sandbox.json(&["list"])["total"], 3);
    let many = client.done(
        "remember",
        &json!({ "session": "s", "memories": vec![json!({ "text": "d" }); 1000] }),
    );
    assert_eq!(spaces(&many).len(), 1000);
    let text = text_of(&many);
    assert_eq!(text.lines().last(), Some("and 980 more"));
    client.end();
    assert_eq!(sandbox.json(&["list"])["total"], 1003);
}

#[test]
fn what_is_wrong_with_one_of_several_is_refused_with_its_place() {
    let sandbox = Sandbox::with_session();
    let mut client = Client::ready(&sandbox, &["--session", "s"]);
    for (bad, message) in [
        (
            json!({ "text": "" }),
            "memories[1].text must be more than white space",
        ),
        (json!({}), "memories[1].text must be there"),
        (
            json!({ "text": "x", "importance": 2 }),
            "memories[1].importance must be ",
        ),
        (
            json!({ "text": "x", "session": "../x" }),
            "memories[1].session must be ",
        ),
        (
            json!({ "text": "x", "ref": ["DEC-009"] }),
            "memories[1]: there is no memory DEC-009",
        ),
        (
            json!({ "text": "x", "created_at": "soon" }),
            "memories[1]: this is not a time",
        ),
        (
            json!({ "text": "x", "embedding": [0.5] }),
            "memories[1]: the embedding has 1 numbers",
        ),
        (
            json!({ "text": "x".repeat(2 << 20) }),
            "memories[1].text must be ",
        ),
        (
            json!({ "text": "x", "importence": 1 }),
            "memories[1]: importence is not known; did you mean importance?",
        ),
        (
            json!(7),
            "memories must be a list of objects, which memories[1] is not (given: 7)",
        ),
    ] {
        let call = json!({ "memories": [{ "text": "fine" }, bad] });
        let result = client.call("remember", &call);
        let said = result["structuredContent"]["error"]["message"]
            .as_str()
            .unwrap();
        assert!(said.starts_with(message), "{said}");
    }
    client.end();
    assert_eq!(sandbox.json(&["list"])["total"], 0);
}

#[test]
fn members_that_are_not_known_are_refused_with_the_one_that_was_meant() {
    let sandbox = Sandbox::empty();
    let mut client = Client::ready(&sandbox, &[]);
    for (name, message) in [
        (
            "importence",
            "importence is not known; did you mean importance?",
        ),
        ("sesion", "sesion is not known; did you mean session?"),
        ("rationale", "rationale is not known"),
    ] {
        let mut call = json!({ "text": "x" });
        call[name] = json!("y");
        let result = client.call("remember", &call);
        let error = &result["structuredContent"]["error"];
        assert_eq!(error["code"], "E_SCHEMA_INVALID");
        assert_eq!(error["message"], message);
        let end = if message.ends_with('?') { "" } else { "." };
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(
            text.starts_with(&format!("E_SCHEMA_INVALID: {message}{end}\nNext: ")),
            "{text}"
        );
        assert!(error["hint"].as_str().unwrap().contains("`body`"));
    }
    for tag in [
        json!({ "tag": "a.b" }),
        json!({ "tag": ["a.b"] }),
        json!({ "tags": "a.b" }),
    ] {
        let mut call = tag;
        call["text"] = json!("x");
        let kept = client.done("remember", &call);
        let id = kept["structuredContent"]["memories"][0]["id"]
            .as_str()
            .unwrap();
        assert_eq!(sandbox.json(&["get", id])["tags"], json!(["a.b"]), "{call}");
    }
    let both = json!({ "text": "x", "tag": "a", "tags": ["b"] });
    assert_eq!(client.refused("remember", &both).0, "E_SCHEMA_INVALID");
    client.end();
    assert_eq!(sandbox.json(&["list"])["total"], 3);
}

#[test]
fn a_refusal_says_what_was_kept_before_it() {
    let sandbox = Sandbox::empty();
    let mut client = Client::ready(&sandbox, &[]);
    client.done("remember", &json!({ "text": "a", "id": "taken" }));
    let both = json!({ "memories": [
        { "text": "b", "session": "s" },
        { "text": "c", "shared": true, "id": "taken" },
    ] });
    let result = client.call("remember", &both);
    assert_eq!(result["isError"], true);
    let structured = &result["structuredContent"];
    assert_eq!(structured["error"]["code"], "E_CONCURRENT_MOD");
    assert_eq!(structured["memories"][0]["space"], "session/s");
    assert!(text_of(&result).contains("Before that: kept FACT-001"));
    client.end();
}

#[test]
fn two_servers_write_side_by_side_and_nothing_is_lost() {
    let sandbox = Sandbox::empty();
    let mut clients = [0, 1].map(|_| Client::ready(&sandbox, &["--session", "both"]));
    for number in 0..50 {
        for client in &mut clients {
            client.ask_tool("remember", &json!({ "text": format!("note {number}") }));
        }
    }
    for client in clients {
        let ended = client.close();
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
        assert_eq!(ended.rest.len(), 50);
        for reply in ended.rest {
            assert_eq!(reply["result"]["isError"], false, "{reply}");
        }
    }
    let listed = sandbox.json(&["list", "--session", "both", "--limit", "1000"]);
    assert_eq!(listed["total"], 100);
    assert_eq!(sandbox.json(&["verify"])["ok"], true);
}

#[test]
fn an_agent_is_told_what_was_redacted() {
    let sandbox = Sandbox::empty();
    let secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let mut client = Client::ready(&sandbox, &[]);
    let text = format!("the key is {secret}");
    let result = client.done("remember", &json!({ "text": text }));
    let said = text_of(&result);
    assert!(
        said.ends_with("redacted before it was kept: 1 github_token"),
        "{said}"
    );
    assert_eq!(
        result["structuredContent"]["memories"][0]["redacted"],
        json!([{ "class": "github_token", "count": 1 }])
    );
    client.end();
    for (path, (bytes, _)) in sandbox.files() {
        let found = bytes
            .windows(secret.len())
            .any(|window| window == secret.as_bytes());
        assert!(!found, "{}", path.display());
    }
}

#[test]
fn what_is_sensitive_is_sealed_or_refused() {
    let sandbox = Sandbox::with_session();
    let secret = json!({ "session": "s", "text": "The code is zqcanary", "sensitive": true });
    let mut client = Client::ready(&sandbox, &[]);
    assert_eq!(client.refused("remember", &secret).0, "E_CRYPTO");
    client.end();
    sandbox.json(&["key", "new"]);
    let (mut first, mut second) = (Client::ready(&sandbox, &[]), Client::ready(&sandbox, &[]));
    for client in [&mut first, &mut second] {
        client.done("remember", &secret);
    }
    let found = second.done("recall", &json!({ "query": "zqcanary", "session": "s" }));
    assert!(text_of(&found).contains("The code is zqcanary"));
    first.end();
    second.end();
    let log = sandbox.path().join(".mnemon/sessions/s/memory.jsonl");
    assert!(!std::fs::read_to_string(log).unwrap().contains("zqcanary"));
}
