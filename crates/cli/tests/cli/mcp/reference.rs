//! `mnemon mcp --profile reference`: the tools of the reference memory server.

use serde_json::{Value, json};

use super::client::{Client, text_of};
use crate::sandbox::Sandbox;

fn ready(sandbox: &Sandbox) -> Client {
    Client::ready(sandbox, &["--profile", "reference"])
}

fn ada(client: &mut Client) {
    client.done(
        "create_entities",
        &json!({ "entities": [
            { "name": "Ada", "entityType": "person", "observations": ["Likes tea", "Lives in London"] },
            { "name": "Babbage", "entityType": "person", "observations": [] },
        ] }),
    );
    client.done(
        "create_relations",
        &json!({ "relations": [{ "from": "Ada", "to": "Babbage", "relationType": "works with" }] }),
    );
}

fn graph(client: &mut Client) -> Value {
    client.done("read_graph", &json!({}))["structuredContent"].clone()
}

#[test]
fn a_graph_is_kept_in_the_order_in_which_it_was_made_and_found_by_another_process() {
    let sandbox = Sandbox::empty();
    let mut client = ready(&sandbox);
    assert_eq!(
        graph(&mut client),
        json!({ "entities": [], "relations": [] })
    );
    ada(&mut client);
    client.end();
    let mut other = ready(&sandbox);
    assert_eq!(
        graph(&mut other),
        json!({
            "entities": [
                { "name": "Ada", "entityType": "person",
                  "observations": ["Likes tea", "Lives in London"] },
                { "name": "Babbage", "entityType": "person", "observations": [] },
            ],
            "relations": [{ "from": "Ada", "to": "Babbage", "relationType": "works with" }],
        })
    );
    let read = other.request(
        "resources/read",
        &json!({ "uri": "memory://knowledge-graph" }),
    );
    let text = read["result"]["contents"][0]["text"].as_str().unwrap();
    assert_eq!(text, text_of(&other.done("read_graph", &json!({}))));
    other.end();
}

#[test]
fn the_command_line_recalls_what_the_graph_says() {
    let sandbox = Sandbox::empty();
    let mut client = ready(&sandbox);
    ada(&mut client);
    client.end();
    for (question, text) in [
        ("what does Ada drink, tea?", "Ada: Likes tea"),
        ("who works with Babbage", "Ada works with Babbage"),
    ] {
        let hits = sandbox.json(&["recall", question, "--limit", "1"]);
        assert_eq!(hits["hits"][0]["memory"]["text"], text);
    }
    let relations = sandbox.json(&["list", "--tag", "graph.relation"]);
    let relation = &relations["memories"][0];
    assert_eq!(
        relation["metadata"],
        json!({ "from": "Ada", "to": "Babbage", "relation_type": "works with" })
    );
    let entity = sandbox.json(&["list", "--meta", "entity=Ada", "--tag", "graph.entity"]);
    let entity = entity["memories"][0]["id"].as_str().unwrap();
    let around = sandbox.json(&["related", entity, "--depth", "1"]);
    assert_eq!(around["total"], 3);
}

#[test]
fn what_people_revise_and_forget_the_graph_follows() {
    let sandbox = Sandbox::empty();
    let mut client = ready(&sandbox);
    ada(&mut client);
    let id = |text: &str| {
        let hits = sandbox.json(&["list", "--contains", text]);
        hits["memories"][0]["id"].as_str().unwrap().to_owned()
    };
    sandbox.json(&["revise", &id("tea"), "--text", "Ada: Likes coffee"]);
    sandbox.json(&["forget", &id("London"), "--reason", "moved"]);
    let observations = &graph(&mut client)["entities"][0]["observations"];
    assert_eq!(observations, &json!(["Likes coffee"]));
    client.end();
}

#[test]
fn deleting_is_forgetting() {
    let sandbox = Sandbox::empty();
    let mut client = ready(&sandbox);
    ada(&mut client);
    client.done(
        "delete_observations",
        &json!({ "deletions": [{ "entityName": "Ada", "observations": ["Likes tea"] }] }),
    );
    let deleted = client.done(
        "delete_entities",
        &json!({ "entityNames": ["Babbage", "Nobody"] }),
    );
    assert_eq!(
        deleted["structuredContent"],
        json!({ "success": true, "message": "Entities deleted successfully" })
    );
    assert_eq!(
        graph(&mut client),
        json!({
            "entities": [{ "name": "Ada", "entityType": "person", "observations": ["Lives in London"] }],
            "relations": [],
        })
    );
    // The relation went with its end.
    let gone = sandbox.json(&["deleted"]);
    assert_eq!(gone["total"], 3);
    let reason = &gone["memories"][0]["state"]["forgotten"]["reason"];
    assert!(reason.as_str().unwrap().starts_with("deleted with delete_"));
    // The same name can be used again, and has nothing of the old one.
    let again =
        json!({ "entities": [{ "name": "Babbage", "entityType": "engine", "observations": [] }] });
    client.done("create_entities", &again);
    assert_eq!(graph(&mut client)["entities"][1]["entityType"], "engine");
    client.end();
}

#[test]
fn observations_need_their_entity_and_nothing_is_kept_if_one_is_missing() {
    let sandbox = Sandbox::empty();
    let mut client = ready(&sandbox);
    ada(&mut client);
    let before = graph(&mut client);
    let call = json!({ "observations": [
        { "entityName": "Ada", "contents": ["Writes notes"] },
        { "entityName": "Nobody", "contents": ["Is not there"] },
    ] });
    let refused = client.call("add_observations", &call);
    assert_eq!(refused["isError"], true);
    assert_eq!(
        text_of(&refused),
        "E_NOT_FOUND: Entity with name Nobody not found.\nNext: Make it with create_entities."
    );
    // A client would check it against the schema of the answer.
    assert_eq!(refused["structuredContent"], Value::Null);
    assert_eq!(graph(&mut client), before);
    for call in [
        json!({}),
        json!({ "entities": "Ada" }),
        json!({ "entities": [{ "name": "Ada" }] }),
        json!({ "entities": [{ "name": 7, "entityType": "x", "observations": [] }] }),
    ] {
        let refused = client.call("create_entities", &call);
        assert_eq!(refused["isError"], true, "{call}");
        assert!(text_of(&refused).starts_with("E_SCHEMA_INVALID"), "{call}");
    }
    client.end();
}

#[test]
fn an_entity_that_is_named_twice_in_a_call_has_what_it_was_given_first() {
    let sandbox = Sandbox::empty();
    let mut client = ready(&sandbox);
    ada(&mut client);
    let add = json!({ "observations": [
        { "entityName": "Babbage", "contents": ["Is loud", "Is loud"] },
        { "entityName": "Ada", "contents": ["Is loud"] },
        { "entityName": "Babbage", "contents": ["Is loud", "Is late"] },
    ] });
    let added = client.done("add_observations", &add);
    assert_eq!(
        added["structuredContent"]["results"],
        json!([
            { "entityName": "Babbage", "addedObservations": ["Is loud", "Is loud"] },
            { "entityName": "Ada", "addedObservations": ["Is loud"] },
            { "entityName": "Babbage", "addedObservations": ["Is late"] },
        ])
    );
    assert_eq!(
        graph(&mut client)["entities"][1]["observations"],
        json!(["Is loud", "Is loud", "Is late"])
    );
    client.end();
}

#[test]
fn secrets_are_taken_out_and_the_rest_is_still_recognised() {
    let sandbox = Sandbox::empty();
    let mut client = ready(&sandbox);
    ada(&mut client);
    let add = json!({ "observations": [
        { "entityName": "Ada", "contents": ["Key ghp_abcdefghijklmnopqrstuvwxyz0123456789"] },
    ] });
    let added = client.done("add_observations", &add);
    let kept = "Key [REDACTED:github_token]";
    assert_eq!(
        added["structuredContent"]["results"][0]["addedObservations"],
        json!([kept])
    );
    let again = client.done("add_observations", &add);
    assert_eq!(
        again["structuredContent"]["results"][0]["addedObservations"],
        json!([])
    );
    client.end();
}

#[test]
fn a_graph_of_a_session_stays_in_it() {
    let sandbox = Sandbox::empty();
    let mut client = Client::ready(&sandbox, &["--profile", "reference", "--session", "s"]);
    assert_eq!(graph(&mut client)["entities"], json!([]));
    ada(&mut client);
    assert_eq!(graph(&mut client)["entities"].as_array().unwrap().len(), 2);
    client.end();
    let mut elsewhere = ready(&sandbox);
    assert_eq!(graph(&mut elsewhere)["entities"], json!([]));
    elsewhere.end();
    let listed = sandbox.json(&["list", "--session", "s"]);
    assert_eq!(listed["total"], 5);
    // A session that fills up must not lose a part of the graph.
    assert_eq!(listed["memories"][0]["pinned"], true);
}

#[test]
fn a_graph_of_the_reference_server_is_seen_by_its_tools() {
    let sandbox = Sandbox::empty();
    sandbox.json(&["init"]);
    let lines: [Value; 3] = [
        json!({ "type": "entity", "name": "Ada", "entityType": "person", "observations": ["Likes tea", "Sells tea"] }),
        json!({ "type": "entity", "name": "Kyoto", "entityType": "city", "observations": [] }),
        json!({ "type": "relation", "from": "Ada", "to": "Kyoto", "relationType": "lives in" }),
    ];
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    sandbox.file("memory.jsonl", lines.join("\n"));
    assert_eq!(sandbox.json(&["import", "memory.jsonl"])["imported"], 5);
    assert_eq!(sandbox.json(&["import", "memory.jsonl"])["skipped"], 5);
    let own = sandbox.json(&["import", "memory.jsonl", "--session", "s"]);
    assert_eq!(own["imported"], 5, "a session has a graph of its own");
    let mut client = ready(&sandbox);
    let seen = graph(&mut client);
    client.end();
    assert_eq!(
        seen,
        json!({
            "entities": [
                { "name": "Ada", "entityType": "person", "observations": ["Likes tea", "Sells tea"] },
                { "name": "Kyoto", "entityType": "city", "observations": [] },
            ],
            "relations": [{ "from": "Ada", "to": "Kyoto", "relationType": "lives in" }],
        })
    );
}
