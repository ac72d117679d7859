//! Damage: found, set aside, or accepted.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

fn log(sandbox: &Sandbox) -> PathBuf {
    sandbox.path().join(".mnemon/sessions/s/memory.jsonl")
}

/// A store in which one line says something else than what was written.
fn edited() -> Sandbox {
    let sandbox = Sandbox::with_session();
    sandbox.json(&["remember", "original", "--session", "s", "--id", "m"]);
    sandbox.json(&["remember", "untouched", "--session", "s", "--id", "n"]);
    let text = std::fs::read_to_string(log(&sandbox)).unwrap();
    std::fs::write(log(&sandbox), text.replace("original", "changed!")).unwrap();
    sandbox
}

#[test]
fn a_sound_store_is_said_to_be_sound() {
    let sandbox = Sandbox::with_session();
    sandbox.json(&["remember", "x", "--session", "s"]);
    let found = sandbox.json(&["verify"]);
    assert_eq!(found["ok"], true);
    assert_eq!(
        (&found["problems"], &found["notes"]),
        (&json!([]), &json!([]))
    );
    assert!(found["checked"].as_u64().unwrap() >= 2);
    let ran = sandbox.run(&["verify"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.starts_with("Sound: checked "), "{}", ran.stdout);
}

#[test]
fn damage_is_told_with_its_line_and_ends_with_1() {
    let sandbox = edited();
    let ran = sandbox.run(&["verify", "--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(found["ok"], false);
    let problem = &found["problems"][0];
    assert_eq!(problem["space"], "session/s");
    assert_eq!(problem["line"], 3);
    assert_eq!(problem["code"], "E_STORAGE_CORRUPT");
    assert!(!problem["message"].as_str().unwrap().is_empty());
    let ran = sandbox.run(&["verify"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("session/s, line 3"), "{}", ran.stdout);
}

#[test]
fn repair_sets_damage_aside() {
    let sandbox = edited();
    let report = sandbox.json(&["repair"]);
    assert_eq!(report["quarantined"][0]["line"], 3);
    let file = report["quarantined"][0]["file"].as_str().unwrap();
    assert!(std::fs::read_to_string(file).unwrap().contains("changed!"));
    assert_eq!(sandbox.json(&["verify"])["ok"], true);
    assert_eq!(sandbox.refusal(&["get", "m"]).0, "E_NOT_FOUND");
    assert_eq!(sandbox.json(&["get", "n"])["text"], "untouched");
}

#[test]
fn an_edit_can_be_accepted() {
    let sandbox = edited();
    let report = sandbox.json(&["repair", "--accept-edits"]);
    assert_eq!(report["accepted"], json!(["session/s:3"]));
    assert_eq!(sandbox.json(&["verify"])["ok"], true);
    assert_eq!(sandbox.json(&["get", "m"])["text"], "changed!");
}

#[test]
fn a_line_changed_by_hand_is_never_taken_for_the_truth() {
    let sandbox = Sandbox::with_session();
    sandbox.json(&["remember", "original", "--session", "s", "--id", "m"]);
    let text = std::fs::read_to_string(log(&sandbox)).unwrap();
    std::fs::write(log(&sandbox), text.replace("original", "changed!")).unwrap();
    assert_eq!(sandbox.refusal(&["get", "m"]).0, "E_STORAGE_CORRUPT");
    assert_eq!(sandbox.json(&["stats"])["damaged_lines"], 1);
    assert_eq!(sandbox.json(&["doctor"])["ok"], false);
}

#[test]
fn reindexing_loses_nothing() {
    let sandbox = Sandbox::with_session();
    sandbox.json(&["remember", "x", "--session", "s"]);
    std::fs::remove_dir_all(sandbox.path().join(".mnemon/index")).unwrap();
    assert_eq!(sandbox.json(&["list"])["total"], 1);
    let report = sandbox.json(&["reindex"]);
    assert_eq!(
        (&report["logs"], &report["memories"]),
        (&json!(1), &json!(1))
    );
}

#[test]
fn after_a_failed_sync_nothing_is_written_until_a_repair() {
    let sandbox = Sandbox::with_session();
    sandbox.file(
        ".mnemon/poisoned",
        "{\"log\":\"session/s\",\"reason\":\"EIO\",\"at\":\"2026-01-01T00:00:00Z\"}",
    );
    let remember = ["remember", "x", "--session", "s"];
    assert_eq!(sandbox.refusal(&remember).0, "E_STORAGE_IO");
    let doctor = sandbox.json(&["doctor"]);
    let checks = doctor["checks"].as_array().unwrap();
    let writing = checks.iter().find(|check| check["name"] == "writing");
    assert_eq!(writing.unwrap()["status"], "problem");
    assert_eq!(sandbox.json(&["repair"])["unpoisoned"], true);
    assert_eq!(sandbox.json(&remember)["durable"], true);
}

#[test]
fn what_is_erased_is_in_no_file_and_the_receipt_says_where_it_was() {
    let sandbox = Sandbox::with_session();
    sandbox.json(&[
        "remember",
        "Mallory lives at Canarygasse 7",
        "--session",
        "s",
    ]);
    sandbox.json(&["remember", "The rest stays", "--session", "s"]);
    let shown = sandbox.json(&["erase", "s/FACT-001", "--dry-run"]);
    assert_eq!(shown["count"], 1);
    let refused = sandbox.run(&["erase", "s/FACT-001"]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    let receipt = sandbox.json(&["erase", "s/FACT-001", "--yes", "--reason", "she asked"]);
    assert_eq!(receipt["count"], 1);
    let places: Vec<&str> = receipt["receipt"]["cleaned"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cleaned| cleaned["place"].as_str().unwrap())
        .collect();
    assert_eq!(places, ["sessions/s/memory.jsonl", "index"]);
    assert_eq!(sandbox.json(&["list"])["total"], 1);
    let audit = sandbox.json(&["audit"]);
    assert_eq!(audit["entries"][0]["op"], "erase");
    assert_eq!(audit["entries"][0]["reason"], "she asked");
    let found = std::process::Command::new("grep")
        .args(["-rla", "Canarygasse"])
        .arg(sandbox.path())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&found.stdout), "");
    // A number is never given twice.
    let next = sandbox.json(&["remember", "Another", "--session", "s"]);
    assert_eq!(next["handle"], "FACT-003");
}

#[test]
fn an_export_says_what_is_not_in_it() {
    let sandbox = edited();
    let file = sandbox.path().join("all.jsonl");
    let ran = sandbox.run(&["export", "--all", "-o", file.to_str().unwrap()]);
    assert_eq!(ran.code, 0);
    assert!(
        ran.stderr.contains("1 line is damaged and left out"),
        "{ran:?}"
    );
    let lines = std::fs::read_to_string(&file).unwrap();
    assert!(lines.contains("untouched") && !lines.contains("changed!"));
    let answer = sandbox.json(&["export", "--all", "-o", file.to_str().unwrap()]);
    assert_eq!(
        (&answer["exported"], &answer["damaged_lines"]),
        (&json!(1), &json!(1))
    );
}

#[test]
fn help_is_there_however_it_is_asked_for() {
    let sandbox = Sandbox::empty();
    for (asked, usual) in [
        (&["help"][..], &["--help"][..]),
        (&["help", "session", "new"], &["session", "new", "--help"]),
    ] {
        let (asked, usual) = (sandbox.run(asked), sandbox.run(usual));
        assert_eq!((asked.code, &asked.stdout), (0, &usual.stdout));
        assert!(usual.stdout.contains("Usage: mnemon"), "{usual:?}");
    }
}

#[test]
fn a_log_that_was_taken_away_is_told_by_verify_and_doctor_until_repair() {
    let sandbox = Sandbox::with_session();
    sandbox.json(&["remember", "x", "--session", "s"]);
    std::fs::remove_file(log(&sandbox)).unwrap();
    assert_eq!(sandbox.json(&["list"])["total"], 0);
    let ran = sandbox.run(&["verify"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout
            .contains("sessions/s/memory.jsonl is gone, with 1 memory"),
        "{ran:?}"
    );
    let gone = "that of session/s is gone, with 1 memory";
    assert!(sandbox.run(&["doctor"]).stdout.contains(gone));
    let repaired = sandbox.json(&["repair"]);
    assert_eq!(
        repaired["gone"],
        json!([{"space": "session/s", "memories": 1}])
    );
    assert!(!sandbox.run(&["doctor"]).stdout.contains(gone));
    assert_eq!(sandbox.json(&["verify"])["ok"], true);
}
