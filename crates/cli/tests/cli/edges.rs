//! Messages at the edges of a session's life.

use std::fmt::Write as _;

use serde_json::json;

use crate::sandbox::{Sandbox, redact};

/// A session with twenty turns of long ago.
fn old_turns(sandbox: &Sandbox) {
    let mut lines = String::new();
    for number in 0..20 {
        let text = format!(
            "Turn {number}: {}",
            "we looked at the parser again. ".repeat(9)
        );
        let turn = json!({"id": format!("t{number}"), "kind": "conversation", "text": text,
            "created_at": format!("2025-01-02T10:{number:02}:00Z"), "space": "session/s"});
        writeln!(lines, "{turn}").unwrap();
    }
    sandbox
        .run_with_input(&["import", "-", "--json"], lines.as_bytes())
        .json();
}

#[test]
fn one_restore_brings_back_what_was_archived_and_what_was_compacted() {
    let sandbox = Sandbox::with_session();
    old_turns(&sandbox);
    let before = sandbox.json(&["list", "--session", "s"]);
    assert_eq!(sandbox.json(&["compact", "s"])["memories"], 20);
    sandbox.json(&["session", "archive", "s"]);
    let restored = sandbox.run(&["session", "restore", "s"]);
    assert_eq!(restored.code, 0);
    assert!(
        restored.stderr.contains("Brought back 20 memories"),
        "{}",
        restored.stderr
    );
    assert_eq!(sandbox.json(&["list", "--session", "s"]), before);
}

#[test]
fn a_summary_matters_and_says_so() {
    let sandbox = Sandbox::with_session();
    old_turns(&sandbox);
    sandbox.json(&["compact", "s"]);
    let state = sandbox.json(&["get", "s/ART-001"])["state"].clone();
    assert_eq!(
        (&state["priority"], &state["decay"], &state["decay_reason"]),
        (&json!(0.6), &json!(1.0), &json!("summaries don't fade"))
    );
    let found = sandbox.json(&["list", "--session", "s", "--min-priority", "0.55"]);
    assert_eq!(found["total"], 1);
}

#[test]
fn what_is_not_deleted_is_not_brought_back() {
    let sandbox = Sandbox::with_session();
    let ran = sandbox.run(&["session", "undelete", "s", "--reason", "x"]);
    assert_eq!(ran.code, 2);
    insta::assert_snapshot!(ran.stderr, @r"
    error: session s is not deleted
    hint: It is there already; `mnemon session show s` shows it.
    ");
    let none = sandbox.refusal(&["session", "undelete", "t", "--reason", "x"]);
    assert_eq!(none.0, "E_SESSION_NOT_FOUND");
}

#[test]
fn a_bad_setting_of_a_session_is_refused_under_its_own_name() {
    let sandbox = Sandbox::with_session();
    for option in ["decay", "compaction"] {
        let flag = format!("--{option}");
        let (code, message) = sandbox.refusal(&["session", "new", &flag, "half"]);
        assert_eq!(code, "E_SCHEMA_INVALID");
        assert_eq!(message, format!("{option} must be key=value (given: half)"));
    }
}

#[test]
fn what_is_past_its_time_is_recoverable_until_it_is_purged() {
    let sandbox = Sandbox::with_session();
    sandbox.file(
        ".mnemon/mnemon.toml",
        "[privacy]\nsession_recovery_days = 0\n",
    );
    sandbox.json(&["remember", "one", "--session", "s"]);
    sandbox.json(&["forget", "s/FACT-001", "--reason", "x"]);
    let told = sandbox.run(&["deleted"]);
    assert!(told.stdout.contains("until purged"), "{}", told.stdout);
    let back = sandbox.json(&["unforget", "s/FACT-001", "--reason", "y"]);
    assert_eq!(back["count"], 1);
}

#[test]
fn an_import_into_a_deleted_session_says_what_to_do() {
    let sandbox = Sandbox::with_session();
    sandbox.json(&["session", "delete", "s", "--reason", "over"]);
    let line = b"{\"text\":\"a\",\"session_id\":\"s\"}";
    let ran = sandbox.run_with_input(&["import", "-"], line);
    insta::assert_snapshot!(ran.stderr, @r"
    error[E_SCHEMA_INVALID]: line 1: there was a session s, which lies in the trash
    hint: Choose another id, bring it back with `mnemon session undelete s --reason R`, or remove it for good with `mnemon session purge s --yes`. Nothing was changed.
    ");
}

#[test]
fn an_export_of_a_session_that_is_not_there_prints_nothing() {
    let sandbox = Sandbox::with_session();
    for format in ["jsonl", "json", "markdown"] {
        let (code, _) = sandbox.refusal(&[
            "export",
            "--session",
            "s",
            "--session",
            "missing",
            "--format",
            format,
        ]);
        assert_eq!(code, "E_SESSION_NOT_FOUND");
    }
}

#[test]
fn a_number_is_no_time() {
    let sandbox = Sandbox::with_session();
    let line = b"{\"text\":\"a\",\"created_at\":1768000000}";
    let (_, message) = sandbox
        .run_with_input(&["import", "-", "--json"], line)
        .refusal();
    assert_eq!(
        message,
        "line 1: created_at must be a time in RFC 3339, such as 2026-01-10T14:23:45Z \
         (given: 1768000000)"
    );
}

#[test]
fn a_deletion_record_counts_what_is_left_after_an_erasure() {
    let sandbox = Sandbox::with_session();
    let id = sandbox.json(&["remember", "one", "--session", "s"])["id"].clone();
    sandbox.json(&["remember", "two", "--session", "s"]);
    sandbox.json(&["session", "delete", "s", "--reason", "over"]);
    let listed = || sandbox.json(&["session", "list", "--deleted"])["sessions"][0].clone();
    let before = listed();
    sandbox.json(&["erase", id.as_str().unwrap(), "--yes"]);
    let after = listed();
    assert_eq!(
        (&before["memories"], &after["memories"]),
        (&json!(2), &json!(1))
    );
    assert!(after["log_bytes"].as_u64() < before["log_bytes"].as_u64());
}

#[test]
fn the_size_of_a_session_is_told_in_sentences() {
    let sandbox = Sandbox::with_session();
    old_turns(&sandbox);
    let told = sandbox.run(&["session", "size", "s"]);
    let told = redact(&told.stdout, &sandbox);
    let sentences: Vec<&str> = told.lines().rev().take(3).collect();
    insta::assert_snapshot!(sentences.join("\n"), @r"
    aggressive compaction: 20 memories go to the archive, which frees 10.5 KiB (it aims at 2.5 KiB)
    gentle compaction: 20 memories go to the archive, which frees 10.5 KiB (it aims at 1.2 KiB)
    full in about 807 days if it goes on growing as in the last month
    ");
}

#[test]
fn a_session_that_fills_up_is_told_by_revise_and_by_import() {
    let sandbox = Sandbox::with_session();
    sandbox.file(
        ".mnemon/mnemon.toml",
        "[storage]\nsession_bytes_max = \"64 KiB\"\n",
    );
    sandbox.json(&["remember", "small", "--session", "s"]);
    let text = "x ".repeat(28_000);
    let ran = sandbox.run(&["revise", "s/FACT-001", "--text", &text]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("warning: session s has"),
        "{}",
        ran.stderr
    );
    let line = b"{\"text\":\"a\",\"session_id\":\"s\"}";
    let ran = sandbox.run_with_input(&["import", "-"], line);
    assert!(
        ran.stderr.contains("warning: session s has"),
        "{}",
        ran.stderr
    );
    let ran = sandbox.run_with_input(&["import", "-", "--json"], line);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(
        report["notes"][0]
            .as_str()
            .unwrap()
            .starts_with("session s has")
    );
}

#[test]
fn details_of_a_session_that_could_not_be_read_again_are_refused() {
    let sandbox = Sandbox::empty();
    sandbox.json(&["init"]);
    let deep = "{\"a\":".repeat(126) + "1" + &"}".repeat(126);
    let line = format!("{{\"op\":\"session\",\"id\":\"s\",\"metadata\":{deep}}}\n");
    sandbox.file("deep.jsonl", line);
    let (code, message) = sandbox.refusal(&["import", "deep.jsonl"]);
    assert_eq!(code, "E_SCHEMA_INVALID");
    assert!(
        message.contains("nested at most 64 levels deep"),
        "{message}"
    );
    assert_eq!(sandbox.json(&["session", "list"])["total"], 0);
    assert_eq!(sandbox.json(&["verify"])["ok"], true);
}

#[test]
fn within_a_session_a_name_is_its_handle_first() {
    let sandbox = Sandbox::with_session();
    sandbox.json(&[
        "remember", "for all", "--shared", "--kind", "decision", "--id", "DEC-001",
    ]);
    sandbox.json(&["remember", "of s", "--session", "s", "--kind", "decision"]);
    let text = |arguments: &[&str]| sandbox.json(arguments)["text"].clone();
    assert_eq!(text(&["get", "DEC-001", "--session", "s"]), "of s");
    assert_eq!(text(&["get", "DEC-001"]), "for all");
    sandbox.json(&["forget", "DEC-001", "--session", "s", "--reason", "settled"]);
    assert_eq!(text(&["get", "DEC-001"]), "for all");
    assert_eq!(sandbox.json(&["list", "--session", "s"])["total"], 0);
}

#[test]
fn a_handle_in_an_archive_is_not_taken_for_an_id_elsewhere() {
    let sandbox = Sandbox::with_session();
    sandbox.json(&[
        "remember", "for all", "--shared", "--kind", "decision", "--id", "DEC-001",
    ]);
    sandbox.json(&["remember", "of s", "--session", "s", "--kind", "decision"]);
    sandbox.json(&["session", "archive", "s"]);
    let erased = sandbox.json(&["erase", "DEC-001", "--session", "s", "--yes"]);
    assert!(
        !erased["ids"]
            .as_array()
            .unwrap()
            .contains(&json!("DEC-001")),
        "{erased}"
    );
    assert_eq!(sandbox.json(&["get", "DEC-001"])["text"], "for all");
}

#[test]
fn whoever_keeps_again_what_is_forgotten_is_told() {
    let sandbox = Sandbox::with_session();
    let keep = [
        "remember",
        "tea, no milk",
        "--session",
        "s",
        "--id",
        "fact_tea",
    ];
    sandbox.json(&keep);
    assert!(sandbox.json(&keep).get("notes").is_none());
    sandbox.json(&["forget", "fact_tea", "--reason", "coffee now"]);
    let note =
        "fact_tea is forgotten: no question finds it until `mnemon unforget fact_tea --reason R`";
    assert_eq!(sandbox.json(&keep)["notes"], json!([note]));
    assert_eq!(sandbox.run(&keep).stderr, format!("warning: {note}\n"));
}

#[test]
fn what_is_forgotten_is_not_said_to_be_nowhere() {
    let sandbox = Sandbox::with_session();
    sandbox.json(&["remember", "tea", "--session", "s", "--id", "fact_tea"]);
    sandbox.json(&["forget", "fact_tea", "--reason", "coffee now"]);
    for arguments in [
        &["get", "s/FACT-001"][..],
        &["revise", "fact_tea", "--text", "green tea"],
    ] {
        let ran = sandbox.run(arguments);
        let told = "error[E_NOT_FOUND]: fact_tea is forgotten\nhint: `mnemon history fact_tea` tells who \
                    forgot it, and why; `mnemon unforget fact_tea --reason R` brings it back.\n";
        assert_eq!((ran.code, ran.stderr.as_str()), (1, told));
    }
    sandbox.json(&["unforget", "fact_tea", "--reason", "tea after all"]);
    assert_eq!(sandbox.json(&["get", "s/FACT-001"])["text"], "tea");
}

#[test]
fn another_confidence_leaves_no_word_that_says_something_else() {
    let sandbox = Sandbox::with_session();
    sandbox.json(&[
        "remember",
        "dark mode",
        "--session",
        "s",
        "--kind",
        "preference",
        "--id",
        "p",
        "--confidence",
        "explicit",
    ]);
    let revised = sandbox.json(&["revise", "p", "--confidence", "0.2"]);
    assert_eq!(
        (&revised["confidence"], &revised["body"]),
        (&json!(0.2), &json!({}))
    );
    let revised = sandbox.json(&["revise", "p", "--confidence", "inferred"]);
    assert_eq!(revised["body"]["confidence"], "inferred");
}

#[test]
fn a_closed_session_that_is_used_again_says_so() {
    let sandbox = Sandbox::with_session();
    sandbox.json(&["session", "close", "s"]);
    let closed = |sandbox: &Sandbox| {
        let card = sandbox.run(&["session", "show", "s"]).stdout;
        card.lines()
            .find(|line| line.contains("closed"))
            .unwrap()
            .to_owned()
    };
    assert!(!closed(&sandbox).contains("used again"));
    sandbox.json(&["remember", "one thing more", "--session", "s"]);
    assert!(closed(&sandbox).ends_with(", used again since"));
}

#[test]
fn a_session_names_each_agent_and_tag_once() {
    let sandbox = Sandbox::empty();
    sandbox.json(&["init"]);
    let new = [
        "session", "new", "--id", "t", "--agent", "x", "--agent", "x", "--tag", "a", "--tag", "a",
    ];
    sandbox.json(&new);
    let shown = sandbox.json(&["session", "show", "t"]).to_string();
    assert_eq!(
        (
            shown.matches("\"x\"").count(),
            shown.matches("\"a\"").count()
        ),
        (1, 1),
        "{shown}"
    );
}

#[test]
fn turns_of_one_moment_are_told_in_their_order() {
    let sandbox = Sandbox::with_session();
    let turn = |n: usize| {
        json!({"text": format!("turn {n}"), "kind": "conversation", "created_at": "2026-01-10T12:00:00Z"}).to_string()
    };
    let lines: Vec<String> = (1..=9).map(turn).collect();
    sandbox.run_with_input(
        &["import", "-", "--session", "s"],
        lines.join("\n").as_bytes(),
    );
    for arguments in [
        ["context", "--session", "s"].as_slice(),
        &["session", "timeline", "s"],
    ] {
        let told = sandbox.run(arguments).stdout;
        let places: Vec<_> = (1..=9)
            .map(|n| told.find(&format!("turn {n}")).unwrap())
            .collect();
        assert!(places.is_sorted(), "{told}");
    }
}
