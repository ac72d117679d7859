//! An export that comes back to the store that it came from.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

const FORMATS: [&str; 4] = ["jsonl", "json", "yaml", "markdown"];

/// A session with a decision, a fact and a turn.
fn store() -> Sandbox {
    let sandbox = Sandbox::with_session();
    for (kind, text) in [
        ("decision", "We take Postgres."),
        ("fact", "The port is 5432."),
        ("conversation", "Which database?"),
    ] {
        let arguments = ["remember", text, "--session", "s", "--kind", kind];
        sandbox.json(&[&arguments[..], &["--tag", "db", "--meta", "k=v"]].concat());
    }
    sandbox
}

fn export(sandbox: &Sandbox, format: &str) -> String {
    sandbox.run(&["export", "--all", "--format", format]).stdout
}

/// Counts of an import: imported, revised, skipped, older.
fn import(sandbox: &Sandbox, file: &str) -> [u64; 4] {
    let dry = sandbox.run_with_input(&["import", "-", "--dry-run", "--json"], file.as_bytes());
    let mut dry = dry.json();
    let done = sandbox.run_with_input(&["import", "-", "--json"], file.as_bytes());
    let done = done.json();
    assert_eq!(
        dry.as_object_mut().unwrap().remove("dry_run"),
        Some(json!(true))
    );
    assert_eq!(dry, done, "a dry run says the same");
    ["imported", "revised", "skipped", "older"].map(|name| done[name].as_u64().unwrap())
}

fn get(sandbox: &Sandbox, name: &str) -> Value {
    let mut memory = sandbox.json(&["get", name]);
    memory["state"] = Value::Null;
    memory
}

#[test]
fn the_same_export_again_changes_nothing_whatever_was_revised_before() {
    for format in FORMATS {
        let sandbox = store();
        sandbox.json(&["revise", "s/DEC-001", "--text", "We take SQLite."]);
        let file = export(&sandbox, format);
        let before = sandbox.json(&["list", "--all"]);
        assert_eq!(import(&sandbox, &file), [0, 0, 3, 0], "{format}");
        assert_eq!(sandbox.json(&["list", "--all"]), before, "{format}");
    }
}

#[test]
fn an_older_export_leaves_what_is_newer_here() {
    for format in FORMATS {
        let sandbox = store();
        let file = export(&sandbox, format);
        sandbox.json(&["revise", "s/DEC-001", "--text", "We take SQLite."]);
        sandbox.json(&["revise", "s/DEC-001", "--text", "We take files."]);
        assert_eq!(import(&sandbox, &file), [0, 0, 3, 1], "{format}");
        assert_eq!(get(&sandbox, "s/DEC-001")["text"], "We take files.");
    }
    let sandbox = store();
    let file = export(&sandbox, "jsonl");
    sandbox.json(&["revise", "s/DEC-001", "--pin"]);
    let told = sandbox.run_with_input(&["import", "-"], file.as_bytes());
    insta::assert_snapshot!(told.stdout, @"Imported 0 memories, 2 already there, 1 newer here.");
}

#[test]
fn an_edited_export_comes_back_as_a_revision() {
    for format in FORMATS {
        let sandbox = store();
        sandbox.json(&["revise", "s/DEC-001", "--importance", "0.9"]);
        let before = get(&sandbox, "s/DEC-001");
        let file = export(&sandbox, format);
        assert!(file.contains("We take Postgres."), "{format}");
        let edited = file.replace("We take Postgres.", "We take SQLite.");
        assert_eq!(import(&sandbox, &edited), [0, 1, 2, 0], "{format}");
        let mut after = get(&sandbox, "s/DEC-001");
        assert_eq!(after["version"], 3);
        assert_eq!(after["text"], "We take SQLite.");
        for name in ["text", "version", "updated_at"] {
            after[name] = before[name].clone();
        }
        assert_eq!(after, before, "nothing else changed: {format}");
        let again = import(&sandbox, &edited);
        assert_eq!(again, [0, 0, 3, 0], "{format}");
    }
}

#[test]
fn every_field_that_can_be_revised_can_be_edited() {
    let sandbox = store();
    sandbox.json(&["key", "new"]);
    let body = r#"{"rationale":"fast","own":{"a":1,"b":2}}"#;
    sandbox.json(&["revise", "s/DEC-001", "--body", body, "--add-tag", "old"]);
    let file = export(&sandbox, "jsonl");
    let edited: Vec<String> = file
        .lines()
        .map(|line| {
            let mut memory: Value = serde_json::from_str(line).unwrap();
            if memory["kind"] == "decision" {
                memory["importance"] = json!(0.75);
                memory["confidence"] = json!(0.25);
                memory["tags"] = json!(["new", "db"]);
                memory["metadata"] = json!({"m": [1]});
                memory["pinned"] = json!(true);
                memory["sensitive"] = json!(true);
                memory["links"] = json!([{"rel": "related", "to": memory["id"]}]);
                memory["body"] = json!({"own": {"b": 3, "c": [null]}, "impact": "high"});
            }
            memory.to_string()
        })
        .collect();
    assert_eq!(import(&sandbox, &edited.join("\n")), [0, 1, 2, 0]);
    let after = get(&sandbox, "s/DEC-001");
    assert_eq!(
        after["body"],
        json!({"own": {"b": 3, "c": [null]}, "impact": "high"})
    );
    assert_eq!(after["metadata"], json!({"m": [1]}));
    assert_eq!(after["tags"], json!(["new", "db"]));
    assert_eq!(
        (&after["pinned"], &after["sensitive"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(
        (&after["importance"], &after["confidence"]),
        (&json!(0.75), &json!(0.25))
    );
    assert_eq!(after["links"][0]["to"], after["id"]);
}

#[test]
fn what_was_changed_here_and_in_the_file_is_told_and_left() {
    for format in FORMATS {
        let sandbox = store();
        let file = export(&sandbox, format);
        sandbox.json(&["revise", "s/DEC-001", "--text", "We take files."]);
        let edited = file
            .replace("We take Postgres.", "We take SQLite.")
            .replace("The port is 5432.", "The port is 5433.");
        for arguments in [
            &["import", "-", "--json", "--dry-run"][..],
            &["import", "-", "--json"],
        ] {
            let ran = sandbox.run_with_input(arguments, edited.as_bytes());
            assert_eq!((ran.code, ran.stderr.as_str()), (1, ""), "{format}");
            let report: Value = serde_json::from_str(&ran.stdout).unwrap();
            assert_eq!(
                (&report["revised"], &report["skipped"]),
                (&json!(1), &json!(1))
            );
            let error = &report["errors"][0];
            assert_eq!(error["code"], "E_CONCURRENT_MOD");
            assert_eq!(error["id"], get(&sandbox, "s/DEC-001")["id"]);
        }
        assert_eq!(get(&sandbox, "s/DEC-001")["text"], "We take files.");
        assert_eq!(get(&sandbox, "s/FACT-001")["text"], "The port is 5433.");
    }
}

#[test]
fn a_version_of_another_store_is_no_version_of_this_one() {
    let (here, there) = (store(), Sandbox::empty());
    there.json(&["init"]);
    assert_eq!(import(&there, &export(&here, "jsonl")), [3, 0, 0, 0]);
    here.json(&["revise", "s/DEC-001", "--text", "We take SQLite."]);
    there.json(&["revise", "s/DEC-001", "--text", "We take files."]);
    let file = export(&here, "jsonl");
    let ran = there.run_with_input(&["import", "-"], file.as_bytes());
    assert_eq!(ran.code, 1);
    assert!(
        ran.stderr
            .contains("was changed there, from version 2, and here, to version 2")
    );
    assert_eq!(get(&there, "s/DEC-001")["text"], "We take files.");
}

#[test]
fn what_was_said_in_a_turn_is_not_edited_by_an_import() {
    let sandbox = store();
    let edited = export(&sandbox, "yaml")
        .replace("Which database?", "Which one?")
        .replace("The port is 5432.", "The port is 5433.");
    let ran = sandbox.run_with_input(&["import", "-", "--json"], edited.as_bytes());
    let (code, message) = ran.refusal();
    assert_eq!(code, "E_SCHEMA_INVALID");
    assert!(message.contains("turns are immutable"), "{message}");
    assert_eq!(get(&sandbox, "s/FACT-001")["text"], "The port is 5432.");
}

#[test]
fn who_said_it_and_when_stays() {
    let sandbox = store();
    for (from, to, field) in [
        ("\"author\":\"user\"", "\"author\":\"ada\"", "author"),
        ("\"created_at\":\"20", "\"created_at\":\"19", "created_at"),
    ] {
        let edited = export(&sandbox, "jsonl").replace(from, to);
        let ran = sandbox.run_with_input(&["import", "-", "--json"], edited.as_bytes());
        let (code, message) = ran.refusal();
        assert_eq!(code, "E_SCHEMA_INVALID");
        assert!(
            message.contains(&format!("{field} must be as it is in the store")),
            "{message}"
        );
    }
}

#[test]
fn other_content_under_a_taken_id_without_a_version_is_refused_before_anything_is_kept() {
    let sandbox = store();
    sandbox.json(&["remember", "one", "--shared", "--id", "x"]);
    let file = "{\"text\":\"fresh\",\"space\":\"agent/a\"}\n\
        {\"text\":\"two\",\"space\":\"shared\",\"id\":\"x\"}\n";
    let ran = sandbox.run_with_input(&["import", "-", "--json"], file.as_bytes());
    let (code, message) = ran.refusal();
    assert_eq!(code, "E_CONCURRENT_MOD");
    assert!(message.contains("line 2: the id x is in use"), "{message}");
    assert_eq!(sandbox.json(&["list", "--agent", "a"])["total"], 0);
}

#[test]
fn what_is_forgotten_here_is_neither_revived_nor_revised() {
    let sandbox = store();
    let file = export(&sandbox, "markdown");
    sandbox.json(&["forget", "s/DEC-001", "--reason", "wrong"]);
    assert_eq!(import(&sandbox, &file), [0, 0, 3, 0]);
    let edited = file.replace("We take Postgres.", "We take SQLite.");
    let ran = sandbox.run_with_input(&["import", "-"], edited.as_bytes());
    assert_eq!(ran.code, 1);
    assert!(
        ran.stderr.contains("was changed there and forgotten here"),
        "{}",
        ran.stderr
    );
    assert_eq!(sandbox.json(&["list", "--session", "s"])["total"], 2);
}
