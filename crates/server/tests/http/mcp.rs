//! The Model Context Protocol over HTTP.

use mnemon::caller::Role;
use serde_json::{Value, json};

use crate::client::{Answer, Client};
use crate::house::House;

fn call(client: &Client, method: &str, params: &Value) -> Answer {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let accept = [("accept", "application/json, text/event-stream")];
    client.json_with("POST", "/mcp", &accept, &body)
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
