//! A session that is measured, compacted and brought back.

use std::fmt::Write as _;

use serde_json::json;

use crate::sandbox::Sandbox;

/// A session `s` with thirty old turns and an open decision.
fn old_session() -> Sandbox {
    let sandbox = Sandbox::with_session();
    let mut lines = String::new();
    for number in 0..30 {
        let text = format!(
            "Turn {number}: we looked at the parser of the importer again, and it still reads \
             numbers as they are written, whatever the locale of the machine says about them."
        );
        let at = format!("2025-01-02T10:{number:02}:00Z");
        let turn = json!({"id": format!("t{number}"), "kind": "conversation", "text": text,
            "created_at": at, "space": "session/s", "author": "dana"});
        writeln!(lines, "{turn}").unwrap();
    }
    let decision = json!({"id": "d", "kind": "decision", "text": "Keep the parser",
        "created_at": "2025-01-02T10:00:00Z", "space": "session/s"});
    writeln!(lines, "{decision}").unwrap();
    let file = sandbox.file("old.jsonl", lines);
    sandbox.json(&["import", file.to_str().unwrap()]);
    sandbox
}

#[test]
fn a_session_is_measured_compacted_and_brought_back() {
    let sandbox = old_session();
    let size = sandbox.json(&["session", "size", "s"]);
    let parts = size["components"].as_object().unwrap();
    let sum: u64 = parts.values().map(|bytes| bytes.as_u64().unwrap()).sum();
    assert_eq!(sum, size["total_bytes"].as_u64().unwrap());
    assert_eq!(size["quota_bytes"], 10_485_760);
    assert_eq!(size["largest"][0]["kind"], "conversation");
    assert!(parts["conversation"].as_u64().unwrap() > parts["decisions"].as_u64().unwrap());

    let planned = sandbox.json(&["compact", "s", "--dry-run"]);
    assert_eq!(
        (&planned["dry_run"], &planned["success"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(sandbox.json(&["list", "--session", "s"])["total"], 31);

    let done = sandbox.json(&["compact", "s"]);
    assert_eq!(done["memories"], 30);
    assert_eq!(done["actions"][0]["type"], "remove_decayed");
    assert!(done["bytes_after"].as_u64() < done["bytes_before"].as_u64());
    assert_eq!(sandbox.json(&["list", "--session", "s"])["total"], 2);
    let summary = sandbox.json(&["get", "s/ART-001"]);
    assert_eq!(summary["links"].as_array().unwrap().len(), 30);
    assert_eq!(summary["created_at"], "2025-01-02T10:29:00Z");
    let measured = sandbox.json(&["session", "size", "s"]);
    assert!(measured["archive_bytes"].as_u64().unwrap() > 0);
    assert!(measured["last_compaction"].is_string());

    let ran = sandbox.run(&["get", "t3"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stderr.contains("is in the archive of session s"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("mnemon unforget t3 --reason R"),
        "{}",
        ran.stderr
    );
    let back = sandbox.json(&["unforget", "s/TURN-4", "--reason", "needed"]);
    assert_eq!(back["ids"], json!(["t3"]));
    let rest = sandbox.json(&["session", "restore", "s"]);
    assert_eq!(rest["memories"], 31);
    assert_eq!(sandbox.json(&["list", "--session", "s"])["total"], 31);
    let verified = sandbox.json(&["verify"]);
    assert_eq!(verified["ok"], true);
}

#[test]
fn what_was_compacted_is_erased_and_forgotten_where_it_lies() {
    let sandbox = old_session();
    sandbox.json(&["compact", "s"]);
    let would = sandbox.json(&["erase", "--contains", "turn 3:", "--dry-run"]);
    assert_eq!(would["ids"], json!(["t3"]));
    assert_eq!(would["put_away"][0]["at"], "compacted");
    let ran = sandbox.run(&["erase", "t3", "s/TURN-5", "--yes"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.stdout.contains("a summary that quoted it, made anew"),
        "{}",
        ran.stdout
    );
    let summary = sandbox.json(&["get", "s/ART-001"]);
    assert_eq!(summary["links"].as_array().unwrap().len(), 28);

    let forgot = sandbox.json(&["forget", "t7", "--reason", "no longer"]);
    assert_eq!(forgot["ids"], json!(["t7"]));
    assert_eq!(sandbox.json(&["deleted"])["memories"][0]["id"], "t7");
    let forgot = sandbox.json(&["forget", "--contains", "turn 8:", "--reason", "no longer"]);
    assert_eq!(forgot["ids"], json!(["t8"]));
    sandbox.json(&["unforget", "t7", "--reason", "after all"]);
    assert_eq!(sandbox.json(&["deleted"])["total"], 1);
    assert_eq!(sandbox.json(&["verify"])["ok"], true);
}

#[test]
fn a_session_that_fills_up_says_so_and_is_compacted_after_the_answer() {
    let sandbox = old_session();
    let run = |arguments: &[&str]| {
        let mut command = sandbox.command();
        command.env("MNEMON_STORAGE_SESSION_BYTES_MAX", "65536");
        crate::sandbox::finish(command.args(arguments), b"")
    };
    let text = "Numbers are written as they are read, and read as they are written. ".repeat(600);
    let ran = run(&["remember", &text, "--session", "s"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.stderr.contains("warning: session s has"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr
            .contains("note: compacted session s: 30 memories"),
        "{}",
        ran.stderr
    );

    let ran = run(&["remember", &text, "--session", "s", "--json"]);
    let (code, message) = ran.refusal();
    assert_eq!(code, "E_SIZE_LIMIT", "{message}");
}

#[test]
fn settings_that_are_not_possible_are_refused() {
    let sandbox = Sandbox::with_session();
    let arguments = ["session", "new", "--compaction", "gentle_percent=90"];
    assert_eq!(sandbox.refusal(&arguments).0, "E_SCHEMA_INVALID");
    sandbox.json(&[
        "session",
        "new",
        "--id",
        "own",
        "--compaction",
        "enabled=false",
    ]);
}
