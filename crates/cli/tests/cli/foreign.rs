//! Taking in what other programs kept: once, all of it, and again next week.

use std::io::Write as _;

use serde_json::{Value, json};
use zip::write::SimpleFileOptions;

use crate::sandbox::{Sandbox, redact};

fn said(kind: &str, uuid: &str, second: usize, text: &str) -> Value {
    json!({
        "type": kind, "uuid": uuid, "sessionId": "7f3a", "cwd": "/work/shop",
        "timestamp": format!("2026-01-10T{:02}:{:02}:{:02}Z", second / 3600, second / 60 % 60, second % 60),
        "message": { "role": kind, "content": text },
    })
}

fn lines(values: &[Value]) -> String {
    let lines: Vec<String> = values.iter().map(Value::to_string).collect();
    lines.join("\n") + "\n"
}

fn conversation() -> Vec<Value> {
    vec![
        json!({ "type": "summary", "summary": "The cart", "leafUuid": "a-2" }),
        said("user", "u-1", 0, "The total of the cart is wrong"),
        said("assistant", "a-1", 1, "It adds the tax twice."),
        said("user", "u-2", 2, "Fix it"),
    ]
}

fn projects(sandbox: &Sandbox, values: &[Value]) {
    let folder = sandbox.path().join("projects/-work-shop");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("7f3a.jsonl"), lines(values)).unwrap();
    std::fs::write(
        folder.join("sessions-index.json"),
        "{\"version\":1,\"entries\":[]}",
    )
    .unwrap();
}

fn chatgpt(text: &str) -> String {
    json!([{
        "title": "Tea", "create_time": 1_700_000_000.0, "conversation_id": "c-1", "current_node": "a",
        "mapping": {
            "root": { "message": null, "parent": null, "children": ["q"] },
            "q": { "parent": "root", "children": ["a"], "message": { "author": { "role": "user" },
                "create_time": 1_700_000_001.0, "content": { "content_type": "text", "parts": ["How long does tea take?"] } } },
            "a": { "parent": "q", "children": [], "message": { "author": { "role": "assistant" },
                "create_time": 1_700_000_002.0, "content": { "content_type": "text", "parts": [text] } } },
        },
    }])
    .to_string()
}

fn archive(sandbox: &Sandbox, name: &str, files: &[(&str, &[u8])]) {
    let file = std::fs::File::create(sandbox.path().join(name)).unwrap();
    let mut writer = zip::ZipWriter::new(file);
    for (path, bytes) in files {
        writer
            .start_file(*path, SimpleFileOptions::default())
            .unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap();
}

#[test]
fn a_folder_of_transcripts_is_taken_once_and_then_only_what_is_new() {
    let sandbox = Sandbox::empty();
    sandbox.json(&["init"]);
    let mut values = conversation();
    projects(&sandbox, &values);
    let dry = sandbox.json(&["import", "projects", "--dry-run"]);
    let first = sandbox.run(&["import", "projects"]);
    insta::assert_snapshot!(redact(&first.stdout, &sandbox), @r#"
    Read 4 pieces in 1 file of claude-code.
    Imported 3 memories, made 1 session.
    Left out 1:
           1 titles
    Not recognised, and left alone: 1 (-work-shop/sessions-index.json).
    "#);
    insta::assert_snapshot!(first.stderr, @r#"-work-shop/7f3a.jsonl is a transcript of Claude Code: its lines have a `sessionId` and a `uuid`."#);
    values.push(said(
        "assistant",
        "a-2",
        3,
        "Done: my key is ghp_0123456789abcdefghijABCDEFGHIJ012345",
    ));
    projects(&sandbox, &values);
    let grown = sandbox.json(&["import", "projects"]);
    assert_eq!(
        (&dry["imported"], &dry["dry_run"]),
        (&json!(3), &json!(true))
    );
    let told = |name: &str| grown[name].clone();
    assert_eq!(
        (told("read"), told("imported"), told("skipped")),
        (json!(5), json!(1), json!(3))
    );
    assert_eq!(grown["redacted"][0]["class"], "github_token");
    let listed = sandbox.json(&["list", "--session", "claude-7f3a", "--sort", "oldest"]);
    let texts: Vec<&str> = listed["memories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|memory| memory["text"].as_str().unwrap())
        .collect();
    assert_eq!(
        texts[..3],
        [
            "The total of the cart is wrong",
            "It adds the tax twice.",
            "Fix it"
        ]
    );
    insta::assert_snapshot!(sandbox.run(&["session", "list"]).human(&sandbox), @r#"
    session      state   title     memories     size  last activity
    claude-7f3a  active  The cart         4  2.4 KiB  now
    1 session
    "#);
}

#[test]
fn what_a_hook_kept_is_there_already() {
    let sandbox = Sandbox::empty();
    projects(&sandbox, &conversation());
    let path = sandbox.path().join("projects/-work-shop/7f3a.jsonl");
    let told = json!({ "session_id": "7f3a", "transcript_path": path, "cwd": "/work/shop" });
    let hooked = sandbox.run_with_input(&["hook", "stop"], told.to_string().as_bytes());
    assert_eq!((hooked.code, hooked.stderr.as_str()), (0, ""));
    let imported = sandbox.json(&["import", "projects"]);
    assert_eq!(
        (&imported["imported"], &imported["skipped"]),
        (&json!(0), &json!(3))
    );
}

#[test]
fn what_was_done_with_memories_here_is_left_alone_by_the_next_import() {
    let sandbox = Sandbox::empty();
    sandbox.json(&["init"]);
    projects(&sandbox, &conversation());
    sandbox.json(&["import", "projects"]);
    sandbox.json(&["forget", "turn_u-1", "--reason", "wrong"]);
    sandbox.json(&["erase", "turn_a-1", "--yes"]);
    let again = sandbox.json(&["import", "projects"]);
    assert_eq!(
        (&again["imported"], &again["skipped"]),
        (&json!(0), &json!(2))
    );
    assert_eq!(again["erased"], 1);
    sandbox.json(&["session", "archive", "claude-7f3a"]);
    let again = sandbox.json(&["import", "projects"]);
    assert_eq!(
        (&again["imported"], &again["skipped"]),
        (&json!(0), &json!(2))
    );
    let session = sandbox.json(&["session", "show", "claude-7f3a"]);
    assert_eq!(
        session["state"], "archived",
        "nobody opens it for what it has"
    );
    sandbox.json(&["session", "delete", "claude-7f3a", "--reason", "done"]);
    let mut more = conversation();
    more.push(said("user", "u-9", 9, "More"));
    projects(&sandbox, &more);
    let refused = sandbox.run(&["import", "projects", "--json"]);
    let report: Value = serde_json::from_str(&refused.stdout).unwrap();
    assert_eq!((refused.code, &report["error_count"]), (1, &json!(1)));
    insta::assert_snapshot!(report["errors"][0]["message"].as_str().unwrap(), @r#"there was a session claude-7f3a, which lies in the trash"#);
}

#[test]
fn an_answer_that_changed_there_stands_beside_the_older_one() {
    let sandbox = Sandbox::empty();
    sandbox.json(&["init"]);
    sandbox.file("conversations.json", chatgpt("Three minutes."));
    assert_eq!(
        sandbox.json(&["import", "conversations.json"])["imported"],
        2
    );
    sandbox.file("conversations.json", chatgpt("Four minutes."));
    for expected in [1, 0] {
        let report = sandbox.json(&["import", "conversations.json"]);
        assert_eq!(
            (&report["imported"], &report["changed"]),
            (&json!(expected), &json!(expected))
        );
    }
    let listed = sandbox.json(&["list", "--session", "chatgpt-c-1", "--contains", "Four"]);
    let link = &listed["memories"][0]["links"][0];
    assert_eq!(link["rel"], "supersedes");
    let older = sandbox.json(&["get", link["to"].as_str().unwrap()]);
    assert_eq!(older["text"], "Three minutes.");
}

#[test]
fn an_export_in_a_zip_file_is_read_where_it_lies() {
    let sandbox = Sandbox::empty();
    sandbox.json(&["init"]);
    let conversations = chatgpt("Three minutes.");
    archive(
        &sandbox,
        "export.zip",
        &[
            ("user.json", b"{\"id\":\"u\"}"),
            ("x/conversations.json", conversations.as_bytes()),
            ("chat.html", b"<html>"),
        ],
    );
    let ran = sandbox.run(&["import", "export.zip"]);
    insta::assert_snapshot!(ran.stdout, @r#"
    Read 2 pieces in 1 file of chatgpt.
    Imported 2 memories, made 1 session.
    Not recognised, and left alone: 2 (export.zip:user.json, export.zip:chat.html).
    "#);
    insta::assert_snapshot!(ran.stderr, @r#"export.zip:x/conversations.json is an export of ChatGPT: its conversations have a `mapping`."#);
    // The same conversations, as a file and on standard input.
    sandbox.file("c.json", &conversations);
    assert_eq!(sandbox.json(&["import", "c.json"])["skipped"], 2);
    let piped = sandbox.run_with_input(&["import", "-", "--json"], conversations.as_bytes());
    assert_eq!(piped.json()["skipped"], 2);
}

#[test]
fn a_bomb_is_not_unpacked_and_what_is_no_archive_is_told() {
    let sandbox = Sandbox::empty();
    sandbox.json(&["init"]);
    let mut bomb = b"[{\"mapping\":{},\"current_node\":\"x\",\"title\":\"".to_vec();
    bomb.resize(80 << 20, b'a');
    archive(&sandbox, "bomb.zip", &[("conversations.json", &bomb)]);
    let ran = sandbox.run(&["import", "bomb.zip"]);
    assert_eq!(ran.code, 1);
    let told = ran
        .stderr
        .lines()
        .find(|line| line.starts_with("not read"))
        .unwrap();
    insta::assert_snapshot!(told, @r#"not read: bomb.zip:conversations.json, the file: could not read the file: it unpacks to far more than such a file can hold"#);
    sandbox.file("broken.zip", b"PK\x03\x04 and no more");
    assert_eq!(sandbox.run(&["import", "broken.zip"]).code, 1);
    let nothing = sandbox.run(&["import", "projects-that-are-not-there"]);
    assert_eq!(nothing.code, 1);
}

#[test]
fn a_conversation_that_is_too_long_for_a_session_goes_on_in_the_next() {
    let sandbox = Sandbox::empty();
    sandbox.json(&["init"]);
    sandbox.file(
        ".mnemon/mnemon.toml",
        "[storage]\nsession_bytes_max = 3000000\n",
    );
    let long = "a word and another one ".repeat(4_000);
    let turns: Vec<Value> = (0..40)
        .map(|n| said("user", &format!("u-{n}"), n, &long))
        .collect();
    projects(&sandbox, &turns);
    let report = sandbox.json(&["import", "projects"]);
    assert_eq!(report["imported"], 40);
    assert!(
        report["sessions"]
            .as_array()
            .unwrap()
            .contains(&json!("claude-7f3a-2")),
        "{report}"
    );
    assert_eq!(sandbox.json(&["import", "projects"])["skipped"], 40);
    assert_eq!(sandbox.json(&["verify"])["ok"], true);
}

#[test]
fn an_import_that_is_killed_is_completed_by_the_next() {
    const TURNS: usize = 3000;
    let sandbox = Sandbox::empty();
    sandbox.json(&["init"]);
    let turns: Vec<Value> = (0..TURNS)
        .map(|n| said("user", &format!("u-{n}"), n, &format!("turn number {n}")))
        .collect();
    projects(&sandbox, &turns);
    sandbox.kill_import("projects");
    let rest = sandbox.json(&["import", "projects"]);
    let number = |name: &str| rest[name].as_u64().unwrap();
    assert_eq!(number("imported") + number("skipped"), TURNS as u64);
    assert!(number("skipped") >= 100, "{rest}");
    let listed = sandbox.json(&["list", "--all", "--limit", "1"]);
    assert_eq!(listed["total"], TURNS);
    assert_eq!(sandbox.json(&["verify"])["ok"], true);
}

#[test]
fn a_project_of_bmad_is_taken_over_with_what_was_decided() {
    let sandbox = Sandbox::empty();
    let session = sandbox.path().join(".bmad/sessions/active/session-1");
    std::fs::create_dir_all(&session).unwrap();
    let log = "# Conversation History\n**Session:** session-1\n\n\
        ## Turn 1 - 2026-01-11 14:30:00\n**Speaker:** user\n\nI prefer short answers.\n\n---\n\n\
        ## Turn 2 - 2026-01-11 14:30:05\n**Speaker:** veritas\n\n**CRITICAL:** No second factor\n\n\
        Decision: Use OAuth with tokens\n\n---\n";
    std::fs::write(session.join("conversation.md"), log).unwrap();
    std::fs::write(session.join("metadata.yaml"), "session:\n  id: session-1\n").unwrap();
    let ran = sandbox.run(&["migrate"]);
    insta::assert_snapshot!(ran.stdout, @r#"
    Read 5 pieces in 1 file of bmad.
    Imported 5 memories, made 1 session.
    "#);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let again = sandbox.json(&["migrate", "."]);
    assert_eq!(
        (&again["imported"], &again["skipped"]),
        (&json!(0), &json!(5))
    );
    let found = sandbox.json(&["get", "session-1/DEC-001"]);
    assert_eq!(found["text"], "Use OAuth with tokens");
    let turn = sandbox.json(&["get", "session-1/TURN-2"]);
    assert_eq!(found["turn"], turn["id"]);
    let rule = &found["metadata"]["extracted"]["rule"];
    assert_eq!(rule, "the line says so: a label before a colon");
    assert_eq!(
        std::fs::read_to_string(session.join("conversation.md")).unwrap(),
        log
    );
    let nowhere = Sandbox::empty().run(&["migrate"]);
    assert_eq!(nowhere.code, 2);
}

#[test]
fn a_store_below_the_folder_is_left_alone_and_prose_is_told() {
    let sandbox = Sandbox::empty();
    sandbox.json(&["init"]);
    sandbox.json(&["remember", "own", "--shared"]);
    projects(&sandbox, &conversation());
    let first = sandbox.json(&["import", "."]);
    assert_eq!(
        (&first["imported"], &first["error_count"]),
        (&json!(3), &json!(0))
    );
    assert_eq!(first["notes"].as_array().unwrap().len(), 1, "{first}");
    assert_eq!(sandbox.json(&["import", "."])["skipped"], 3);
    sandbox.file("notes.txt", "just words\n");
    let prose = sandbox.run(&["import", "notes.txt"]);
    insta::assert_snapshot!(prose.stderr, @r#"
    Nobody's file was recognised in it; --from PROGRAM says whose it is.
    error[E_INVALID_FORMAT]: line 1: this is not JSON: expected value, column 1 (given: just words)
    hint: Correct the input and try again.
    "#);
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let sandbox = Sandbox::empty();
    let answer = sandbox.json(&["man", "pages"]);
    let pages = std::fs::read_dir(sandbox.path().join("pages"))
        .unwrap()
        .count();
    assert_eq!(answer["pages"], pages);
    for name in ["mnemon", "mnemon-import", "mnemon-session-new"] {
        let page = std::fs::read_to_string(sandbox.path().join(format!("pages/{name}.1")));
        assert!(page.unwrap().contains(".SH NAME"), "{name}");
    }
    let first = sandbox.run(&["man"]);
    assert_eq!(first.code, 0);
    assert!(first.stdout.contains(".TH mnemon 1"), "{}", first.stdout);
}

#[test]
fn what_is_not_looked_into_is_told_and_keeps_nobody_from_the_rest() {
    let sandbox = Sandbox::empty();
    sandbox.json(&["init"]);
    projects(&sandbox, &conversation());
    let folder = sandbox.path().join("projects");
    std::os::unix::fs::symlink(&folder, folder.join("a-link")).unwrap();
    std::os::unix::fs::symlink("nowhere", folder.join("b-broken")).unwrap();
    let taken = sandbox.json(&["import", "projects"]);
    assert_eq!(taken["imported"], json!(3));
    assert_eq!(
        taken["notes"],
        json!([
            "a-link is a link to a folder, and was not looked into",
            "b-broken is no file, and was not looked into",
        ])
    );
}
