//! Conversations in Markdown, logs of BMAD, folders of sessions.

use super::*;

#[test]
fn a_conversation_in_markdown_is_read_with_its_preface() {
    let text = "# Tea\n\nSaved from somewhere.\n\n**User:** How long?\n\n```\nUser: not me\n```\n\n---\n\n\
        **Assistant:** Three minutes.\n\n## Human (2026-01-10 10:00)\n\nThanks\n\n## Claude\n\n\n\
        **User:** How long?\n";
    assert_eq!(recognise(text.as_bytes()).unwrap().program, Program::Chat);
    insta::assert_snapshot!(told(&pieces(Program::Chat, "notes/Tea time.md", text)), @r##"
    = chat-tea-time-htavnfe3 - - {"file":"notes/Tea time.md","source":"chat","title":"Tea"}
    turn_ap5j8 unknown 2026-02-01T00:00:00Z "# Tea\n\nSaved from somewhere." {"role":"preface"} {"time":"assumed"} (line 1)
    turn_66w6h ada 2026-02-01T00:00:00.001Z "How long?\n\n```\nUser: not me\n```" {"role":"user"} {"time":"assumed"} (line 5)
    turn_45ry1 <turn_66w6h assistant 2026-02-01T00:00:00.002Z "Three minutes." {"role":"assistant"} {"time":"assumed"} (line 13)
    turn_bm59y <turn_45ry1 ada 2026-01-10T10:00:00Z "Thanks" {"role":"user"} {} (line 15)
      - line 19: messages without words
    turn_b1nhb <turn_bm59y ada 2026-01-10T10:00:00.001Z "How long?" {"role":"user"} {"time":"assumed"} (line 22)
    "##);
    let grown = format!("{text}\nAssistant: As I said.\n");
    let before = ids_of(&pieces(Program::Chat, "Tea time.md", text));
    let after = ids_of(&pieces(Program::Chat, "Tea time.md", &grown));
    assert_eq!(after[..before.len()], before);
    assert_eq!(after.len(), before.len() + 1);
}

const LOG: &str = "# Conversation History\n**Session:** session-1\n**Started:** 2026-01-11 14:30:00 UTC\n\n---\n\n\
    ## Turn 1 - 2026-01-11 14:30:00\n**Speaker:** user\n**Type:** message\n\nI prefer short answers. Review the login.\n\n---\n\n\
    ## Turn 2 - 2026-01-11 14:30:05\n**Speaker:** veritas\n**Type:** message\n**Memory-Refs:** [FIND-001]\n\n\
    1. **CRITICAL:** No second factor [FIND-001]\n\nDecision: Use OAuth 2.0 with tokens\n\n---\n\n<!-- goes on -->\n";

#[test]
fn a_log_of_bmad_keeps_its_turns_and_what_they_say() {
    assert_eq!(recognise(LOG.as_bytes()).unwrap().program, Program::Bmad);
    insta::assert_snapshot!(told(&pieces(Program::Bmad, "log.md", LOG)), @r#"
    = session-1 - 2026-01-11T14:30:00Z {"source":"bmad"}
    turn_3475h ada 2026-01-11T14:30:00Z "I prefer short answers. Review the login." {"role":"user","speaker":"user","type":"message"} {} (line 7)
    turn_56r2h <turn_3475h veritas 2026-01-11T14:30:05Z "1. **CRITICAL:** No second factor [FIND-001]\n\nDecision: Use OAuth 2.0 with tokens" {"memory_refs":["FIND-001"],"role":"assistant","speaker":"veritas","type":"message"} {} (line 15)
    "#);
    let mut found = Vec::new();
    let about = About {
        extract: true,
        ..about("log.md")
    };
    read(Program::Bmad, &mut LOG.as_bytes(), &about, &mut |piece| {
        found.push(piece);
        Ok(())
    })
    .unwrap();
    insta::assert_snapshot!(told(&found), @r#"
    = session-1 - 2026-01-11T14:30:00Z {"source":"bmad"}
    turn_3475h ada 2026-01-11T14:30:00Z "I prefer short answers. Review the login." {"role":"user","speaker":"user","type":"message"} {} (line 7)
    pref_130w3 @turn_3475h ada 2026-01-11T14:30:00Z "I prefer short answers." {"confidence":"inferred"} {"extracted":{"named":null,"rule":"the user's sentence begins as a wish does","sureness":"inferred"}} (line 7)
    turn_56r2h <turn_3475h veritas 2026-01-11T14:30:05Z "1. **CRITICAL:** No second factor [FIND-001]\n\nDecision: Use OAuth 2.0 with tokens" {"memory_refs":["FIND-001"],"role":"assistant","speaker":"veritas","type":"message"} {} (line 15)
    find_ctezy @turn_56r2h veritas 2026-01-11T14:30:05Z "No second factor" {"severity":"critical"} {"extracted":{"named":"FIND-001","rule":"the line says so: a label before a colon","sureness":"explicit"}} (line 15)
    dec_9pembs @turn_56r2h veritas 2026-01-11T14:30:05Z "Use OAuth 2.0 with tokens" {"confidence":"explicit"} {"extracted":{"named":null,"rule":"the line says so: a label before a colon","sureness":"explicit"}} (line 15)
    "#);
}

fn tree(folder: &str, files: &[(&str, &str)]) -> Vec<Piece> {
    let files: Vec<TreeFile> = files
        .iter()
        .map(|(path, text)| TreeFile {
            path: (*path).to_owned(),
            bytes: text.as_bytes().to_vec(),
        })
        .collect();
    assert!(is_tree(files.iter().map(|file| file.path.as_str())));
    let mut found = Vec::new();
    let about = About {
        extract: true,
        ..about(folder)
    };
    read_tree(folder, &files, &about, &mut |piece| {
        found.push(piece);
        Ok(())
    })
    .unwrap();
    found
}

#[test]
fn a_folder_of_bmad_is_read_as_a_whole() {
    let found = tree(
        "session-1",
        &[
            (
                "metadata.yaml",
                "session:\n  id: \"session-1\"\n  created_at: \"2026-01-11T14:30:00Z\"\n  status: active\n  \
            participants:\n    user_id: ada\n    agents:\n      - agent_id: veritas\n        message_count: 2\n  \
            context:\n    project_name: Shop\n    project_phase: requirements\n    tags: [oauth]\n",
            ),
            ("conversation.md", LOG),
            (
                "decisions.yaml",
                "decisions:\n  - id: \"DEC-001\"\n    timestamp: \"2026-01-11T14:30:05Z\"\n    turn_ref: 2\n    \
            made_by: veritas\n    decision: Use OAuth\n    rationale: standard\n    confidence: high\n",
            ),
            (
                "findings.yaml",
                "findings:\n  - id: \"FIND-001\"\n    timestamp: \"2026-01-11T14:30:05Z\"\n    turn_ref: 2\n    \
            finding: No second factor\n    severity: critical\n  - severity: minor\n",
            ),
            (
                "agent-states/veritas.yaml",
                "agent_state:\n  agent_id: veritas\n  last_updated: \"2026-01-11T16:45:00Z\"\n  \
            current_context:\n    current_task: verify\n",
            ),
            ("artifacts/plan.md", "# Plan\n"),
            ("indexes/topics.yaml", "topic_index: {}\n"),
            ("notes.bin", "?"),
        ],
    );
    insta::assert_snapshot!(told(&found), @r##"
    = session-1 Shop 2026-01-11T14:30:00Z {"source":"bmad","status":"active"}
    turn_3475h ada 2026-01-11T14:30:00Z "I prefer short answers. Review the login." {"role":"user","speaker":"user","type":"message"} {} (line 7)
    turn_56r2h <turn_3475h veritas 2026-01-11T14:30:05Z "1. **CRITICAL:** No second factor [FIND-001]\n\nDecision: Use OAuth 2.0 with tokens" {"memory_refs":["FIND-001"],"role":"assistant","speaker":"veritas","type":"message"} {} (line 15)
    dec_94tq29 @turn_56r2h veritas 2026-01-11T14:30:05Z "Use OAuth" {"confidence":"high","made_by":"veritas","rationale":"standard"} {"source_id":"DEC-001"} (decisions.yaml decisions[0])
    find_0kp8v @turn_56r2h ada 2026-01-11T14:30:05Z "No second factor" {"severity":"critical"} {"source_id":"FIND-001"} (findings.yaml findings[0])
      ! findings.yaml findings[1]: text must be there: a memory without it has nothing to say
    mem_wjnwb6 veritas 2026-01-11T16:45:00Z "State of veritas: verify" {"current_context":{"current_task":"verify"}} {"source_id":"agent-states/veritas.yaml-smkww7mz"} (agent-states/veritas.yaml)
    art_265j7x bmad 2026-01-11T16:45:00.001Z "# Plan\n" {"path":"artifacts/plan.md","title":"plan.md"} {"time":"assumed"} (artifacts/plan.md)
      - indexes/topics.yaml: files that are made of others
      ! notes.bin: nothing is known of a file of that name here
    "##);
}

#[test]
fn a_folder_of_files_by_kind_is_read_with_its_references() {
    let found = tree(
        "sess-9",
        &[
            (
                "manifest.json",
                r#"{"session_id":"sess-9","created_at":"2026-01-11T10:00:00Z","user_id":"ada",
            "agent_ids":["architect"],"metadata":{"project_name":"pay","session_type":"review","tags":["db"]}}"#,
            ),
            (
                "conversation.jsonl",
                r#"{"id":"msg-001","timestamp":"2026-01-11T10:05:23Z","agent_id":"architect","role":"assistant","content":"Use PostgreSQL.","context":{"topic":"db"},"metadata":{"tokens":15,"references":["dec-001"]}}"#,
            ),
            (
                "decisions.jsonl",
                r#"{"id":"dec-001","timestamp":"2026-01-11T10:10:00Z","made_by":"architect","decision":"Use PostgreSQL","rationale":"ACID","references":{"conversations":["msg-001"]}}
            {"id":"dec-002"}"#,
            ),
            ("index.json", "{}"),
        ],
    );
    insta::assert_snapshot!(told(&found), @r#"
    = sess-9 pay 2026-01-11T10:00:00Z {"session_type":"review","source":"bmad"}
    turn_kq200 architect 2026-01-11T10:05:23Z "Use PostgreSQL." {"role":"assistant","topic":"db"} {"source_id":"msg-001","tokens":15} (conversation.jsonl line 1)
    dec_t7hb3g architect 2026-01-11T10:10:00Z "Use PostgreSQL" {"made_by":"architect","rationale":"ACID"} {"source_id":"dec-001"} (decisions.jsonl line 1)
      ! decisions.jsonl line 2: text must be there: a memory without it has nothing to say
      - index.json: files that are made of others
    "#);
}

#[test]
fn a_folder_with_one_log_and_what_holds_everywhere_are_read() {
    let found = tree(
        "sess_1",
        &[
            (
                "memory.jsonl",
                "{\"id\":\"mem_1\",\"session_id\":\"sess_1\",\"timestamp\":\"2026-01-10T10:00:00Z\",\"type\":\"conversation\",\
            \"content\":{\"role\":\"user\",\"message\":\"Hello\"},\"importance\":0.5,\"references\":[]}\r\n\
            {\"id\":\"mem_2\",\"type\":\"decision\",\"content\":{\"decision\":\"Go\"},\"references\":[\"mem_1\"]}\nnonsense\n",
            ),
            (
                "metadata.json",
                "{\"session_id\":\"sess_1\",\"user_id\":\"ada\",\"created_at\":\"2026-01-10T09:00:00Z\"}",
            ),
            ("tombstones.jsonl", "{}"),
            ("lock", ""),
        ],
    );
    insta::assert_snapshot!(told(&found), @r#"
    = sess_1 - 2026-01-10T09:00:00Z {"source":"bmad"}
    mem_9pj7h1 ada 2026-01-10T10:00:00Z "Hello" {"role":"user"} {"source_id":"mem_1"} (memory.jsonl line 1)
    mem_89kpkj ada 2026-01-10T10:00:00.001Z "Go" {} {"source_id":"mem_2","time":"assumed"} (memory.jsonl line 2)
      ! memory.jsonl line 3: it is not JSON: expected ident, column 2
      - tombstones.jsonl: lists of what was deleted
      - lock: files that are made of others
    "#);
    let found = tree(
        "global",
        &[
            (
                "user-profile.yaml",
                "profile:\n  language: en\n  tools: [vim, tmux]\n",
            ),
            (
                "learned-patterns.yaml",
                "patterns:\n  - pattern: x\n    learning: Reviews need time\n",
            ),
        ],
    );
    insta::assert_snapshot!(told(&found), @r#"
    pref_0wst2 in shared ada 2026-02-01T00:00:00Z "profile.language: en" {"key":"profile.language","value":"en"} {"time":"assumed"} (user-profile.yaml profile.language)
    pref_r7v40 in shared ada 2026-02-01T00:00:00.001Z "vim" {} {"time":"assumed"} (user-profile.yaml profile.tools[0])
    pref_rjqdr in shared ada 2026-02-01T00:00:00.002Z "tmux" {} {"time":"assumed"} (user-profile.yaml profile.tools[1])
    learn_tnhj in shared ada 2026-02-01T00:00:00.003Z "Reviews need time" {"pattern":"x"} {"time":"assumed"} (learned-patterns.yaml patterns[0])
    "#);
}
