//! Clients on the command line: Claude Code, Codex, Gemini.
#![expect(clippy::needless_pass_by_value, reason = "`json!` makes values")]

use super::*;

fn claude(kind: &str, uuid: &str, second: u32, content: Value) -> Value {
    json!({
        "type": kind, "uuid": uuid, "parentUuid": null, "sessionId": "7f3a", "cwd": "/work/shop",
        "version": "2.1.38", "gitBranch": "main", "isSidechain": false,
        "timestamp": format!("2026-01-10T10:00:{second:02}.000Z"),
        "message": { "role": kind, "content": content },
    })
}

fn with(mut line: Value, name: &str, value: Value) -> Value {
    line[name] = value;
    line
}

fn transcript() -> Vec<Value> {
    vec![
        json!({ "type": "file-history-snapshot", "messageId": "m", "snapshot": {} }),
        json!({ "type": "summary", "summary": "The cart", "leafUuid": "a-9" }),
        claude("user", "u-1", 0, json!("Fix the <total> please")),
        with(
            claude(
                "assistant",
                "a-1",
                1,
                json!([{ "type": "thinking", "thinking": "hm" }]),
            ),
            "parentUuid",
            json!("u-1"),
        ),
        with(
            claude(
                "assistant",
                "a-2",
                2,
                json!([
                    { "type": "text", "text": "I look." },
                    { "type": "tool_use", "id": "t-1", "name": "Bash", "input": { "command": "cargo  test" } },
                    { "type": "tool_use", "id": "t-2", "name": "Read", "input": { "file_path": "a.rs" } },
                ]),
            ),
            "parentUuid",
            json!("a-1"),
        ),
        claude(
            "user",
            "u-2",
            3,
            json!([
                { "type": "tool_result", "tool_use_id": "t-1", "content": "1 failed", "is_error": true },
            ]),
        ),
        claude(
            "user",
            "u-3",
            4,
            json!("<command-name>/clear</command-name>"),
        ),
        with(
            claude("user", "u-4", 5, json!("caveat")),
            "isMeta",
            json!(true),
        ),
        json!({ "type": "system", "subtype": "compact_boundary", "uuid": "s", "sessionId": "7f3a" }),
        with(
            claude("user", "u-5", 6, json!("So far: …")),
            "isCompactSummary",
            json!(true),
        ),
        with(
            with(
                claude("user", "u-6", 7, json!("Look for it")),
                "isSidechain",
                json!(true),
            ),
            "agentId",
            json!("a2271d1"),
        ),
        with(
            claude("assistant", "a-3", 8, json!("Found it")),
            "isSidechain",
            json!(true),
        ),
        json!({ "type": "user", "sessionId": "7f3a", "message": { "content": "no name" } }),
        json!([7]),
    ]
}

#[test]
fn a_transcript_of_claude_code_keeps_turns_tools_and_summaries() {
    let text = lines(&transcript()) + "{\"type\":\"us";
    assert_eq!(
        recognise(text.as_bytes()).unwrap().program,
        Program::ClaudeCode
    );
    insta::assert_snapshot!(told(&pieces(Program::ClaudeCode, "7f3a.jsonl", &text)), @r#"
      - line 1: records of the client (file-history-snapshot)
      - line 2: titles
    = claude-7f3a /work/shop 2026-01-10T10:00:00Z {"branch":"main","source":"claude-code","title":"The cart","version":"2.1.38"}
    turn_u-1 ada 2026-01-10T10:00:00Z "Fix the <total> please" {"role":"user"} {} (line 3)
      - line 4: thoughts of the model
    turn_a-2 <turn_u-1 claude-code 2026-01-10T10:00:02Z "I look." {"role":"assistant"} {} (line 5)
      - line 6: results of tools, kept with their use
    event_pmwt @turn_a-2 claude-code 2026-01-10T10:00:02Z "Bash: cargo test" {"outcome":"error","type":"tool_use"} {"input":{"command":"cargo  test"},"result":"1 failed","tool":"Bash"} (line 5)
    event_xp6x @turn_a-2 claude-code 2026-01-10T10:00:02Z "Read: a.rs" {"type":"tool_use"} {"input":{"file_path":"a.rs"},"tool":"Read"} (line 5)
      - line 7: texts that the client put in itself
      - line 8: texts that the client put in itself
      - line 9: records of the client (system)
    turn_u-5 claude-code 2026-01-10T10:00:06Z "So far: …" {"role":"system","type":"summary"} {} (line 10)
    turn_u-6 claude-code 2026-01-10T10:00:07Z "Look for it" {"role":"user"} {"sidechain":true,"subagent":"a2271d1"} (line 11)
    turn_a-3 claude-code-subagent 2026-01-10T10:00:08Z "Found it" {"role":"assistant"} {"sidechain":true} (line 12)
      ! line 13: it has no uuid that could name it
      ! line 14: it is no record with a type
      ! line 15: it is not JSON: EOF while parsing a string, column 11
    "#);
}

#[test]
fn a_transcript_that_grew_has_the_same_ids_before_the_new_ones() {
    let mut grown = transcript();
    let before = ids_of(&pieces(Program::ClaudeCode, "x.jsonl", &lines(&grown)));
    grown.push(claude("user", "u-7", 9, json!("Thanks")));
    let after = ids_of(&pieces(
        Program::ClaudeCode,
        "elsewhere/x.jsonl",
        &lines(&grown),
    ));
    let new: Vec<_> = after.iter().filter(|id| !before.contains(id)).collect();
    assert_eq!(new, ["turn_u-7"]);
    assert!(before.iter().all(|id| after.contains(id)));
}

#[test]
fn the_hook_keeps_what_an_import_keeps() {
    let found = pieces(Program::ClaudeCode, "x.jsonl", &lines(&transcript()));
    for line in transcript() {
        let Some(kept) = claude_code::turn(line.to_string().as_bytes(), "ada") else {
            continue;
        };
        let same = found.iter().find_map(|piece| match piece {
            Piece::Memory { draft, .. } if draft.id == kept.id => Some(draft),
            _ => None,
        });
        let same = same.unwrap();
        assert_eq!((&same.text, &same.author), (&kept.text, &kept.author));
        assert_eq!(same.created_at, kept.created_at);
    }
}

#[test]
fn a_rollout_of_codex_is_read_in_both_forms() {
    let line = |second: u32, kind: &str, payload: Value| json!({ "timestamp": format!("2026-01-10T10:00:{second:02}.000Z"), "type": kind, "payload": payload });
    let said = |role: &str, kind: &str, text: &str| json!({ "type": "message", "role": role, "content": [{ "type": kind, "text": text }] });
    let new = lines(&[
        line(
            0,
            "session_meta",
            json!({ "id": "019a", "timestamp": "2026-01-10T10:00:00Z",
            "cwd": "/work", "cli_version": "0.46.0", "git": { "branch": "main" } }),
        ),
        line(
            1,
            "response_item",
            said("user", "input_text", "<environment_context>…"),
        ),
        line(1, "response_item", said("developer", "input_text", "rules")),
        line(
            2,
            "response_item",
            said("user", "input_text", "What is 2+2?"),
        ),
        line(
            2,
            "event_msg",
            json!({ "type": "user_message", "message": "What is 2+2?" }),
        ),
        line(3, "turn_context", json!({ "model": "gpt-5-codex" })),
        line(
            4,
            "response_item",
            json!({ "type": "reasoning", "summary": [] }),
        ),
        line(
            5,
            "response_item",
            json!({ "type": "function_call", "name": "shell",
            "arguments": "{\"command\":[\"bc\",\"-e\",\"2+2\"]}", "call_id": "c-1" }),
        ),
        line(
            6,
            "response_item",
            json!({ "type": "function_call_output", "call_id": "c-1", "output": "4" }),
        ),
        line(7, "response_item", said("assistant", "output_text", "4")),
        line(8, "compacted", json!({ "message": "They added." })),
        line(9, "event_msg", json!({ "type": "token_count" })),
        json!({ "nothing": 1 }),
    ]);
    assert_eq!(recognise(new.as_bytes()).unwrap().program, Program::Codex);
    insta::assert_snapshot!(told(&pieces(Program::Codex, "rollout-x.jsonl", &new)), @r#"
    = codex-019a /work 2026-01-10T10:00:00Z {"branch":"main","source":"codex","version":"0.46.0"}
      - line 1: records of the client (session_meta)
      - line 2: texts that the client put in itself
      - line 3: texts that the client put in itself
    turn_kdn0a ada 2026-01-10T10:00:02Z "What is 2+2?" {"role":"user"} {} (line 4)
      - line 5: events that repeat a message
      - line 6: records of the client (turn_context)
      - line 7: thoughts of the model
    event_7zcb @turn_kdn0a codex 2026-01-10T10:00:05Z "shell: bc -e 2+2" {"type":"tool_use"} {"input":{"command":["bc","-e","2+2"]},"result":"4","tool":"shell"} (line 8)
      - line 9: results of tools, kept with their use
    turn_5xw54 <turn_kdn0a codex 2026-01-10T10:00:07Z "4" {"role":"assistant"} {"model":"gpt-5-codex"} (line 10)
    turn_5vx8j codex 2026-01-10T10:00:08Z "They added." {"role":"system","type":"summary"} {} (line 11)
      - line 12: records of the client (token_count)
      ! line 13: it is no record of Codex
    "#);
    let old = lines(&[
        json!({ "id": "5973", "timestamp": "2025-07-01T10:00:00Z", "instructions": null }),
        json!({ "record_type": "state" }),
        said("user", "input_text", "Hello"),
        said("user", "input_text", "Hello"),
        said("assistant", "output_text", "Hi"),
    ]);
    assert_eq!(recognise(old.as_bytes()).unwrap().program, Program::Codex);
    insta::assert_snapshot!(told(&pieces(Program::Codex, "rollout-y.jsonl", &old)), @r#"
    = codex-5973 - 2025-07-01T10:00:00Z {"source":"codex"}
      - line 1: records of the client (session_meta)
      - line 2: records of the client (state)
    turn_hh3da ada 2026-02-01T00:00:00Z "Hello" {"role":"user"} {"time":"assumed"} (line 3)
    turn_nswvr <turn_hh3da ada 2026-02-01T00:00:00.001Z "Hello" {"role":"user"} {"time":"assumed"} (line 4)
    turn_6na5n <turn_nswvr codex 2026-02-01T00:00:00.002Z "Hi" {"role":"assistant"} {"time":"assumed"} (line 5)
    "#);
}

#[test]
fn a_chat_of_gemini_is_read_in_all_its_forms() {
    let user = json!({ "id": "m-1", "timestamp": "2026-01-10T10:00:00Z", "type": "user", "content": "Fix it" });
    let answer = json!({ "id": "m-2", "timestamp": "2026-01-10T10:00:05Z", "type": "gemini",
        "content": [{ "text": "Done." }], "model": "gemini-3", "toolCalls": [
            { "id": "t-1", "name": "replace", "args": { "file_path": "a.c" }, "status": "success",
              "resultDisplay": "ok", "timestamp": "2026-01-10T10:00:04Z" } ] });
    let info = json!({ "id": "m-3", "timestamp": "2026-01-10T10:00:06Z", "type": "info", "content": "Updated" });
    let whole =
        json!({ "sessionId": "08c1", "projectHash": "79b1", "startTime": "2026-01-10T10:00:00Z",
        "lastUpdated": "2026-01-10T10:00:09Z", "messages": [user, answer, info] })
        .to_string();
    assert_eq!(
        recognise(whole.as_bytes()).unwrap().program,
        Program::Gemini
    );
    let of_whole = pieces(Program::Gemini, "session-1.json", &whole);
    insta::assert_snapshot!(told(&of_whole), @r#"
    = gemini-08c1 - 2026-01-10T10:00:00Z {"project_hash":"79b1","source":"gemini"}
    turn_jhmq4 ada 2026-01-10T10:00:00Z "Fix it" {"role":"user"} {} (messages[0])
    turn_02zta <turn_jhmq4 gemini-cli 2026-01-10T10:00:05Z "Done." {"role":"assistant"} {"model":"gemini-3"} (messages[1])
    event_chh4 @turn_02zta gemini-cli 2026-01-10T10:00:04Z "replace: a.c" {"type":"tool_use"} {"input":{"file_path":"a.c"},"result":"ok","tool":"replace"} (messages[1].toolCalls[0])
      - messages[2]: notices of the client (info)
    "#);
    let as_lines = lines(&[
        json!({ "sessionId": "08c1", "projectHash": "79b1", "startTime": "2026-01-10T10:00:00Z" }),
        user.clone(),
        json!({ "id": "m-2", "type": "gemini", "content": "" }),
        answer,
        json!({ "$set": { "summary": "Fixing" } }),
        json!({ "$rewindTo": "m-1" }),
        info,
    ]);
    assert_eq!(
        recognise(as_lines.as_bytes()).unwrap().program,
        Program::Gemini
    );
    let of_lines = pieces(Program::Gemini, "session-1.jsonl", &as_lines);
    assert_eq!(ids_of(&of_lines), ids_of(&of_whole));
    let log = json!([
        { "sessionId": "08c1", "messageId": 0, "type": "user", "message": "Fix it", "timestamp": "2026-01-10T10:00:00Z" },
        { "sessionId": "99", "messageId": 0, "type": "user", "message": "More", "timestamp": "2026-01-11T10:00:00Z" },
    ])
    .to_string();
    assert_eq!(recognise(log.as_bytes()).unwrap().program, Program::Gemini);
    insta::assert_snapshot!(told(&pieces(Program::Gemini, "logs.json", &log)), @r#"
    = gemini-08c1 - 2026-01-10T10:00:00Z {"source":"gemini"}
    turn_4e4s7 ada 2026-01-10T10:00:00Z "Fix it" {"role":"user"} {} ([0])
    = gemini-99 - 2026-01-11T10:00:00Z {"source":"gemini"}
    turn_zqwk7 ada 2026-01-11T10:00:00Z "More" {"role":"user"} {} ([1])
    "#);
    let checkpoint = json!([
        { "role": "user", "parts": [{ "text": "Hello" }] },
        { "role": "model", "parts": [{ "text": "hm", "thought": true }, { "text": "Hi" }] },
    ])
    .to_string();
    assert_eq!(
        recognise(checkpoint.as_bytes()).unwrap().program,
        Program::Gemini
    );
    insta::assert_snapshot!(told(&pieces(Program::Gemini, "checkpoint-tea.json", &checkpoint)), @r#"
    = gemini-checkpoint-tea - - {"source":"gemini"}
    turn_1ej6e ada 2026-02-01T00:00:00Z "Hello" {"role":"user"} {"time":"assumed"} ([0])
    turn_kq2xw <turn_1ej6e gemini-cli 2026-02-01T00:00:00.001Z "Hi" {"role":"assistant"} {"time":"assumed"} ([1])
    "#);
}

#[test]
fn what_hooks_put_into_a_chat_of_gemini_was_said_by_nobody() {
    let context = "<hook_context>From memory: &lt;b&gt;</hook_context>";
    let user = |id: &str, content: Value| json!({ "id": id, "type": "user", "content": content });
    let chat = json!({ "sessionId": "08c1", "startTime": "2026-01-10T10:00:00Z", "messages": [
        user("m-1", json!(context)),
        user("m-2", json!(format!("{context}\n\nFix it"))),
        user("m-3", json!([{ "text": "Go on" }, { "text": context }])),
        user("m-4", json!("What is </hook_context>?")),
        { "id": "m-5", "type": "gemini", "content": context },
    ] });
    let found = pieces(Program::Gemini, "session-1.json", &chat.to_string());
    let texts = found.iter().filter_map(|piece| match piece {
        Piece::Memory { draft, .. } => Some(draft.text.as_str()),
        _ => None,
    });
    assert_eq!(
        texts.collect::<Vec<_>>(),
        ["Fix it", "Go on", "What is </hook_context>?", context]
    );
}
