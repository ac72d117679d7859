//! The Model Context Protocol over HTTP.

use mnemon::caller::Role;
use mnemon_server::mcp::Profile;
use serde_json::{Value, json};

use crate::client::{Answer, Client};
use crate::house::House;

fn call(client: &Client, method: &str, params: &Value) -> Answer {
    call_at(client, "/mcp", method, params)
}

fn call_at(client: &Client, path: &str, method: &str, params: &Value) -> Answer {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let accept = [("accept", "application/json, text/event-stream")];
    client.json_with("POST", path, &accept, &body)
}

#[test]
fn the_same_tools_are_offered_and_each_call_is_its_tokens() {
    let house = House::new();
    let token = |role| house.token(Some("ada"), role);
    let writer = Client::with_token(house.address, &token(Role::Writer));
    let reader = Client::with_token(house.address, &token(Role::Reader));
    let hello = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" },
    });
    let greeted = call(&writer, "initialize", &hello).json(200);
    assert_eq!(greeted["result"]["serverInfo"]["name"], "mnemon");
    let tools = call(&writer, "tools/list", &json!({})).json(200);
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 7);
    let remember = json!({ "name": "remember", "arguments": { "text": "kept", "agent": "ada" } });
    let kept = call(&writer, "tools/call", &remember).json(200);
    assert_eq!(kept["result"]["isError"], json!(false), "{kept}");
    let refused = call(&reader, "tools/call", &remember).json(200);
    assert_eq!(refused["result"]["isError"], true);
    let code = &refused["result"]["structuredContent"]["error"]["code"];
    assert_eq!(code, "E_FORBIDDEN");
    let recall = json!({ "name": "recall", "arguments": { "query": "kept" } });
    let found = call(&reader, "tools/call", &recall).json(200);
    assert_eq!(found["result"]["structuredContent"]["total"], 1);
    let bob = Client::with_token(house.address, &house.token(Some("bob"), Role::Admin));
    let found = call(&bob, "tools/call", &recall).json(200);
    assert_eq!(found["result"]["structuredContent"]["total"], 0);
    let nobody = call(&house.client(), "tools/list", &json!({}));
    assert_eq!(nobody.refusal(401), "E_UNAUTHORIZED");
    assert_eq!(writer.get("/mcp").refusal(405), "E_USAGE");
}

#[test]
fn the_address_says_which_tools_and_in_which_session() {
    let house = House::new();
    let client = house.client();
    for (profile, tools) in [("memory", 7), ("reference", 9), ("files", 1)] {
        let path = format!("/mcp?profile={profile}");
        let listed = call_at(&client, &path, "tools/list", &json!({})).json(200);
        assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), tools);
    }
    client
        .json("POST", "/v1/sessions", &json!({ "id": "s" }))
        .json(201);
    let remember = json!({ "name": "remember", "arguments": { "text": "kept" } });
    call_at(&client, "/mcp?session=s", "tools/call", &remember).json(200);
    assert_eq!(client.get("/v1/memories?session=s").json(200)["total"], 1);
    for path in ["/mcp?profile=x", "/mcp?session=a%20b", "/mcp?colour=red"] {
        let refused = call_at(&client, path, "tools/list", &json!({}));
        assert!([400, 422].contains(&refused.status), "{}", refused.text());
        refused.refusal(refused.status);
    }
}

#[test]
fn what_is_no_call_is_refused_as_everywhere() {
    let house = House::with("server.json_depth_max = 8");
    let client = house.client();
    let media = ("content-type", "application/json");
    let accept = ("accept", "application/json, text/event-stream");
    let post = |headers: &[(&str, &str)], body: &str| {
        client.send("POST", "/mcp", headers, body.as_bytes())
    };
    let deep = format!("{}1{}", "[".repeat(9), "]".repeat(9));
    for (answer, status) in [
        (post(&[accept], "{}"), 415),
        (post(&[media], "{}"), 406),
        (post(&[media, accept], &deep), 400),
        (post(&[media, accept], "{"), 400),
    ] {
        answer.refusal(status);
    }
    let half = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"remember",
        "arguments":{"text":"cut \ud83d"}}}"#;
    let kept = post(&[media, accept], half).json(200);
    assert_eq!(kept["result"]["isError"], false, "{kept}");
    for body in ["[]", "7", "{}", "\"\\ud800\""] {
        let answer = post(&[media, accept], body);
        assert!(
            (400..500).contains(&answer.status),
            "{body}: {}",
            answer.text()
        );
        assert!(
            serde_json::from_slice::<Value>(&answer.body).is_ok(),
            "{body}: {}",
            answer.text()
        );
    }
}

/// What each tool is called with; what belongs to ada is called sapphire.
fn arguments(tool: &str, memory: &str) -> Value {
    let entity = json!([{ "name": "sapphire", "entityType": "stone", "observations": ["blue"] }]);
    match tool {
        "remember" => json!({ "text": "new", "agent": "ada" }),
        "recall" | "search_nodes" => json!({ "query": "sapphire" }),
        "context" => json!({ "session": "s", "topic": "sapphire" }),
        "revise" => json!({ "id": memory, "importance": 0.9 }),
        "forget" => json!({ "ids": [memory], "reason": "because" }),
        "related" => json!({ "id": memory }),
        "inspect" => json!({ "what": "memory", "id": memory }),
        "create_entities" => json!({ "entities": entity }),
        "create_relations" | "delete_relations" => json!({ "relations": [
            { "from": "sapphire", "to": "ruby", "relationType": "beside" }
        ] }),
        "add_observations" => json!({ "observations": [
            { "entityName": "sapphire", "contents": ["cold"] }
        ] }),
        "delete_entities" => json!({ "entityNames": ["sapphire"] }),
        "delete_observations" => json!({ "deletions": [
            { "entityName": "sapphire", "observations": ["blue"] }
        ] }),
        "read_graph" => json!({}),
        "open_nodes" => json!({ "names": ["sapphire"] }),
        _ => panic!("what {tool} is called with is not known here"),
    }
}

/// The commands of the one tool that has several, and whether each only looks.
fn file_commands() -> [(Value, bool); 6] {
    let path = "/memories/sapphire.txt";
    let new = "/memories/new.txt";
    [
        (json!({ "command": "view", "path": "/memories" }), true),
        (
            json!({ "command": "create", "path": new, "file_text": "x" }),
            false,
        ),
        (
            json!({ "command": "str_replace", "path": path, "old_str": "blue", "new_str": "red" }),
            false,
        ),
        (
            json!({ "command": "insert", "path": path, "insert_line": 0, "insert_text": "x" }),
            false,
        ),
        (json!({ "command": "delete", "path": path }), false),
        (
            json!({ "command": "rename", "old_path": path, "new_path": new }),
            false,
        ),
    ]
}

/// Every tool with what it is called with, where, and whether that only looks.
fn calls(memory: &str) -> Vec<(String, Value, bool)> {
    let mut calls = Vec::new();
    for profile in Profile::ALL {
        let path = format!("/mcp?profile={}", profile.as_str());
        for (tool, only_looks) in profile.tool_names() {
            let asked = match tool {
                "memory" => file_commands().to_vec(),
                _ => vec![(arguments(tool, memory), only_looks)],
            };
            calls.extend(asked.into_iter().map(|(arguments, only_looks)| {
                let call = json!({ "name": tool, "arguments": arguments });
                (path.clone(), call, only_looks)
            }));
        }
    }
    calls
}

#[test]
fn each_tool_asks_for_the_token_that_it_needs() {
    let house = House::with("server.rate_per_second = 0");
    let admin = Client::with_token(house.address, &house.token(None, Role::Admin));
    admin
        .json("POST", "/v1/sessions", &json!({ "id": "s" }))
        .json(201);
    let kept = json!({ "agent": "ada", "text": "the sapphire is ada's" });
    let kept = admin.json("POST", "/v1/memories", &kept).json(201);
    let memory = kept["id"].as_str().unwrap();
    let expired = house.token(None, Role::Admin);
    let file = house.path().join("tokens.json");
    let mut list: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    list[1]["expires_at"] = json!("2020-01-01T00:00:00Z");
    std::fs::write(&file, list.to_string()).unwrap();
    let with = |token: &str| Client::with_token(house.address, token);
    let strangers = [house.client(), with("mnm_x"), with(""), with(&expired)];
    let readers = [
        with(&house.token(None, Role::Reader)),
        with(&house.token(Some("ada"), Role::Reader)),
    ];
    let others = [
        with(&house.token(Some("bob"), Role::Reader)),
        with(&house.token(Some("bob"), Role::Writer)),
        with(&house.token(Some("bob"), Role::Admin)),
    ];
    let calls = calls(memory);
    assert_eq!(calls.len(), 7 + 9 + 6);
    for (path, call, only_looks) in calls {
        let ask = |client: &Client| call_at(client, &path, "tools/call", &call);
        for client in &strangers {
            assert_eq!(ask(client).refusal(401), "E_UNAUTHORIZED", "{call}");
        }
        for client in &readers {
            let answer = ask(client).json(200);
            let is_refused = answer.to_string().contains("E_FORBIDDEN");
            assert_eq!(is_refused, !only_looks, "{call}: {answer}");
        }
        // Whatever another agent does, it learns nothing of ada's and changes nothing.
        for client in &others {
            let told = ask(client).text();
            assert!(!told.contains("ada's"), "{call}: {told}");
        }
    }
    let found = admin.get(&format!("/v1/memories/{memory}")).json(200);
    assert_eq!(
        (&found["version"], &found["state"]["forgotten"]),
        (&json!(1), &Value::Null)
    );
}
