//! What was asked for counts, though every command is a process of its own.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_session();
    sandbox.json(&["remember", "The port is 5432", "--session", "s"]);
    sandbox.json(&["remember", "The sky is blue", "--session", "s"]);
    sandbox
}

/// How often a memory was asked for, asked in a way that does not count.
fn count(sandbox: &Sandbox, place: usize) -> Value {
    let listed = sandbox.json(&["list", "--session", "s", "--sort", "oldest"]);
    listed["memories"][place]["state"]["access_count"].clone()
}

#[test]
fn get_and_recall_count_after_their_answer() {
    let sandbox = sandbox();
    sandbox.json(&["get", "s/FACT-001"]);
    assert_eq!(
        (count(&sandbox, 0), count(&sandbox, 1)),
        (json!(1), json!(0))
    );
    let limit = ["recall", "port", "--limit", "1", "--mode", "text"];
    sandbox.json(&limit);
    assert_eq!(
        (count(&sandbox, 0), count(&sandbox, 1)),
        (json!(2), json!(0))
    );
    let questions = "{\"qid\":1,\"query\":\"port\"}\n{\"qid\":2,\"query\":\"port\"}\n";
    let batch = ["recall", "--batch", "-", "--limit", "1", "--mode", "text"];
    let ran = sandbox.run_with_input(&batch, questions.as_bytes());
    assert_eq!(ran.code, 0);
    assert_eq!(count(&sandbox, 0), 4);
    let last = sandbox.json(&["list"])["memories"][1]["state"]["last_access"].clone();
    assert!(last.is_string(), "{last}");
    assert_eq!(sandbox.json(&["verify"])["ok"], true);
}

#[test]
fn what_came_back_from_the_archive_was_asked_for() {
    let sandbox = Sandbox::with_session();
    let old = "{\"id\":\"f\",\"text\":\"x\",\"importance\":0.1,\"space\":\"session/s\",\
        \"created_at\":\"2025-01-01T00:00:00Z\"}";
    sandbox
        .run_with_input(&["import", "-", "--json"], old.as_bytes())
        .json();
    assert_eq!(sandbox.json(&["compact", "s"])["memories"], 1);
    sandbox.json(&["unforget", "f", "--reason", "needed"]);
    assert_eq!(count(&sandbox, 0), 1);
    assert_eq!(sandbox.json(&["compact", "s"])["memories"], 0);
}

#[test]
fn questions_about_the_past_and_other_commands_count_nothing() {
    let sandbox = sandbox();
    let now = "now";
    let before = sandbox.files();
    sandbox.json(&["get", "s/FACT-001", "--as-of", now]);
    sandbox.json(&["recall", "port", "--as-of", now]);
    sandbox.json(&["history", "s/FACT-001"]);
    sandbox.json(&["forget", "s/FACT-001", "--reason", "x", "--dry-run"]);
    sandbox.json(&["compact", "s", "--dry-run"]);
    assert_eq!(sandbox.files(), before);
}

#[test]
fn counting_is_left_out_where_it_would_have_to_wait_or_is_not_wanted() {
    let sandbox = sandbox();
    let lock = std::fs::File::options()
        .write(true)
        .open(sandbox.path().join(".mnemon/lock"))
        .unwrap();
    lock.lock().unwrap();
    assert_eq!(
        sandbox.json(&["get", "s/FACT-001"])["text"],
        "The port is 5432"
    );
    lock.unlock().unwrap();
    assert_eq!(count(&sandbox, 0), 0);
    let mut command = sandbox.command();
    command.env("MNEMON_SEARCH_COUNT_ACCESSES", "false");
    let ran = crate::sandbox::finish(command.args(["get", "s/FACT-001"]), b"");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert_eq!(count(&sandbox, 0), 0);
}

#[test]
fn a_closed_session_stays_closed_when_something_in_it_is_asked_for() {
    let sandbox = sandbox();
    sandbox.json(&["session", "close", "s"]);
    sandbox.json(&["get", "s/FACT-001"]);
    sandbox.json(&["recall", "port"]);
    assert_eq!(sandbox.json(&["session", "show", "s"])["state"], "idle");
}
