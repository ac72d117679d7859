//! The demo.

use std::process::Command;

use serde_json::json;

use crate::sandbox::{Sandbox, finish};

#[test]
fn every_command_that_the_demo_prints_works() {
    let sandbox = Sandbox::empty();
    let answer = sandbox.json(&["demo", "a folder"]);
    assert_eq!(answer["memories"], 13);
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_mnemon"));
    let path = format!("{}:/usr/bin:/bin", program.parent().unwrap().display());
    for command in answer["try"].as_array().unwrap() {
        let mut shell = Command::new("sh");
        shell
            .current_dir(sandbox.path())
            .env("PATH", &path)
            .args(["-c", command.as_str().unwrap()]);
        let ran = finish(&mut shell, b"");
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{command}");
        assert!(!ran.stdout.is_empty());
    }
    let told = sandbox.run(&["demo", "another"]).stdout;
    for line in told.lines().filter(|line| line.starts_with("  mnemon ")) {
        let in_json = line.trim().replace("another", "'a folder'");
        assert!(
            answer["try"].as_array().unwrap().contains(&json!(in_json)),
            "{line}"
        );
    }
}

#[test]
fn the_story_has_a_resolved_finding_and_a_superseded_decision() {
    let sandbox = Sandbox::empty();
    sandbox.json(&["demo"]);
    let at = |arguments: &[&str]| sandbox.json(&[&["--root", "mnemon-demo"], arguments].concat());
    assert_eq!(at(&["list", "--kind", "finding", "--open"])["total"], 1);
    assert_eq!(at(&["list", "--resolved"])["total"], 2);
    let first = at(&["get", "auth-review/DEC-001"])["id"].clone();
    let links = at(&["get", "auth-review/DEC-002"])["links"].clone();
    assert_eq!(links[0], json!({"rel": "supersedes", "to": first}));
}

#[test]
fn a_folder_with_something_in_it_is_left_alone() {
    let sandbox = Sandbox::empty();
    sandbox.json(&["demo"]);
    let ran = sandbox.run(&["demo"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("is not empty"));
}

#[test]
fn whoever_goes_into_the_folder_is_in_the_store() {
    let sandbox = Sandbox::empty();
    sandbox.json(&["demo"]);
    let mut list = sandbox.command();
    list.current_dir(sandbox.path().join("mnemon-demo/sessions"));
    let ran = finish(list.args(["list", "--json"]), b"");
    assert_eq!(ran.json()["total"], 13);
}

#[test]
fn a_back_up_is_not_asked_as_if_it_were_the_store() {
    let sandbox = Sandbox::empty();
    sandbox.json(&["demo"]);
    sandbox.json(&["--root", "mnemon-demo", "backup", "copy"]);
    let mut list = sandbox.command();
    list.current_dir(sandbox.path().join("copy"));
    let ran = finish(list.args(["list", "--json"]), b"");
    assert_ne!(ran.code, 0, "{}", ran.stdout);
}
