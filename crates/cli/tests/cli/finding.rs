//! Listing by filters.

use crate::sandbox::Sandbox;

fn store() -> Sandbox {
    let sandbox = Sandbox::with_session();
    sandbox.json(&["session", "new", "--id", "r"]);
    for arguments in [
        vec![
            "alpha Auth",
            "--session",
            "s",
            "--kind",
            "decision",
            "--tag",
            "a.b",
            "--at",
            "2026-01-01T00:00:00Z",
            "--importance",
            "0.9",
        ],
        vec![
            "beta",
            "--session",
            "s",
            "--kind",
            "finding",
            "--tag",
            "a",
            "--at",
            "2026-01-02T00:00:00Z",
            "--confidence",
            "high",
        ],
        vec![
            "gamma",
            "--session",
            "r",
            "--at",
            "2026-01-03T00:00:00Z",
            "--author",
            "dana",
            "--meta",
            "k=v",
        ],
        vec![
            "delta",
            "--agent",
            "x",
            "--at",
            "2026-01-04T00:00:00Z",
            "--tag",
            "ab",
            "--importance",
            "0.1",
        ],
        vec!["epsilon", "--shared", "--at", "2026-01-05T00:00:00Z"],
    ] {
        sandbox.json(&[&["remember"], &arguments[..]].concat());
    }
    sandbox.json(&["revise", "s/FIND-001", "--resolve", "done"]);
    sandbox
}

#[test]
fn every_filter_leaves_what_fits() {
    let sandbox = store();
    for (arguments, expected) in [
        ("", "epsilon delta gamma beta alpha"),
        ("--all", "epsilon delta gamma beta alpha"),
        ("--session s", "beta alpha"),
        ("--session s --session r", "gamma beta alpha"),
        ("--agent x", "delta"),
        ("--shared", "epsilon"),
        ("--kind decision --kind findings", "beta alpha"),
        ("--author dana", "gamma"),
        ("--tag a", "beta alpha"),
        ("--tag a --tag a.b", "alpha"),
        ("--any-tag a.b --any-tag ab", "delta alpha"),
        ("--not-tag a", "epsilon delta gamma"),
        ("--since 2026-01-04", "epsilon delta"),
        ("--until 2026-01-02", "beta alpha"),
        ("--since 2026-01-02 --until 2026-01-03", "gamma beta"),
        ("--since 24h", ""),
        ("--min-importance 0.5", "epsilon gamma beta alpha"),
        ("--confidence 0.9", "beta"),
        ("--confidence high", "beta"),
        ("--open", "alpha"),
        ("--resolved", "beta"),
        ("--contains AUTH", "alpha"),
        ("--meta k=v", "gamma"),
        ("--meta k=w", ""),
        ("--sort oldest", "alpha beta gamma delta epsilon"),
        ("--sort importance --limit 1", "alpha"),
        ("--limit 2 --offset 1", "delta gamma"),
        ("--limit 0", ""),
    ] {
        let mut all = vec!["list"];
        all.extend(arguments.split_whitespace());
        let listed = sandbox.json(&all);
        let texts: Vec<_> = listed["memories"]
            .as_array()
            .unwrap()
            .iter()
            .map(|memory| memory["text"].as_str().unwrap().split(' ').next().unwrap())
            .collect();
        assert_eq!(texts.join(" "), expected, "{arguments}");
    }
    assert_eq!(sandbox.json(&["list", "--limit", "2"])["total"], 5);
}

#[test]
fn impossible_filters_are_refused_by_the_name_of_the_option() {
    let sandbox = store();
    for (arguments, message) in [
        (
            vec!["--sort", "colour"],
            "sort: colour is none of relevance, newest, ",
        ),
        (
            vec!["--sort", "relevance"],
            "sort: relevance needs a question",
        ),
        (
            vec!["--limit", "-1"],
            "limit: must be a whole number from 0 to 1000000 (given: -1)",
        ),
        (vec!["--limit", "1000001"], "limit: must be a whole number"),
        (vec!["--offset", "x"], "offset: must be a whole number"),
        (
            vec!["--min-priority", "7"],
            "min-priority: must be a number from 0 to 1 (given: 7)",
        ),
        (
            vec!["--min-priority", "nan"],
            "min-priority: must be a number from 0 to 1",
        ),
        (
            vec!["--min-importance", "7"],
            "min-importance: must be a number from 0 to 1",
        ),
        (
            vec!["--confidence", "rather"],
            "confidence: must be a number from 0 to 1, or explicit",
        ),
        (
            vec!["--confidence", "inf"],
            "confidence: must be a number from 0 to 1, or explicit",
        ),
        (vec!["--since", "someday"], "since: this is not a time"),
        (vec!["--until", "someday"], "until: this is not a time"),
        (
            vec!["--kind", "idea"],
            "kind: must be one of conversation, ",
        ),
        (
            vec!["--kind", "fact", "--kind", "idea"],
            "kind: must be one of conversation, ",
        ),
        (vec!["--tag", "two words"], "tag: must be "),
        (vec!["--meta", "k"], "meta: must be key=value"),
        (vec!["--meta", "=v"], "meta: must be key=value"),
        (vec!["--as-of", "someday"], "as-of: this is not a time"),
        (
            vec!["--as-of", "tomorrow"],
            "as-of: lies in the future (given: \"tomorrow\")",
        ),
    ] {
        let ran = sandbox.run(&[&["list"], &arguments[..], &["--json"]].concat());
        let (code, said) = ran.refusal();
        assert_eq!(code, "E_INVALID_QUERY", "{arguments:?}");
        assert!(said.starts_with(message), "{arguments:?}: {said}");
        assert!(
            !ran.stderr.contains("nothing was changed"),
            "{}",
            ran.stderr
        );
    }
    let nowhere = sandbox.refusal(&["list", "--session", "nowhere"]);
    assert_eq!(nowhere.0, "E_SESSION_NOT_FOUND");
    assert_eq!(sandbox.run(&["list", "--open", "--resolved"]).code, 2);
    assert_eq!(sandbox.run(&["list", "--all", "--session", "s"]).code, 2);
}

#[test]
fn a_batch_is_answered_in_order_and_lines_override_the_options() {
    let sandbox = store();
    let lines = "{\"qid\":\"a\",\"query\":\"*\"}\n\n\
        {\"qid\":2,\"query\":\"*\",\"session\":\"r\"}\n\
        {\"query\":\"*\",\"all\":true,\"limit\":2,\"sort\":\"oldest\"}\n";
    let file = sandbox.file("questions.jsonl", lines);
    let arguments = ["recall", "--session", "s", "--limit", "1", "--batch"];
    let ran = sandbox.run(&[&arguments[..], &[file.to_str().unwrap()]].concat());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let answers: Vec<serde_json::Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let names: Vec<_> = answers.iter().map(|answer| &answer["qid"]).collect();
    assert_eq!(names, [&"a".into(), &2.into(), &serde_json::Value::Null]);
    let found = |answer: &serde_json::Value| -> Vec<String> {
        let hits = answer["hits"].as_array().unwrap().iter();
        hits.map(|hit| {
            let id = hit["id"].as_str().unwrap();
            sandbox.json(&["get", id])["text"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect()
    };
    assert_eq!(found(&answers[0]), ["beta"]);
    assert_eq!(found(&answers[1]), ["gamma"]);
    assert_eq!(found(&answers[2]), ["alpha Auth", "beta"]);

    // Some editors put a mark before the first line.
    for lines in [lines.to_owned(), format!("\u{feff}{lines}")] {
        let piped = sandbox.run_with_input(&[&arguments[..], &["-"]].concat(), lines.as_bytes());
        assert_eq!(
            (piped.stderr, piped.stdout),
            (String::new(), ran.stdout.clone())
        );
    }
}

#[test]
fn a_batch_with_a_bad_line_is_not_answered_at_all() {
    let sandbox = store();
    for (line, code, message) in [
        ("{", "E_INVALID_FORMAT", "line 2: this is not a question: "),
        (
            "[]",
            "E_INVALID_QUERY",
            "line 2: request: must be an object",
        ),
        ("{}", "E_INVALID_QUERY", "line 2: query: is missing"),
        (
            "{\"query\":\"x\",\"limt\":1}",
            "E_INVALID_QUERY",
            "line 2: limt: is not known; did you mean limit?",
        ),
        (
            "{\"query\":\"x\",\"since\":\"someday\"}",
            "E_INVALID_QUERY",
            "line 2: since: this is not a time",
        ),
        (
            "{\"query\":\"x\",\"limit\":1,\"limit\":2}",
            "E_INVALID_QUERY",
            "line 2: limit: is given twice",
        ),
        (
            "{\"query\":\"x\",\"session\":\"nowhere\"}",
            "E_SESSION_NOT_FOUND",
            "line 2: there is no session nowhere",
        ),
        (
            "{\"query\":\"x\",\"as_of\":\"tomorrow\"}",
            "E_INVALID_QUERY",
            "line 2: as_of: lies in the future",
        ),
    ] {
        let lines = format!("{{\"query\":\"*\"}}\n{line}\n");
        let ran = sandbox.run_with_input(&["recall", "--batch", "-", "--json"], lines.as_bytes());
        let (given_code, given_message) = ran.refusal();
        assert_eq!(given_code, code, "{line}");
        assert!(given_message.starts_with(message), "{given_message}");
    }
}

#[test]
fn a_query_finds_counts_and_brings_along_what_is_linked() {
    let sandbox = store();
    sandbox.json(&["revise", "s/FIND-001", "--link", "resolves:s/DEC-001"]);
    let query = r#"{"filters":[{"field":"type","operator":"equals","value":"decision"}],
        "sort":[{"field":"timestamp","direction":"desc"}],
        "aggregations":["count","by_tag","by_day"],"includeRelated":true}"#;
    let file = sandbox.file("query.json", query);
    let found = sandbox.json(&["query", file.to_str().unwrap()]);
    assert_eq!(found["total"], 1);
    assert_eq!(found["hits"][0]["memory"]["text"], "alpha Auth");
    assert_eq!(found["related"][0]["text"], "beta");
    assert_eq!(found["aggregations"]["by_tag"]["a.b"], 1);
    let ran = sandbox.run_with_input(&["query", "-"], query.as_bytes());
    insta::assert_snapshot!(ran.human(&sandbox), @r"
    name       kind      author  text        when
    s/DEC-001  decision  user    alpha Auth  2026-01-01
    1 memory

    count 1

    by_tag
          1  a.b

    by_day
          1  2026-01-01

    related
      s/FIND-001 “beta”
    ");
}

#[test]
fn a_query_that_makes_no_sense_is_refused_with_its_place() {
    let sandbox = store();
    for (query, code, message) in [
        ("{", "E_INVALID_FORMAT", "this is not a query: EOF"),
        (
            r#"{"filters":[{"field":"kind","value":"fact"},{"field":"kind","operator":">"}]}"#,
            "E_INVALID_QUERY",
            "filters[1].operator: greater_than can't be asked of kind",
        ),
        (
            "{\"filtres\":[]}",
            "E_INVALID_QUERY",
            "filtres: is not known; did you mean filters?",
        ),
    ] {
        let ran = sandbox.run_with_input(&["query", "-", "--json"], query.as_bytes());
        let (given_code, given_message) = ran.refusal();
        assert_eq!(given_code, code, "{query}");
        assert!(given_message.starts_with(message), "{given_message}");
    }
    let broken = sandbox.run_with_input(&["query", "-", "--json"], b"\xff");
    assert_eq!(broken.refusal().0, "E_INVALID_FORMAT");
}

#[test]
fn counts_are_in_the_statistics() {
    let stats = store().json(&["stats"]);
    assert_eq!(stats["memories"], 5);
    assert_eq!(stats["sessions"], 2);
    assert_eq!(stats["by_kind"]["finding"], 1);
    assert_eq!(stats["spaces"].as_array().unwrap().len(), 4);
    assert_eq!(stats["damaged_lines"], 0);
}
