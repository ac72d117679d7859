//! The rules for input, each with its own code, message and exit status.

use crate::sandbox::Sandbox;

#[test]
#[expect(clippy::too_many_lines, reason = "a table, one rule after another")]
fn every_rule_has_its_own_refusal() {
    let sandbox = Sandbox::with_session();
    let long_tag = "t".repeat(65);
    let long_id = "x".repeat(10_000);
    let remember = |more: &[&str]| -> (String, String) {
        let arguments = [&["remember", "text", "--session", "s"], more].concat();
        sandbox.refusal(&arguments)
    };
    for (more, code, message) in [
        (
            vec!["--importance", "1.01"],
            "E_SCHEMA_INVALID",
            "importance must be a number from 0 to 1 (given: 1.01)",
        ),
        (
            vec!["--importance", "-0.1"],
            "E_SCHEMA_INVALID",
            "importance must be a number from 0 to 1 (given: -0.1)",
        ),
        (
            vec!["--importance", "NaN"],
            "E_SCHEMA_INVALID",
            "importance must be a number from 0 to 1 (given: NaN)",
        ),
        (
            vec!["--importance", "inf"],
            "E_SCHEMA_INVALID",
            "importance must be a number from 0 to 1 (given: inf)",
        ),
        (
            vec!["--importance", "much"],
            "E_SCHEMA_INVALID",
            "importance must be a number from 0 to 1 (given: much)",
        ),
        (
            vec!["--confidence", "2"],
            "E_SCHEMA_INVALID",
            "confidence must be a number from 0 to 1 (given: 2)",
        ),
        (
            vec!["--tag", "two words"],
            "E_SCHEMA_INVALID",
            "tag must be free of white space and control characters (given: two words)",
        ),
        (
            vec!["--tag", "bell\u{7}"],
            "E_SCHEMA_INVALID",
            "tag must be free of white space and control characters (given: bell\\u{7})",
        ),
        (
            vec!["--tag", ""],
            "E_SCHEMA_INVALID",
            "tag must be 1 to 64 characters long",
        ),
        (
            vec!["--tag", &long_tag],
            "E_SCHEMA_INVALID",
            "tag must be 1 to 64 characters long (given: tttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt…)",
        ),
        (
            vec!["--id", "../x"],
            "E_SCHEMA_INVALID",
            "id must be 1 to 64 letters, digits, _ or - (given: ../x)",
        ),
        (
            vec!["--id", "a/b"],
            "E_SCHEMA_INVALID",
            "id must be 1 to 64 letters, digits, _ or - (given: a/b)",
        ),
        (
            vec!["--id", ""],
            "E_SCHEMA_INVALID",
            "id must be 1 to 64 letters, digits, _ or -",
        ),
        (
            vec!["--id", &long_id],
            "E_SCHEMA_INVALID",
            "id must be 1 to 64 letters, digits, _ or - (given: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…)",
        ),
        (
            vec!["--author", ""],
            "E_SCHEMA_INVALID",
            "author must be 1 to 128 characters without control characters",
        ),
        (
            vec!["--kind", "idea"],
            "E_SCHEMA_INVALID",
            "kind must be one of conversation, decision, finding, preference, learning, fact, event, procedure, state, artifact (given: idea)",
        ),
        (
            vec!["--link", "Bad:s/FACT-001"],
            "E_SCHEMA_INVALID",
            "link must be a word such as resolves, led_to or supersedes (a-z, 0-9, _; at most 32) (given: Bad)",
        ),
        (
            vec!["--link", "none"],
            "E_SCHEMA_INVALID",
            "link must be RELATION:ID, such as supersedes:DEC-001 (given: none)",
        ),
        (
            vec!["--meta", "novalue"],
            "E_SCHEMA_INVALID",
            "meta must be key=value (given: novalue)",
        ),
        (
            vec!["--body", "[]"],
            "E_INVALID_FORMAT",
            "this is not a JSON object for --body: it is JSON, but not an object (given: [])",
        ),
        (
            vec!["--body", "{\"severity\":5}", "--kind", "finding"],
            "E_SCHEMA_INVALID",
            "body must be an object whose `severity` is a string (given: 5)",
        ),
        (
            vec!["--ref", "nothing"],
            "E_NOT_FOUND",
            "there is no memory nothing",
        ),
    ] {
        assert_eq!(
            remember(&more),
            (code.to_owned(), message.to_owned()),
            "{more:?}"
        );
    }
    assert_eq!(remember(&["--at", "someday"]).0, "E_INVALID_FORMAT");
    assert_eq!(remember(&["--body", "{"]).0, "E_INVALID_FORMAT");
    assert_eq!(sandbox.json(&["list"])["total"], 0);
}

#[test]
fn an_empty_text_is_refused() {
    let sandbox = Sandbox::with_session();
    for text in ["", " \n\t"] {
        let (code, message) = sandbox.refusal(&["remember", text, "--session", "s"]);
        assert_eq!(code, "E_SCHEMA_INVALID");
        assert!(
            message.starts_with("text must be more than white space"),
            "{message}"
        );
    }
}

#[test]
fn ids_never_become_paths() {
    let sandbox = Sandbox::with_session();
    let long = "x".repeat(10_000);
    for bad in [
        "../x",
        "a/b",
        "",
        "..",
        "a b",
        "a\u{0}b".trim_end_matches('\u{0}'),
        &long,
        "é",
    ] {
        let bad = bad.replace('\u{0}', "\n");
        for arguments in [
            vec!["session", "new", "--id", &bad],
            vec!["session", "show", &bad],
            vec!["session", "close", &bad],
            vec!["remember", "x", "--session", &bad],
            vec!["remember", "x", "--agent", &bad],
            vec!["export", "--session", &bad],
            vec!["list", "--as", &bad],
        ] {
            assert_eq!(
                sandbox.refusal(&arguments).0,
                "E_SCHEMA_INVALID",
                "{arguments:?}"
            );
        }
        for option in ["--session", "--agent"] {
            let (code, message) = sandbox.refusal(&["list", option, &bad]);
            assert_eq!(code, "E_INVALID_QUERY", "{bad}");
            let name = option.trim_start_matches('-');
            assert!(
                message.starts_with(&format!("{name}: must be ")),
                "{message}"
            );
        }
        let (code, _) = sandbox.refusal(&["get", &bad]);
        assert!(
            ["E_SCHEMA_INVALID", "E_INVALID_FORMAT"].contains(&code.as_str()),
            "{bad}: {code}"
        );
    }
    let names: Vec<_> = std::fs::read_dir(sandbox.path().join(".mnemon/sessions"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["s"]);
}

#[test]
fn any_text_comes_back_as_it_was_given() {
    let sandbox = Sandbox::with_session();
    for text in [
        "two\nlines\r\nand a third",
        "NUL \u{0} and escape \u{1b}[31m",
        "emoji 👩‍💻 and right to left مرحبا \u{202e}x",
        "{\"op\":\"commit\"}\n{\"text\":\"not a line\"}",
        "trailing space ",
    ] {
        let kept = sandbox
            .run_with_input(
                &["remember", "-", "--session", "s", "--json"],
                text.as_bytes(),
            )
            .json();
        let id = kept["id"].as_str().unwrap();
        assert_eq!(sandbox.json(&["get", id])["text"], text);
    }
}

#[test]
fn a_text_may_have_one_mebibyte_and_not_a_byte_more() {
    let sandbox = Sandbox::with_session();
    let remember = ["remember", "-", "--session", "s", "--json"];
    let text = "x".repeat(1 << 20);
    let kept = sandbox.run_with_input(&remember, text.as_bytes()).json();
    let memory = sandbox.json(&["get", kept["id"].as_str().unwrap()]);
    assert_eq!(memory["text"].as_str().unwrap().len(), 1 << 20);
    let (code, message) = sandbox
        .run_with_input(&remember, format!("{text}x").as_bytes())
        .refusal();
    assert_eq!(code, "E_SCHEMA_INVALID");
    assert_eq!(
        message,
        "text must be at most 1048576 bytes long, body and metadata included (given: 1048577 bytes)"
    );
}

#[test]
fn input_that_is_no_text_is_refused() {
    let sandbox = Sandbox::with_session();
    let (code, message) = sandbox
        .run_with_input(&["remember", "-", "--session", "s", "--json"], b"caf\xe9")
        .refusal();
    assert_eq!(code, "E_INVALID_FORMAT");
    assert_eq!(
        message,
        "this is not text: byte 4 is not UTF-8 (given: standard input)"
    );
}

#[test]
fn bombs_in_a_body_are_refused() {
    let sandbox = Sandbox::with_session();
    for depth in [70, 1000, 20_000] {
        let bomb = format!("{{\"x\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
        let (code, _) = sandbox.refusal(&["remember", "x", "--session", "s", "--body", &bomb]);
        assert!(["E_SCHEMA_INVALID", "E_INVALID_FORMAT"].contains(&code.as_str()));
    }
}

#[test]
fn a_time_far_ahead_is_kept_and_flagged() {
    let sandbox = Sandbox::with_session();
    sandbox.json(&[
        "remember",
        "x",
        "--session",
        "s",
        "--at",
        "9999-12-31T23:59:59Z",
    ]);
    let memory = sandbox.json(&["get", "s/FACT-001"]);
    assert_eq!(memory["state"]["flags"][0], "created_in_the_future");
    assert_eq!(memory["created_at"], "9999-12-31T23:59:59Z");
}

#[test]
fn turns_are_immutable() {
    let sandbox = Sandbox::with_session();
    sandbox.json(&[
        "remember",
        "hello",
        "--session",
        "s",
        "--kind",
        "conversation",
    ]);
    assert_eq!(
        sandbox.refusal(&["revise", "s/TURN-1", "--text", "x"]).0,
        "E_SCHEMA_INVALID"
    );
    assert_eq!(
        sandbox.json(&["revise", "s/TURN-1", "--add-tag", "t"])["version"],
        2
    );
}
