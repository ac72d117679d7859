//! What is related and alike, and what a session comes to.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

fn store() -> Sandbox {
    let sandbox = Sandbox::with_session();
    let memories = [
        json!({"id": "t1", "kind": "conversation", "author": "dana", "created_at": "2023-01-01T10:00:00Z",
            "text": "Hi! How do we keep people signed in on their phones?", "body": {"topic": "authentication"}}),
        json!({"id": "f1", "kind": "finding", "author": "rev", "created_at": "2023-01-01T10:30:00Z",
            "text": "A stolen token works for a day", "importance": 0.9, "turn": "t1",
            "tags": ["security.authentication"], "body": {"severity": "high"}}),
        json!({"id": "d1", "kind": "decision", "author": "arc", "created_at": "2023-01-01T11:00:00Z",
            "text": "Tokens live for an hour", "tags": ["security.authentication", "tokens"],
            "links": [{"rel": "resolves", "to": "f1"}]}),
        json!({"id": "d2", "kind": "decision", "author": "arc", "created_at": "2023-01-01T11:20:00Z",
            "text": "Tokens live for an hour and rotate", "tags": ["tokens"],
            "links": [{"rel": "supersedes", "to": "d1"}, {"rel": "related", "to": "d2"}]}),
    ];
    let lines: Vec<String> = memories.iter().map(Value::to_string).collect();
    let file = sandbox.file("in.jsonl", lines.join("\n"));
    sandbox.json(&["import", file.to_str().unwrap(), "--session", "s"]);
    sandbox
}

fn ids(answer: &Value) -> Vec<&str> {
    let hits = answer["hits"].as_array().unwrap().iter();
    hits.map(|hit| hit["memory"]["id"].as_str().unwrap())
        .collect()
}

#[test]
fn related_follows_both_directions_to_a_depth() {
    let sandbox = store();
    for (arguments, expected) in [
        ("f1 --depth 1", &["d1", "t1"][..]),
        ("FIND-001 --session s", &["d1", "t1", "d2"]),
        ("s/FIND-001 --depth 10", &["d1", "t1", "d2"]),
        ("t1 --depth 2", &["f1", "d1"]),
        ("d2", &["d1", "f1"]),
        ("f1 --kind decision", &["d1", "d2"]),
        ("f1 --limit 1 --offset 1", &["t1"]),
        ("f1 --shared", &[]),
    ] {
        let mut all = vec!["related"];
        all.extend(arguments.split(' '));
        assert_eq!(ids(&sandbox.json(&all)), expected, "{arguments}");
    }
    let answer = sandbox.json(&["related", "f1"]);
    assert_eq!(answer["total"], 3);
    let last = &answer["hits"][2];
    assert_eq!((&last["distance"], &last["rank"]), (&json!(2), &json!(3)));
    assert_eq!(
        last["via"],
        json!([
            {"rel": "resolves", "direction": "in", "from": "f1"},
            {"rel": "supersedes", "direction": "in", "from": "d1"},
        ])
    );
    assert_eq!(answer["hits"][1]["via"][0]["direction"], "out");
}

#[test]
fn what_is_forgotten_is_no_way_to_others() {
    let sandbox = store();
    sandbox.json(&["forget", "d1", "--reason", "no longer true"]);
    assert_eq!(ids(&sandbox.json(&["related", "f1"])), ["t1"]);
    let with = sandbox.json(&["related", "f1", "--include-forgotten"]);
    assert_eq!(ids(&with), ["d1", "t1", "d2"]);
    assert_eq!(sandbox.refusal(&["related", "d1"]).0, "E_NOT_FOUND");
    assert_eq!(
        ids(&sandbox.json(&["related", "d1", "--include-forgotten", "--depth", "1"])).len(),
        2
    );
}

#[test]
fn similar_leaves_out_the_memory_itself() {
    let sandbox = store();
    let answer = sandbox.json(&["similar", "d1"]);
    assert_eq!((&answer["by"], ids(&answer)[0]), (&json!("meaning"), "d2"));
    assert!(!ids(&answer).contains(&"d1"));
    let near = &answer["hits"][0];
    assert!(near["similarity"].as_f64().unwrap() >= 0.6 && near["cosine"].is_number());
    let exact = sandbox.json(&["similar", "d1", "--min-similarity", "1"]);
    assert_eq!((ids(&exact).len(), &exact["total"]), (0, &json!(0)));
    sandbox.json(&["remember", "\u{e000}", "--session", "s", "--id", "mute"]);
    let mute = sandbox.json(&["similar", "mute"]);
    assert_eq!(
        (&mute["by"], &mute["hits"]),
        (&json!("nothing"), &json!([]))
    );
    for (id, text) in [("odd", "𓀀𓀁"), ("odder", "𓀀𓀁 and 𓀀𓀁")] {
        sandbox.json(&["remember", text, "--session", "s", "--id", id]);
    }
    let odd = sandbox.json(&["similar", "odd"]);
    assert_eq!((&odd["by"], ids(&odd)), (&json!("words"), vec!["odder"]));
}

#[test]
fn impossible_questions_are_refused() {
    let sandbox = store();
    for (arguments, code) in [
        (&["related", "f1", "--depth", "0"][..], "E_INVALID_QUERY"),
        (&["related", "f1", "--depth", "11"], "E_INVALID_QUERY"),
        (&["related", "nowhere"], "E_NOT_FOUND"),
        (
            &["similar", "f1", "--min-similarity", "1.5"],
            "E_INVALID_QUERY",
        ),
        (
            &["similar", "f1", "--min-similarity", "NaN"],
            "E_INVALID_QUERY",
        ),
        (&["session", "topics", "nowhere"], "E_SESSION_NOT_FOUND"),
        (&["session", "timeline", "nowhere"], "E_SESSION_NOT_FOUND"),
        (&["session", "summary", "nowhere"], "E_SESSION_NOT_FOUND"),
        (
            &["session", "summary", "s", "--since", "someday"],
            "E_INVALID_QUERY",
        ),
    ] {
        assert_eq!(sandbox.refusal(arguments).0, code, "{arguments:?}");
    }
}

#[test]
fn a_session_tells_topics_timeline_and_summary() {
    let sandbox = store();
    let topics = sandbox.json(&["session", "topics", "s", "--limit", "1"]);
    assert_eq!(
        topics,
        json!({
            "session_id": "s",
            "topics": [{
                "name": "security", "weight": 0.791_667, "mentions": 3,
                "first_mentioned": "2023-01-01T10:00:00Z", "last_mentioned": "2023-01-01T11:00:00Z",
                "subtopics": ["security.authentication"],
                "related_memories": {"decisions": ["DEC-001"], "findings": ["FIND-001"], "turns": ["TURN-1"]},
            }],
            "total": 3,
        })
    );
    let timeline = sandbox.json(&["session", "timeline", "s", "--limit", "1"]);
    assert_eq!(
        timeline,
        json!({
            "session_id": "s",
            "events": [{
                "timestamp": "2023-01-01T11:20:00Z", "type": "decision", "ref": "DEC-002",
                "participants": ["arc"], "topics": ["tokens"], "text": "Tokens live for an hour and rotate",
            }],
            "buckets": {
                "2023-01-01T10:00": {"event_count": 2, "event_refs": ["TURN-1", "FIND-001"]},
                "2023-01-01T11:00": {"event_count": 2, "event_refs": ["DEC-001", "DEC-002"]},
            },
            "total": 4,
        })
    );
    let summary = sandbox.json(&["session", "summary", "s"]);
    assert_eq!(summary["memories"], 4);
    assert_eq!(summary["findings"]["open"][0]["severity"], "high");
    assert_eq!(summary["decisions"]["open"][0]["ref"], "DEC-002");
    assert_eq!(
        summary["sentences"][0]["text"],
        "How do we keep people signed in on their phones?"
    );
    let later = sandbox.json(&["session", "summary", "s", "--since", "2023-01-01T11:00:00Z"]);
    assert_eq!(later["memories"], 2);
}

#[test]
fn people_read_ways_hours_and_quotes() {
    let sandbox = store();
    let human = |arguments: &[&str]| sandbox.run(arguments).human(&sandbox);
    insta::assert_snapshot!(human(&["related", "s/FIND-001"]), @r"
      1. Tokens live for an hour
         DEC-001 · decision · arc · 2023-01-01
         FIND-001 ←resolves─ DEC-001
      2. Hi! How do we keep people signed in on their phones?
         TURN-1 · conversation · dana · 2023-01-01
         FIND-001 ─turn→ TURN-1
      3. Tokens live for an hour and rotate
         DEC-002 · decision · arc · 2023-01-01
         FIND-001 ←resolves─ DEC-001 ←supersedes─ DEC-002
    3 memories
    ");
    insta::assert_snapshot!(human(&["related", "d2", "--kind", "fact"]), @r"Nothing that fits is related to DEC-002.");
    insta::assert_snapshot!(human(&["session", "topics", "s"]), @r"
    topic                    weight  mentions  memories                 last
    security                   0.79         3  DEC-001 FIND-001 TURN-1  2023-01-01
    security.authentication    0.79         3  DEC-001 FIND-001 TURN-1  2023-01-01
    tokens                     0.42         2  DEC-001 DEC-002          2023-01-01
    3 topics
    ");
    insta::assert_snapshot!(human(&["session", "timeline", "s"]), @r"
    2023-01-01 10:00 +00:00
      10:00  TURN-1     dana: Hi! How do we keep people signed in on their phones?
      10:30  FIND-001   high rev: A stolen token works for a day
    2023-01-01 11:00 +00:00
      11:00  DEC-001    arc: Tokens live for an hour
      11:20  DEC-002    arc: Tokens live for an hour and rotate
    4 events
    ");
    insta::assert_snapshot!(human(&["session", "summary", "s"]), @r"
    s  4 memories
         from  2026-01-01 00:00:00 UTC
           to  2026-01-01 00:00:00 UTC
        kinds  1 conversation, 2 decision, 1 finding
       topics  security.authentication, tokens
           by  arc: 2 memories, 0 messages, last 2023-01-01
           by  dana: 1 memory, 1 message, last 2023-01-01
           by  rev: 1 memory, 0 messages, last 2023-01-01

    Open findings
      FIND-001   high A stolen token works for a day

    Open decisions
      DEC-002    Tokens live for an hour and rotate
      DEC-001    Tokens live for an hour

    In their words
      TURN-1     dana: “How do we keep people signed in on their phones?”
    ");
}

#[test]
fn duplicates_are_listed_linked_and_taken_back() {
    let sandbox = Sandbox::with_session();
    for (agent, id, text) in [
        ("dev", "f1", "SQL injection in the login form"),
        ("qa", "f2", "The login form has an SQL injection"),
        ("qa", "f3", "SQL injection in the search form"),
    ] {
        let place = ["--as", agent, "remember", "--session", "s"];
        let what = ["--kind", "finding", "--id", id, text];
        sandbox.json(&[&place[..], &what[..]].concat());
    }
    let shown = sandbox.run(&["duplicates"]);
    insta::assert_snapshot!(shown.stdout, @r"
    memory      text                                   alike  by
    s/FIND-001  SQL injection in the login form               dev, qa
    s/FIND-002  = The login form has an SQL injection   0.99  not linked
    1 group; --link links them, --undo ID takes it back
    ");
    let linked = sandbox.json(&["duplicates", "--link"]);
    assert_eq!(linked["links"], json!([{"id": "f2", "original": "f1"}]));
    let found = sandbox.json(&["duplicates", "--kind", "finding"]);
    assert_eq!(found["groups"][0]["duplicates"][0]["linked"], json!(true));
    assert_eq!(found["groups"][0]["authors"], json!(["dev", "qa"]));
    let undone = sandbox.run(&["duplicates", "--undo", "s/FIND-002"]);
    assert_eq!(undone.stdout, "Unlinked 1 duplicate.\n");
    assert_eq!(sandbox.json(&["duplicates"])["total"], json!(0));
    let free = ["revise", "f2", "--unlink", "distinct_from:f1"];
    sandbox.json(&free);
    assert_eq!(sandbox.json(&["duplicates"])["total"], json!(1));
    let refused = sandbox.run(&["duplicates", "--undo", "f1"]);
    assert_eq!(refused.code, 1);
    assert!(
        refused.stderr.contains("linked as a duplicate"),
        "{}",
        refused.stderr
    );
}
