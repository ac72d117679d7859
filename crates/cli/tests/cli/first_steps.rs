//! What everybody does first, and what programs get from it.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::sandbox::Sandbox;

#[test]
fn a_memory_is_kept_and_found_again() {
    let sandbox = Sandbox::empty();
    let root = sandbox.path().canonicalize().unwrap().join(".mnemon");
    assert_eq!(sandbox.json(&["init"]), json!({"root": root}));
    assert_eq!(
        sandbox.json(&["session", "new", "--id", "s", "--agent", "a", "--tag", "t"]),
        json!({"session_id": "s"})
    );
    sandbox.json(&["key", "new"]);
    let kept = sandbox.json(&[
        "remember",
        "Use",
        "PostgreSQL",
        "--session",
        "s",
        "--kind",
        "decision",
        "--tag",
        "db",
        "--importance",
        "0.8",
        "--confidence",
        "high",
        "--meta",
        "k=v=w",
        "--pin",
        "--sensitive",
        "--at",
        "2026-01-10T14:23:45+02:00",
        "--body",
        "{\"rationale\":\"ACID\",\"own\":[1]}",
    ]);
    assert_eq!(kept["handle"], "DEC-001");
    assert_eq!(kept["space"], "session/s");
    assert_eq!(kept["durable"], true);
    let id = kept["id"].as_str().unwrap();
    let mut memory = sandbox.json(&["get", id]);
    for time in ["recorded_at", "updated_at"] {
        memory[time] = json!("[time]");
    }
    assert_eq!(
        memory,
        json!({
            "id": id, "handle": "DEC-001", "space": "session/s", "kind": "decision",
            "author": "user", "text": "Use PostgreSQL",
            "created_at": "2026-01-10T14:23:45+02:00",
            "recorded_at": "[time]", "updated_at": "[time]", "version": 1,
            "importance": 0.8, "confidence": 0.9, "tags": ["db"], "links": [],
            "pinned": true, "sensitive": true,
            "body": {"confidence": "high", "own": [1], "rationale": "ACID"},
            "metadata": {"k": "v=w"},
            "state": {"access_count": 0, "last_access": null, "forgotten": null, "open": true, "flags": [],
                "priority": 0.8, "decay": 1.0, "decay_reason": "pinned, so time takes nothing"},
            "embedding": null,
        })
    );
}

#[test]
fn a_memory_is_named_by_id_by_handle_or_by_both() {
    let sandbox = Sandbox::with_session();
    let id = sandbox.json(&["remember", "one", "--session", "s"])["id"].clone();
    let id = id.as_str().unwrap();
    for name in [
        vec![id],
        vec!["FACT-001", "--session", "s"],
        vec!["s/fact-1"],
    ] {
        assert_eq!(sandbox.json(&[&["get"], &name[..]].concat())["id"], id);
    }
    sandbox.json(&[
        "remember",
        "two",
        "--session",
        "s",
        "--ref",
        "FACT-001",
        "--link",
        "supersedes:s/FACT-001",
    ]);
    assert_eq!(
        sandbox.json(&["get", "s/FACT-002"])["links"],
        json!([{"rel": "related", "to": id}, {"rel": "supersedes", "to": id}])
    );
    let (code, _) = sandbox.refusal(&["remember", "x", "--session", "s", "--ref", "FACT-009"]);
    assert_eq!(code, "E_NOT_FOUND");
}

#[test]
fn questions_leave_every_file_as_it_is() {
    let sandbox = Sandbox::with_session();
    sandbox.json(&["remember", "one", "--session", "s"]);
    // The first question may still bring the index up to date.
    sandbox.json(&["list"]);
    let before = sandbox.files();
    sandbox.json(&["list", "--contains", "one"]);
    sandbox.json(&["history", "s/FACT-001"]);
    sandbox.json(&["session", "show", "s"]);
    sandbox.json(&["stats"]);
    assert_eq!(sandbox.files(), before);
}

#[test]
fn the_same_id_with_the_same_content_changes_nothing() {
    let sandbox = Sandbox::with_session();
    let remember = ["remember", "one", "--session", "s", "--id", "mine"];
    let first = sandbox.json(&remember);
    assert_eq!(sandbox.json(&remember), first);
    assert_eq!(sandbox.json(&["list"])["total"], 1);
    let (code, _) = sandbox.refusal(&["remember", "other", "--session", "s", "--id", "mine"]);
    assert_eq!(code, "E_CONCURRENT_MOD");
}

#[test]
fn a_memory_is_changed_and_its_history_tells() {
    let sandbox = Sandbox::with_session();
    sandbox.json(&[
        "remember",
        "No limit",
        "--session",
        "s",
        "--kind",
        "finding",
        "--meta",
        "a=1",
    ]);
    let revised = sandbox.json(&[
        "revise",
        "FIND-001",
        "--session",
        "s",
        "--text",
        "No rate limit",
        "--importance",
        "0.9",
        "--add-tag",
        "x",
        "--meta",
        "b=2",
        "--meta",
        "a=",
        "--resolve",
        "Added one",
        "--pin",
        "--body",
        "{\"severity\":\"high\"}",
    ]);
    assert_eq!(revised["version"], 2);
    assert_eq!(revised["metadata"], json!({"b": "2"}));
    assert_eq!(revised["state"]["open"], false);
    assert_eq!(
        sandbox.json(&["revise", "s/FIND-001", "--reopen", "--unpin"])["state"]["open"],
        true
    );
    let history = sandbox.json(&["history", "s/FIND-001"]);
    let changes = history["changes"].as_array().unwrap();
    let whats: Vec<_> = changes
        .iter()
        .map(|change| change["what"].as_str().unwrap())
        .collect();
    assert_eq!(whats, ["kept", "revised", "revised"]);
    assert_eq!(changes[1]["version"], 2);
    assert_eq!(
        changes[1]["fields"]["text"],
        json!({"from": "No limit", "to": "No rate limit"})
    );
    assert_eq!(
        changes[1]["fields"]["metadata.a"],
        json!({"from": "1", "to": null})
    );
    let (code, _) = sandbox.refusal(&["revise", "s/FIND-001", "--pin", "--if-version", "1"]);
    assert_eq!(code, "E_CONCURRENT_MOD");
    assert_eq!(sandbox.run(&["revise", "s/FIND-001"]).code, 2);
}

#[test]
fn what_is_forgotten_is_listed_and_comes_back() {
    let sandbox = Sandbox::with_session();
    let id = sandbox.json(&["remember", "one", "--session", "s", "--tag", "old"])["id"].clone();
    sandbox.json(&["remember", "two", "--session", "s"]);
    let preview = sandbox.json(&["forget", "--tag", "old", "--dry-run"]);
    assert_eq!(preview, json!({"count": 1, "ids": [id], "dry_run": true}));
    assert_eq!(sandbox.json(&["list"])["total"], 2);
    let forgotten = sandbox.json(&["forget", "--tag", "old", "--reason", "old"]);
    assert_eq!(forgotten, json!({"count": 1, "ids": [id]}));
    assert_eq!(sandbox.refusal(&["get", "s/FACT-001"]).0, "E_NOT_FOUND");
    assert_eq!(sandbox.json(&["list"])["total"], 1);
    assert_eq!(sandbox.json(&["list", "--include-forgotten"])["total"], 2);
    let deleted = sandbox.json(&["deleted"]);
    assert_eq!(deleted["total"], 1);
    assert_eq!(
        deleted["memories"][0]["state"]["forgotten"]["reason"],
        "old"
    );
    let back = sandbox.json(&["unforget", "FACT-001", "--session", "s", "--reason", "new"]);
    assert_eq!(back, json!({"count": 1, "ids": [id]}));
    assert_eq!(sandbox.json(&["get", "s/FACT-001"])["text"], "one");
    let whats = sandbox.json(&["history", "s/FACT-001"]);
    assert_eq!(whats["changes"][1]["reason"], "old");
}

#[test]
fn one_unknown_id_keeps_all_from_being_forgotten() {
    let sandbox = Sandbox::with_session();
    sandbox.json(&["remember", "one", "--session", "s"]);
    let forget = [
        "forget",
        "FACT-001",
        "FACT-002",
        "--session",
        "s",
        "--reason",
        "r",
    ];
    assert_eq!(sandbox.refusal(&forget).0, "E_NOT_FOUND");
    assert_eq!(sandbox.json(&["list"])["total"], 1);
}

#[test]
fn a_session_is_shown_and_closed() {
    let sandbox = Sandbox::with_session();
    assert_eq!(sandbox.json(&["session", "show", "s"])["state"], "created");
    sandbox.json(&[
        "remember",
        "hello",
        "--session",
        "s",
        "--kind",
        "turn",
        "--as",
        "bot",
    ]);
    let shown = sandbox.json(&["session", "show", "s"]);
    assert_eq!(shown["state"], "active");
    assert_eq!(shown["by_kind"], json!({"conversation": 1}));
    assert_eq!(shown["participants"][0]["name"], "bot");
    assert_eq!(shown["participants"][0]["messages"], 1);
    assert_eq!(shown["size"]["quota_bytes"], 10_485_760);
    assert_eq!(sandbox.json(&["session", "close", "s"])["state"], "idle");
    let listed = sandbox.json(&["session", "list"]);
    assert_eq!(
        (&listed["total"], &listed["sessions"][0]["id"]),
        (&json!(1), &json!("s"))
    );
}

#[test]
fn the_store_is_found_upwards_and_by_variable() {
    let sandbox = Sandbox::with_session();
    let below = sandbox.path().join("a/b");
    std::fs::create_dir_all(&below).unwrap();
    let listed = |command: &mut std::process::Command| {
        crate::sandbox::finish(command.args(["session", "list", "--json"]), b"")
    };
    assert_eq!(
        listed(sandbox.command().current_dir(&below)).json()["total"],
        1
    );
    let elsewhere = sandbox.path().join("elsewhere");
    let missing = listed(sandbox.command().env("MNEMON_ROOT", &elsewhere));
    assert_eq!(missing.refusal().0, "E_STORAGE_IO");
    let explicit = ["--root", "elsewhere", "remember", "x", "--shared"];
    assert_eq!(sandbox.json(&explicit)["space"], "shared");
    assert_eq!(
        listed(sandbox.command().env("MNEMON_ROOT", &elsewhere)).json()["total"],
        0
    );
}

#[test]
fn without_a_project_the_data_folder_is_used() {
    let sandbox = Sandbox::empty();
    assert_eq!(sandbox.refusal(&["list"]).0, "E_STORAGE_IO");
    sandbox.json(&["remember", "x", "--agent", "a"]);
    let file = sandbox
        .path()
        .join("home/.local/share/mnemon/agents/a/memory.jsonl");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn what_to_do_next_names_the_folder_that_was_named() {
    let sandbox = Sandbox::empty();
    let made = sandbox.run(&["--root", "my memory", "init"]).stdout;
    let root = sandbox.path().join("my memory");
    let next = format!("mnemon --root '{}' session new --id first", root.display());
    assert!(made.contains(&next), "{made}");
}
