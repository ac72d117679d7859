//! What `recall`, `query`, `related` and `similar` take beside the question.

use std::sync::Arc;

use mnemon::memory::{Draft, Kind, Space, Text};
use mnemon::{Caller, Clock, Mnemon, Time};
use serde_json::{Value, json};

use crate::sandbox::Sandbox;

fn time(text: &str) -> Time {
    text.parse().unwrap()
}

/// What was said of timeouts in January, each on the day on which it was written down.
fn january() -> Sandbox {
    let sandbox = Sandbox::empty();
    let me = Caller::user("me");
    for (number, (day, text, importance)) in (1..).zip([
        ("2026-01-02T10:00:00Z", "The timeout is 10 minutes", 0.4),
        ("2026-01-09T10:00:00Z", "The timeout is 15 minutes", 0.9),
        ("2026-01-20T10:00:00Z", "The timeout is 20 minutes", 0.6),
    ]) {
        let root = sandbox.path().join(".mnemon");
        let random = Arc::new(move || [number; 10]);
        let engine = Mnemon::open(&root).unwrap();
        let engine = engine.with_sources(Clock::fixed_at(time(day)), random);
        let mut draft = Draft::new(Kind::Fact, Text::try_from(text.to_owned()).unwrap());
        draft.id = Some(format!("m{number}").parse().unwrap());
        draft.importance = importance.try_into().unwrap();
        if number == 1 {
            let id = Some("s".parse().unwrap());
            let new = mnemon::engine::NewSession {
                id,
                ..Default::default()
            };
            engine.create_session(&me, new).unwrap();
        }
        let space = Space::Session("s".parse().unwrap());
        engine.remember(&me, &space, draft).unwrap();
    }
    sandbox
}

/// Ids and scores of an answer, in its order.
fn hits(answer: &Value) -> Vec<(String, f64)> {
    let hits = answer["hits"].as_array().unwrap().iter();
    hits.map(|hit| {
        let id = hit["id"].as_str().or(hit["memory"]["id"].as_str());
        (id.unwrap().to_owned(), hit["score"].as_f64().unwrap())
    })
    .collect()
}

fn ids(answer: &Value) -> String {
    let ids: Vec<String> = hits(answer).into_iter().map(|(id, _)| id).collect();
    ids.join(" ")
}

impl Sandbox {
    fn batch(&self, line: &Value) -> Value {
        let input = line.to_string();
        let ran = self.run_with_input(&["recall", "--batch", "-"], input.as_bytes());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        serde_json::from_str(&ran.stdout).unwrap()
    }

    fn query(&self, query: &Value) -> Value {
        let input = query.to_string();
        self.run_with_input(&["query", "-", "--json"], input.as_bytes())
            .json()
    }
}

#[test]
fn a_question_about_the_past_gets_the_answer_of_then_in_every_way() {
    let sandbox = january();
    let options = ["--profile", "product", "--as-of", "2026-01-10"];
    let by_option = sandbox.json(&[&["recall", "timeout"], &options[..]].concat());
    assert_eq!(ids(&by_option), "m2 m1");
    let by_line = sandbox.batch(&json!({
        "query": "timeout", "profile": "product", "as_of": "2026-01-10",
    }));
    assert_eq!(hits(&by_line), hits(&by_option));
    let by_query = sandbox.query(&json!({
        "text": "timeout", "profile": "product", "as_of": "2026-01-10",
    }));
    assert_eq!(hits(&by_query), hits(&by_option));
}

#[test]
fn times_of_a_question_about_the_past_are_counted_from_then() {
    let sandbox = january();
    let since = [
        "recall",
        "timeout",
        "--as-of",
        "2026-01-10",
        "--since",
        "3d",
    ];
    assert_eq!(ids(&sandbox.json(&since)), "m2");
    let line = json!({ "query": "timeout", "as_of": "2026-01-10", "since": "3d" });
    assert_eq!(ids(&sandbox.batch(&line)), "m2");
    let recent = json!({ "field": "created_at", "operator": ">=", "value": "3d" });
    let query = json!({ "as_of": "2026-01-10", "filters": [recent] });
    assert_eq!(ids(&sandbox.query(&query)), "m2");
    let query = json!({ "as_of": "2026-01-10", "time_range": { "start": "3d" } });
    assert_eq!(ids(&sandbox.query(&query)), "m2");
}

#[test]
fn a_day_that_has_not_ended_is_as_it_is_now_and_the_future_is_refused() {
    let sandbox = january();
    let today = sandbox.json(&["list", "--as-of", "today"]);
    assert_eq!(today["total"], 3);
    let soon = json!({ "as_of": "2999-01-01" }).to_string();
    let ran = sandbox.run_with_input(&["query", "-", "--json"], soon.as_bytes());
    let message = "as_of: lies in the future (given: \"2999-01-01\")".to_owned();
    assert_eq!(ran.refusal(), ("E_INVALID_QUERY".to_owned(), message));
}

#[test]
fn sessions_can_be_looked_at_as_they_were() {
    let sandbox = january();
    let then = ["--as-of", "2026-01-10"];
    let ask = |command: &[&str]| {
        let command = [&["session"], command].concat();
        let now = sandbox.json(&command);
        (now, sandbox.json(&[&command[..], &then].concat()))
    };
    let (now, past) = ask(&["summary", "s"]);
    assert_eq!(
        (&now["memories"], &past["memories"]),
        (&json!(3), &json!(2))
    );
    let (now, past) = ask(&["timeline", "s"]);
    assert_eq!((&now["total"], &past["total"]), (&json!(3), &json!(2)));
    let (now, past) = ask(&["topics", "s"]);
    let mentions = |topics: &Value| topics["topics"][0]["mentions"].clone();
    assert_eq!((mentions(&now), mentions(&past)), (json!(3), json!(2)));
    let (now, past) = ask(&["show", "s"]);
    assert_ne!(now["last_activity"], past["last_activity"]);
    let (now, past) = ask(&["list"]);
    assert_ne!(now["sessions"][0], past["sessions"][0]);
    let before = ["session", "list", "--as-of", "2026-01-01"];
    assert_eq!(sandbox.json(&before)["total"], 0);
}

#[test]
fn hits_come_by_relevance_or_in_any_other_order() {
    let sandbox = january();
    sandbox.json(&["revise", "m2", "--link", "supersedes:m1"]);
    sandbox.json(&["revise", "m3", "--link", "supersedes:m2"]);
    for (arguments, expected) in [
        (&["recall", "timeout", "--sort", "oldest"][..], "m1 m2 m3"),
        (&["recall", "timeout", "--sort", "importance"], "m2 m3 m1"),
        (&["related", "m1"], "m2 m3"),
        (&["related", "m1", "--sort", "relevance"], "m2 m3"),
        (&["related", "m1", "--sort", "newest"], "m3 m2"),
        (&["related", "m1", "--sort", "newest", "--limit", "1"], "m3"),
        (&["similar", "m1", "--sort", "oldest"], "m2 m3"),
        (&["similar", "m1", "--sort", "newest"], "m3 m2"),
        (
            &["similar", "m1", "--sort", "newest", "--offset", "1"],
            "m2",
        ),
    ] {
        assert_eq!(ids(&sandbox.json(arguments)), expected, "{arguments:?}");
    }
    for command in [["recall", "timeout"], ["similar", "m1"]] {
        let plain = sandbox.json(&command);
        let relevance = [&command[..], &["--sort", "relevance"]].concat();
        assert_eq!(hits(&sandbox.json(&relevance)), hits(&plain));
    }
}

#[test]
fn thresholds_hold_also_where_nothing_is_asked() {
    let sandbox = january();
    for (threshold, value, expected) in [
        ("min_score", json!(1), "m3 m2 m1"),
        ("min_score", json!(5), ""),
        ("min_similarity", json!(0.99), ""),
        ("min_similarity", json!(0), ""),
    ] {
        let option = format!("--{}", threshold.replace('_', "-"));
        let typed = sandbox.json(&["recall", "*", &option, &value.to_string()]);
        assert_eq!(ids(&typed), expected, "{threshold} {value}");
        for mut query in [
            json!({ "text": "*" }),
            json!({ "aggregations": ["by_kind"] }),
        ] {
            query[threshold] = value.clone();
            let found = sandbox.query(&query);
            assert_eq!(ids(&found), expected, "{query}");
            let total = expected.split_whitespace().count();
            assert_eq!(found["total"], total, "{query}");
        }
    }
}

#[test]
fn thresholds_that_nothing_can_reach_or_miss_are_refused() {
    let sandbox = january();
    for (option, value) in [
        ("--min-similarity", "2"),
        ("--min-similarity", "-1"),
        ("--min-similarity", "NaN"),
        ("--min-score", "nan"),
        ("--min-score", "inf"),
        ("--min-score", "much"),
    ] {
        let (code, message) = sandbox.refusal(&["recall", "timeout", option, value]);
        assert_eq!(code, "E_INVALID_QUERY", "{option} {value}");
        let name = option.trim_start_matches('-');
        assert!(
            message.starts_with(&format!("{name}: must be a number")),
            "{message}"
        );
    }
    for option in ["--mode", "--profile"] {
        let (code, message) = sandbox.refusal(&["recall", "timeout", option, "best"]);
        let name = option.trim_start_matches('-');
        assert_eq!(code, "E_INVALID_QUERY");
        assert!(
            message.starts_with(&format!("{name}: best is none of ")),
            "{message}"
        );
    }
}

#[test]
fn people_read_how_many_hits_there_are_and_that_a_page_is_empty() {
    let sandbox = january();
    let last_line = |arguments: &[&str]| {
        let ran = sandbox.run(&[&["recall"], arguments].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        ran.stdout.lines().last().unwrap().to_owned()
    };
    for (arguments, expected) in [
        (&["timeout"][..], "3 memories"),
        (&["timeout", "--mode", "text", "--limit", "3"], "3 memories"),
        (
            &["timeout", "--limit", "2"],
            "2 of 3 memories; --limit and --offset show others",
        ),
        (
            &["*", "--limit", "2", "--offset", "1", "--sort", "oldest"],
            "2 memories",
        ),
        (
            &["timeout", "--limit", "0"],
            "Nothing on this page; 3 memories in all.",
        ),
        (
            &["timeout", "--offset", "9"],
            "Nothing on this page; 3 memories in all.",
        ),
        (&["zeppelin", "--mode", "text"], "Nothing answers that."),
        (
            &["zeppelin", "--mode", "text", "--limit", "0"],
            "The page is empty: --limit is 0.",
        ),
    ] {
        assert_eq!(last_line(arguments), expected, "{arguments:?}");
    }
}

#[test]
fn the_help_tells_the_limit_and_the_orders_that_hold() {
    let sandbox = Sandbox::empty();
    for (command, limit, orders) in [
        ("recall", 10, "relevance, newest, "),
        ("similar", 10, "relevance, newest, "),
        ("related", 100, "relevance, newest, "),
        ("list", 100, "newest, oldest, "),
    ] {
        let help = sandbox.run(&[command, "--help"]).stdout;
        let line = |option: &str| {
            let line = help.lines().find(|line| line.contains(option)).unwrap();
            line.split('>').nth(1).unwrap().trim().to_owned()
        };
        let expected = format!("At most so many [default: {limit}]");
        assert_eq!(line("--limit <N>"), expected, "{command}");
        assert!(line("--sort <ORDER>").starts_with(orders), "{command}");
    }
}
