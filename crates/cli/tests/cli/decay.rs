//! How memories fade, seen from outside.

use crate::sandbox::Sandbox;

/// A store with old memories: a turn, an open decision, a resolved one, and a critical finding.
fn old_memories() -> Sandbox {
    let sandbox = Sandbox::with_session();
    let keep = |text: &str, kind: &str, body: &str| {
        sandbox.json(&[
            "remember",
            text,
            "--session",
            "s",
            "--kind",
            kind,
            "--body",
            body,
            "--at",
            "60d",
            "--importance",
            "1",
        ]);
    };
    keep("an old turn", "conversation", "{}");
    keep("an open question", "decision", "{}");
    keep("a settled question", "decision", "{\"resolved\":true}");
    keep(
        "a hole in the wall",
        "finding",
        "{\"severity\":\"critical\"}",
    );
    sandbox
}

fn listed(sandbox: &Sandbox, more: &[&str]) -> Vec<String> {
    let answer = sandbox.json(&[&["list", "--session", "s"], more].concat());
    let memories = answer["memories"].as_array().unwrap().iter();
    let mut handles: Vec<String> = memories
        .map(|memory| memory["handle"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(answer["total"], handles.len());
    handles.sort();
    handles
}

#[test]
fn the_model_of_the_settings_decides_what_has_faded() {
    let sandbox = old_memories();
    // After 60 days: 2^(-60/7) under its floor 0.1; 2^-2 for decisions; 2^(-60/14) under the floor.
    for (model, least, left) in [
        ("half_life", "0.2", vec!["DEC-001", "DEC-002"]),
        (
            "half_life",
            "0.05",
            vec!["DEC-001", "DEC-002", "FIND-001", "TURN-1"],
        ),
        // 0.95 × e^-1.8 × e^-0.6 = 0.086 for what is settled, 0.7 for what is open, 0.8 for
        // what is critical, e^-3 × e^-0.6 = 0.027 for the turn.
        ("priority", "0.75", vec!["FIND-001"]),
        ("priority", "0.65", vec!["DEC-001", "FIND-001"]),
        ("priority", "0.05", vec!["DEC-001", "DEC-002", "FIND-001"]),
        // 0.25 × 1.2 = 0.3.
        ("boosted", "0.29", vec!["DEC-001", "DEC-002"]),
        ("boosted", "0.31", vec![]),
    ] {
        // What is asked for here would matter more from question to question.
        let settings = format!("[decay]\nmodel = '{model}'\n[search]\ncount_accesses = false\n");
        sandbox.file(".mnemon/mnemon.toml", settings);
        let found = listed(&sandbox, &["--min-priority", least]);
        assert_eq!(found, left, "{model} {least}");
        // The same rule, asked with a question.
        let recalled = sandbox.json(&["recall", "*", "--session", "s", "--min-priority", least]);
        assert_eq!(recalled["hits"].as_array().unwrap().len(), left.len());
        let filter = format!(
            "{{\"filters\":[{{\"field\":\"priority\",\"operator\":\">=\",\"value\":{least}}}]}}"
        );
        let ran = sandbox.run_with_input(&["query", "-", "--json"], filter.as_bytes());
        assert_eq!(
            ran.json()["hits"].as_array().unwrap().len(),
            left.len(),
            "{model} {least}"
        );
    }
}

#[test]
fn a_memory_says_which_rule_gave_its_priority() {
    let sandbox = old_memories();
    sandbox.file(".mnemon/mnemon.toml", "[decay]\nmodel = 'priority'\n");
    let state = &sandbox.json(&["get", "s/FIND-001"])["state"];
    assert_eq!(state["priority"], 0.8);
    assert_eq!(state["decay_reason"], "critical findings keep 0.8");
    let card = sandbox.run(&["get", "s/DEC-001"]).stdout;
    assert!(
        card.contains("priority     0.700: open decisions keep 0.7"),
        "{card}"
    );
    let explained = sandbox
        .run(&["recall", "hole in the wall", "--explain"])
        .stdout;
    assert!(
        explained.contains("importance that time has left: critical findings keep 0.8"),
        "{explained}"
    );
}

#[test]
fn a_session_can_fade_in_its_own_way() {
    let sandbox = Sandbox::with_session();
    sandbox.json(&[
        "session",
        "new",
        "--id",
        "slow",
        "--decay",
        "half_life_hours=14400",
        "--decay",
        "min_decay_factor=0.2",
    ]);
    for session in ["s", "slow"] {
        sandbox.json(&[
            "remember",
            "an old fact",
            "--session",
            session,
            "--at",
            "30d",
        ]);
    }
    let priority = |name: &str| {
        sandbox.json(&["get", name])["state"]["decay"]
            .as_f64()
            .unwrap()
    };
    assert!((priority("s/FACT-001") - 0.5).abs() < 0.001);
    // 2^(-720/14400) = 0.966.
    assert!((priority("slow/FACT-001") - 0.966).abs() < 0.001);
    let found = sandbox.json(&["list", "--min-priority", "0.4"]);
    assert_eq!(found["total"], 1);
    assert_eq!(found["memories"][0]["space"], "session/slow");
    let first = sandbox.json(&["list", "--sort", "priority"]);
    assert_eq!(first["memories"][0]["space"], "session/slow");
    let (code, message) = sandbox.refusal(&["session", "new", "--decay", "halflife=1"]);
    assert_eq!(code, "E_SCHEMA_INVALID");
    assert!(
        message.starts_with("decay must be an object with enabled, model"),
        "{message}"
    );
}
