//! A service that embeds: away, back, slow and replaced.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;

use mnemon_testkit::service::{Fault, Service, folded};
use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox, finish};

/// A store whose settings name a service.
pub(crate) fn sandbox(url: &str) -> Sandbox {
    let sandbox = Sandbox::with_session();
    configure(&sandbox, url, "small");
    sandbox
}

fn configure(sandbox: &Sandbox, url: &str, model: &str) {
    let settings = format!(
        "[embedding]\nprovider = \"ollama\"\nurl = \"{url}\"\nmodel = \"{model}\"\n\
         dimension = 8\nretries = 0\ntimeout_ms = 60000\n"
    );
    sandbox.file(".mnemon/mnemon.toml", settings);
}

fn remember(sandbox: &Sandbox, id: &str, text: &str) -> Ran {
    sandbox.run(&["remember", text, "--session", "s", "--id", id, "--json"])
}

/// The ids of the hits of a question, and its notes.
pub(crate) fn recall(sandbox: &Sandbox, question: &[&str]) -> (Vec<String>, Vec<String>) {
    let answer = sandbox.json(&[&["recall"], question].concat());
    let hits = answer["hits"].as_array().unwrap().iter();
    let ids = hits.map(|hit| text(&hit["memory"]["id"])).collect();
    let notes = answer["notes"].as_array().into_iter().flatten();
    (ids, notes.map(text).collect())
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// Eight directions, told apart by the colour that a text begins with.
pub(crate) fn by_first_word(text: &str) -> Vec<f32> {
    let first = text.split(' ').next().unwrap_or_default();
    let place = ["red", "blue", "green"].iter().position(|it| *it == first);
    let mut numbers = vec![0.0; 8];
    numbers[place.unwrap_or(7)] = 1.0;
    numbers
}

#[test]
fn what_is_kept_while_the_service_is_away_is_embedded_when_it_is_back() {
    let address = Service::nobody();
    let sandbox = sandbox(&format!("http://{address}"));
    for (id, text) in [
        ("a", "red wine and cheese"),
        ("b", "blue invoices are late"),
    ] {
        let ran = remember(&sandbox, id, text);
        assert_eq!(ran.code, 0);
        assert!(ran.stdout.contains("\"durable\":true"), "{ran:?}");
        let warning = format!(
            "warning: kept, but not embedded yet: http://{address}/api/embed did not embed: \
             nothing listens there\n"
        );
        assert_eq!(ran.stderr, warning);
    }
    let why = "the built-in model answered, because 2 memories have no vector of \
               ollama:small@8 yet; `mnemon embed` makes them";
    let (found, notes) = recall(&sandbox, &["invoices"]);
    assert_eq!((found[0].as_str(), notes), ("b", vec![why.to_owned()]));
    let (found, notes) = recall(
        &sandbox,
        &["which invoices are late?", "--mode", "semantic"],
    );
    assert_eq!((found, notes.len()), (vec!["b".to_owned()], 1));
    let human = sandbox.run(&["recall", "invoices"]);
    assert_eq!((human.code, human.stderr), (0, format!("note: {why}\n")));
    let (code, message) = sandbox.refusal(&["embed"]);
    assert_eq!(code, "E_EMBEDDING");
    assert!(message.contains(&address.to_string()), "{message}");

    let service = Service::start_at(address, by_first_word);
    let stats = &sandbox.json(&["stats"])["embedding"];
    assert_eq!(
        *stats,
        json!({ "embedder": "ollama:small@8", "dimension": 8,
                "answering": "mnemon-english-1", "waiting": 2 })
    );
    assert_eq!(
        sandbox.json(&["embed"]),
        json!({ "embedded": 2, "left": 0 })
    );
    assert_eq!(
        sandbox.json(&["embed"]),
        json!({ "embedded": 0, "left": 0 })
    );
    // Nothing but the service would find wine for a question about cars.
    let (found, notes) = recall(&sandbox, &["red cars", "--mode", "semantic"]);
    assert_eq!((found, notes), (vec!["a".to_owned()], vec![]));
    let stats = &sandbox.json(&["stats"])["embedding"];
    assert_eq!(stats["answering"], "ollama:small@8");
    assert_eq!(service.received().last().unwrap().input, ["red cars"]);
}

#[test]
fn a_write_embeds_what_it_keeps_after_it_was_acknowledged() {
    let service = Service::start(by_first_word);
    let sandbox = sandbox(&service.url());
    let ran = remember(&sandbox, "a", "red wine");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    sandbox.json(&["revise", "a", "--text", "blue wine"]);
    let (found, notes) = recall(&sandbox, &["blue cars", "--mode", "semantic"]);
    assert_eq!((found, notes), (vec!["a".to_owned()], vec![]));
    assert_eq!(service.texts(), ["red wine", "blue wine", "blue cars"]);
}

#[test]
fn a_large_import_embeds_a_step_and_says_what_is_left() {
    let service = Service::start(folded(8));
    let sandbox = sandbox(&service.url());
    let lines: Vec<String> = (0..200)
        .map(|n| json!({ "text": format!("invoice number {n}") }).to_string())
        .collect();
    let file = sandbox.file("many.jsonl", lines.join("\n"));
    let ran = sandbox.run(&["import", file.to_str().unwrap(), "--session", "s", "--json"]);
    assert_eq!(ran.code, 0);
    let note = "note: 136 texts wait for vectors; `mnemon embed` makes them\n";
    assert_eq!(ran.stderr, note);
    let human = sandbox.run(&["embed"]).human(&sandbox);
    assert_eq!(
        human,
        "Embedded 136 texts, nothing waits. Questions are answered by ollama:small@8.\n"
    );
    assert!(service.received().iter().all(|it| it.input.len() <= 64));
}

#[test]
fn another_model_is_built_beside_while_questions_go_on() {
    let service = Service::start(by_first_word);
    let sandbox = sandbox(&service.url());
    remember(&sandbox, "a", "red wine");
    configure(&sandbox, &service.url(), "large");
    let (found, notes) = recall(&sandbox, &["red wine"]);
    assert_eq!((found, notes.len()), (vec!["a".to_owned()], 1));
    assert_eq!(sandbox.json(&["embed"])["embedded"], 1);
    assert!(recall(&sandbox, &["red wine"]).1.is_empty());
    // The old one still has what it had.
    configure(&sandbox, &service.url(), "small");
    assert!(recall(&sandbox, &["red wine"]).1.is_empty());
    let embedded = service.received().into_iter();
    let embedded = embedded.filter(|it| it.input == ["red wine"]);
    let models: Vec<String> = embedded.map(|it| it.model).collect();
    assert_eq!(models, ["small", "large", "large", "small"]);
}

#[test]
fn processes_that_embed_at_once_leave_nothing_out() {
    let service = Service::start(folded(8));
    let sandbox = sandbox(&service.url());
    let lines: Vec<String> = (0..150)
        .map(|n| json!({ "text": format!("invoice number {n}") }).to_string())
        .collect();
    let file = sandbox.file("many.jsonl", lines.join("\n"));
    service.fail([Fault::Status(500, "", "")]);
    sandbox.run(&["import", file.to_str().unwrap(), "--session", "s"]);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(sandbox.json(&["embed"])["left"], 0));
        }
    });
    let texts: BTreeSet<String> = service.texts().into_iter().collect();
    assert_eq!(texts.len(), 150);
    assert_eq!(sandbox.json(&["stats"])["embedding"]["waiting"], 0);
    assert!(recall(&sandbox, &["invoice"]).1.is_empty());
}

#[test]
fn the_key_comes_from_its_variable_and_is_shown_nowhere() {
    let service = Service::start(by_first_word);
    service.fail_always(Some(Fault::Status(
        401,
        "",
        "{\"error\":\"bad key sk-secret\"}",
    )));
    let sandbox = sandbox(&service.url());
    let run = |arguments: &[&str], variable: &str| {
        let mut command = sandbox.command();
        command.args(arguments).env(variable, "sk-secret");
        finish(&mut command, b"")
    };
    for arguments in [
        &["remember", "red wine", "--session", "s"][..],
        &["embed"],
        &["doctor"],
        &["config", "show"],
        &["--json", "embed"],
    ] {
        let ran = run(arguments, "MNEMON_EMBEDDING_KEY");
        assert!(!format!("{ran:?}").contains("sk-secret"), "{ran:?}");
    }
    for received in service.received() {
        assert_eq!(received.authorization.unwrap(), "Bearer sk-secret");
    }
    let ran = run(&["embed"], "MNEMON_EMBEDDING_KEY");
    assert!(
        ran.stderr
            .contains("environment variable MNEMON_EMBEDDING_KEY"),
        "{ran:?}"
    );
    // A slip of the pen in the variable's name is told without its value.
    let ran = run(&["embed"], "MNEMON_EMBEDING_KEY");
    assert!(ran.stderr.contains("is not a known setting"), "{ran:?}");
    assert!(!ran.stderr.contains("sk-secret"), "{ran:?}");
}

#[test]
fn the_doctor_says_who_embeds_and_asks_it() {
    let service = Service::start(by_first_word);
    let sandbox = sandbox(&service.url());
    // What the test wrote is for everybody to read, which is not what this is about.
    let settings = sandbox.path().join(".mnemon/mnemon.toml");
    std::fs::set_permissions(settings, PermissionsExt::from_mode(0o600)).unwrap();
    remember(&sandbox, "a", "red wine");
    let check = || {
        let answer = sandbox.json(&["doctor"]);
        assert_eq!(answer["ok"], true, "{answer}");
        let checks = answer["checks"].as_array().unwrap().iter();
        let mut found = checks.filter(|check| check["name"] == "embedding");
        let check = found.next().unwrap();
        (text(&check["status"]), text(&check["message"]))
    };
    assert_eq!(check(), ("ok".into(), "ollama:small@8, 8 numbers".into()));
    service.fail_always(Some(Fault::LongVectors));
    let (status, message) = check();
    assert_eq!(status, "note");
    assert!(message.ends_with("its vectors have 9 numbers, and embedding.dimension is 8"));
}

#[test]
fn what_was_erased_has_no_vector_any_more() {
    let service = Service::start(by_first_word);
    let sandbox = sandbox(&service.url());
    remember(&sandbox, "a", "red wine");
    remember(&sandbox, "b", "blue wine");
    let receipt = sandbox.json(&["erase", "a", "--yes", "--reason", "wrong"]);
    let cleaned = receipt["receipt"]["cleaned"].as_array().unwrap().iter();
    let places: Vec<String> = cleaned.map(|it| text(&it["place"])).collect();
    assert!(places.contains(&"index/embedded".to_owned()), "{receipt}");
    assert_eq!(sandbox.json(&["verify"])["ok"], true);
    // Said again, it is embedded again: nothing remembered it.
    remember(&sandbox, "c", "red wine");
    assert_eq!(service.texts(), ["red wine", "blue wine", "red wine"]);
    assert!(recall(&sandbox, &["red"]).1.is_empty());
}

#[test]
fn settings_that_lack_something_are_refused() {
    let sandbox = Sandbox::with_session();
    sandbox.file(".mnemon/mnemon.toml", "embedding.provider = \"openai\"\n");
    let (code, message) = sandbox.refusal(&["stats"]);
    assert_eq!(code, "E_INVALID_FORMAT");
    assert!(message.contains("embedding.provider can't be \"openai\" while embedding.url is"));
}
