//! Requests that come again under their key.

use serde_json::{Value, json};

use crate::client::Answer;
use crate::house::House;

fn remember(house: &House, key: &str, text: &str) -> Answer {
    house.client().json_with(
        "POST",
        "/v1/memories",
        &[("idempotency-key", key)],
        &json!({ "text": text }),
    )
}

fn total(house: &House) -> Value {
    house.client().get("/v1/memories").json(200)["total"].clone()
}

/// As if the server had died before it could write down how requests ended.
fn forget_answers(house: &House) {
    let folder = house.path().join("requests");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let mut own: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        own["answer"] = Value::Null;
        std::fs::write(&path, own.to_string()).unwrap();
    }
}

#[test]
fn the_same_request_is_done_once_and_answered_the_same_after_a_restart_too() {
    let mut house = House::new();
    let first = remember(&house, "k1", "kept once");
    let receipt = first.json(201);
    for _ in 0..2 {
        let again = remember(&house, "k1", "kept once");
        assert_eq!(again.json(201), receipt);
        assert_eq!(again.header("location"), first.header("location"));
        assert_eq!(again.header("idempotent-replay"), Some("true"));
        house.restart();
    }
    assert_eq!(total(&house), 1);
    let other = remember(&house, "k1", "something else");
    assert_eq!(other.refusal(422), "E_USAGE");
    assert_ne!(
        remember(&house, "k2", "kept once").json(201)["id"],
        receipt["id"]
    );
    assert_eq!(total(&house), 2);
}

#[test]
fn what_died_before_it_could_answer_meets_what_is_there() {
    let mut house = House::new();
    let receipt = remember(&house, "k", "kept once").json(201);
    let client = house.client();
    let key = [("idempotency-key", "s")];
    let session = client.json_with("POST", "/v1/sessions", &key, &json!({ "project": "p" }));
    let session = session.json(201);
    let body = json!({ "session": session["session_id"], "turn": "hello", "memories": ["a", "b"] });
    let turn = client.json_with("POST", "/v1/turns", &key, &body).json(201);
    forget_answers(&house);
    house.restart();
    assert_eq!(remember(&house, "k", "kept once").json(201), receipt);
    let client = house.client();
    let again = client.json_with("POST", "/v1/sessions", &key, &json!({ "project": "p" }));
    assert_eq!(again.json(201), session);
    let again = client.json_with("POST", "/v1/turns", &key, &body);
    assert_eq!(again.json(201), turn);
    assert_eq!(total(&house), 4);
}

#[test]
fn what_can_not_be_done_again_safely_is_not() {
    let house = House::new();
    let client = house.client();
    let add = || {
        let key = [("idempotency-key", "k")];
        let item = json!({ "text": "in view" });
        client.json_with("POST", "/v1/agents/ada/window", &key, &item)
    };
    let first = add().json(201);
    assert_eq!(add().json(201), first);
    forget_answers(&house);
    assert_eq!(add().refusal(409), "E_USAGE");
    let window = client.get("/v1/agents/ada/window").json(200);
    assert_eq!(window["items"].as_array().unwrap().len(), 1);
    let key = [("idempotency-key", "k")];
    let token = client.json_with("POST", "/v1/tokens", &key, &json!({}));
    assert_eq!(token.refusal(400), "E_USAGE");
    let long = "k".repeat(256);
    assert_eq!(remember(&house, &long, "x").refusal(400), "E_USAGE");
    assert_eq!(remember(&house, &long[..255], "x").status, 201);
}

#[test]
fn a_change_is_answered_as_it_left_the_memory_and_nothing_it_says_lies_around() {
    let house = House::new();
    let client = house.client();
    let id = remember(&house, "k", "first").json(201)["id"].clone();
    let path = format!("/v1/memories/{}", id.as_str().unwrap());
    let revise = |key: &str, tag: &str, text: &str| {
        let headers = [("idempotency-key", key), ("if-match", tag)];
        client.json_with("PATCH", &path, &headers, &json!({ "text": text }))
    };
    let second = revise("a", "\"1\"", "a sapphire").json(200);
    revise("b", "\"2\"", "third").json(200);
    let again = revise("a", "\"1\"", "a sapphire");
    assert_eq!(again.header("etag"), Some("\"2\""));
    let again = again.json(200);
    assert_eq!(
        (&again["text"], &again["version"]),
        (&second["text"], &json!(2))
    );
    for entry in std::fs::read_dir(house.path().join("requests")).unwrap() {
        let kept = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        assert!(!kept.contains("sapphire"), "{kept}");
    }
    // A refusal changes nothing, and the same request may succeed later.
    assert_eq!(
        revise("c", "\"9\"", "late").refusal(412),
        "E_CONCURRENT_MOD"
    );
    assert_eq!(revise("c", "\"3\"", "late").json(200)["version"], 4);
}

#[test]
fn a_key_is_its_callers_own() {
    let house = House::new();
    let (ada, bob) = (
        house.token(Some("ada"), mnemon::caller::Role::Writer),
        house.token(Some("bob"), mnemon::caller::Role::Writer),
    );
    let ids = [ada, bob].map(|token| {
        let client = crate::client::Client::with_token(house.address, &token);
        let key = [("idempotency-key", "k")];
        let kept = client.json_with("POST", "/v1/memories", &key, &json!({ "text": "x" }));
        kept.json(201)["id"].clone()
    });
    assert_ne!(ids[0], ids[1]);
}

#[test]
fn a_change_that_died_before_it_could_answer_is_known_by_what_it_did() {
    let house = House::new();
    let client = house.client();
    let id = remember(&house, "k", "first").json(201)["id"].clone();
    let path = format!("/v1/memories/{}", id.as_str().unwrap());
    let revise = |key: &str, body: &Value| {
        let headers = [("idempotency-key", key), ("if-match", "\"1\"")];
        client.json_with("PATCH", &path, &headers, body)
    };
    let change = json!({ "text": "second", "add_tags": ["a"], "metadata": { "n": 1 } });
    let done = revise("a", &change).json(200);
    forget_answers(&house);
    let again = revise("a", &change).json(200);
    assert_eq!(
        (&again["version"], &again["text"]),
        (&json!(2), &done["text"])
    );
    // What somebody else made of that version is not taken for one's own change.
    let other = json!({ "text": "third" });
    assert_eq!(revise("b", &other).refusal(412), "E_CONCURRENT_MOD");
    assert_eq!(client.get(&path).json(200)["version"], 2);
}
