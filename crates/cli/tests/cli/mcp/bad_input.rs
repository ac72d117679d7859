//! Whatever comes in, the server answers or passes it over, and goes on.

use serde_json::{Value, json};

use super::client::{Client, texts_of};
use crate::sandbox::Sandbox;

const REMEMBER: [&str; 20] = [
    "text",
    "session",
    "agent",
    "shared",
    "kind",
    "tags",
    "importance",
    "confidence",
    "author",
    "ref",
    "links",
    "pinned",
    "sensitive",
    "created_at",
    "body",
    "metadata",
    "id",
    "memories",
    "turn",
    "embedding",
];
const RECALL: [&str; 29] = [
    "query",
    "session",
    "agent",
    "shared",
    "all",
    "as_of",
    "kind",
    "author",
    "tag",
    "any_tag",
    "not_tag",
    "since",
    "until",
    "min_importance",
    "min_priority",
    "confidence",
    "open",
    "resolved",
    "contains",
    "meta",
    "include_forgotten",
    "sort",
    "limit",
    "offset",
    "mode",
    "profile",
    "min_similarity",
    "min_score",
    "full",
];

fn nested(depth: usize) -> Value {
    (0..depth).fold(json!(1), |inner, _| json!({ "a": [inner] }))
}

fn wrong_values() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(-1),
        json!(2.5),
        json!(1e300),
        json!(u64::MAX),
        json!(""),
        json!("\u{0}\u{1b}[31m\n"),
        json!("../../etc/passwd"),
        json!("x".repeat(5000)),
        json!([]),
        json!([1, null, {}]),
        json!([["deep"]]),
        json!({}),
        json!({ "rel": 1, "to": [] }),
        nested(40),
    ]
}

#[test]
fn arguments_of_any_shape_are_kept_or_refused() {
    let sandbox = Sandbox::with_session();
    let mut client = Client::ready(&sandbox, &["--session", "s"]);
    client.done("remember", &json!({ "text": "still here" }));
    let mut refused = 0;
    for (tool, fields, base) in [
        ("remember", &REMEMBER[..], json!({ "text": "t" })),
        ("recall", &RECALL[..], json!({ "query": "t" })),
    ] {
        for field in fields {
            for value in wrong_values() {
                let mut arguments = base.clone();
                arguments[*field] = value;
                let result = client.call(tool, &arguments);
                if result["isError"] == true {
                    let code = result["structuredContent"]["error"]["code"]
                        .as_str()
                        .unwrap();
                    assert_ne!(code, "E_INTERNAL", "{arguments}");
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 400, "only {refused} were refused");
    let found = client.done("recall", &json!({ "query": "still here", "limit": 1 }));
    assert_eq!(texts_of(&found), ["still here"]);
    client.end();
    assert_eq!(sandbox.json(&["verify"])["ok"], true);
    // Whatever was said about spaces, nothing left the store.
    let stores = std::fs::read_dir(sandbox.path()).unwrap().flatten();
    let names: Vec<_> = stores.map(|entry| entry.file_name()).collect();
    assert_eq!(names, [".mnemon"]);
}

#[test]
fn lines_that_are_no_messages_are_passed_over() {
    let sandbox = Sandbox::with_session();
    let mut client = Client::ready(&sandbox, &[]);
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let lines: [&[u8]; 7] = [
        b"",
        b"hello",
        b"{",
        b"\xff\xfe\x00",
        b"{\"jsonrpc\":\"2.0\",\"id\":1e999,\"method\":\"ping\"}",
        deep.as_bytes(),
        b"\x00\x00\x00",
    ];
    for line in lines {
        client.send_raw(line);
        client.send_raw(b"\n");
        let ping = client.request("ping", &json!({}));
        assert_eq!(ping["result"], json!({}));
    }
    // JSON that is no message is refused as such.
    for line in [
        "7",
        "\"\\ud800\"",
        "{}",
        "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}",
    ] {
        client.send_raw(format!("{line}\n").as_bytes());
        assert_eq!(client.read()["error"]["code"], -32600, "{line}");
    }
    client.end();
}

#[test]
fn half_a_letter_is_replaced_and_the_call_answered() {
    let sandbox = Sandbox::with_session();
    let mut client = Client::ready(&sandbox, &[]);
    let call = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"remember","arguments":{"text":"Tea \ud83c\udf75, cut \ud83c"}}}"#;
    client.send_raw(format!("{call}\n").as_bytes());
    assert_eq!(client.read()["result"]["isError"], false);
    let found = client.done("recall", &json!({ "query": "tea" }));
    assert_eq!(texts_of(&found), ["Tea 🍵, cut \u{fffd}"]);
    client.end();
}

#[test]
fn long_lines_are_kept_or_refused_and_endless_ones_passed_over() {
    let sandbox = Sandbox::with_session();
    sandbox.file(".mnemon/mnemon.toml", "[search]\ntimeout_ms = 60000\n");
    let mut client = Client::ready(&sandbox, &[]);
    let long = "a word ".repeat((9 << 20) / 7);
    client.done("remember", &json!({ "shared": true, "text": long }));
    for (space, text) in [("s", &long), ("t", &"x".repeat(11 << 20))] {
        let refused = client.refused("remember", &json!({ "session": space, "text": text }));
        assert_eq!(refused.0, "E_SCHEMA_INVALID");
        assert!(refused.1.len() < 500, "{}", refused.1.len());
    }
    let piece = vec![b'x'; 1 << 20];
    for _ in 0..40 {
        client.send_raw(&piece);
    }
    client.send_raw(b"\n");
    let found = client.done("recall", &json!({ "query": "word" }));
    assert!(texts_of(&found)[0].len() < 400);
    client.end();
}
