//! How much is too much: at each limit, and one past it.

use std::io::{BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use mnemon::caller::Role;
use serde_json::json;

use crate::client::{Client, read, read_head};
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

/// Sends so much of a body, once the server asks for it; the rest never comes.
fn part_of_a_body(client: &Client, bytes: usize) -> BufReader<TcpStream> {
    let headers = [
        ("content-type", "application/json"),
        ("expect", "100-continue"),
    ];
    let stream = client.begin("POST", "/v1/memories", &headers, bytes + 1);
    let mut reader = BufReader::new(stream);
    assert_eq!(read_head(&mut reader).status, 100);
    reader.get_mut().write_all(&vec![b' '; bytes]).unwrap();
    reader
}

#[test]
fn bodies_of_all_requests_together_have_so_much_room() {
    let house = House::with("server.body_bytes_max = '64KiB'\nserver.bodies_bytes_max = '128KiB'");
    let client = house.client();
    let parts: Vec<_> = (0..3)
        .map(|_| part_of_a_body(&client, (64 << 10) - 1))
        .collect();
    let sockets: Vec<_> = parts
        .iter()
        .map(|part| part.get_ref().try_clone().unwrap())
        .collect();
    // There is room for two of them; whichever comes last is told.
    let refused = std::thread::scope(|scope| {
        let (tell, told) = std::sync::mpsc::channel();
        for mut part in parts {
            let tell = tell.clone();
            scope.spawn(move || tell.send(read(&mut part)));
        }
        let refused = told.recv().unwrap();
        // Who goes gives its room back.
        for socket in &sockets {
            let _ = socket.shutdown(std::net::Shutdown::Both);
        }
        refused
    });
    assert_eq!(refused.refusal(503), "E_LIMIT");
    assert_eq!(refused.header("retry-after"), Some("1"));
    let body = json!({ "text": "x ".repeat(20_000) });
    let send = || client.json("POST", "/v1/memories", &body);
    let mut answers = std::iter::repeat_with(send).take(1_000);
    assert!(answers.any(|answer| answer.status == 201));
}

#[test]
fn so_many_are_connected_and_the_next_waits_but_who_listens_keeps_nobody_out() {
    let house = House::with("server.connections_max = 2");
    let client = house.client();
    let mut ears: Vec<_> = (0..5)
        .map(|_| BufReader::new(client.begin("GET", "/v1/events", &[], 0)))
        .collect();
    for ear in &mut ears {
        assert_eq!(read(ear).status, 200);
    }
    let mut parts: Vec<_> = (0..2).map(|_| part_of_a_body(&client, 10)).collect();
    let waiting = client.begin("GET", "/v1/stats", &[], 0);
    waiting
        .set_read_timeout(Some(Duration::from_millis(200)))
        .unwrap();
    let mut byte = [0];
    assert!((&waiting).read(&mut byte).is_err(), "nobody listens to it");
    drop(parts.pop());
    waiting
        .set_read_timeout(Some(Duration::from_secs(60)))
        .unwrap();
    assert_eq!(read(&mut BufReader::new(waiting)).status, 200);
}

#[test]
fn a_token_listens_so_often_and_leaves_places_to_others() {
    let house = House::with("server.streams_max = 3\nserver.streams_per_token = 1");
    let listen = |client: &Client| {
        let mut ear = BufReader::new(client.begin("GET", "/v1/events", &[], 0));
        let answer = read(&mut ear);
        (ear, answer)
    };
    let clients: Vec<Client> = ["ada", "bob"]
        .iter()
        .map(|agent| Client::with_token(house.address, &house.token(Some(agent), Role::Reader)))
        .collect();
    let (ear, first) = listen(&clients[0]);
    assert_eq!(first.status, 200);
    assert_eq!(listen(&clients[0]).1.refusal(429), "E_LIMIT");
    assert_eq!(listen(&clients[1]).1.status, 200);
    // Who goes leaves its place.
    drop(ear);
    let again = std::iter::repeat_with(|| listen(&clients[0]).1.status).take(10_000);
    assert!(again.into_iter().any(|status| status == 200));
}

#[test]
fn who_takes_nothing_of_a_long_answer_is_cut_off_and_others_get_theirs() {
    let house = House::with("server.unread_ms = 50");
    let client = house.client();
    // More than a system keeps for a client that does not read.
    let long = json!({ "text": "x".repeat(8 << 20) });
    for _ in 0..3 {
        client.json("POST", "/v1/memories", &long).json(201);
    }
    // As many as are written at once, and none of them reads more than the head.
    let mut idle: Vec<_> = (0..8)
        .map(|_| BufReader::new(client.begin("GET", "/v1/export", &[], 0)))
        .collect();
    for reader in &mut idle {
        assert_eq!(read_head(reader).status, 200);
    }
    let mut tries = std::iter::repeat_with(|| client.get("/v1/export")).take(10_000);
    let whole = tries.find(|answer| answer.status == 200).unwrap();
    assert!(whole.body.len() > 24 << 20);
    for mut reader in idle {
        let mut bytes = Vec::new();
        let _ = reader.read_to_end(&mut bytes);
        assert!(bytes.len() < whole.body.len(), "{} bytes", bytes.len());
        assert!(!bytes.ends_with(b"0\r\n\r\n"), "it must not look whole");
    }
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
    let mut stream = house.client().begin("POST", "/mcp", &[media], 100);
    stream.write_all(b"{").unwrap();
    let answer = read(&mut BufReader::new(stream));
    assert_eq!(answer.refusal(504), "E_LIMIT");
}
