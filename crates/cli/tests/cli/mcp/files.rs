//! `mnemon mcp --profile files`: files below `/memories`.

use serde_json::{Value, json};

use super::client::{Client, text_of};
use crate::sandbox::Sandbox;

fn ready(sandbox: &Sandbox) -> Client {
    Client::ready(sandbox, &["--profile", "files"])
}

/// What a command answers, and whether it was refused.
fn ask(client: &mut Client, call: &Value) -> (bool, String) {
    let result = client.call("memory", call);
    assert_eq!(result["structuredContent"], Value::Null, "{result}");
    (result["isError"] == true, text_of(&result))
}

fn done(client: &mut Client, call: &Value) -> String {
    let (refused, text) = ask(client, call);
    assert!(!refused, "{call}: {text}");
    text
}

fn refused(client: &mut Client, call: &Value) -> String {
    let (refused, text) = ask(client, call);
    assert!(refused, "{call}: {text}");
    text
}

fn create(client: &mut Client, path: &str, text: &str) {
    let call = json!({ "command": "create", "path": path, "file_text": text });
    let said = done(client, &call);
    assert_eq!(said, format!("File created successfully at: {path}"));
}

fn view(client: &mut Client, path: &str) -> String {
    done(client, &json!({ "command": "view", "path": path }))
}

#[test]
fn files_are_created_viewed_and_found_by_another_process_and_by_recall() {
    let sandbox = Sandbox::empty();
    let mut client = ready(&sandbox);
    let listing = "Here're the files and directories up to 2 levels deep in /memories, excluding \
        hidden items and node_modules:\n";
    assert_eq!(
        view(&mut client, "/memories"),
        format!("{listing}0B\t/memories")
    );
    create(
        &mut client,
        "/memories/notes.txt",
        "The user drinks tea\nand reads\n",
    );
    create(&mut client, "/memories/work/plan.md", &"x".repeat(1536));
    create(&mut client, "/memories/work/deep/er/than.md", "two levels");
    create(&mut client, "/memories/.hidden/file", "unseen");
    client.end();

    let mut other = ready(&sandbox);
    assert_eq!(
        view(&mut other, "/memories/notes.txt"),
        "Here's the content of /memories/notes.txt with line numbers:\n\
         \x20    1\tThe user drinks tea\n     2\tand reads"
    );
    assert_eq!(
        view(&mut other, "/memories/"),
        format!(
            "{listing}1.5K\t/memories\n30B\t/memories/notes.txt\n1.5K\t/memories/work/\n\
             10B\t/memories/work/deep/\n1.5K\t/memories/work/plan.md"
        )
    );
    let part = json!({ "command": "view", "path": "/memories/notes.txt", "view_range": [2, -1] });
    assert!(done(&mut other, &part).ends_with(":\n     2\tand reads"));
    other.end();
    let hits = sandbox.json(&["recall", "what does the user drink?", "--limit", "1"]);
    let memory = &hits["hits"][0]["memory"];
    assert_eq!(memory["text"], "The user drinks tea\nand reads\n");
    assert_eq!(memory["kind"], "artifact");
    assert_eq!(memory["tags"], json!(["file"]));
    assert_eq!(memory["metadata"], json!({ "path": "/memories/notes.txt" }));
}

#[test]
fn texts_are_replaced_if_they_are_there_exactly_once() {
    let sandbox = Sandbox::empty();
    let mut client = ready(&sandbox);
    create(&mut client, "/memories/a", "one\ntwo\nthree\none more\n");
    let replace = |old: &str, new: Value| {
        json!({ "command": "str_replace", "path": "/memories/a",
        "old_str": old, "new_str": new })
    };
    assert_eq!(
        done(&mut client, &replace("two", json!("2\n2b"))),
        "The memory file has been edited.\n     1\tone\n     2\t2\n     3\t2b\n     4\tthree\n     \
         5\tone more"
    );
    assert_eq!(
        refused(&mut client, &replace("four", json!("4"))),
        "No replacement was performed, old_str `four` did not appear verbatim in /memories/a."
    );
    assert_eq!(
        refused(&mut client, &replace("one", json!("1"))),
        "No replacement was performed. Multiple occurrences of old_str `one` in lines: 1, 5. \
         Please ensure it is unique"
    );
    // Without a new text the old one is taken out.
    done(&mut client, &replace("2\n2b\n", Value::Null));
    assert!(view(&mut client, "/memories/a").ends_with("1\tone\n     2\tthree\n     3\tone more"));
    client.end();
    let files = sandbox.json(&["list", "--tag", "file"]);
    let id = files["memories"][0]["id"].as_str().unwrap();
    let history = sandbox.json(&["history", id]);
    assert_eq!(history["changes"].as_array().unwrap().len(), 3);
}

#[test]
fn lines_are_inserted_and_files_may_be_blank() {
    let sandbox = Sandbox::empty();
    let mut client = ready(&sandbox);
    create(&mut client, "/memories/todo", "");
    assert!(view(&mut client, "/memories/todo").ends_with("with line numbers:\n"));
    let insert = |line: Value, text: &str| {
        json!({ "command": "insert", "path": "/memories/todo",
        "insert_line": line, "insert_text": text })
    };
    for (line, text) in [(0, "b\n"), (1, "c\n"), (0, "a\n")] {
        assert_eq!(
            done(&mut client, &insert(json!(line), text)),
            "The file /memories/todo has been edited."
        );
    }
    assert!(view(&mut client, "/memories/todo").ends_with("1\ta\n     2\tb\n     3\tc"));
    for line in [json!(4), json!(-1), json!("2"), Value::Null] {
        assert_eq!(
            refused(&mut client, &insert(line.clone(), "x")),
            format!(
                "Error: Invalid `insert_line` parameter: {line}. It should be within the range of \
                 lines of the file: [0, 3]"
            )
        );
    }
    let clear =
        json!({ "command": "str_replace", "path": "/memories/todo", "old_str": "a\nb\nc\n" });
    done(&mut client, &clear);
    assert!(view(&mut client, "/memories/todo").ends_with("with line numbers:\n"));
    client.end();
}

#[test]
fn files_and_folders_are_renamed_and_deleted() {
    let sandbox = Sandbox::empty();
    let mut client = ready(&sandbox);
    for name in ["a", "work/b", "work/c/d"] {
        create(&mut client, &format!("/memories/{name}"), name);
    }
    let rename =
        |old: &str, new: &str| json!({ "command": "rename", "old_path": old, "new_path": new });
    assert_eq!(
        done(&mut client, &rename("/memories/work", "/memories/old/work")),
        "Successfully renamed /memories/work to /memories/old/work"
    );
    assert!(view(&mut client, "/memories/old/work/c/d").ends_with("1\twork/c/d"));
    for (old, new, expected) in [
        (
            "/memories/work",
            "/memories/x",
            "Error: The path /memories/work does not exist",
        ),
        (
            "/memories/a",
            "/memories/old",
            "Error: The destination /memories/old already exists",
        ),
        (
            "/memories/a",
            "/memories/old/work/b",
            "Error: The destination /memories/old/work/b already exists",
        ),
        (
            "/memories/old",
            "/memories/old/older",
            "Error: /memories/old/older lies in /memories/old itself",
        ),
        (
            "/memories/old",
            "/memories/a/b",
            "Error: /memories/a is a file, not a directory",
        ),
        (
            "/memories",
            "/memories/b",
            "Error: The path /memories does not exist",
        ),
    ] {
        assert_eq!(refused(&mut client, &rename(old, new)), expected);
    }
    let delete = |path: &str| json!({ "command": "delete", "path": path });
    assert_eq!(
        done(&mut client, &delete("/memories/old")),
        "Successfully deleted /memories/old"
    );
    assert_eq!(
        refused(&mut client, &delete("/memories/old/work/b")),
        "Error: The path /memories/old/work/b does not exist"
    );
    assert_eq!(
        refused(&mut client, &delete("/memories")),
        "Error: /memories itself can't be deleted"
    );
    // The name is free again, and what was deleted can be brought back.
    create(&mut client, "/memories/old", "now a file");
    client.end();
    assert_eq!(sandbox.json(&["deleted"])["total"], 2);
}

#[test]
fn nothing_leads_out_of_the_folder_and_nothing_is_overwritten() {
    let sandbox = Sandbox::empty();
    sandbox.file("secret", "unchanged");
    let mut client = ready(&sandbox);
    create(&mut client, "/memories/a", "x");
    for path in [
        "/etc/passwd",
        "/memories/../secret",
        "/memories/a/../../secret",
        "/memories/%2e%2e/secret",
        "/memories/..\\secret",
        "/memoriesx",
        "memories/a",
        "",
    ] {
        for call in [
            json!({ "command": "view", "path": path }),
            json!({ "command": "create", "path": path, "file_text": "x" }),
            json!({ "command": "delete", "path": path }),
            json!({ "command": "rename", "old_path": "/memories/a", "new_path": path }),
        ] {
            let said = refused(&mut client, &call);
            assert_eq!(said, format!("Error: {path} is not a path below /memories"));
        }
    }
    for (call, expected) in [
        (
            json!({ "command": "create", "path": "/memories/a", "file_text": "y" }),
            "Error: File /memories/a already exists",
        ),
        (
            json!({ "command": "create", "path": "/memories/a/b", "file_text": "y" }),
            "Error: /memories/a is a file, not a directory",
        ),
        (
            json!({ "command": "view", "path": "/memories/none" }),
            "The path /memories/none does not exist. Please provide a valid path.",
        ),
        (
            json!({ "command": "str_replace", "path": "/memories/none", "old_str": "a", "new_str": "b" }),
            "Error: The path /memories/none does not exist. Please provide a valid path.",
        ),
        (
            json!({ "command": "insert", "path": "/memories/none", "insert_line": 0, "insert_text": "b" }),
            "Error: The path /memories/none does not exist",
        ),
        (
            json!({ "command": "burn", "path": "/memories/a" }),
            "Error: Unknown command: burn",
        ),
    ] {
        assert_eq!(refused(&mut client, &call), expected);
    }
    for call in [
        json!({}),
        json!({ "command": "view" }),
        json!({ "command": "view", "path": 7 }),
        json!({ "command": "create", "path": "/memories/b" }),
        json!({ "command": "insert", "path": "/memories/a", "insert_line": 0 }),
    ] {
        assert!(
            refused(&mut client, &call).starts_with("E_SCHEMA_INVALID: "),
            "{call}"
        );
    }
    for range in [
        json!([2, 1]),
        json!([0, 1]),
        json!([1]),
        json!("1"),
        json!([1, "x"]),
    ] {
        let call = json!({ "command": "view", "path": "/memories/a", "view_range": range });
        assert!(
            refused(&mut client, &call).starts_with("Error: Invalid `view_range`"),
            "{range}"
        );
    }
    assert!(view(&mut client, "/memories/a").ends_with("1\tx"));
    client.end();
}

#[test]
fn without_a_store_the_folder_is_empty_and_nothing_is_made_by_looking() {
    let sandbox = Sandbox::empty();
    let root = sandbox.path().join("none");
    let arguments = ["--profile", "files", "--root", root.to_str().unwrap()];
    let mut client = Client::ready(&sandbox, &arguments);
    assert!(view(&mut client, "/memories").ends_with("0B\t/memories"));
    let delete = json!({ "command": "delete", "path": "/memories/a" });
    assert_eq!(
        refused(&mut client, &delete),
        "Error: The path /memories/a does not exist"
    );
    assert!(!root.exists());
    client.end();
}

#[test]
fn files_of_a_session_stay_in_it_and_secrets_are_taken_out() {
    let sandbox = Sandbox::empty();
    let mut client = Client::ready(&sandbox, &["--profile", "files", "--session", "s"]);
    let secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    create(&mut client, "/memories/key", &format!("key {secret}"));
    assert!(view(&mut client, "/memories/key").ends_with("1\tkey [REDACTED:github_token]"));
    client.end();
    let mut elsewhere = ready(&sandbox);
    assert!(view(&mut elsewhere, "/memories").ends_with("0B\t/memories"));
    elsewhere.end();
    assert_eq!(sandbox.json(&["list", "--session", "s"])["total"], 1);
}
