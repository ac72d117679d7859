//! The life of sessions, seen from outside.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// A session with two facts.
fn stage() -> Sandbox {
    let sandbox = Sandbox::with_session();
    // So long that a few digits of a time more or less show in no size.
    let fern = format!("Nobody waters the fern{}", " or anything else".repeat(21));
    for text in ["The gate opens at seven", &fern] {
        sandbox.json(&["remember", text, "--session", "s"]);
    }
    sandbox
}

/// The members of an answer, without those that tell when.
fn members(answer: &Value, names: &[&str]) -> Value {
    let pick = |name: &&str| ((*name).to_owned(), answer[*name].clone());
    Value::Object(names.iter().map(pick).collect())
}

#[test]
fn an_archived_session_is_listed_found_by_its_summary_and_opened_when_it_is_named() {
    let sandbox = stage();
    let archived = sandbox.json(&["session", "archive", "s", "--reason", "released"]);
    assert_eq!(
        members(&archived, &["state", "memories", "by_kind"]),
        json!({"state": "archived", "memories": 2, "by_kind": {"fact": 2}})
    );
    assert_eq!(
        members(&archived["archived"], &["by", "reason"]),
        json!({"by": "user", "reason": "released"})
    );
    let listed = sandbox.json(&["session", "list"]);
    assert_eq!(listed["sessions"][0]["state"], "archived");
    let hits = sandbox.json(&["recall", "when does the gate open"]);
    assert_eq!(hits["hits"][0]["memory"]["metadata"]["archived"], true);
    assert_eq!(sandbox.json(&["list"])["total"], 1);
    let stats = sandbox.json(&["stats"]);
    assert_eq!(stats["archived"]["sessions"], 1);
    let exported = sandbox.run(&["export", "--all"]).stdout;
    assert_eq!(exported.lines().count(), 3, "the session and its memories");
    assert_eq!(sandbox.json(&["session", "show", "s"])["state"], "archived");

    let memory = sandbox.json(&["get", "s/FACT-001"]);
    assert_eq!(memory["text"], "The gate opens at seven");
    let opened = sandbox.json(&["session", "show", "s"]);
    assert_eq!(opened["state"], "active");
    assert!(opened["archived"].is_null());
    assert_eq!(
        sandbox.json(&["session", "restore", "s"])["state"],
        "active"
    );
    let audit = sandbox.json(&["audit"]);
    let deeds: Vec<_> = audit["entries"].as_array().unwrap().iter().collect();
    assert_eq!(
        members(
            deeds[0],
            &["op", "by", "reason", "memories", "ids", "spaces"]
        ),
        json!({
            "op": "archive", "by": "user", "reason": "released", "memories": 2, "ids": [],
            "spaces": ["session/s"],
        })
    );
    assert_eq!(
        members(deeds[1], &["op", "reason"]),
        json!({"op": "restore", "reason": "it was asked for"})
    );
}

#[test]
fn a_deleted_session_is_listed_shown_and_brought_back() {
    let sandbox = stage();
    let deleted = sandbox.json(&["session", "delete", "s", "--reason", "only a test"]);
    let names = [
        "session_id",
        "state",
        "deleted_by",
        "reason",
        "memories",
        "by_kind",
    ];
    let expected = json!({
        "session_id": "s", "state": "deleted", "deleted_by": "user", "reason": "only a test",
        "memories": 2, "by_kind": {"fact": 2},
    });
    assert_eq!(members(&deleted, &names), expected);
    for shown in [
        &sandbox.json(&["session", "show", "s"]),
        &sandbox.json(&["session", "list", "--deleted"])["sessions"][0],
        &sandbox.json(&["deleted"])["sessions"][0],
    ] {
        assert_eq!(members(shown, &names), expected);
    }
    assert_eq!(sandbox.json(&["session", "list"])["total"], 0);
    assert_eq!(sandbox.json(&["stats"])["deleted"]["sessions"], 1);
    for arguments in [
        vec!["get", "s/FACT-001"],
        vec!["list", "--session", "s"],
        vec!["remember", "x", "--session", "s"],
        vec!["session", "archive", "s"],
        vec!["session", "delete", "s", "--reason", "again"],
    ] {
        let (code, message) = sandbox.refusal(&arguments);
        assert_eq!(code, "E_SESSION_NOT_FOUND", "{arguments:?}");
        assert_eq!(message, "session s was deleted", "{arguments:?}");
    }
    let (code, message) = sandbox.refusal(&["session", "new", "--id", "S"]);
    assert_eq!(code, "E_SCHEMA_INVALID");
    assert_eq!(message, "there was a session s, which lies in the trash");

    let back = sandbox.json(&["session", "undelete", "s", "--reason", "needed"]);
    assert_eq!(
        members(&back, &["state", "memories"]),
        json!({"state": "active", "memories": 2})
    );
    assert_eq!(
        sandbox.json(&["session", "list", "--deleted"]),
        json!({"sessions": [], "total": 0})
    );
    assert_eq!(
        sandbox.run(&["session", "delete", "s"]).code,
        2,
        "a reason is needed"
    );
}

#[test]
fn purging_asks_first_unless_the_time_is_up() {
    let sandbox = stage();
    let purge = || sandbox.run(&["session", "purge", "s"]);
    assert_eq!(purge().code, 2, "it is not deleted");
    sandbox.json(&["session", "delete", "s", "--reason", "only a test"]);
    assert_eq!(purge().code, 2, "its time is not up");
    assert_eq!(
        sandbox.json(&["session", "purge"]),
        json!({"purged": [], "total": 0})
    );
    let would = sandbox.json(&["session", "purge", "s", "--dry-run"]);
    assert_eq!(
        (&would["dry_run"], &would["purged"][0]["state"]),
        (&json!(true), &json!("deleted"))
    );
    let purged = sandbox.json(&["session", "purge", "s", "--yes"]);
    assert_eq!(
        members(&purged["purged"][0], &["id", "state", "memories"]),
        json!({"id": "s", "state": "purged", "memories": 2})
    );
    let (code, _) = sandbox.refusal(&["session", "show", "s"]);
    assert_eq!(code, "E_SESSION_NOT_FOUND");
    let left = sandbox.files();
    let of_it = left
        .keys()
        .find(|path| path.to_string_lossy().contains("memory.jsonl"));
    assert_eq!(of_it, None);
    sandbox.json(&["session", "new", "--id", "s"]);
}

#[test]
fn a_memory_in_the_trash_can_be_erased_but_not_read() {
    let sandbox = stage();
    let id = sandbox.json(&["get", "s/FACT-002"])["id"].clone();
    let id = id.as_str().unwrap();
    sandbox.json(&["session", "archive", "s"]);
    sandbox.json(&["session", "delete", "s", "--reason", "over"]);
    let (code, _) = sandbox.refusal(&["get", id]);
    assert_eq!(code, "E_SESSION_NOT_FOUND");
    let would = sandbox.json(&["erase", id, "--dry-run"]);
    let put_away = json!([{"id": id, "space": "session/s", "at": "deleted"}]);
    assert_eq!(
        would,
        json!({"count": 1, "ids": [id], "dry_run": true, "put_away": put_away})
    );
    let erased = sandbox.json(&["erase", id, "--yes"]);
    assert_eq!(erased["receipt"]["also_in"], json!([]));
    let back = sandbox.json(&["session", "undelete", "s", "--reason", "the rest"]);
    assert_eq!(back["memories"], 1);
}

#[test]
fn people_read_what_became_of_a_session() {
    let sandbox = stage();
    let human = |arguments: &[&str]| sandbox.run(arguments).human(&sandbox);
    sandbox.json(&["session", "archive", "s", "--reason", "released"]);
    insta::assert_snapshot!(human(&["session", "list"]), @r"
    session  state     who   memories     size  last activity
    s        archived  user         2  1.3 KiB  now
    1 session
    ");
    insta::assert_snapshot!(human(&["session", "show", "s"]), @r"
    s  archived

      user         user
      made         2026-01-01 00:00:00 UTC (now)
      last used    2026-01-01 00:00:00 UTC (now)
      archived     2026-01-01 00:00:00 UTC (now) by user
      reason       released
      size         1.3 KiB of 10.0 MiB (0 %)
      holds        2 memories: 2 fact
      by           user: 2 memories, 0 messages, last now
    ");
    insta::assert_snapshot!(human(&["session", "delete", "s", "--reason", "over"]), @r"
    Deleted session s; `mnemon session undelete s --reason R` brings it back, for 30 d.
    ");
    insta::assert_snapshot!(human(&["session", "list", "--deleted"]), @r"
    session  memories  deleted  by    reason  recoverable
    s               2  now      user  over    for 30 d
    1 session
    ");
    insta::assert_snapshot!(human(&["session", "show", "s"]), @r"
    s  deleted

      deleted      2026-01-01 00:00:00 UTC (now) by user
      reason       over
      recoverable  for 30 d
      size         1.3 KiB
      holds        2 memories: 2 fact
    ");
    insta::assert_snapshot!(human(&["deleted"]), @r"
    session  memories  deleted  by    reason  recoverable
    s               2  now      user  over    for 30 d
    1 session
    ");
    insta::assert_snapshot!(human(&["session", "purge", "s", "--yes"]), @r"
    Removed 1 session for good:
      s: 2 memories, deleted now by user
    ");
    insta::assert_snapshot!(human(&["session", "purge"]), @r"
    No deleted session is past its time.
    ");
    insta::assert_snapshot!(human(&["audit"]), @r"
    when  what     by    memories   reason
    now   archive  user  session/s  released
    now   delete   user  session/s  over
    now   purge    user  session/s  purged by command
    3 deeds
    ");
}
