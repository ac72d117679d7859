//! Many calls and many processes at once, and how little a start costs.

use std::collections::BTreeSet;

use serde_json::json;

use super::client::Client;
use crate::sandbox::Sandbox;

#[test]
fn a_hundred_memories_at_once_are_all_kept() {
    let sandbox = Sandbox::empty();
    let mut client = Client::ready(&sandbox, &["--session", "s"]);
    for number in 0..100 {
        client.ask_tool("remember", &json!({ "text": format!("note {number}") }));
    }
    let ended = client.close();
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    assert_eq!(ended.rest.len(), 100);
    let mut handles = BTreeSet::new();
    for reply in ended.rest {
        let kept = &reply["result"]["structuredContent"]["memories"][0];
        assert_eq!(kept["durable"], true, "{reply}");
        handles.insert(kept["handle"].as_str().unwrap().to_owned());
    }
    assert_eq!(handles.len(), 100);
    let listed = sandbox.json(&["list", "--session", "s", "--limit", "1000"]);
    let texts: BTreeSet<&str> = listed["memories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|memory| memory["text"].as_str().unwrap())
        .collect();
    assert_eq!(texts.len(), 100);
}

#[test]
fn what_two_servers_and_the_command_line_acknowledged_survives_a_kill() {
    let sandbox = Sandbox::empty();
    sandbox.json(&["init"]);
    let mut acknowledged = BTreeSet::new();
    for round in 0..5 {
        let mut clients = [0, 1].map(|_| Client::ready(&sandbox, &["--session", "s"]));
        for number in 0..6 {
            for (place, client) in clients.iter_mut().enumerate() {
                let text = format!("round {round} note {number} of {place}");
                let kept = client.done("remember", &json!({ "text": text }));
                let kept = &kept["structuredContent"]["memories"][0];
                assert_eq!(kept["durable"], true);
                acknowledged.insert(kept["id"].as_str().unwrap().to_owned());
            }
            let text = format!("round {round} note {number} typed");
            let typed = sandbox.json(&["remember", &text, "--session", "s"]);
            acknowledged.insert(typed["id"].as_str().unwrap().to_owned());
        }
        // Both are killed with calls under way, of which nothing was acknowledged.
        for client in &mut clients {
            for number in 0..4 {
                client.ask_tool(
                    "remember",
                    &json!({ "text": format!("under way {number}") }),
                );
            }
        }
        for client in clients {
            client.kill();
        }
    }
    let listed = sandbox.json(&["list", "--session", "s", "--limit", "1000"]);
    let kept: BTreeSet<String> = listed["memories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|memory| memory["id"].as_str().unwrap().to_owned())
        .collect();
    let lost: Vec<&String> = acknowledged.difference(&kept).collect();
    assert_eq!(lost, [] as [&String; 0]);
    assert_eq!(sandbox.json(&["verify"])["ok"], true);
}

/// Clients start a server for each window, so a start must cost next to nothing.
#[test]
#[cfg(target_os = "linux")]
#[expect(clippy::print_stdout, reason = "the number is what one wants to know")]
fn a_handshake_costs_less_than_50_milliseconds_of_the_processor() {
    let sandbox = Sandbox::with_session();
    let mut client = Client::ready(&sandbox, &[]);
    client.request("tools/list", &json!({}));
    let spent_micros = client.processor_micros();
    println!("handshake and list of tools: {spent_micros} µs of the processor");
    assert!(spent_micros < 50_000, "{spent_micros} µs");
    client.end();
}
