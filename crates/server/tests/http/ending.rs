//! How the server ends.

use std::io::{BufReader, Write};
use std::net::TcpStream;

use serde_json::json;

use crate::client::read;
use crate::house::House;

#[test]
fn what_has_begun_is_finished_and_nothing_new_is_begun() {
    let mut house = House::new();
    let body = json!({ "text": "kept at the last moment" }).to_string();
    let media = ("content-type", "application/json");
    let mut stream = house.client().begin(
        "POST",
        "/v1/memories",
        &[media, ("expect", "100-continue")],
        body.len(),
    );
    // Once the server asks for the body, the request has begun.
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    assert_eq!(crate::client::read_head(&mut reader).status, 100);
    house.stop();
    stream.write_all(body.as_bytes()).unwrap();
    assert_eq!(read(&mut reader).json(201)["durable"], true);
    let address = house.address;
    house.end();
    assert!(TcpStream::connect(address).is_err());
    let stats = house.engine().stats(&mnemon::Caller::user("user")).unwrap();
    assert_eq!(stats.memories, 1);
    assert!(house.log().contains("Server ended"));
}

#[test]
fn what_was_asked_for_is_written_down_at_the_end() {
    let mut house = House::new();
    let client = house.client();
    let kept = client
        .json("POST", "/v1/memories", &json!({ "text": "x" }))
        .json(201);
    let path = format!("/v1/memories/{}", kept["id"].as_str().unwrap());
    client.get(&path).json(200);
    client.get(&path).json(200);
    house.restart();
    let state = house.client().get(&path).json(200)["state"].clone();
    assert_eq!(state["access_count"], 2);
}
