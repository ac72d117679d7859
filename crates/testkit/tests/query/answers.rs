//! Order, page, counts, what is linked, and the short form.

use mnemon_wire::AnswerShape;
use serde_json::{Value, json};

use crate::{Stage, stage};

fn shape(stage: &Stage, query: Value) -> Value {
    let answer = stage.ask(query).unwrap();
    serde_json::to_value(AnswerShape::of(&answer, 5)).unwrap()
}

#[test]
fn keys_decide_one_after_the_other_and_what_has_no_value_comes_last() {
    let stage = stage();
    let by = |field: &str, direction: &str| json!({"field": field, "direction": direction});
    for (sort, expected) in [
        (json!([]), "f e d c b a"),
        (json!("newest"), "f e d c b a"),
        (json!("time_asc"), "a b c d e f"),
        (json!([by("importance", "desc")]), "f a e c b d"),
        (json!([by("importance", "asc")]), "d c b e a f"),
        (
            json!([by("importance", "asc"), by("created_at", "asc")]),
            "d b c e a f",
        ),
        (json!([by("confidence", "desc")]), "b c f e d a"),
        (json!([by("confidence", "asc")]), "c b f e d a"),
        (
            json!([by("author", "asc"), by("text", "desc")]),
            "e f c a b d",
        ),
        (json!([by("metadata.n", "asc")]), "a c f e d b"),
        (json!([by("kind", "asc"), by("id", "desc")]), "f a d c b e"),
        (json!([by("relevance", "desc")]), "f e d c b a"),
        (json!("importance_asc"), "d c b e a f"),
    ] {
        assert_eq!(stage.ids(json!({"sort": sort})), expected, "{sort}");
    }
}

#[test]
fn counts_are_over_all_that_fits_whatever_the_page() {
    let stage = stage();
    let found = shape(
        &stage,
        json!({
            "filters": [{"field": "importance", "operator": ">", "value": 0.2}],
            "aggregations": [
                "count", "by_kind", "by_author", "by_tag", "by_session", "by_day", "by_hour",
            ],
            "limit": 1, "offset": 1,
        }),
    );
    assert_eq!(found["hits"].as_array().unwrap().len(), 1);
    assert_eq!(found["hits"][0]["memory"]["id"], "e");
    assert_eq!(found["hits"][0]["rank"], 2);
    assert_eq!(found["total"], 5);
    assert_eq!(
        found["aggregations"],
        json!({
            "count": 5,
            "by_kind": {"decision": 2, "fact": 1, "finding": 1, "preference": 1},
            "by_author": {"dana": 3, "erik": 1, "Erik": 1},
            "by_tag": {"db": 1, "db.sql": 1, "dbx": 1, "perf": 1, "team": 1},
            "by_session": {"r": 2, "s": 2},
            "by_day": {"2026-01-01": 1, "2026-01-02": 2, "2026-01-05": 1, "2026-01-06": 1},
            "by_hour": {
                "2026-01-01T10:00+00:00": 1, "2026-01-02T10:00+00:00": 1,
                "2026-01-02T11:00+00:00": 1, "2026-01-05T00:00+00:00": 1,
                "2026-01-06T00:00+00:00": 1,
            },
        })
    );
    // The store counts by itself where nothing has to be read for it.
    let counted = shape(&stage, json!({"aggregations": ["count"], "limit": 0}));
    assert_eq!(counted["aggregations"], json!({"count": 6}));
}

#[test]
fn topics_timeline_and_agents_are_of_all_that_fits() {
    let stage = stage();
    let found = shape(
        &stage,
        json!({
            "filters": [{"field": "session", "value": "s"}],
            "aggregations": ["topics", "timeline", "by_agent"],
            "limit": 0,
        }),
    );
    let made = &found["aggregations"];
    let names = |list: &Value, member: &str| -> Vec<String> {
        let list = list.as_array().unwrap().iter();
        list.map(|own| own[member].as_str().unwrap_or("-").to_owned())
            .collect()
    };
    let stamps = names(&made["timeline"]["events"], "timestamp");
    assert_eq!(stamps.len() as u64, found["total"].as_u64().unwrap());
    assert!(stamps.is_sorted(), "{stamps:?}");
    let buckets = made["timeline"]["buckets"].as_object().unwrap().values();
    let counted: u64 = buckets
        .map(|own| own["event_count"].as_u64().unwrap())
        .sum();
    assert_eq!(counted, made["timeline"]["total"].as_u64().unwrap());
    let authors = shape(
        &stage,
        json!({"filters": [{"field": "session", "value": "s"}], "aggregations": "by_author"}),
    );
    let by_author = authors["aggregations"]["by_author"].as_object().unwrap();
    let mut agents = names(&made["by_agent"], "name");
    agents.retain(|name| name != "-");
    agents.sort();
    assert_eq!(agents, by_author.keys().cloned().collect::<Vec<_>>());
    assert!(
        names(&made["topics"], "name").contains(&"db".to_owned()),
        "{}",
        made["topics"]
    );
}

#[test]
fn what_is_linked_to_the_page_comes_along() {
    let stage = stage();
    for (id, related, expected) in [
        ("b", json!(false), ""),
        ("b", json!(true), "a e"),
        ("a", json!(1), "b"),
        ("a", json!(2), "b e"),
        ("c", json!(true), ""),
    ] {
        let filter = json!({"field": "id", "value": id});
        let found = shape(
            &stage,
            json!({"filters": [filter], "includeRelated": related}),
        );
        let ids = found["related"].as_array().unwrap().iter();
        let ids: Vec<_> = ids.map(|memory| memory["id"].as_str().unwrap()).collect();
        assert_eq!(ids.join(" "), expected, "{id} {related}");
    }
}

#[test]
fn words_and_conditions_narrow_together() {
    let stage = stage();
    let text = |more: Value| {
        let mut query = json!({"text": "PostgreSQL", "mode": "text"});
        query
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        stage.ids(query)
    };
    assert_eq!(text(json!({"sort": "oldest"})), "a d");
    assert_eq!(text(json!({"sort": "newest", "mode": "hybrid"})), "d a");
    let pinned = json!({"field": "sensitive", "value": true});
    assert_eq!(text(json!({"filters": [pinned]})), "d");
    let counted = json!({
        "text": "postgresql", "aggregations": ["by_kind"], "filters": [],
    });
    let found = shape(&stage, counted);
    assert_eq!(
        found["aggregations"],
        json!({"by_kind": {"decision": 1, "fact": 1}})
    );
    assert_eq!(found["total"], 2);
    assert_eq!(found["hits"][0]["memory"]["text"], "delta PostgreSQL");
}

#[test]
fn the_short_form_says_the_same() {
    let stage = stage();
    for (query, expected) in [
        (json!({"types": ["decisions", "findings"]}), "f b a"),
        (json!({"tags": ["db", "perf"]}), "c b a"),
        (
            json!({"tags": {"include": ["db"], "exclude": ["team"]}}),
            "c",
        ),
        (json!({"agents": "dana", "session": "r"}), "f c"),
        (
            json!({"timeRange": {"start": "2026-01-02", "end": "2026-01-04"}}),
            "d c b",
        ),
        (json!({"time_range": {"end": "2026-01-01"}}), "a"),
        (json!({"minImportance": 0.7, "sortBy": "time_asc"}), "a e f"),
        (json!({"min_priority": 0.7, "sort": "time_desc"}), "f e a"),
        (
            json!({
                "query": "postgresql", "types": ["decisions"], "mode": "text",
                "sort": "relevance_desc", "min_relevance": 0.1, "limit": 20,
            }),
            "a",
        ),
    ] {
        assert_eq!(stage.ids(query.clone()), expected, "{query}");
    }
}

#[test]
fn what_can_not_be_answered_is_refused_by_the_engine() {
    let error = stage().ask(json!({"session": "nowhere"})).unwrap_err();
    assert_eq!(error.code().as_str(), "E_SESSION_NOT_FOUND");
    assert!(error.to_string().starts_with("there is no session"));
}
