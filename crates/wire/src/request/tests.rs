use serde_json::json;

use super::*;

fn now() -> Time {
    "2026-01-11T12:00:00Z".parse().unwrap()
}

fn query(request: Value) -> Result<Query> {
    RecallRequest::parse(request)?.to_query(now(), &TimeZone::UTC)
}

#[test]
fn every_member_reaches_the_question() {
    let request = json!({
        "query": "timeout", "session": ["a", "b"], "agent": "claude", "shared": true,
        "kind": ["decisions", "finding"], "author": "dana", "tag": "x", "any_tag": ["y", "z"],
        "not_tag": "w", "since": "2026-01-01", "until": "yesterday", "min_importance": 0.5,
        "min_priority": 0.25, "confidence": "high", "open": true, "contains": "min",
        "meta": {"k": "v"}, "include_forgotten": true, "sort": "oldest", "limit": 3,
        "offset": 2, "mode": "text", "profile": "weighted", "min_similarity": 0.1,
        "min_score": 7, "as_of": "2026-01-05",
    });
    let parsed = RecallRequest::parse(request.clone()).unwrap();
    let as_of = parsed.as_of(now(), &TimeZone::UTC).unwrap().unwrap();
    assert_eq!(as_of.to_string(), "2026-01-05T23:59:59.999999Z");
    let query = query(request).unwrap();
    let filter = &query.filter;
    let spaces: Vec<_> = filter.spaces.iter().map(ToString::to_string).collect();
    assert_eq!(spaces, ["session/a", "session/b", "agent/claude", "shared"]);
    assert_eq!(filter.kinds, [Kind::Decision, Kind::Finding]);
    assert_eq!(filter.authors, ["dana"]);
    assert_eq!(
        (
            filter.tags.len(),
            filter.any_tags.len(),
            filter.not_tags.len()
        ),
        (1, 2, 1)
    );
    let micros = |text: &str| Some(text.parse::<Time>().unwrap().micros());
    assert_eq!(filter.since_micros, micros("2026-01-01T00:00:00Z"));
    assert_eq!(filter.until_micros, micros("2026-01-10T23:59:59.999999Z"));
    assert_eq!(filter.min_importance.map(Importance::get), Some(0.5));
    assert_eq!(filter.min_priority, Some(0.25));
    assert_eq!(filter.min_confidence.map(Confidence::get), Some(0.9));
    assert_eq!(filter.status, Some(Status::Open));
    assert_eq!(filter.contains.as_deref(), Some("min"));
    assert_eq!(filter.metadata, [("k".to_owned(), "v".to_owned())]);
    assert_eq!(filter.forgotten, Forgottenness::With);
    assert_eq!((filter.limit, filter.offset), (3, 2));
    assert_eq!(query.sort, Some(Sort::Oldest));
    assert_eq!((query.mode, query.profile), (Mode::Text, Profile::Weighted));
    assert_eq!(
        (query.min_similarity, query.min_score),
        (Some(0.1), Some(7.0))
    );
}

#[test]
fn what_a_request_does_not_say_stays() {
    let base = query(json!({
        "query": "q", "session": "a", "resolved": true, "sort": "oldest", "limit": 3,
        "tag": "t", "include_forgotten": true,
    }))
    .unwrap();
    let over = |request: Value| {
        let request = RecallRequest::parse(request).unwrap();
        request.over(base.clone(), now(), &TimeZone::UTC).unwrap()
    };
    assert_eq!(format!("{:?}", over(json!({}))), format!("{base:?}"));
    assert_eq!(
        format!("{:?}", over(json!({"limit": null}))),
        format!("{base:?}")
    );
    let other = over(json!({
        "agent": "x", "resolved": false, "sort": "relevance", "limit": 0, "tag": [],
        "include_forgotten": false,
    }));
    assert_eq!(other.filter.spaces, [Space::Agent("x".parse().unwrap())]);
    assert_eq!((other.filter.status, other.sort), (None, None));
    assert_eq!((other.filter.limit, other.filter.tags.len()), (0, 0));
    assert_eq!(other.filter.forgotten, Forgottenness::Without);
    assert!(over(json!({"all": true})).filter.spaces.is_empty());
}

#[test]
fn whatever_is_wrong_is_refused_with_its_place() {
    for (request, place, words) in [
        (json!([]), "request", "must be an object (given: [])"),
        (json!({}), "query", "is missing"),
        (json!({"query": ""}), "query", "nothing is asked"),
        (json!({"query": 7}), "query", "must be text (given: 7)"),
        (json!({"querry": "x"}), "querry", "did you mean query?"),
        (json!({"colour": "x"}), "colour", "there are query, session"),
        (
            json!({"limit": -1}),
            "limit",
            "from 0 to 1000000 (given: -1)",
        ),
        (json!({"limit": 1.5}), "limit", "a whole number"),
        (json!({"limit": 1_000_001}), "limit", "a whole number"),
        (json!({"offset": "3"}), "offset", "a whole number"),
        (
            json!({"kind": ["fact", "idea"]}),
            "kind[1]",
            "one of conversation",
        ),
        (json!({"kind": {}}), "kind", "text or a list of texts"),
        (json!({"tag": ["a", 3]}), "tag[1]", "must be text"),
        (json!({"tag": "two words"}), "tag", "white space"),
        (json!({"session": "../x"}), "session", "letters, digits"),
        (json!({"author": "\0"}), "author", "control characters"),
        (json!({"shared": "yes"}), "shared", "true or false"),
        (
            json!({"all": true, "shared": true}),
            "all",
            "the whole store",
        ),
        (
            json!({"open": true, "resolved": true}),
            "resolved",
            "nothing is",
        ),
        (json!({"since": "someday"}), "since", "this is not a time"),
        (json!({"until": 5}), "until", "must be text"),
        (
            json!({"min_importance": 1.1}),
            "min_importance",
            "from 0 to 1",
        ),
        (
            json!({"min_priority": "1"}),
            "min_priority",
            "must be a number",
        ),
        (json!({"confidence": "rather"}), "confidence", "or explicit"),
        (json!({"meta": {"k": [1]}}), "meta.k", "must be text"),
        (json!({"meta": "k"}), "meta", "an object of texts"),
        (json!({"meta": [1]}), "meta[0]", "must be text"),
        (json!({"meta": ["k"]}), "meta[0]", "must be key=value"),
        (
            json!({"sort": "colour"}),
            "sort",
            "none of relevance, newest",
        ),
        (json!({"mode": "x"}), "mode", "none of hybrid"),
        (json!({"profile": "x"}), "profile", "none of balanced"),
        (json!({"tag": vec!["a"; 1001]}), "tag", "too many"),
    ] {
        let mut full = request.clone();
        if let Some(members) = full.as_object_mut().filter(|members| !members.is_empty()) {
            members.entry("query").or_insert(json!("q"));
        }
        let error = query(full).unwrap_err();
        let said = error.to_string();
        assert_eq!(
            error.code().as_str(),
            "E_INVALID_QUERY",
            "{request}: {said}"
        );
        assert!(said.starts_with(&format!("{place}: ")), "{request}: {said}");
        assert!(said.contains(words), "{request}: {said}");
    }
    let error = RecallRequest::parse_text("{").unwrap_err();
    assert_eq!(error.code().as_str(), "E_INVALID_FORMAT");
}

#[test]
fn the_schema_has_every_member_and_no_other() {
    let schema = RecallRequest::schema();
    let properties = schema["properties"].as_object().unwrap();
    assert_eq!(properties.len(), schema::names().len());
    for (name, member) in properties {
        assert!(member["description"].is_string(), "{name}");
        for word in member["enum"].as_array().into_iter().flatten() {
            let request = RecallRequest::parse(json!({name: word}));
            assert!(request.is_ok(), "{name}: {word}");
        }
    }
}
