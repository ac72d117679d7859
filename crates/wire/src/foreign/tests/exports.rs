//! Exports: ChatGPT, Claude.ai, mem0, the reference memory server.
#![expect(clippy::needless_pass_by_value, reason = "`json!` makes values")]

use super::*;

fn said(role: &str, text: &str, at: f64) -> Value {
    json!({ "author": { "role": role }, "create_time": at, "recipient": "all", "metadata": {},
        "content": { "content_type": "text", "parts": [text] } })
}

fn node(parent: Value, children: &[&str], message: Value) -> Value {
    json!({ "message": message, "parent": parent, "children": children })
}

fn tea() -> Value {
    let mut hidden = said("system", "", 1.0);
    hidden["metadata"]["is_visually_hidden_from_conversation"] = json!(true);
    let custom = json!({ "author": { "role": "user" }, "content": { "content_type": "user_editable_context",
        "user_profile": "I live in Kyoto.", "user_instructions": "Be brief." } });
    let picture = json!({ "author": { "role": "user" }, "create_time": 1_700_000_003.0, "content": {
        "content_type": "multimodal_text", "parts": [
            { "content_type": "image_asset_pointer", "asset_pointer": "file-service://x" }, "What is this?"] } });
    let thought = json!({ "author": { "role": "assistant" }, "content": { "content_type": "thoughts",
        "thoughts": [{ "summary": "s", "content": "c" }] } });
    let mut tool = said("tool", "result of a search", 1_700_000_005.0);
    tool["author"]["name"] = json!("web");
    json!({
        "title": "Tea", "create_time": 1_700_000_000.25, "update_time": 1_700_000_009.0,
        "conversation_id": "c-1", "current_node": "end", "default_model_slug": "gpt-4o",
        "mapping": {
            "root": node(json!(null), &["sys"], json!(null)),
            "sys": node(json!("root"), &["custom"], hidden),
            "custom": node(json!("sys"), &["q"], custom),
            "q": node(json!("custom"), &["a1", "a2"], said("user", "How do I brew tea?", 1_700_000_001.5)),
            "a1": node(json!("q"), &[], said("assistant", "Boil it.", 1_700_000_002.0)),
            "a2": node(json!("q"), &["pic"], said("assistant", "Steep it.", 1_700_000_002.5)),
            "pic": node(json!("a2"), &["think"], picture),
            "think": node(json!("pic"), &["tool"], thought),
            "tool": node(json!("think"), &["end"], tool),
            "end": node(json!("tool"), &[], said("assistant", "A kettle.", 1_700_000_006.0)),
        },
    })
}

#[test]
fn an_export_of_chatgpt_keeps_every_branch() {
    let text = json!([tea(), { "title": "broken" }, 7]).to_string();
    assert_eq!(
        recognise(text.as_bytes()).unwrap().program,
        Program::ChatGpt
    );
    insta::assert_snapshot!(told(&pieces(Program::ChatGpt, "conversations.json", &text)), @r#"
    = chatgpt-c-1 - 2023-11-14T22:13:20.250Z {"model":"gpt-4o","source":"chatgpt","title":"Tea"}
      - [0].mapping.sys: messages that ChatGPT hides
    pref_m4kc3 in shared ada 2026-02-01T00:00:00Z "I live in Kyoto.\n\nBe brief." {"source":"user_statement","topic":"instructions for ChatGPT"} {"time":"assumed"} ([0].mapping.custom)
    turn_5qcnf ada 2023-11-14T22:13:21.500Z "How do I brew tea?" {"role":"user"} {"source_id":"q"} ([0].mapping.q)
    turn_1eqzh <turn_5qcnf chatgpt 2023-11-14T22:13:22Z "Boil it." {"role":"assistant"} {"branch":"other","source_id":"a1"} ([0].mapping.a1)
    turn_eh0fv <turn_5qcnf chatgpt 2023-11-14T22:13:22.500Z "Steep it." {"role":"assistant"} {"source_id":"a2"} ([0].mapping.a2)
    turn_4w2dy <turn_eh0fv ada 2023-11-14T22:13:23Z "[image]\nWhat is this?" {"role":"user"} {"attachments":[{"asset_pointer":"file-service://x","content_type":"image_asset_pointer"}],"content_type":"multimodal_text","source_id":"pic"} ([0].mapping.pic)
      - [0].mapping.think: thoughts of the model
    turn_f70ej <turn_4w2dy web 2023-11-14T22:13:25Z "result of a search" {"role":"tool"} {"source_id":"tool"} ([0].mapping.tool)
    turn_q5xa6 <turn_f70ej chatgpt 2023-11-14T22:13:26Z "A kettle." {"role":"assistant"} {"source_id":"end"} ([0].mapping.end)
      ! [1]: it has no `mapping` of messages
      ! [2]: it has no `mapping` of messages
    "#);
}

#[test]
fn circles_and_orphans_in_a_tree_are_read_once() {
    let mut conversation = tea();
    conversation["mapping"] = json!({
        "a": node(json!("b"), &["b"], said("user", "one", 1.0e9)),
        "b": node(json!("a"), &["a"], said("assistant", "two", 1.0e9)),
        "c": node(json!("gone"), &["c", "nobody"], said("user", "three", 1.0e9)),
    });
    conversation["current_node"] = json!("a");
    let found = pieces(Program::ChatGpt, "x", &json!([conversation]).to_string());
    assert_eq!(ids_of(&found).len(), 3, "{}", told(&found));
}

#[test]
fn an_export_that_is_cut_short_gives_what_it_has() {
    let whole = json!([tea(), tea()]).to_string();
    let cut = &whole[..whole.len() - 40];
    let found = pieces(Program::ChatGpt, "x", cut);
    let last = told(&found);
    let last = last.lines().last().unwrap();
    assert_eq!(last, "  ! [1]: the file ends in the middle of it");
    assert_eq!(ids_of(&found).len(), 7);
}

#[test]
fn an_export_of_claude_keeps_attachments_and_artifacts() {
    let text = json!([{
        "uuid": "c-1", "name": "Rust", "summary": "", "created_at": "2026-01-10T10:00:00.000000Z",
        "account": { "uuid": "x" },
        "chat_messages": [
            { "uuid": "m-1", "sender": "human", "text": "Review this", "created_at": "2026-01-10T10:00:01Z",
              "content": [{ "type": "text", "text": "Review this" }], "files": [{ "file_name": "a.png" }],
              "attachments": [{ "file_name": "a.rs", "file_size": 12, "extracted_content": "fn main() {}" }] },
            { "uuid": "m-2", "sender": "assistant", "text": "", "created_at": "2026-01-10T10:00:02Z",
              "parent_message_uuid": "m-1", "content": [
                { "type": "thinking", "thinking": "hm" },
                { "type": "text", "text": "Here." },
                { "type": "tool_use", "id": "t", "name": "artifacts", "input": {
                    "title": "Better", "type": "application/vnd.ant.code", "content": "fn main() { run() }" } },
                { "type": "tool_use", "id": "w", "name": "web_search", "input": { "query": "rust" } },
                { "type": "tool_result", "tool_use_id": "w", "content": [{ "type": "text", "text": "found" }] },
            ] },
            { "sender": "human", "text": "Thanks", "created_at": "2026-01-10T10:00:03Z" },
            { "uuid": "m-4", "sender": "assistant", "text": "", "content": [], "created_at": "2026-01-10T10:00:04Z" },
            "nonsense",
        ],
    }])
    .to_string();
    assert_eq!(
        recognise(text.as_bytes()).unwrap().program,
        Program::ClaudeAi
    );
    insta::assert_snapshot!(told(&pieces(Program::ClaudeAi, "conversations.json", &text)), @r#"
    = claude-ai-c-1 - 2026-01-10T10:00:00Z {"source":"claude","summary":"","title":"Rust"}
    turn_e47w0 ada 2026-01-10T10:00:01Z "Review this" {"role":"user"} {"files":["a.png"],"source_id":"m-1"} ([0].chat_messages[0])
    art_8b5m26 @turn_e47w0 ada 2026-01-10T10:00:01Z "fn main() {}" {"size_bytes":12,"title":"a.rs","type":"attachment"} {} ([0].chat_messages[0].attachments[0])
    turn_jds31 <turn_e47w0 claude 2026-01-10T10:00:02Z "Here." {"role":"assistant"} {"source_id":"m-2"} ([0].chat_messages[1])
    art_2n4jgd @turn_jds31 claude 2026-01-10T10:00:02Z "fn main() { run() }" {"title":"Better","type":"application/vnd.ant.code"} {"tool":"artifacts"} ([0].chat_messages[1].content[2])
    event_v0qq @turn_jds31 claude 2026-01-10T10:00:02Z "web_search: rust" {"type":"tool_use"} {"input":{"query":"rust"},"result":"found","tool":"web_search"} ([0].chat_messages[1].content[3])
    turn_h4syw <turn_jds31 ada 2026-01-10T10:00:03Z "Thanks" {"role":"user"} {"source_id":"wt6d2r4b8bdxgdv6s5q465fk1q"} ([0].chat_messages[2])
      - [0].chat_messages[3]: messages without words
      ! [0].chat_messages[4]: it is no message
    "#);
    let beside = json!([
        { "uuid": "p-1", "name": "Shop", "description": "A shop", "prompt_template": "Be kind",
          "created_at": "2026-01-01T00:00:00Z", "docs": [
            { "uuid": "d", "filename": "plan.md", "content": "Sell tea", "created_at": "2026-01-02T00:00:00Z" }] },
        { "conversations_memory": "Ada sells tea.", "project_memories": { "p-1": "Ships to Japan." } },
        { "uuid": "u", "full_name": "Ada", "email_address": "ada@example.com" },
        { "odd": 1 },
    ])
    .to_string();
    insta::assert_snapshot!(told(&pieces(Program::ClaudeAi, "projects.json", &beside)), @r#"
    = claude-project-p-1 Shop 2026-01-01T00:00:00Z {"source":"claude","title":"Project Shop"}
    fact_e09f5 ada 2026-01-01T00:00:00Z "A shop" {} {} ([0].description)
    proc_kvgph ada 2026-01-01T00:00:00Z "Be kind" {} {} ([0].prompt_template)
    art_mpphaf ada 2026-01-02T00:00:00Z "Sell tea" {"title":"plan.md"} {} ([0].docs[0])
    learn_g2f9 in shared claude 2026-01-02T00:00:00.001Z "Ada sells tea." {} {"source_id":"conversations_memory","time":"assumed"} ([1].conversations_memory)
    learn_qv0s in shared claude 2026-01-02T00:00:00.002Z "Ships to Japan." {} {"source_id":"project_memories.p-1","time":"assumed"} ([1].project_memories.p-1)
      - [2]: accounts
      ! [3]: it is no conversation, project or memory of Claude.ai
    "#);
}

#[test]
fn memories_of_mem0_keep_what_they_are_about() {
    let text = json!({ "results": [
        { "id": "1", "memory": "Likes tea", "hash": "h", "user_id": "ada", "categories": ["food drink"],
          "metadata": { "room": "kitchen" }, "created_at": "2026-01-10T10:00:00-08:00", "updated_at": null },
        { "id": "2", "memory": "Answers briefly", "agent_id": "helper" },
        { "id": "3" },
    ], "relations": [{ "source": "ada", "relationship": "lives_in", "target": "kyoto" }] })
    .to_string();
    assert_eq!(recognise(text.as_bytes()).unwrap().program, Program::Mem0);
    insta::assert_snapshot!(told(&pieces(Program::Mem0, "mem0.json", &text)), @r#"
    fact_ndzrn in shared ada 2026-01-10T10:00:00-08:00 "Likes tea" {} {"hash":"h","room":"kitchen","source_id":"1","user_id":"ada"} (results[0])
    fact_w33gr in agent/helper helper 2026-01-10T18:00:00.001Z "Answers briefly" {} {"agent_id":"helper","source_id":"2","time":"assumed"} (results[1])
      ! results[2]: it has no `memory` with words
    fact_7apv8 in shared ada 2026-01-10T18:00:00.002Z "ada lives in kyoto" {} {"from":"ada","relation_type":"lives_in","time":"assumed","to":"kyoto"} (relations[0])
    "#);
    let list = json!([{ "id": "1", "memory": "Likes tea", "user_id": "ada" }]).to_string();
    assert_eq!(recognise(list.as_bytes()).unwrap().program, Program::Mem0);
    let one = ids_of(&pieces(Program::Mem0, "list.json", &list));
    assert_eq!(one, ids_of(&pieces(Program::Mem0, "mem0.json", &text))[..1]);
}

#[test]
fn a_graph_of_the_reference_server_has_our_tags_and_links() {
    let text = lines(&[
        json!({ "type": "entity", "name": "Ada", "entityType": "person", "observations": ["sells tea", { "odd": 1 }] }),
        json!({ "type": "relation", "from": "Ada", "to": "Kyoto", "relationType": "lives in" }),
        json!({ "type": "note" }),
        json!({ "type": "entity", "entityType": "x" }),
    ]);
    assert_eq!(
        recognise(text.as_bytes()).unwrap().program,
        Program::McpMemory
    );
    let found = pieces(Program::McpMemory, "memory.jsonl", &text);
    insta::assert_snapshot!(told(&found), @r#"
    fact_kge32 in shared ada 2026-02-01T00:00:00Z "Ada (person)" {} {"entity":"Ada","entity_type":"person","time":"assumed"} (line 1)
    fact_7ajhq in shared ada 2026-02-01T00:00:00.001Z "Ada: sells tea" {} {"entity":"Ada","time":"assumed"} (line 1.observations[0])
    fact_6bfcn in shared ada 2026-02-01T00:00:00.002Z "Ada: {\"odd\":1}" {} {"entity":"Ada","time":"assumed"} (line 1.observations[1])
    fact_3dc9r in shared ada 2026-02-01T00:00:00.003Z "Ada lives in Kyoto" {} {"from":"Ada","relation_type":"lives in","time":"assumed","to":"Kyoto"} (line 2)
      ! line 3: it is no entity and no relation
      ! line 4: it has no `name`
    "#);
    let Piece::Memory { draft, .. } = &found[3] else {
        panic!("{found:?}");
    };
    assert_eq!(draft.tags[0].as_str(), "graph.relation");
    assert_eq!(draft.links[0].to.as_str(), ids_of(&found)[0]);
}

#[test]
fn our_own_exports_belong_to_nobody_else() {
    for own in [
        "{\"id\":\"a\",\"text\":\"x\",\"kind\":\"fact\"}\n",
        "{\"memories\":[{\"text\":\"x\"}],\"sessions\":[]}",
        "[{\"text\":\"x\"}]",
        "{\"op\":\"log\",\"space\":\"shared\"}\n{\"text\":\"x\"}",
        "memories:\n- text: x\n",
        "<!-- mnemon {\"op\":\"session\"} -->\nUser: x\nAssistant: y\n",
        "{\"role\":\"user\",\"content\":\"x\"}\n",
        "",
        "plain words",
    ] {
        assert_eq!(recognise(own.as_bytes()), None, "{own}");
    }
}
