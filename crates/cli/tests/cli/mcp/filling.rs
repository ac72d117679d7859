//! A session that fills up, as an agent sees it; and what an agent asked for.

use serde_json::{Value, json};

use super::client::{Client, text_of};
use crate::sandbox::Sandbox;

#[test]
fn an_agent_is_told_when_its_session_fills_up() {
    let sandbox = Sandbox::with_session();
    let settings = "[storage]\nsession_bytes_max = \"64 KiB\"\n";
    sandbox.file(".mnemon/mnemon.toml", settings);
    let mut client = Client::ready(&sandbox, &["--session", "s"]);
    let first = client.done("remember", &json!({ "text": "x ".repeat(12_000) }));
    assert_eq!(first["structuredContent"]["memories"][0].get("notes"), None);
    assert!(!text_of(&first).contains("bytes"), "{}", text_of(&first));

    let second = client.done("remember", &json!({ "text": "y ".repeat(15_000) }));
    let note = second["structuredContent"]["memories"][0]["notes"][0].clone();
    let note = note.as_str().unwrap();
    assert!(note.starts_with("session s has 5"), "{note}");
    assert!(note.contains("of 65536 bytes (8"), "{note}");
    assert!(text_of(&second).contains(note), "{}", text_of(&second));
    client.end();
}

#[test]
fn what_an_agent_recalled_is_counted_when_the_server_ends() {
    let sandbox = Sandbox::with_session();
    sandbox.json(&["remember", "The port is 5432", "--session", "s"]);
    let mut client = Client::ready(&sandbox, &[]);
    client.done("recall", &json!({ "query": "port" }));
    client.done("recall", &json!({ "query": "port" }));
    client.end();
    let listed: Value = sandbox.json(&["list", "--session", "s"]);
    assert_eq!(listed["memories"][0]["state"]["access_count"], 2);
}
