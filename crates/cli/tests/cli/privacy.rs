//! Redaction, seen from outside: what reaches the disk and what is said about it.

use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox, finish};

/// One of each sort; no such key was ever issued.
const SECRETS: [&str; 5] = [
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "AKIAIOSFODNN7EXAMPLE",
    "hunter2secret",
    "4111111111111111",
    "MIIEpAIBAAKCAQEAabcdefgh",
];

fn refuse_secrets_on_disk(sandbox: &Sandbox) {
    for (path, (bytes, _)) in sandbox.files() {
        for secret in SECRETS {
            let found = bytes
                .windows(secret.len())
                .any(|window| window == secret.as_bytes());
            assert!(!found, "{secret} is in {}", path.display());
        }
    }
}

fn told(answer: &Value) -> Vec<(&str, u64)> {
    let redacted = answer["redacted"].as_array().unwrap().iter();
    redacted
        .map(|one| {
            (
                one["class"].as_str().unwrap(),
                one["count"].as_u64().unwrap(),
            )
        })
        .collect()
}

#[test]
fn no_secret_reaches_any_file_of_the_store() {
    let sandbox = Sandbox::with_session();
    let [github, aws, password, card, key] = SECRETS;
    let text = format!("deploy with {github}, password: {password}, card {card}");
    let body = json!({
        "evidence": format!("-----BEGIN RSA PRIVATE KEY-----\n{key}\n-----END RSA PRIVATE KEY-----"),
        "location": {"artifact": format!("curl -u {aws}")},
    });
    let kept = sandbox.json(&[
        "remember",
        &text,
        "--session",
        "s",
        "--kind",
        "finding",
        "--body",
        &body.to_string(),
        "--meta",
        &format!("db_password={password}"),
        "--tag",
        &format!("key:{github}"),
    ]);
    assert_eq!(
        told(&kept),
        [
            ("github_token", 2),
            ("password", 2),
            ("card", 1),
            ("private_key", 1),
            ("aws_key", 1)
        ]
    );
    refuse_secrets_on_disk(&sandbox);

    let resolve = format!("rotated, now the password is {password}");
    sandbox.json(&["revise", "s/FIND-001", "--resolve", &resolve]);
    let lines = format!("{{\"text\":\"new key {aws}\",\"metadata\":{{\"token\":\"{github}\"}}}}\n");
    let file = sandbox.file("outside.jsonl", lines);
    let imported = sandbox.json(&["import", file.to_str().unwrap(), "--session", "s"]);
    assert_eq!(told(&imported), [("aws_key", 1), ("github_token", 1)]);
    std::fs::remove_file(file).unwrap();
    let reason = format!("said password={password}");
    sandbox.json(&["forget", "s/FIND-001", "--reason", &reason]);
    sandbox.json(&["reindex"]);
    refuse_secrets_on_disk(&sandbox);

    let shown = sandbox.run(&["get", "s/FACT-001"]);
    assert!(
        shown.stdout.contains("new key [REDACTED:aws_key]"),
        "{shown:?}"
    );
}

#[test]
fn people_are_told_on_standard_error_and_never_the_secret() {
    let sandbox = Sandbox::with_session();
    let ran = sandbox.run(&["remember", "password: hunter2secret", "--session", "s"]);
    assert_eq!(ran.code, 0);
    assert_eq!(ran.stderr, "Redacted before it was kept: 1 password.\n");
    assert!(ran.stdout.starts_with("Kept FACT-001"), "{ran:?}");
    let ran = sandbox.run(&["revise", "s/FACT-001", "--text", "token: a1b2c3d4e5f6"]);
    assert_eq!(ran.stderr, "Redacted before it was kept: 1 secret.\n");
    let ran = sandbox.run(&["remember", "nothing to hide", "--session", "s"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
}

#[test]
fn what_has_nothing_to_hide_says_nothing_about_it() {
    let sandbox = Sandbox::with_session();
    let kept = sandbox.json(&["remember", "mail ada@example.com", "--session", "s"]);
    let names: Vec<_> = kept.as_object().unwrap().keys().cloned().collect();
    assert_eq!(names, ["durable", "handle", "id", "space"]);
    assert_eq!(
        sandbox.json(&["get", "s/FACT-001"])["text"],
        "mail ada@example.com"
    );
}

#[test]
fn settings_say_what_is_taken_out() {
    let sandbox = Sandbox::with_session();
    // A secret that is left in is sealed.
    sandbox.json(&["key", "new"]);
    let text = "ada@example.com ACME-12 password: hunter2";
    for (settings, kept) in [
        ("", "ada@example.com ACME-12 password: [REDACTED:password]"),
        ("[privacy]\nredact = []\n", text),
        (
            "[privacy]\nredact = ['email']\npatterns = ['ticket=ACME-\\d+']\n",
            "[REDACTED:email] [REDACTED:ticket] password: hunter2",
        ),
    ] {
        sandbox.file(".mnemon/mnemon.toml", settings);
        let id = sandbox.json(&["remember", text, "--session", "s"])["id"].clone();
        let memory = sandbox.json(&["get", id.as_str().unwrap()]);
        assert_eq!(memory["text"], kept, "{settings}");
    }
    for (variable, kept) in [("secrets, personal", 2), ("none", 1), ("[]", 0)] {
        sandbox.file(".mnemon/mnemon.toml", "");
        let ran: Ran = finish(
            sandbox
                .command()
                .args(["redact", "ada@example.com password: hunter2", "--json"])
                .env("MNEMON_PRIVACY_REDACT", variable),
            b"",
        );
        if variable == "none" {
            assert_eq!(ran.refusal().0, "E_INVALID_FORMAT");
        } else {
            assert_eq!(told(&ran.json()).len(), kept, "{variable}");
        }
    }
}

#[test]
fn redact_shows_what_would_be_kept_and_changes_nothing() {
    let sandbox = Sandbox::empty();
    let text = "ada@example.com has password: hunter2";
    assert_eq!(
        sandbox.json(&["redact", text]),
        json!({
            "text": "ada@example.com has password: [REDACTED:password]",
            "redacted": [{"class": "password", "count": 1}],
            "kept": [{"class": "email", "count": 1}],
        })
    );
    assert_eq!(
        sandbox.json(&["redact", "--all", text]),
        json!({
            "text": "[REDACTED:email] has password: [REDACTED:password]",
            "redacted": [{"class": "email", "count": 1}, {"class": "password", "count": 1}],
            "kept": [],
        })
    );
    let ran = sandbox.run_with_input(&["redact", "-"], text.as_bytes());
    assert_eq!(
        ran.stdout,
        "ada@example.com has password: [REDACTED:password]\n"
    );
    assert_eq!(
        ran.stderr,
        "Redacted: 1 password.\n\
         Found and kept: 1 email; the setting privacy.redact says what is taken out.\n"
    );
    assert!(sandbox.files().is_empty());
}

#[test]
fn an_anonymised_session_can_be_handed_on() {
    let sandbox = Sandbox::empty();
    sandbox.json(&["init"]);
    sandbox.json(&[
        "session",
        "new",
        "--id",
        "review",
        "--user",
        "Ada Lovelace",
        "--agent",
        "architect",
        "--project",
        "Enigma",
    ]);
    let say = |text: &str, more: &[&str]| {
        sandbox.json(&[&["remember", text, "--session", "review"], more].concat());
    };
    say(
        "Ada wants Enigma in /home/ada/enigma/src",
        &["--author", "Ada Lovelace"],
    );
    say(
        "mail ada@example.com",
        &["--author", "architect", "--ref", "FACT-001"],
    );
    say("forgotten by Ada", &[]);
    sandbox.json(&["forget", "review/FACT-003", "--reason", "private"]);
    let before = sandbox.files();
    let key = sandbox.path().join("key.json");
    let ran = sandbox.run(&[
        "anonymize",
        "--session",
        "review",
        "--map",
        key.to_str().unwrap(),
    ]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    for name in [
        "Ada",
        "/ada",
        "ada@",
        "Lovelace",
        "Enigma",
        "enigma",
        "example.com",
        "forgotten by",
    ] {
        assert!(!ran.stdout.contains(name), "{name} in {}", ran.stdout);
    }
    let map: Value = serde_json::from_slice(&std::fs::read(&key).unwrap()).unwrap();
    assert_eq!(
        map,
        json!({
            "/path/1": "/home/ada/enigma/src", "Email-1": "ada@example.com",
            "Project-A": "Enigma", "User-1": "Ada Lovelace",
        })
    );
    std::fs::remove_file(&key).unwrap();
    assert_eq!(sandbox.files(), before, "the session itself stays as it is");

    // It is an import like any other, with its links.
    let file = sandbox.file("session.jsonl", &ran.stdout);
    let other = Sandbox::empty();
    let imported = other.json(&["import", file.to_str().unwrap()]);
    assert_eq!(
        (&imported["imported"], &imported["dangling_links"]),
        (&json!(2), &json!(0))
    );
    let memory = other.json(&["get", "review/FACT-001"]);
    assert_eq!(memory["text"], "User-1 wants Project-A in /path/1");
    assert_eq!(memory["author"], "User-1");
    let linked = other.json(&["get", "review/FACT-002"]);
    assert_eq!(linked["links"][0]["to"], memory["id"]);

    let answer = sandbox.json(&["anonymize", "--session", "review"]);
    assert_eq!(answer["count"], 2);
    assert_eq!(
        answer["replaced"],
        json!({"Email": 1, "Path": 1, "Project": 1, "User": 1})
    );
    assert_eq!(answer["sessions"][0]["details"]["user"], "User-1");
}
