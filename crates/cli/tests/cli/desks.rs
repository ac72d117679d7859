//! What agents hold, freeze and hand in, seen from outside.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

fn as_dev(arguments: &[&str]) -> Vec<String> {
    let own = ["--as", "dev"].iter().chain(arguments);
    own.map(ToString::to_string).collect()
}

fn dev(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let own = as_dev(arguments);
    let own: Vec<&str> = own.iter().map(String::as_str).collect();
    sandbox.json(&own)
}

#[test]
fn working_memory_is_told_from_the_inside_to_the_outside() {
    let sandbox = Sandbox::with_session();
    dev(&sandbox, &["working", "set", "goal", "green", "tests"]);
    dev(
        &sandbox,
        &["working", "set", "--scope", "review", "goal", "review it"],
    );
    let set = dev(
        &sandbox,
        &["working", "set", "--value", "{\"n\":1}", "goal"],
    );
    assert_eq!(set["replaced"], json!(true));
    let value = |scope: &str| {
        let told = dev(&sandbox, &["working", "get", "goal", "--scope", scope]);
        (told["scope"].clone(), told["value"].clone())
    };
    assert_eq!(value("review/one"), (json!("review"), json!("review it")));
    assert_eq!(value("other"), (json!(""), json!({"n": 1})));
    assert_eq!(dev(&sandbox, &["working", "list"])["total"], json!(2));
    let gone = dev(&sandbox, &["working", "clear", "--scope", "review"]);
    assert_eq!(gone["count"], json!(1));
    for (arguments, code) in [
        (
            vec!["--as", "ann", "working", "list", "--agent", "dev"],
            "E_FORBIDDEN",
        ),
        (
            vec!["--as", "dev", "working", "get", "nothing"],
            "E_NOT_FOUND",
        ),
        (
            vec!["--as", "dev", "working", "set", "a b", "x"],
            "E_SCHEMA_INVALID",
        ),
    ] {
        let ran = sandbox.run(&arguments);
        assert_eq!(ran.code, 1, "{arguments:?}");
        assert!(ran.stderr.contains(code), "{}", ran.stderr);
    }
    assert_eq!(sandbox.run(&["working", "list"]).code, 2);
}

#[test]
fn a_window_tells_what_falls_out_and_refuses_what_can_never_fit() {
    let sandbox = Sandbox::with_session();
    dev(&sandbox, &["window", "budget", "10"]);
    let first = dev(
        &sandbox,
        &["window", "add", "one two three", "--priority", "0.2"],
    );
    assert_eq!((&first["id"], &first["kept"]), (&json!("w1"), &json!(true)));
    dev(&sandbox, &["window", "add", "four five six", "--pin"]);
    let third = dev(&sandbox, &["window", "add", "seven eight nine ten eleven"]);
    assert_eq!(third["fallen_out"][0]["id"], json!("w1"));
    let shown = dev(&sandbox, &["window", "list"]);
    assert_eq!(shown["tokenizer"], json!("o200k_base"));
    assert!(shown["tokens"].as_u64().unwrap() <= 10);
    let ran = sandbox.run(&["--as", "dev", "window", "add", &"many words ".repeat(20)]);
    insta::assert_snapshot!(ran.stderr, @r"
    error[E_SIZE_LIMIT]: 41 tokens do not fit: the window may hold 10, and 3 of them are pinned
    hint: Unpin something with `mnemon window unpin ID`, give the window more with `mnemon window budget TOKENS`, or add a shorter text.
    ");
    let kept = sandbox.json(&[
        "remember",
        "Use PostgreSQL",
        "--session",
        "s",
        "--kind",
        "decision",
    ]);
    let add = ["window", "add", "--memory", "DEC-001", "--session", "s"];
    dev(&sandbox, &add);
    let shown = dev(&sandbox, &["window", "list"]);
    assert_eq!(
        shown["items"].as_array().unwrap().last().unwrap()["memory"],
        kept["id"]
    );
}

#[test]
fn a_snapshot_brings_back_what_an_agent_held() {
    let sandbox = Sandbox::with_session();
    dev(&sandbox, &["working", "set", "goal", "green tests"]);
    let taken = dev(&sandbox, &["snapshot", "create", "--name", "before"]);
    assert_eq!(taken["working_entries"], json!(1));
    let file = sandbox.path().join("dev.snapshot");
    let file = file.to_str().unwrap();
    dev(
        &sandbox,
        &[
            "snapshot", "export", "before", "--format", "binary", "-o", file,
        ],
    );
    dev(&sandbox, &["working", "clear", "--all"]);
    let restored = sandbox.json(&["snapshot", "restore", "before"]);
    assert_eq!(restored["working_entries"], json!(1));
    let told = dev(&sandbox, &["working", "get", "goal"]);
    assert_eq!(told["value"], json!("green tests"));
    sandbox.json(&["snapshot", "delete", "before"]);
    assert_eq!(sandbox.json(&["snapshot", "list"])["total"], json!(0));
    sandbox.json(&["snapshot", "import", file]);
    assert_eq!(
        sandbox.json(&["snapshot", "list"])["snapshots"][0]["id"],
        taken["id"]
    );
    let ran = sandbox.run(&["--as", "ann", "snapshot", "show", "before"]);
    assert!(ran.stderr.contains("E_NOT_FOUND"), "{}", ran.stderr);
    let ran = sandbox.run(&["snapshot", "create", "--agent", "dev", "--encrypt"]);
    assert!(ran.stderr.contains("E_CRYPTO"), "{}", ran.stderr);
}

#[test]
fn a_turn_is_kept_with_all_that_came_of_it_or_not_at_all() {
    let sandbox = Sandbox::with_session();
    let turn = json!({
        "turn": [{"text": "Which database?", "author": "ann"}, "PostgreSQL: transactions."],
        "memories": [
            {"kind": "decision", "text": "Use PostgreSQL", "rationale": "transactions"},
            "The team knows SQL"
        ],
        "state": "schema next",
    });
    let file = sandbox.file("turn.json", turn.to_string());
    let file = file.to_str().unwrap();
    let kept = dev(&sandbox, &["turn", "--session", "s", file]);
    let handles = [&kept["turn"][1], &kept["memories"][0], &kept["state"]].map(|it| &it["handle"]);
    assert_eq!(
        handles,
        [&json!("TURN-2"), &json!("DEC-001"), &json!("STATE-001")]
    );
    let decision = sandbox.json(&["get", "s/DEC-001"]);
    assert_eq!(decision["turn"], kept["turn"][1]["id"]);
    let before = sandbox.json(&["list", "--session", "s"])["total"].clone();
    let bad = json!({"turn": "said", "memories": [{"text": "x", "importance": 7}]});
    let file = sandbox.file("bad.json", bad.to_string());
    let ran = sandbox.run(&["turn", "--session", "s", file.to_str().unwrap()]);
    assert_eq!(ran.code, 1);
    assert_eq!(sandbox.json(&["list", "--session", "s"])["total"], before);
    let file = sandbox.file("unknown.json", r#"{"turns": "said"}"#);
    let ran = sandbox.run(&["turn", "--session", "s", file.to_str().unwrap()]);
    assert!(ran.stderr.contains("turn"), "{}", ran.stderr);
}

#[test]
fn a_back_up_is_a_store_again_elsewhere() {
    let sandbox = Sandbox::with_session();
    sandbox.json(&["remember", "Use PostgreSQL", "--session", "s"]);
    let done = sandbox.json(&["backup", "copy"]);
    assert!(done["lines"].as_u64().unwrap() >= 2);
    let ran = sandbox.run(&["restore-backup", "copy"]);
    assert_eq!(ran.code, 1, "a store is there");
    let back = sandbox.json(&["--root", "elsewhere", "restore-backup", "copy"]);
    assert_eq!(back["files"], done["files"]);
    let listed = sandbox.json(&["--root", "elsewhere", "list", "--all"]);
    assert_eq!(listed["memories"][0]["text"], json!("Use PostgreSQL"));
    assert_eq!(
        sandbox.json(&["--root", "elsewhere", "verify"])["ok"],
        json!(true)
    );
    let ran = sandbox.run(&["--as", "dev", "backup", "other"]);
    assert!(ran.stderr.contains("E_FORBIDDEN"), "{}", ran.stderr);
}
