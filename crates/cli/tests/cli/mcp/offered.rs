//! What clients hand to their model at every turn.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::client::Client;
use crate::sandbox::Sandbox;

/// The tools with a line for each field.
fn by_line(tools: &Value) -> String {
    let mut text = String::new();
    for tool in tools["tools"].as_array().unwrap() {
        let schema = &tool["inputSchema"];
        assert_eq!(schema["type"], "object");
        let part = |name: &str| format!("{}: {}\n", name, tool[name]);
        text.extend(["name", "description", "annotations"].map(part));
        let _ = writeln!(text, "required: {}", schema["required"]);
        let _ = writeln!(text, "answers: {}", tool["outputSchema"]);
        for (name, field) in schema["properties"].as_object().unwrap() {
            let _ = writeln!(text, "  {name}: {field}");
        }
    }
    text
}

/// In tokens of `o200k_base`; other models count a little differently.
fn tokens(value: &Value) -> usize {
    mnemon_tokens::count(&value.to_string())
}

#[test]
#[expect(
    clippy::print_stdout,
    reason = "whoever adds a word wants to know its price"
)]
fn the_tools_cost_a_model_less_than_1500_tokens() {
    let sandbox = Sandbox::empty();
    let mut client = Client::ready(&sandbox, &[]);
    let tools = client.request("tools/list", &json!({}))["result"].clone();
    client.end();
    let about_tools = tokens(&tools);
    println!("tools/list: {about_tools} tokens");
    assert!(about_tools < 1500, "{about_tools}");
}

#[test]
#[expect(clippy::too_many_lines, reason = "it is one snapshot")]
fn the_tools_are_described_briefly_and_with_what_they_answer() {
    let sandbox = Sandbox::empty();
    let mut client = Client::start(&sandbox, &[]);
    let about = client.initialize("2025-06-18");
    let tools = client.request("tools/list", &json!({}))["result"].clone();
    client.end();
    assert_eq!(
        about["instructions"]
            .as_str()
            .unwrap()
            .matches(". ")
            .count(),
        2
    );
    insta::assert_snapshot!(by_line(&tools), @r#"
    name: "remember"
    description: "Keep a memory for later: `text`, or several as `memories`. Goes to the session (made if new), agent or shared memory that is named, else to the default."
    annotations: {"destructiveHint":false,"idempotentHint":false,"openWorldHint":false}
    required: null
    answers: {"properties":{"memories":{"type":"array"}},"type":"object"}
      agent: {"description":"In its long-term memory","type":"string"}
      author: {"type":"string"}
      body: {"description":"Fields of its kind: rationale, severity, key, value…","type":"object"}
      created_at: {"description":"If not now","type":"string"}
      id: {"description":"Your own; makes repeating safe","type":"string"}
      importance: {"default":0.5,"maximum":1,"type":"number"}
      kind: {"default":"fact","enum":["conversation","decision","finding","preference","learning","fact","event","procedure","state","artifact"],"type":"string"}
      links: {"description":"{rel: supersedes|resolves|led_to|…, to: id or handle}","items":{"type":"object"},"type":"array"}
      memories: {"description":"Each with these fields","items":{"type":"object"},"type":"array"}
      metadata: {"type":"object"}
      pinned: {"description":"Never fades","type":"boolean"}
      ref: {"description":"Related ids or handles","items":{"type":"string"},"type":"array"}
      session: {"type":"string"}
      shared: {"description":"For all agents","type":"boolean"}
      tags: {"description":"Dots make a hierarchy","items":{"type":"string"},"type":"array"}
      text: {"description":"Self-contained statement","type":"string"}
    name: "recall"
    description: "Find memories by words and meaning, best first. Without session, agent or shared everything is searched."
    annotations: {"openWorldHint":false,"readOnlyHint":true}
    required: ["query"]
    answers: {"properties":{"hits":{"type":"array"},"total":{"type":"integer"}},"type":"object"}
      agent: {"description":"Long-term memory of these","items":{"type":"string"},"type":"array"}
      as_of: {"description":"As it was then","type":"string"}
      author: {"items":{"type":"string"},"type":"array"}
      contains: {"description":"Exact text","type":"string"}
      full: {"description":"Whole texts, body and metadata","type":"boolean"}
      kind: {"description":"As in remember","items":{"type":"string"},"type":"array"}
      limit: {"default":10,"maximum":1000,"type":"integer"}
      meta: {"description":"Metadata to match","type":"object"}
      min_importance: {"type":"number"}
      offset: {"type":"integer"}
      open: {"description":"Unresolved decisions, findings","type":"boolean"}
      query: {"description":"Question or words; \"phrase\", wild*, * for all","type":"string"}
      session: {"items":{"type":"string"},"type":"array"}
      shared: {"type":"boolean"}
      since: {"description":"2026-01-10, 24h, 2 weeks, yesterday","type":"string"}
      sort: {"enum":["relevance","newest","oldest","importance","accessed","access-count","priority"],"type":"string"}
      tag: {"description":"All of these","items":{"type":"string"},"type":"array"}
      until: {"type":"string"}
    name: "context"
    description: "All you need for the next turn of a session, within a token budget: your state, preferences, decisions, open findings, what you know, last turns."
    annotations: {"openWorldHint":false,"readOnlyHint":true}
    required: null
    answers: {"properties":{"text":{"type":"string"},"tokens":{"type":"integer"}},"type":"object"}
      budget: {"default":2000,"type":"integer"}
      session: {"type":"string"}
      topic: {"description":"Else what the last turns were about","type":"string"}
    name: "revise"
    description: "Change a memory; its history is kept. Body and metadata members replace those of the same name; null removes."
    annotations: {"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}
    required: ["id"]
    answers: {"properties":{"memory":{"type":"object"}},"type":"object"}
      add_tags: {"items":{"type":"string"},"type":"array"}
      body: {"type":"object"}
      id: {"description":"Id, or SESSION/HANDLE","type":"string"}
      importance: {"type":"number"}
      kind: {"type":"string"}
      links: {"description":"To add","items":{"type":"object"},"type":"array"}
      metadata: {"type":"object"}
      pinned: {"type":"boolean"}
      remove_tags: {"items":{"type":"string"},"type":"array"}
      reopen: {"type":"boolean"}
      resolve: {"description":"How a decision or finding was settled","type":"string"}
      text: {"type":"string"}
    name: "forget"
    description: "Forget memories that are wrong or unwanted; `restore` brings them back."
    annotations: {"destructiveHint":true,"idempotentHint":true,"openWorldHint":false}
    required: ["ids","reason"]
    answers: {"properties":{"count":{"type":"integer"},"ids":{"type":"array"}},"type":"object"}
      ids: {"description":"Ids, or SESSION/HANDLE","items":{"type":"string"},"type":"array"}
      reason: {"type":"string"}
      restore: {"type":"boolean"}
    name: "related"
    description: "Follow what a memory names and what names it."
    annotations: {"openWorldHint":false,"readOnlyHint":true}
    required: ["id"]
    answers: {"properties":{"hits":{"type":"array"},"total":{"type":"integer"}},"type":"object"}
      depth: {"default":2,"type":"integer"}
      id: {"description":"Id, or SESSION/HANDLE","type":"string"}
      limit: {"type":"integer"}
    name: "inspect"
    description: "Look around: sessions, topics or timeline (of a session or all), stats, or one memory in full with its history."
    annotations: {"openWorldHint":false,"readOnlyHint":true}
    required: null
    answers: {"type":"object"}
      id: {"description":"Of the memory","type":"string"}
      limit: {"type":"integer"}
      session: {"type":"string"}
      what: {"enum":["sessions","topics","timeline","stats","memory"],"type":"string"}
    "#);
}
