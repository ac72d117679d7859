//! The settings, from every place that they come from.

use serde_json::json;

use crate::sandbox::{Sandbox, finish};

#[test]
fn a_wrong_setting_is_refused_with_its_line() {
    let sandbox = Sandbox::with_session();
    sandbox.file(".mnemon/mnemon.toml", "[lock]\n\ntimeout = 5\n");
    let root = sandbox.path().canonicalize().unwrap();
    let (code, message) = sandbox.refusal(&["list"]);
    assert_eq!(code, "E_INVALID_FORMAT");
    assert_eq!(
        message,
        format!(
            "{}/.mnemon/mnemon.toml:3: lock.timeout is not a known setting",
            root.display()
        )
    );
    assert_eq!(sandbox.refusal(&["config", "check"]).0, "E_INVALID_FORMAT");
    assert_eq!(sandbox.json(&["doctor"])["ok"], false);
    let ran = finish(
        sandbox
            .command()
            .args(["config", "check", "--json"])
            .env("MNEMON_LOCK_TIMEOUT_SM", "5"),
        b"",
    );
    assert_eq!(ran.refusal().0, "E_INVALID_FORMAT");
}

#[test]
fn settings_say_where_they_come_from() {
    let sandbox = Sandbox::with_session();
    std::fs::create_dir_all(sandbox.path().join("home/.config/mnemon")).unwrap();
    sandbox.file(
        "home/.config/mnemon/mnemon.toml",
        "[defaults]\nuser = \"dana\"\n",
    );
    sandbox.file(".mnemon/mnemon.toml", "[lock]\ntimeout_ms = 7\n");
    let ran = finish(
        sandbox
            .command()
            .args(["config", "show", "--json"])
            .env("MNEMON_LIMITS_FUTURE_SKEW_MINUTES", "9"),
        b"",
    );
    let shown = ran.json();
    let settings = shown["settings"].as_array().unwrap();
    let setting = |key: &str| {
        settings
            .iter()
            .find(|setting| setting["key"] == key)
            .unwrap()
    };
    assert_eq!(setting("defaults.user")["value"], "dana");
    assert!(
        setting("defaults.user")["origin"]
            .as_str()
            .unwrap()
            .ends_with("mnemon.toml:2")
    );
    assert_eq!(setting("lock.timeout_ms")["value"], 7);
    assert_eq!(setting("lock.timeout_ms")["default"], 5000);
    assert_eq!(setting("privacy.patterns")["value"], json!([]));
    assert_eq!(
        setting("limits.future_skew_minutes")["origin"],
        "MNEMON_LIMITS_FUTURE_SKEW_MINUTES"
    );
    assert_eq!(setting("storage.durability")["origin"], "default");
    sandbox.json(&["remember", "x", "--session", "s"]);
    assert_eq!(sandbox.json(&["get", "s/FACT-001"])["author"], "dana");
}

#[test]
fn the_file_that_is_written_is_fine_and_never_overwritten() {
    let sandbox = Sandbox::with_session();
    let root = sandbox.path().canonicalize().unwrap();
    let written = sandbox.json(&["config", "init"]);
    assert_eq!(written, json!({"file": root.join(".mnemon/mnemon.toml")}));
    assert_eq!(sandbox.json(&["config", "check"]), json!({"ok": true}));
    let again = sandbox.run(&["config", "init"]);
    assert_eq!(again.code, 2);
    assert!(again.stderr.contains("is there already"), "{again:?}");
    sandbox.json(&["config", "init", "--user"]);
    let file = sandbox.path().join("home/.config/mnemon/mnemon.toml");
    assert_eq!(
        sandbox.json(&["config", "check", file.to_str().unwrap()]),
        json!({"ok": true})
    );
}

#[test]
fn every_setting_is_shown_also_beside_a_file_that_can_not_be_read() {
    let sandbox = Sandbox::with_session();
    sandbox.file(".mnemon/mnemon.toml", "storage = = 1");
    let shown = sandbox.run(&["config", "init", "--print"]);
    assert_eq!((shown.code, shown.stderr.as_str()), (0, ""));
    assert_eq!(
        shown.stdout.trim_end(),
        mnemon::config::template().trim_end()
    );
    let broken = sandbox.run(&["config", "check"]);
    assert!(
        broken
            .stderr
            .ends_with("hint: Correct that line; `mnemon config check` reads the file again.\n")
    );
}
