//! Keys, and what only their holders read.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox, finish};

const SECRET: &str = "the vault opens with zqcanary";

/// A store with a key and something sealed.
fn sealed() -> (Sandbox, String) {
    let sandbox = Sandbox::with_session();
    sandbox.json(&["key", "new"]);
    let kept = sandbox.json(&["remember", SECRET, "--session", "s", "--sensitive"]);
    let id = kept["id"].as_str().unwrap().to_owned();
    (sandbox, id)
}

fn key_file(sandbox: &Sandbox) -> PathBuf {
    let folder = sandbox.path().join("home/.config/mnemon/keys");
    let files = std::fs::read_dir(folder).unwrap().flatten();
    let mut paths = files.map(|file| file.path());
    let is_key = |path: &PathBuf| path.extension().is_some_and(|it| it == "key");
    paths.find(is_key).unwrap()
}

/// Runs it as somebody who has another home, and so no key, with these variables.
fn elsewhere(sandbox: &Sandbox, variables: &[(&str, &str)], arguments: &[&str]) -> Ran {
    let mut command = sandbox.command();
    command
        .args(arguments)
        .env("HOME", sandbox.path().join("other"));
    for (name, value) in variables {
        command.env(name, value);
    }
    finish(&mut command, b"")
}

fn text(ran: &Ran) -> String {
    ran.json()["text"].as_str().unwrap().to_owned()
}

#[test]
fn without_a_key_nothing_sensitive_is_kept() {
    let sandbox = Sandbox::with_session();
    for sensitive in [&["--sensitive"][..], &["--meta", "sensitive=true"]] {
        let arguments = [&["remember", "x", "--session", "s"], sensitive].concat();
        let (code, message) = sandbox.refusal(&arguments);
        assert_eq!(code, "E_CRYPTO");
        assert_eq!(
            message,
            "this is sensitive, and there is no key to seal it with"
        );
    }
    let hint = sandbox
        .run(&["remember", "x", "--shared", "--sensitive"])
        .stderr;
    assert!(hint.contains("mnemon key new"), "{hint}");
    assert_eq!(sandbox.json(&["stats"])["memories"], 0);
    let line = r#"{"id":"a","space":"shared","text":"x","sensitive":true}"#;
    let file = sandbox.file("one.jsonl", line);
    let import = sandbox.run(&["import", file.to_str().unwrap(), "--json"]);
    assert_eq!(import.refusal().0, "E_CRYPTO");
}

#[test]
fn a_secret_that_the_settings_leave_in_is_sensitive() {
    let sandbox = Sandbox::with_session();
    sandbox.file(".mnemon/mnemon.toml", "[privacy]\nredact = []\n");
    let remember = ["remember", "password = hunter2hunter2", "--session", "s"];
    assert_eq!(sandbox.refusal(&remember).0, "E_CRYPTO");
    sandbox.json(&["remember", "the gate is green", "--session", "s"]);
    sandbox.json(&["key", "new"]);
    let id = sandbox.json(&remember)["id"].clone();
    let kept = sandbox.json(&["get", id.as_str().unwrap()]);
    assert_eq!(kept["sensitive"], true);
    assert_eq!(kept["text"], "password = hunter2hunter2");
    for (path, (bytes, _)) in sandbox.files() {
        assert!(!holds(&bytes, "hunter2"), "{}", path.display());
    }
}

fn holds(bytes: &[u8], word: &str) -> bool {
    bytes.windows(word.len()).any(|it| it == word.as_bytes())
}

#[test]
fn a_holder_of_the_key_reads_and_finds_it_and_others_see_that_it_is_sealed() {
    let (sandbox, id) = sealed();
    let id = id.as_str();
    assert_eq!(sandbox.json(&["get", id])["text"], SECRET);
    let hits = |ran: Ran| ran.json()["hits"].as_array().unwrap().len();
    let recall = ["recall", "zqcanary vault", "--json"];
    assert_eq!(hits(sandbox.run(&recall)), 1);

    let seen = elsewhere(&sandbox, &[], &["get", id, "--json"]).json();
    assert_eq!(
        (&seen["text"], &seen["sealed"]),
        (&json!("[sealed]"), &json!(true))
    );
    assert_eq!(hits(elsewhere(&sandbox, &[], &recall)), 0);
    let list = elsewhere(&sandbox, &[], &["list", "--json"]).json();
    assert_eq!(list["memories"][0]["sealed"], true);
    let kept = ["remember", "in the clear", "--session", "s", "--json"];
    assert_eq!(elsewhere(&sandbox, &[], &kept).json()["durable"], true);
    let revise = elsewhere(&sandbox, &[], &["revise", id, "--pin", "--json"]);
    let (code, message) = revise.refusal();
    assert_eq!(code, "E_CRYPTO");
    assert_eq!(
        message,
        format!("{id} is sealed, and its key was not given")
    );
    let forget = ["forget", id, "--reason", "old", "--json"];
    assert_eq!(elsewhere(&sandbox, &[], &forget).json()["count"], 1);

    let path = key_file(&sandbox);
    let named = [("MNEMON_KEY_FILE", path.to_str().unwrap())];
    let unforget = ["unforget", id, "--reason", "new", "--json"];
    elsewhere(&sandbox, &named, &unforget).json();
    assert_eq!(
        text(&elsewhere(&sandbox, &named, &["get", id, "--json"])),
        SECRET
    );
    let key = std::fs::read_to_string(&path).unwrap();
    let key = key.lines().last().unwrap();
    let typed = [("MNEMON_KEY", key)];
    assert_eq!(
        text(&elsewhere(&sandbox, &typed, &["get", id, "--json"])),
        SECRET
    );
    for (file, (bytes, _)) in sandbox.files() {
        assert!(!holds(&bytes, "zqcanary"), "{}", file.display());
        let is_key = file.starts_with(sandbox.path().join("home"));
        assert!(is_key || !holds(&bytes, key), "{}", file.display());
    }
}

#[test]
fn a_key_that_does_not_do_is_told_with_what_to_do() {
    let (sandbox, id) = sealed();
    let get = ["get", id.as_str(), "--json"];
    let path = key_file(&sandbox);
    let other = sandbox.path().join("other.key");
    let other = other.to_str().unwrap();
    let made = elsewhere(&sandbox, &[], &["key", "new", "--file", other, "--json"]);
    assert_eq!(made.refusal().1, "this store has keys already");

    let missing = elsewhere(&sandbox, &[("MNEMON_KEY_FILE", other)], &get);
    assert_eq!(
        missing.refusal(),
        ("E_CRYPTO".into(), format!("there is no key file {other}"))
    );

    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
    let named = [("MNEMON_KEY_FILE", path.to_str().unwrap())];
    let (code, message) = elsewhere(&sandbox, &named, &get).refusal();
    assert_eq!(code, "E_CRYPTO");
    assert!(message.ends_with("(its mode is 0644)"), "{message}");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();

    let wrong = [("MNEMON_KEY", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")];
    let (code, message) = elsewhere(&sandbox, &wrong, &get).refusal();
    assert_eq!(code, "E_CRYPTO");
    assert_eq!(
        message,
        "the key of the environment is not the key that this was sealed with"
    );
    let none = [("MNEMON_KEY", "not a key at all")];
    let (code, message) = elsewhere(&sandbox, &none, &get).refusal();
    assert_eq!(
        (code.as_str(), message.contains("not a key")),
        ("E_CRYPTO", false)
    );
    // What is not sealed is of no interest to any key.
    elsewhere(&sandbox, &wrong, &["session", "list", "--json"]).json();
}

#[test]
fn a_passphrase_is_a_key_too() {
    let sandbox = Sandbox::with_session();
    let own = [("MNEMON_PASSPHRASE", "correct horse battery staple")];
    let made = elsewhere(&sandbox, &own, &["key", "new", "--passphrase", "--json"]).json();
    assert_eq!(
        (&made["by_passphrase"], &made["file"]),
        (&json!(true), &Value::Null)
    );
    let remember = ["remember", SECRET, "--agent", "a", "--sensitive", "--json"];
    let kept = elsewhere(&sandbox, &own, &remember).json();
    let get = ["get", kept["id"].as_str().unwrap(), "--json"];
    assert_eq!(text(&elsewhere(&sandbox, &own, &get)), SECRET);
    assert_eq!(text(&elsewhere(&sandbox, &[], &get)), "[sealed]");
    let wrong = [("MNEMON_PASSPHRASE", "wrong horse battery staple")];
    let (code, message) = elsewhere(&sandbox, &wrong, &get).refusal();
    assert_eq!(code, "E_CRYPTO");
    assert_eq!(
        message,
        "the passphrase is not the passphrase that this was sealed with"
    );
    for (file, (bytes, _)) in sandbox.files() {
        assert!(!holds(&bytes, "battery staple"), "{}", file.display());
    }
}

#[test]
fn keys_are_shown_changed_and_destroyed_and_never_printed() {
    let (sandbox, id) = sealed();
    let before = key_file(&sandbox);
    let old = std::fs::read(&before).unwrap();
    let shown = sandbox.json(&["key", "show"]);
    assert_eq!(shown["opens"], true);
    assert_eq!((&shown["spaces"], &shown["sealed"]), (&json!(1), &json!(1)));
    assert_eq!(shown["source"], before.to_str().unwrap());

    sandbox.json(&["key", "rotate"]);
    assert_ne!(std::fs::read(&before).unwrap(), old);
    assert_eq!(sandbox.json(&["get", &id])["text"], SECRET);
    sandbox.file("old.key", &old);
    let old_key = sandbox.path().join("old.key");
    std::fs::set_permissions(&old_key, PermissionsExt::from_mode(0o600)).unwrap();
    let named = [("MNEMON_KEY_FILE", old_key.to_str().unwrap())];
    let refused = elsewhere(&sandbox, &named, &["get", &id, "--json"]);
    assert_eq!(refused.refusal().0, "E_CRYPTO");

    let rotate = ["key", "rotate", "--passphrase", "--json"];
    sandbox
        .run_with_input(&rotate, b"open sesame, please\n")
        .json();
    assert_eq!(sandbox.json(&["get", &id])["text"], "[sealed]");
    let own = [("MNEMON_PASSPHRASE", "open sesame, please")];
    assert_eq!(
        text(&elsewhere(&sandbox, &own, &["get", &id, "--json"])),
        SECRET
    );

    let destroy = ["key", "destroy", "--session", "s", "--json"];
    let unsure = elsewhere(&sandbox, &own, &destroy);
    assert_eq!(unsure.code, 2);
    let sure = [&destroy[..], &["--yes"]].concat();
    assert_eq!(elsewhere(&sandbox, &own, &sure).json()["destroyed"], true);
    assert_eq!(
        text(&elsewhere(&sandbox, &own, &["get", &id, "--json"])),
        "[sealed]"
    );
    let revise = elsewhere(&sandbox, &own, &["revise", &id, "--pin", "--json"]);
    assert_eq!(revise.refusal().1, format!("the key of {id} was destroyed"));
}

#[test]
fn an_encrypted_export_comes_back_with_its_key_alone() {
    let (sandbox, _) = sealed();
    for number in 0..50 {
        let text = format!("The room {number} of the house has {} windows", number * 7);
        sandbox.json(&["remember", &text, "--shared"]);
    }
    let file = |name: &str| sandbox.path().join(name).to_str().unwrap().to_owned();
    let export = |name: &str, format: &[&str]| {
        let path = file(name);
        let arguments = [&["export", "--all", "-o", &path, "--format"], format].concat();
        let written = sandbox.run_with_input(&[&arguments[..], &["--json"]].concat(), b"sesame\n");
        assert_eq!(written.json()["exported"], 51);
        std::fs::metadata(&path).unwrap().len()
    };
    let plain = export("plain", &["binary"]);
    let sealed = export("sealed", &["encrypted"]);
    let own = export("own", &["encrypted", "--passphrase"]);
    for size in [sealed, own] {
        assert!(
            size * 10 <= plain * 11,
            "{size} bytes, {plain} in the clear"
        );
    }
    assert!(!holds(&std::fs::read(file("sealed")).unwrap(), "zqcanary"));

    let to = Sandbox::empty();
    to.json(&["init"]);
    to.json(&["key", "new"]);
    let import = |variables: &[(&str, &str)], name: &str| {
        let mut command = to.command();
        command.args(["import", &file(name), "--json"]);
        command.envs(variables.iter().copied());
        finish(&mut command, b"")
    };
    let key = key_file(&sandbox);
    let key = [("MNEMON_KEY_FILE", key.to_str().unwrap())];
    assert_eq!(import(&[], "sealed").refusal().0, "E_CRYPTO");
    assert_eq!(
        import(&[("MNEMON_PASSPHRASE", "no")], "own").refusal().0,
        "E_CRYPTO"
    );
    assert_eq!(to.json(&["stats"])["memories"], 0);
    let imported = import(&[("MNEMON_PASSPHRASE", "sesame")], "own").json();
    assert_eq!(imported["imported"], 51);
    let list = to.json(&["list", "--contains", "zqcanary"]);
    assert_eq!(list["memories"][0]["text"], SECRET);
    // The key of the store that it comes from opens the file, but not this store.
    assert_eq!(import(&key, "sealed").refusal().0, "E_CRYPTO");

    let left = elsewhere(
        &sandbox,
        &[],
        &["export", "--all", "--json", "-o", &file("left")],
    );
    assert_eq!(left.json()["left_sealed"], 1);
}

#[test]
fn what_was_kept_before_there_was_a_key_is_sealed_in_all_its_versions() {
    let sandbox = Sandbox::with_session();
    let kept = sandbox.json(&["remember", "first zqcanary", "--session", "s"]);
    let id = kept["id"].as_str().unwrap();
    sandbox.json(&["key", "new"]);
    sandbox.json(&["revise", id, "--text", "then zqcanary", "--sensitive"]);
    let log = sandbox.path().join(".mnemon/sessions/s/memory.jsonl");
    assert!(holds(&std::fs::read(&log).unwrap(), "zqcanary"));
    assert_eq!(sandbox.json(&["key", "seal"])["sealed"], 1);
    for (file, (bytes, _)) in sandbox.files() {
        assert!(!holds(&bytes, "zqcanary"), "{}", file.display());
    }
    let history = sandbox.json(&["history", id]);
    let told = history.to_string();
    assert!(
        told.contains("first zqcanary") && told.contains("then zqcanary"),
        "{told}"
    );
    assert_eq!(
        sandbox.json(&["recall", "zqcanary"])["hits"][0]["memory"]["id"],
        id
    );
    assert_eq!(sandbox.json(&["key", "seal"])["sealed"], 0);
    assert_eq!(sandbox.json(&["verify"])["ok"], true);
}

/// The calls that change a file or make it last.
const CHANGING: [&str; 7] = [
    "write",
    "pwrite64",
    "fsync",
    "fdatasync",
    "rename",
    "linkat",
    "unlink",
];

/// Rotations that are killed before every call that changes a file, and the one after.
#[test]
fn a_rotation_can_be_killed_anywhere() {
    let tries = Command::new("strace")
        .args(["-qq", "-o", "/dev/null", "true"])
        .stderr(Stdio::null())
        .status();
    if !tries.is_ok_and(|status| status.success()) {
        return;
    }
    let (sandbox, id) = sealed();
    sandbox.json(&["remember", "another", "--agent", "a", "--sensitive"]);
    let mut killed = 0;
    for call in CHANGING {
        for nth in 1..30 {
            let struck = rotate_until(&sandbox, call, nth);
            killed += u32::from(struck);
            assert_eq!(sandbox.json(&["get", &id])["text"], SECRET, "{call} {nth}");
            if !struck {
                break;
            }
        }
    }
    assert!((8..100).contains(&killed), "{killed} kills");
    sandbox.json(&["key", "rotate"]);
    assert_eq!(sandbox.json(&["get", &id])["text"], SECRET);
    assert!(!next_to(&key_file(&sandbox)).exists());
}

fn next_to(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap().to_owned();
    name.push(".next");
    path.with_file_name(name)
}

/// Whether the rotation was killed before its `nth` call of that name.
fn rotate_until(sandbox: &Sandbox, call: &str, nth: usize) -> bool {
    let program = sandbox.command();
    let mut command = Command::new("strace");
    command
        .args(["-f", "-qq", "-o", "/dev/null"])
        .arg(format!("--trace={call}"))
        .arg(format!("--inject={call}:signal=KILL:when={nth}"));
    command
        .arg(program.get_program())
        .args(["key", "rotate"])
        .current_dir(sandbox.path())
        .env_clear()
        .env("HOME", sandbox.path().join("home"))
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    !command.status().unwrap().success()
}
