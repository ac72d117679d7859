//! The log tells what happened, and never what was said.

use mnemon::caller::Role;
use serde_json::{Value, json};

use crate::client::Client;
use crate::house::House;

#[test]
fn nothing_that_anybody_says_is_in_the_log() {
    let mut house = House::with("log.level = 'debug'");
    let token = house.token(None, Role::Admin);
    let client = Client::with_token(house.address, &token);
    client
        .json("POST", "/v1/sessions", &json!({ "id": "canary-session" }))
        .json(201);
    for number in 0..100 {
        let canary = format!("canary{number}");
        let body = json!({
            "session": "canary-session",
            "text": format!("{canary} text"),
            "tags": [canary],
            "metadata": { &canary: canary },
        });
        let kept = client.json("POST", "/v1/memories", &body).json(201);
        let question = json!({ "query": canary, "contains": canary });
        client.json("POST", "/v1/recall", &question).json(200);
        client.get(&format!("/v1/memories?tag={canary}")).json(200);
        client.get(&format!("/v1/memories/{canary}")).refusal(404);
        client
            .get(&format!("/{canary}?{canary}={canary}"))
            .refusal(404);
        client.get(&format!("/v1/stats?{canary}=1")).refusal(400);
        client
            .json("POST", "/v1/memories", &json!({ &canary: 1 }))
            .refusal(422);
        client.send(&canary, "/v1/stats", &[(&canary, &canary)], b"");
        client
            .send("GET", "/v1/stats", &[("host", &canary)], b"")
            .refusal(403);
        client
            .send("GET", "/v1/stats", &[("origin", &canary)], b"")
            .refusal(403);
        let foreign = Client::with_token(house.address, &canary);
        foreign.get("/v1/stats").refusal(401);
        let id = kept["id"].as_str().unwrap();
        client
            .delete(&format!("/v1/memories/{id}?reason={canary}"))
            .json(200);
    }
    house.end();
    let log = house.log();
    assert!(!log.contains("canary"), "{log}");
    assert!(!log.contains(&token) && !log.contains("mnm_"));
    let lines: Vec<Value> = log
        .lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect();
    let answered = lines
        .iter()
        .filter(|it| it["message"] == "Request answered");
    assert!(answered.clone().count() > 1000);
    let routes = answered.filter_map(|it| it["metadata"]["route"].as_str());
    assert!(routes.clone().any(|it| it == "/v1/memories/{id}"));
    for line in &lines {
        for member in ["timestamp", "level", "component", "message", "metadata"] {
            assert!(line.get(member).is_some(), "{line}");
        }
    }
    assert!(
        lines
            .iter()
            .any(|it| it["message"] == "Stored memory entry")
    );
}
