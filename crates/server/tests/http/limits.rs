//! How much is too much: at each limit, and one past it.

use std::io::{BufReader, Write};

use serde_json::json;

use crate::client::read;
use crate::house::House;

#[test]
fn a_body_may_be_as_large_as_the_settings_say_and_no_larger() {
    let house = House::with("server.body_bytes_max = 1024");
    let client = house.client();
    let media = ("content-type", "application/json");
    let body = |bytes: usize| {
        let empty = json!({ "text": "" }).to_string().len();
        json!({ "text": "x".repeat(bytes - empty) })
            .to_string()
            .into_bytes()
    };
    let at = client.send("POST", "/v1/memories", &[media], &body(1024));
    assert_eq!(at.status, 201);
    let past = client.send("POST", "/v1/memories", &[media], &body(1025));
    assert_eq!(past.refusal(413), "E_LIMIT");
    // However it is sent.
    let chunked = ("transfer-encoding", "chunked");
    for (bytes, status) in [(1024, 201), (1025, 413)] {
        let mut stream = client.begin("POST", "/v1/memories", &[media, chunked], 0);
        for piece in body(bytes).chunks(100) {
            let _ = write!(stream, "{:x}\r\n", piece.len());
            let _ = stream.write_all(piece);
            let _ = stream.write_all(b"\r\n");
        }
        let _ = stream.write_all(b"0\r\n\r\n");
        let answer = read(&mut BufReader::new(stream));
        assert_eq!(answer.status, status, "{}", answer.text());
    }
}

#[test]
fn json_may_be_nested_as_deep_as_the_settings_say_and_no_deeper() {
    let house = House::with("server.json_depth_max = 4");
    let client = house.client();
    let at = json!({ "text": "x", "metadata": { "a": [[1]] } });
    assert_eq!(client.json("POST", "/v1/memories", &at).status, 201);
    let past = json!({ "text": "x", "metadata": { "a": [[[1]]] } });
    let refused = client.json("POST", "/v1/memories", &past);
    assert_eq!(refused.refusal(400), "E_INVALID_FORMAT");
}

#[test]
fn one_request_holds_and_one_answer_shows_so_many_and_no_more() {
    let house = House::with("server.batch_max = 2\nserver.page_max = 3");
    let client = house.client();
    let batch = |number: usize| {
        let memories = vec![json!({ "text": "x" }); number];
        client.json(
            "POST",
            "/v1/memories/batch",
            &json!({ "memories": memories }),
        )
    };
    assert_eq!(batch(2).status, 201);
    assert_eq!(batch(3).refusal(422), "E_SCHEMA_INVALID");
    assert_eq!(batch(0).refusal(422), "E_SCHEMA_INVALID");
    let get = |number: usize| {
        let ids = vec!["x"; number];
        client.json("POST", "/v1/memories/get", &json!({ "ids": ids }))
    };
    assert_eq!(get(2).json(200)["total"], 0);
    assert_eq!(get(3).refusal(422), "E_SCHEMA_INVALID");
    let queries = |number: usize| {
        let queries = vec![json!({ "query": "x" }); number];
        client.json("POST", "/v1/recall/batch", &json!({ "queries": queries }))
    };
    assert_eq!(queries(2).json(200)["answers"].as_array().unwrap().len(), 2);
    assert_eq!(queries(3).refusal(422), "E_SCHEMA_INVALID");
    batch(2).json(201);
    assert_eq!(client.get("/v1/memories?limit=3").status, 200);
    assert_eq!(
        client.get("/v1/memories?limit=4").refusal(400),
        "E_INVALID_QUERY"
    );
    let page = client.get("/v1/memories").json(200);
    assert_eq!(page["memories"].as_array().unwrap().len(), 3);
    assert_eq!(page["total"], 4);
    let recall = |limit: usize| {
        let body = json!({ "query": "x", "limit": limit });
        client.json("POST", "/v1/recall", &body)
    };
    assert_eq!(recall(3).status, 200);
    assert_eq!(recall(4).refusal(400), "E_INVALID_QUERY");
    assert_eq!(
        client.get("/v1/sessions?limit=4").refusal(400),
        "E_INVALID_QUERY"
    );
    assert_eq!(
        client.get("/v1/audit?limit=4").refusal(400),
        "E_INVALID_QUERY"
    );
}

#[test]
fn who_asks_too_often_is_told_when_to_ask_again() {
    let house = House::with("server.rate_per_second = 1");
    let client = house.client();
    let mut answers = (0..1000).map(|_| client.get("/v1/stats"));
    let refused = answers.find(|it| it.status != 200).unwrap();
    assert_eq!(refused.refusal(429), "E_LIMIT");
    assert_eq!(refused.header("retry-after"), Some("1"));
    // Who has no part in it is not refused.
    assert_eq!(client.get("/health").status, 200);
}

#[test]
fn so_many_listen_and_no_more() {
    let house = House::with("server.streams_max = 1");
    let client = house.client();
    let mut first = BufReader::new(client.begin("GET", "/v1/events", &[], 0));
    assert_eq!(read(&mut first).status, 200);
    assert_eq!(client.get("/v1/events").refusal(503), "E_LIMIT");
}

#[test]
fn who_never_ends_a_request_is_not_waited_for() {
    let house = House::with("server.timeout_ms = 50");
    let media = ("content-type", "application/json");
    let mut stream = house.client().begin("POST", "/v1/memories", &[media], 100);
    stream.write_all(b"{").unwrap();
    let answer = read(&mut BufReader::new(stream));
    assert_eq!(answer.refusal(504), "E_LIMIT");
}
