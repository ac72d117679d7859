//! Agents, seen from outside: who sees what, long-term memory, tiers and retention.

use serde_json::json;

use crate::sandbox::Sandbox;

#[test]
fn what_an_agent_keeps_for_good_is_its_own() {
    let sandbox = Sandbox::with_session();
    let kept = sandbox.json(&["--as", "ada", "remember", "the secret plan", "--long-term"]);
    assert_eq!(kept["space"], "agent/ada");
    let id = kept["id"].as_str().unwrap();
    let own = sandbox.json(&["--as", "ada", "get", id]);
    assert_eq!(own["text"], "the secret plan");

    let (code, _) = sandbox.refusal(&["--as", "bob", "get", id]);
    assert_eq!(code, "E_NOT_FOUND");
    let listed = sandbox.json(&["--as", "bob", "list", "--agent", "ada"]);
    assert_eq!(listed["total"], 0);
    let recalled = sandbox.json(&["--as", "bob", "recall", "secret plan"]);
    assert_eq!(recalled["hits"], json!([]));
    let (code, message) = sandbox.refusal(&["--as", "bob", "remember", "x", "--agent", "ada"]);
    assert_eq!(code, "E_FORBIDDEN");
    assert_eq!(
        message,
        "bob may not write into agent/ada: it belongs to that agent alone"
    );
    let (code, _) = sandbox.refusal(&["--as", "bob", "verify"]);
    assert_eq!(code, "E_FORBIDDEN");
    assert_eq!(
        sandbox.json(&["list", "--all"])["total"],
        1,
        "the user sees all"
    );
}

#[test]
fn a_state_in_a_session_is_its_authors() {
    let sandbox = Sandbox::with_session();
    let at = ["--session", "s"];
    let state = ["--kind", "state"];
    sandbox.json(&[&["--as", "ada", "remember", "half way"][..], &at, &state].concat());
    sandbox.json(&[&["--as", "ada", "remember", "we use tabs"][..], &at].concat());
    let total = |who: &str| sandbox.json(&["--as", who, "list", "--session", "s"])["total"].clone();
    assert_eq!((total("ada"), total("bob")), (json!(2), json!(1)));
    let session = sandbox.json(&["--as", "bob", "session", "show", "s"]);
    assert!(!session.to_string().contains("state\":1"), "{session}");
}

#[test]
fn several_memories_are_shown_by_their_ids_and_missing_ones_are_left_out() {
    let sandbox = Sandbox::with_session();
    for id in ["one", "two"] {
        sandbox.json(&["remember", id, "--shared", "--id", id]);
    }
    let found = sandbox.json(&["get", "two", "three", "one"]);
    let ids: Vec<_> = found["memories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["id"])
        .collect();
    assert_eq!(ids, ["two", "one"]);
    assert_eq!(found["total"], 2);
}

#[test]
fn stats_of_an_agent_tell_its_kinds_tags_and_limit() {
    let sandbox = Sandbox::with_session();
    for text in ["one", "two"] {
        sandbox.json(&["--as", "ada", "remember", text, "--long-term", "--tag", "x"]);
    }
    let stats = sandbox.json(&["stats", "--agent", "ada"]);
    assert_eq!(
        (&stats["active"], &stats["forgotten"]),
        (&json!(2), &json!(0))
    );
    assert_eq!(stats["by_kind"], json!({"fact": 2}));
    assert_eq!(stats["top_tags"], json!([{"tag": "x", "count": 2}]));
    assert_eq!(
        (&stats["limit_bytes"], &stats["tier"]),
        (&json!(null), &json!("enterprise"))
    );
    assert!(stats["used_bytes"].as_u64().unwrap() > 100);
    let of_another = sandbox.json(&["--as", "bob", "stats", "--agent", "ada"]);
    assert_eq!(
        (&of_another["active"], &of_another["used_bytes"]),
        (&json!(0), &json!(0))
    );
}

#[test]
fn the_tier_of_the_settings_is_enforced() {
    let sandbox = Sandbox::with_session();
    std::fs::write(
        sandbox.path().join(".mnemon/mnemon.toml"),
        "tier = \"core\"\n",
    )
    .unwrap();
    let (code, message) = sandbox.refusal(&["--as", "ada", "remember", "x", "--long-term"]);
    assert_eq!(code, "E_LICENSE");
    assert_eq!(
        message,
        "long-term memory needs the tier writer_pro, and the tier is core"
    );
    let (code, _) = sandbox.refusal(&["recall", "x", "--mode", "semantic"]);
    assert_eq!(code, "E_LICENSE");
    sandbox.json(&["remember", "by words", "--shared"]);
    let recalled = sandbox.json(&["recall", "words"]);
    assert_eq!(recalled["hits"].as_array().unwrap().len(), 1);
}

#[test]
fn a_retention_policy_is_set_shown_and_carried_out() {
    let sandbox = Sandbox::with_session();
    let none = sandbox.json(&["retention", "show", "--agent", "ada"]);
    assert_eq!(none, json!({"agent": "ada", "policy": null}));
    let set = sandbox.json(&[
        "retention",
        "set",
        "--agent",
        "ada",
        "--long-term-max-age",
        "30d",
        "--exempt-tag",
        "keep",
    ]);
    assert_eq!(set["policy"]["long_term_max_age_days"], 30);
    assert_eq!(set["policy"]["forgotten_retention_days"], 90);
    assert_eq!(sandbox.json(&["retention", "show", "--agent", "ada"]), set);
    let old = ["--agent", "ada", "--at", "2020-01-01T00:00:00Z"];
    sandbox.json(&[&["remember", "old"][..], &old].concat());
    sandbox.json(&[&["remember", "old and kept", "--tag", "keep"][..], &old].concat());
    let told = sandbox.json(&["retention", "run", "--dry-run"]);
    assert_eq!(told["long_term_memory_entries_deleted"], 1);
    assert_eq!(sandbox.json(&["list", "--all"])["total"], 2);
    let done = sandbox.json(&["--as", "ada", "retention", "run"]);
    assert_eq!(done["long_term_memory_entries_deleted"], 1);
    assert_eq!(done["agents_processed"], 1);
    let left = sandbox.json(&["list", "--all"]);
    assert_eq!(left["memories"][0]["text"], "old and kept");
    assert_eq!(left["total"], 1);
    let (code, _) = sandbox.refusal(&[
        "retention",
        "set",
        "--agent",
        "ada",
        "--snapshot-max-age",
        "3x",
    ]);
    assert_eq!(code, "E_SCHEMA_INVALID");
}
