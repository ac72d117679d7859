//! Embedding beside the conversation.

use mnemon_testkit::service::{Fault, Service};
use serde_json::json;

use super::client::{Client, text_of, texts_of};
use crate::embedding::{by_first_word, recall, sandbox};

#[test]
fn memories_are_embedded_while_the_client_goes_on() {
    let service = Service::start(by_first_word);
    let sandbox = sandbox(&service.url());
    let mut client = Client::ready(&sandbox, &["--session", "s"]);
    client.done("remember", &json!({ "text": "red wine and cheese" }));
    let question = json!({ "query": "red cars", "mode": "semantic" });
    // Until the background has done its work; if it never does, the test is killed.
    let answer = loop {
        let answer = client.done("recall", &question);
        if answer["structuredContent"]["notes"].is_null() {
            break answer;
        }
        let text = text_of(&answer);
        assert!(
            text.contains("\nNote: the built-in model answered, because "),
            "{text}"
        );
    };
    assert_eq!(texts_of(&answer), ["red wine and cheese"]);
    // Another process finds what this one embedded.
    assert!(recall(&sandbox, &["red cars"]).1.is_empty());
    client.end();
}

#[test]
fn what_others_left_is_embedded_at_the_first_call() {
    let service = Service::start(by_first_word);
    let sandbox = sandbox(&service.url());
    service.fail([Fault::Status(503, "", "")]);
    sandbox.run(&["remember", "red wine", "--session", "s"]);
    assert_eq!(sandbox.json(&["stats"])["embedding"]["waiting"], 1);
    let mut client = Client::ready(&sandbox, &["--session", "s"]);
    client.done("recall", &json!({ "query": "wine", "mode": "text" }));
    while sandbox.json(&["stats"])["embedding"]["waiting"] != 0 {}
    client.end();
}

#[test]
fn the_process_ends_with_its_input_whatever_the_background_waits_for() {
    let service = Service::start(by_first_word);
    let sandbox = sandbox(&service.url());
    service.fail_always(Some(Fault::Hang));
    let mut client = Client::ready(&sandbox, &["--session", "s"]);
    client.done("remember", &json!({ "text": "red wine" }));
    while service.received().is_empty() {
        std::thread::yield_now();
    }
    let answer = client.done("recall", &json!({ "query": "wine", "mode": "text" }));
    assert_eq!(texts_of(&answer), ["red wine"]);
    client.end();
}
