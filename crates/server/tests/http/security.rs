//! Who may do what: each route, with every sort of token.

use mnemon::caller::Role;
use mnemon_server::http::{Method, routes};
use serde_json::{Value, json};

use crate::client::{Answer, Client};
use crate::house::House;

/// What belongs to ada alone says this.
const MARK: &str = "sapphire";

/// A store in which ada has something of everything.
struct Town {
    house: House,
    admin: String,
    memory: String,
    snapshot: String,
}

impl Town {
    fn new() -> Self {
        let house = House::with("server.rate_per_second = 0");
        let admin = house.token(None, Role::Admin);
        let client = Client::with_token(house.address, &admin);
        let post = |path: &str, body: Value| client.json("POST", path, &body).json(201);
        post("/v1/sessions", json!({ "id": "s" }));
        let text = format!("{MARK} in long-term memory");
        let kept = post("/v1/memories", json!({ "agent": "ada", "text": text }));
        let value = json!({ "value": format!("{MARK} at hand") });
        client
            .json("PUT", "/v1/agents/ada/working/goal", &value)
            .json(200);
        let item = json!({ "text": format!("{MARK} in view") });
        post("/v1/agents/ada/window", item);
        let snapshot = post("/v1/agents/ada/snapshots", json!({ "name": MARK }));
        let policy = json!({ "exempt_tags": [MARK] });
        client
            .json("PUT", "/v1/agents/ada/retention", &policy)
            .json(200);
        let id = |made: &Value| made["id"].as_str().unwrap().to_owned();
        Self {
            memory: id(&kept),
            snapshot: id(&snapshot),
            house,
            admin,
        }
    }

    fn path(&self, template: &str) -> String {
        template
            .replace("{id}", &self.memory)
            .replace("{session}", "s")
            .replace("{agent}", "ada")
            .replace("{key}", "goal")
            .replace("{item}", "w1")
            .replace("{snapshot}", &self.snapshot)
            .replace("{token}", "tok_1")
    }

    fn ask(&self, method: Method, template: &str, token: Option<&str>) -> Answer {
        let client = match token {
            Some(token) => Client::with_token(self.house.address, token),
            None => self.house.client(),
        };
        let body = json!({ "ids": [self.memory], "session": "s", "reason": "because" });
        let path = self.path(template);
        if method == Method::Get {
            return client.get(&path);
        }
        client.json(method.as_str(), &path, &body)
    }
}

#[test]
fn without_a_token_that_holds_nobody_is_told_anything_but_that_the_server_lives() {
    let town = Town::new();
    let expired = town.house.token(None, Role::Admin);
    let revoked = town.house.token(None, Role::Admin);
    let admin = Client::with_token(town.house.address, &town.admin);
    let tokens = admin.get("/v1/tokens").json(200);
    let id = tokens["tokens"][2]["id"].as_str().unwrap();
    admin.delete(&format!("/v1/tokens/{id}")).json(200);
    let file = town.house.path().join("tokens.json");
    let mut list: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    list[1]["expires_at"] = json!("2020-01-01T00:00:00Z");
    std::fs::write(&file, list.to_string()).unwrap();

    let none = [
        None,
        Some("mnm_x"),
        Some(""),
        Some(&*expired),
        Some(&*revoked),
    ];
    for (method, path, _) in routes() {
        for token in none {
            let answer = town.ask(method, path, token);
            if path == "/health" {
                assert_eq!(answer.status, 200);
                continue;
            }
            assert_eq!(answer.refusal(401), "E_UNAUTHORIZED", "{path} {token:?}");
            assert!(answer.header("www-authenticate").is_some());
            assert!(!answer.text().contains(MARK));
        }
    }
    let two = admin.send("GET", "/v1/stats", &[("authorization", "Basic x")], b"");
    assert_eq!(two.refusal(401), "E_UNAUTHORIZED");
}

#[test]
fn each_role_may_do_what_it_may_and_no_more() {
    let town = Town::new();
    for role in Role::ALL {
        let token = town.house.token(None, role);
        for (method, path, needs) in routes() {
            let is_allowed = needs.is_none_or(|needs| role >= needs);
            // What is allowed is not done here: it would take the town away.
            if is_allowed && method != Method::Get {
                continue;
            }
            let answer = town.ask(method, path, Some(&token));
            let place = format!("{} {path} as {}", method.as_str(), role.as_str());
            if is_allowed {
                assert!(
                    ![401, 403].contains(&answer.status),
                    "{place}: {}",
                    answer.status
                );
            } else {
                assert_eq!(answer.refusal(403), "E_FORBIDDEN", "{place}");
            }
        }
    }
}

#[test]
fn no_route_tells_an_agent_of_what_belongs_to_another() {
    let town = Town::new();
    for role in Role::ALL {
        let token = town.house.token(Some("bob"), role);
        for (method, path, _) in routes() {
            let answer = town.ask(method, path, Some(&token));
            let place = format!("{} {path} as {}", method.as_str(), role.as_str());
            assert!(!answer.text().contains(MARK), "{place}: {}", answer.text());
            assert_ne!(answer.status, 500, "{place}: {}", answer.text());
            let is_desk = ["/working", "/window", "/snapshots"]
                .iter()
                .any(|part| path.contains(part));
            if is_desk {
                assert!(answer.status >= 400, "{place}: {}", answer.text());
            }
        }
    }
    // And what ada has is still there.
    let admin = Client::with_token(town.house.address, &town.admin);
    let kept = admin.get(&town.path("/v1/memories/{id}")).json(200);
    assert!(kept["text"].as_str().unwrap().contains(MARK));
    let held = admin.get("/v1/agents/ada/working/goal").json(200);
    assert!(held["value"].as_str().unwrap().contains(MARK));
}

#[test]
fn tokens_are_the_users_to_give_and_the_last_one_leaves_the_door_shut() {
    let house = House::new();
    let open = house.client();
    let made = open.json(
        "POST",
        "/v1/tokens",
        &json!({ "role": "admin", "name": "mine", "expires": "30d" }),
    );
    let made = made.json(201);
    let secret = made["token"].as_str().unwrap();
    assert!(secret.starts_with("mnm_"));
    let admin = Client::with_token(house.address, secret);
    let list = admin.get("/v1/tokens");
    assert_eq!(list.json(200)["total"], 1);
    assert!(!list.text().contains(secret));
    let kept = std::fs::read_to_string(house.path().join("tokens.json")).unwrap();
    assert!(!kept.contains(secret) && !kept.contains(&secret[4..]));

    for name in ["", " ", "a\nb"] {
        for body in [json!({ "user": name }), json!({ "name": name })] {
            let refused = admin.json("POST", "/v1/tokens", &body);
            assert_eq!(refused.refusal(422), "E_SCHEMA_INVALID", "{body}");
        }
    }
    let agent = house.token(Some("ada"), Role::Admin);
    let agent = Client::with_token(house.address, &agent);
    for answer in [
        agent.get("/v1/tokens"),
        agent.json("POST", "/v1/tokens", &json!({})),
        agent.delete("/v1/tokens/tok_1"),
        agent.get("/metrics"),
    ] {
        assert_eq!(answer.refusal(403), "E_FORBIDDEN");
    }
    for token in admin.get("/v1/tokens").json(200)["tokens"]
        .as_array()
        .unwrap()
    {
        let id = token["id"].as_str().unwrap();
        if id != made["id"] {
            admin.delete(&format!("/v1/tokens/{id}")).json(200);
        }
    }
    let id = made["id"].as_str().unwrap();
    admin.delete(&format!("/v1/tokens/{id}")).json(200);
    assert_eq!(admin.get("/v1/stats").refusal(401), "E_UNAUTHORIZED");
    assert_eq!(open.get("/v1/stats").refusal(401), "E_UNAUTHORIZED");
}

#[test]
fn pages_of_others_are_refused_before_anything_is_asked() {
    let house = House::with("server.origins = ['https://app.example.com']");
    let client = house.client();
    let ask = |name: &str, value: &str| client.send("GET", "/v1/stats", &[(name, value)], b"");
    assert_eq!(ask("host", "evil.example").refusal(403), "E_FORBIDDEN");
    assert_eq!(
        ask("origin", "https://evil.example").refusal(403),
        "E_FORBIDDEN"
    );
    assert_eq!(ask("origin", "null").refusal(403), "E_FORBIDDEN");
    assert_eq!(
        ask("sec-fetch-site", "cross-site").refusal(403),
        "E_FORBIDDEN"
    );
    let ours = ask("origin", "https://app.example.com");
    assert_eq!(ours.status, 200);
    assert_eq!(
        ours.header("access-control-allow-origin"),
        Some("https://app.example.com")
    );
    let preflight = client.send(
        "OPTIONS",
        "/v1/memories",
        &[
            ("origin", "https://app.example.com"),
            ("access-control-request-method", "POST"),
        ],
        b"",
    );
    assert_eq!(preflight.status, 204);
    assert_eq!(
        preflight.header("access-control-allow-methods"),
        Some("POST, GET")
    );
    let foreign = client.send(
        "OPTIONS",
        "/v1/memories",
        &[("origin", "https://evil")],
        b"",
    );
    assert_eq!(foreign.refusal(403), "E_FORBIDDEN");
}

#[test]
fn elsewhere_than_on_this_machine_it_listens_only_once_there_is_a_token() {
    let house = House::new();
    let bind = || {
        mnemon_server::http::Server::bind(mnemon_server::http::Options {
            engine: house.engine(),
            user: mnemon::Caller::user("user"),
            zone: jiff::tz::TimeZone::UTC,
            listen: "0.0.0.0:0".parse().unwrap(),
            log: Box::new(std::io::sink()),
        })
    };
    let refused = bind().err().unwrap();
    assert_eq!(refused.code().as_str(), "E_SCHEMA_INVALID");
    assert!(refused.to_string().contains("mnemon token new"));
    house.token(None, Role::Reader);
    assert!(bind().is_ok());
}
