//! What happens, as clients hear of it.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;

use mnemon::caller::Role;
use serde_json::{Value, json};

use crate::client::{Client, read};
use crate::house::House;

/// One event: its id, its name and its data.
type Event = (String, String, Value);

struct Ear(BufReader<TcpStream>);

impl Ear {
    fn new(client: &Client, headers: &[(&str, &str)]) -> Self {
        let mut stream = BufReader::new(client.begin("GET", "/v1/events", headers, 0));
        let head = read(&mut stream);
        assert_eq!(head.status, 200, "{}", head.text());
        Self(stream)
    }

    /// The next event, or nothing if the stream ends.
    fn next(&mut self) -> Option<Event> {
        let (mut id, mut name, mut data) = (String::new(), String::new(), Value::Null);
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let line = line.trim_end();
            if let Some(value) = line.strip_prefix("id: ") {
                value.clone_into(&mut id);
            } else if let Some(value) = line.strip_prefix("event: ") {
                value.clone_into(&mut name);
            } else if let Some(value) = line.strip_prefix("data: ") {
                data = serde_json::from_str(value).unwrap();
            } else if line.is_empty() && !name.is_empty() {
                return Some((id, name, data));
            }
        }
    }

    fn until(&mut self, wanted: &str) -> Event {
        std::iter::from_fn(|| self.next())
            .find(|(_, name, _)| name == wanted)
            .unwrap()
    }
}

fn remember(client: &Client, agent: Option<&str>, text: &str) -> Value {
    let body = json!({ "agent": agent, "text": text });
    client.json("POST", "/v1/memories", &body).json(201)["id"].clone()
}

#[test]
fn who_comes_back_is_told_what_it_missed() {
    let mut house = House::new();
    let client = house.client();
    let mut ear = Ear::new(&client, &[]);
    let first = remember(&client, None, "one");
    let (id, _, data) = ear.until("memory_stored");
    assert_eq!(data["id"], first);
    assert_eq!(data.get("text"), None);
    drop(ear);
    let missed = [
        remember(&client, None, "two"),
        remember(&client, None, "three"),
    ];
    let mut back = Ear::new(&client, &[("last-event-id", &id)]);
    for id in &missed {
        assert_eq!(back.until("memory_stored").2["id"], *id);
    }
    house.restart();
    let client = house.client();
    let mut back = Ear::new(&client, &[("last-event-id", &id)]);
    let (_, name, data) = back.next().unwrap();
    assert_eq!((name.as_str(), &data["missed"]), ("missed", &Value::Null));
    let last = remember(&client, None, "four");
    assert_eq!(back.until("memory_stored").2["id"], last);
}

#[test]
fn an_agent_hears_of_what_it_sees_and_of_nothing_else() {
    let house = House::new();
    let token = |agent| house.token(agent, Role::Writer);
    let (user, ada, bob) = (token(None), token(Some("ada")), token(Some("bob")));
    let user = Client::with_token(house.address, &user);
    let bob = Client::with_token(house.address, &bob);
    let mut ear = Ear::new(&Client::with_token(house.address, &ada), &[]);
    remember(&bob, Some("bob"), "bob's own");
    let own = remember(&user, Some("ada"), "ada's own");
    let (_, _, data) = ear.until("memory_stored");
    assert_eq!(data["id"], own);
}

#[test]
fn a_stream_ends_with_the_server() {
    let mut house = House::new();
    let mut ear = Ear::new(&house.client(), &[]);
    house.end();
    assert!(std::iter::from_fn(|| ear.next()).count() < 10);
}

#[test]
fn who_listens_with_a_token_that_is_taken_away_hears_no_more() {
    let house = House::with("server.heartbeat_ms = 20");
    let admin = Client::with_token(house.address, &house.token(None, Role::Admin));
    let ada = house.token(Some("ada"), Role::Reader);
    let mut ear = Ear::new(&Client::with_token(house.address, &ada), &[]);
    remember(&admin, None, "heard");
    ear.until("memory_stored");
    let tokens = admin.get("/v1/tokens").json(200);
    let own = tokens["tokens"].as_array().unwrap();
    let own = own.iter().find(|token| token["agent"] == "ada").unwrap();
    let path = format!("/v1/tokens/{}", own["id"].as_str().unwrap());
    admin.delete(&path).json(200);
    // The stream ends; whatever comes before that is bounded by the heartbeat.
    assert!(std::iter::from_fn(|| ear.next()).count() < 10);
}
