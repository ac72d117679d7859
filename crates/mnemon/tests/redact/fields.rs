//! What of a memory is redacted, and what stays.

use mnemon::memory::{Body, Draft, Kind, Resolution, Revision};
use mnemon::session::SessionDetails;
use serde_json::{Map, Value, json};

use super::secrets;

const KEY: &str = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";

fn map(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => panic!("not an object: {other}"),
    }
}

fn counted(redactions: &[mnemon::redact::Redaction]) -> Vec<(&str, u64)> {
    redactions
        .iter()
        .map(|one| (one.class.as_str(), one.count))
        .collect()
}

#[test]
fn text_body_metadata_and_tags_of_a_draft_are_redacted() {
    let mut draft = Draft::new(Kind::Finding, format!("found {KEY}").parse().unwrap());
    draft.author = Some("ada@example.com".parse().unwrap());
    draft.tags = vec![format!("key:{KEY}").parse().unwrap(), "ok".parse().unwrap()];
    draft.embedding = Some(vec![1.0]);
    draft.tokens = Some(3);
    let body = json!({
        "evidence": format!("curl -H 'token: {KEY}'"),
        "location": {"artifact": "config.toml", "section": KEY},
        "deep": [{"list": [KEY, 7, null, true]}],
    });
    draft.body = Body::from_map(Kind::Finding, map(body)).unwrap();
    draft.metadata = map(json!({"note": KEY, KEY: "owner", "kept": "as it is"}));
    let redactions = secrets().redact_draft(&mut draft).unwrap();
    assert_eq!(counted(&redactions), [("github_token", 7)]);
    assert_eq!(draft.text.as_str(), "found [REDACTED:github_token]");
    assert_eq!(draft.tags[0].as_str(), "key:[REDACTED:github_token]");
    assert_eq!(draft.tags[1].as_str(), "ok");
    assert_eq!(draft.author.unwrap().as_str(), "ada@example.com");
    assert_eq!((draft.embedding, draft.tokens), (None, None));
    assert_eq!(
        Value::Object(draft.body.to_map()),
        json!({
            "evidence": "curl -H 'token: [REDACTED:github_token]'",
            "location": {"artifact": "config.toml", "section": "[REDACTED:github_token]"},
            "deep": [{"list": ["[REDACTED:github_token]", 7, null, true]}],
        })
    );
    assert_eq!(
        Value::Object(draft.metadata),
        json!({
            "note": "[REDACTED:github_token]",
            "[REDACTED:github_token]": "owner",
            "kept": "as it is",
        })
    );
}

#[test]
fn a_name_says_that_its_value_is_a_secret() {
    let cases = [
        (
            json!({"password": "hunter2"}),
            json!({"password": "[REDACTED:password]"}),
        ),
        (
            json!({"db": {"password": 1234}}),
            json!({"db": {"password": "[REDACTED:password]"}}),
        ),
        (
            json!({"passwd": ["a1", "b2"]}),
            json!({"passwd": ["[REDACTED:password]", "[REDACTED:password]"]}),
        ),
        (
            json!({"api-key": "abcd1234efgh"}),
            json!({"api-key": "[REDACTED:secret]"}),
        ),
        (
            json!({"key": "db_password", "value": "hunter2"}),
            json!({"key": "db_password", "value": "[REDACTED:password]"}),
        ),
        (
            json!({"name": "API_TOKEN", "value": "abcd1234efgh"}),
            json!({"name": "API_TOKEN", "value": "[REDACTED:secret]"}),
        ),
        (
            json!({"token": KEY}),
            json!({"token": "[REDACTED:github_token]"}),
        ),
        (
            json!({"card": 4_111_111_111_111_111_u64}),
            json!({"card": "[REDACTED:card]"}),
        ),
        // Names and numbers that say nothing of the kind.
        (
            json!({"tokens": 1500, "token": "basic"}),
            json!({"tokens": 1500, "token": "basic"}),
        ),
        (
            json!({"key": "style", "value": "concise"}),
            json!({"key": "style", "value": "concise"}),
        ),
        (
            json!({"password": "required", "secret": null}),
            json!({"password": "required", "secret": null}),
        ),
        (
            json!({"password": "[REDACTED:password]"}),
            json!({"password": "[REDACTED:password]"}),
        ),
        (
            json!({"commit": "120c1e8f3f0c4b6a9d2e5f7a8b1c3d4e5f60718a"}),
            json!({"commit": "120c1e8f3f0c4b6a9d2e5f7a8b1c3d4e5f60718a"}),
        ),
    ];
    for (given, kept) in cases {
        let mut draft = Draft::new(Kind::Fact, "x".parse().unwrap());
        draft.metadata = map(given.clone());
        let redactions = secrets().redact_draft(&mut draft).unwrap();
        assert_eq!(redactions.is_empty(), given == kept, "{given}");
        assert_eq!(Value::Object(draft.metadata), kept, "{given}");
    }
}

#[test]
fn two_names_that_become_the_same_keep_both_values() {
    let other = KEY.replace("abc", "cba");
    let mut draft = Draft::new(Kind::Fact, "x".parse().unwrap());
    draft.metadata = map(json!({KEY: 1, other: 2}));
    secrets().redact_draft(&mut draft).unwrap();
    assert_eq!(
        Value::Object(draft.metadata),
        json!({"[REDACTED:github_token]": 1, "[REDACTED:github_token] 2": 2})
    );
}

#[test]
fn what_a_revision_brings_along_is_redacted() {
    let mut revision = Revision {
        text: Some(format!("now {KEY}").parse().unwrap()),
        body: map(json!({"rationale": KEY, "gone": null})),
        metadata: map(json!({"password": "hunter2", "gone": null})),
        add_tags: vec![KEY.parse().unwrap()],
        embedding: Some(vec![1.0]),
        resolution: Some(Resolution::Resolve("rotated, password: hunter3".to_owned())),
        ..Revision::default()
    };
    let redactions = secrets().redact_revision(&mut revision).unwrap();
    assert_eq!(counted(&redactions), [("github_token", 3), ("password", 2)]);
    assert_eq!(
        revision.text.unwrap().as_str(),
        "now [REDACTED:github_token]"
    );
    assert_eq!(revision.embedding, None);
    assert_eq!(
        revision.resolution,
        Some(Resolution::Resolve(
            "rotated, password: [REDACTED:password]".to_owned()
        ))
    );
    assert!(!format!("{:?}{:?}", revision.body, revision.metadata).contains("hunter"));
    assert_eq!(revision.metadata["gone"], Value::Null);
}

#[test]
fn what_is_said_about_a_session_is_redacted_but_not_who_takes_part() {
    let mut details = SessionDetails {
        user: Some(KEY.to_owned()),
        project: Some(format!("shop {KEY}")),
        metadata: map(json!({"password": "hunter2"})),
        ..SessionDetails::default()
    };
    let redactions = secrets().redact_details(&mut details);
    assert_eq!(counted(&redactions), [("github_token", 1), ("password", 1)]);
    assert_eq!(details.user.as_deref(), Some(KEY));
    assert_eq!(
        details.project.as_deref(),
        Some("shop [REDACTED:github_token]")
    );
}
