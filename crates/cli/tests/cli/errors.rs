//! Codes and exit statuses of what is refused, misused or damaged.

use serde_json::{Value, json};

use crate::sandbox::{Sandbox, finish};

#[test]
fn misuse_ends_with_2_and_says_what_to_type() {
    let sandbox = Sandbox::with_session();
    for arguments in [
        vec!["frobnicate"],
        vec!["remember", "x"],
        vec!["remember"],
        vec!["remember", "x", "--session", "s", "--shared"],
        vec!["forget", "--reason", "r"],
        vec!["forget", "s/FACT-001"],
        vec!["forget", "x", "--tag", "t", "--reason", "r"],
        vec!["erase"],
        // An order or a page of everything does not say what is meant.
        vec!["erase", "--sort", "newest", "--yes"],
        vec!["erase", "--limit", "5", "--offset", "1", "--yes"],
        vec!["forget", "--include-forgotten", "--reason", "x"],
        vec!["erase", "--all"],
        vec!["erase", "x", "--tag", "t", "--yes"],
        vec!["unforget", "x"],
        vec!["get"],
        vec!["--store", "postgres://host/db", "list"],
        vec!["import", "x", "--format", "xml"],
        vec![],
    ] {
        let ran = sandbox.run(&arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(!ran.stderr.is_empty());
        if !arguments.is_empty() {
            let ran = sandbox.run(&[&arguments[..], &["--json"]].concat());
            let envelope: Value = serde_json::from_str(&ran.stderr).unwrap();
            assert_eq!(
                (ran.code, &envelope["error"]["code"]),
                (2, &json!("E_USAGE"))
            );
        }
    }
}

#[test]
fn a_refusal_is_a_code_a_sentence_and_a_hint() {
    let sandbox = Sandbox::with_session();
    let ran = sandbox.run(&["get", "s/DEC-009"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    insta::assert_snapshot!(ran.stderr, @r"
    error[E_NOT_FOUND]: there is no memory s/DEC-009
    hint: `mnemon list` shows what is there and `mnemon deleted` what is forgotten; a handle such as DEC-001 needs --session S, or is written S/DEC-001.
    ");
    let ran = sandbox.run(&["session", "show", "x", "--json"]);
    insta::assert_snapshot!(ran.stderr, @r#"{"error":{"code":"E_SESSION_NOT_FOUND","number":"MEM_E005","message":"there is no session x","hint":"`mnemon session list` shows the sessions; `mnemon session new --id x` makes this one.","retryable":false}}"#);
    let ran = sandbox.run(&["remember", "x"]);
    insta::assert_snapshot!(ran.stderr, @r"
    error: it is not said where to remember this
    hint: Give --session S (`mnemon session list` shows them), --agent A for an agent's long-term memory, or --shared for what all agents should know.
    ");
}

#[test]
fn what_is_not_there_has_its_code() {
    let sandbox = Sandbox::with_session();
    for (arguments, code) in [
        (
            vec!["remember", "x", "--session", "no"],
            "E_SESSION_NOT_FOUND",
        ),
        (vec!["session", "close", "no"], "E_SESSION_NOT_FOUND"),
        (vec!["session", "new", "--id", "S"], "E_SCHEMA_INVALID"),
        (vec!["history", "no"], "E_NOT_FOUND"),
        (vec!["revise", "no", "--pin"], "E_NOT_FOUND"),
        (vec!["unforget", "no", "--reason", "r"], "E_NOT_FOUND"),
        (vec!["get", "s/XXX-1"], "E_INVALID_FORMAT"),
        (vec!["--root", "none", "stats"], "E_STORAGE_IO"),
    ] {
        assert_eq!(sandbox.refusal(&arguments).0, code, "{arguments:?}");
    }
}

#[test]
fn a_full_session_is_refused_with_the_sizes() {
    let sandbox = Sandbox::with_session();
    let text = "x".repeat(70_000);
    let ran = finish(
        sandbox
            .command()
            .args(["remember", "-", "--session", "s", "--json"])
            .env("MNEMON_STORAGE_SESSION_BYTES_MAX", "65536"),
        text.as_bytes(),
    );
    assert_eq!(ran.refusal().0, "E_SIZE_LIMIT");
}

#[test]
fn a_held_lock_is_waited_for_and_then_refused() {
    let sandbox = Sandbox::with_session();
    let lock = std::fs::File::open(sandbox.path().join(".mnemon/lock")).unwrap();
    lock.lock().unwrap();
    let ran = finish(
        sandbox
            .command()
            .args(["remember", "x", "--session", "s", "--json"])
            .env("MNEMON_LOCK_TIMEOUT_MS", "30"),
        b"",
    );
    assert_eq!(ran.refusal().0, "E_LOCK_TIMEOUT");
    assert_eq!(sandbox.json(&["list"])["total"], 0);
}

#[test]
fn a_newer_store_is_refused_and_left_alone() {
    let sandbox = Sandbox::with_session();
    let file = sandbox.path().join(".mnemon/store.json");
    let newer = "{\"format\":99,\"store_id\":\"x\",\"created_at\":\"y\"}";
    std::fs::write(&file, newer).unwrap();
    assert_eq!(
        sandbox.refusal(&["remember", "x", "--session", "s"]).0,
        "E_INVALID_FORMAT"
    );
    assert_eq!(std::fs::read_to_string(&file).unwrap(), newer);
    let doctor = sandbox.json(&["doctor"]);
    assert_eq!(doctor["ok"], false);
    std::fs::write(&file, "{").unwrap();
    assert_eq!(sandbox.refusal(&["list"]).0, "E_STORAGE_CORRUPT");
}

#[test]
fn doctor_says_how_to_mend_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::with_session();
    assert_eq!(sandbox.json(&["doctor"])["ok"], true);
    let log = sandbox.path().join(".mnemon/sessions/s/memory.jsonl");
    std::fs::set_permissions(&log, std::fs::Permissions::from_mode(0o644)).unwrap();
    let doctor = sandbox.json(&["doctor"]);
    assert_eq!(doctor["ok"], false);
    let checks = doctor["checks"].as_array().unwrap();
    let check = checks
        .iter()
        .find(|check| check["name"] == "permissions")
        .unwrap();
    assert_eq!(check["status"], "problem");
    let root = sandbox.path().canonicalize().unwrap().join(".mnemon");
    assert_eq!(check["hint"], format!("chmod -R go= '{}'", root.display()));
}

#[test]
fn a_closed_pipe_is_no_error() {
    let sandbox = Sandbox::with_session();
    for number in 0..3 {
        let text = format!("{number} {}", "x".repeat(100_000));
        sandbox.run_with_input(&["remember", "-", "--session", "s"], text.as_bytes());
    }
    let program = env!("CARGO_BIN_EXE_mnemon");
    let script = format!("'{program}' export | head -c 1 >/dev/null; exit ${{PIPESTATUS[0]}}");
    let mut shell = std::process::Command::new("bash");
    let ran = finish(shell.current_dir(sandbox.path()).args(["-c", &script]), b"");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
}

#[test]
fn a_full_disk_is_said_to_be_full() {
    let sandbox = Sandbox::with_session();
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = sandbox
        .command()
        .args(["export", "--json"])
        .stdout(full)
        .output()
        .unwrap();
    let envelope: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(envelope["error"]["code"], "E_STORAGE_FULL");
    assert_eq!(output.status.code(), Some(1));
}
