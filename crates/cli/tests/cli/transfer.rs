//! Import and export.

use std::path::Path;

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// Every memory as it is listed, without what a new store decides anew.
fn content(sandbox: &Sandbox) -> Vec<Value> {
    let listed = sandbox.json(&["list", "--include-forgotten", "--sort", "oldest"]);
    let mut memories = listed["memories"].as_array().unwrap().clone();
    for memory in &mut memories {
        for ours in ["recorded_at", "updated_at", "version"] {
            memory[ours] = Value::Null;
        }
    }
    memories
}

fn store() -> Sandbox {
    let sandbox = Sandbox::with_session();
    sandbox.json(&[
        "remember",
        "one\ntwo \u{1b} 👩‍💻",
        "--session",
        "s",
        "--kind",
        "decision",
        "--tag",
        "t",
        "--confidence",
        "low",
        "--at",
        "2026-01-10T14:23:45+02:00",
    ]);
    sandbox.json(&[
        "remember",
        "linked",
        "--session",
        "s",
        "--link",
        "supersedes:DEC-001",
        "--meta",
        "k=v",
        "--body",
        "{\"own\":{\"deep\":[1.5,null]}}",
    ]);
    sandbox.json(&["remember", "mine", "--agent", "a", "--pin"]);
    sandbox.json(&["key", "new"]);
    sandbox.json(&["remember", "ours", "--shared", "--sensitive"]);
    sandbox.json(&["revise", "s/DEC-001", "--resolve", "done"]);
    sandbox.json(&["get", "s/FACT-001"]);
    sandbox.json(&["remember", "gone", "--session", "s"]);
    sandbox.json(&["forget", "s/FACT-002", "--reason", "wrong"]);
    sandbox
}

#[test]
fn an_export_imported_elsewhere_is_the_same() {
    for format in ["jsonl", "json", "yaml", "markdown"] {
        let from = store();
        let exported = from.run(&["export", "--all", "--format", format, "--json"]);
        assert_eq!((exported.code, exported.stderr.as_str()), (0, ""));
        let to = Sandbox::empty();
        to.json(&["init"]);
        to.json(&["key", "new"]);
        let report = to
            .run_with_input(&["import", "-", "--json"], exported.stdout.as_bytes())
            .json();
        assert_eq!(
            report,
            json!({
                "imported": 5, "revised": 0, "skipped": 0, "older": 0, "archived": 0,
                "sessions": ["s"], "dangling_links": 0, "erased": 0, "errors": [],
            })
        );
        assert_eq!(content(&to), content(&from), "{format}");
        let (there, here) = (
            to.json(&["session", "show", "s"]),
            from.json(&["session", "show", "s"]),
        );
        assert_eq!(there["user"], "user");
        assert_eq!(there["created_at"], here["created_at"]);
        let again = to.run_with_input(&["import", "-", "--json"], exported.stdout.as_bytes());
        assert_eq!(again.json()["skipped"], 5);
        assert_eq!(content(&to), content(&from), "{format}");
    }
}

#[test]
fn the_compact_form_goes_through_a_file_and_is_checked() {
    let from = store();
    let arguments = ["export", "--all", "--format", "binary", "-o", "all.mnemon"];
    assert_eq!(from.json(&arguments)["exported"], 5);
    let path = from.path().join("all.mnemon");
    let to = Sandbox::empty();
    to.json(&["init"]);
    to.json(&["key", "new"]);
    let name = path.to_str().unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[20] ^= 1;
    std::fs::write(to.path().join("damaged"), &bytes).unwrap();
    let refused = to.run(&["import", "damaged"]);
    insta::assert_snapshot!(refused.stderr, @r"
    error[E_INVALID_FORMAT]: this is not a binary export: its checksum does not fit: it was damaged or cut short
    hint: Correct the input and try again.
    ");
    assert_eq!((refused.code, content(&to)), (1, Vec::new()));
    assert_eq!(to.json(&["import", name])["imported"], 5);
    assert_eq!(content(&to), content(&from));
}

#[test]
fn an_export_to_a_file_is_whole_and_private() {
    let sandbox = store();
    let answer = sandbox.json(&["export", "--session", "s", "-o", "out.jsonl"]);
    assert_eq!(
        answer,
        json!({"exported": 3, "sessions": 1, "file": "out.jsonl"})
    );
    let path = sandbox.path().join("out.jsonl");
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().count(), 4);
    assert!(text.starts_with("{\"op\":\"session\",\"id\":\"s\""));
    assert!(!sandbox.path().read_dir().unwrap().any(|entry| {
        entry
            .unwrap()
            .file_name()
            .to_string_lossy()
            .ends_with(".part")
    }));
}

#[test]
fn scopes_choose_what_is_exported() {
    let sandbox = store();
    for (arguments, lines) in [
        (vec!["--session", "s"], 4),
        (vec!["--agent", "a"], 1),
        (vec!["--shared"], 1),
        (vec!["--agent", "a", "--shared"], 2),
        (vec!["--all"], 6),
        (vec![], 6),
    ] {
        let ran = sandbox.run(&[&["export"], &arguments[..]].concat());
        assert_eq!(ran.stdout.lines().count(), lines, "{arguments:?}");
    }
    assert_eq!(
        sandbox.refusal(&["export", "--session", "no"]).0,
        "E_SESSION_NOT_FOUND"
    );
}

#[test]
fn a_stores_own_log_can_be_imported() {
    let from = store();
    let log = from.path().join(".mnemon/sessions/s/memory.jsonl");
    let to = Sandbox::empty();
    to.json(&["init"]);
    to.json(&["key", "new"]);
    let report = to.json(&["import", log.to_str().unwrap()]);
    assert_eq!(report["imported"], 3);
    let wanted: Vec<Value> = content(&from)
        .into_iter()
        .filter(|memory| memory["space"] == "session/s")
        .collect();
    assert_eq!(content(&to), wanted);
}

#[test]
fn a_file_with_one_bad_line_changes_nothing() {
    let sandbox = Sandbox::with_session();
    let total = || sandbox.json(&["list"])["total"].clone();
    for (file, code, message) in [
        (
            "{\"text\":\"a\"}\n{\"text\":\"\"}\n",
            "E_SCHEMA_INVALID",
            "line 2: text must be more than white space",
        ),
        (
            "{\"text\":\"a\"}\n{\"tags\":[]}\n",
            "E_SCHEMA_INVALID",
            "line 2: text must be there: a memory without it has nothing to say",
        ),
        (
            "{\"text\":\"a\",\"space\":\"x\"}\n",
            "E_SCHEMA_INVALID",
            "line 1: space must be session/<id>, agent/<id> or shared (given: x)",
        ),
    ] {
        let path = sandbox.file("bad.jsonl", file);
        let refused = sandbox.refusal(&["import", path.to_str().unwrap()]);
        assert_eq!(refused, (code.to_owned(), message.to_owned()));
        assert_eq!(total(), 0);
    }
    let big = format!(
        "{{\"text\":\"a\"}}\n{{\"text\":\"{}\",\"session_id\":\"s\"}}\n",
        "x".repeat((1 << 20) + 1)
    );
    let path = sandbox.file("big.jsonl", big);
    let (code, message) = sandbox.refusal(&["import", path.to_str().unwrap()]);
    assert_eq!(code, "E_SCHEMA_INVALID");
    assert!(
        message.starts_with("line 2: text must be at most 1048576 bytes"),
        "{message}"
    );
    let latin = sandbox.file("latin.jsonl", b"{\"text\":\"a\"}\n{\"text\":\"\xe9\"}\n");
    assert_eq!(
        sandbox.refusal(&["import", latin.to_str().unwrap()]).0,
        "E_INVALID_FORMAT"
    );
    let bomb = sandbox.file("bomb.json", "[".repeat(1_000_000));
    assert_eq!(
        sandbox.refusal(&["import", bomb.to_str().unwrap()]).0,
        "E_INVALID_FORMAT"
    );
    let tags = format!(
        "{{\"text\":\"a\",\"tags\":[{}]}}",
        vec!["\"t\""; 300_000].join(",")
    );
    let tags = sandbox.file("tags.json", tags);
    assert_eq!(
        sandbox.refusal(&["import", tags.to_str().unwrap()]).0,
        "E_SCHEMA_INVALID"
    );
    assert_eq!(
        sandbox.refusal(&["import", "missing.jsonl"]).0,
        "E_STORAGE_IO"
    );
    assert_eq!(total(), 0);
}

#[test]
fn entries_of_other_programs_make_the_sessions_they_name() {
    let sandbox = Sandbox::empty();
    sandbox.json(&["init"]);
    let file = concat!(
        "{\"id\":\"mem_001\",\"session_id\":\"sess_001\",\"timestamp\":\"2026-01-10T10:00:00Z\",\"type\":\"conversation\",\"content\":{\"role\":\"user\",\"message\":\"Hello\"},\"importance\":0.5,\"decay_factor\":1.0,\"tags\":[],\"references\":[]}\r\n",
        "{\"id\":\"mem_002\",\"session_id\":\"sess_001\",\"timestamp\":\"2026-01-10T10:01:00Z\",\"type\":\"conversation\",\"content\":{\"role\":\"assistant\",\"message\":\"Hi!\"},\"importance\":0.5,\"decay_factor\":1.0,\"tags\":[],\"references\":[\"mem_001\"]}\r\n",
    );
    let path = sandbox.file("memories.jsonl", file);
    let report = sandbox.json(&["import", path.to_str().unwrap()]);
    assert_eq!(
        (&report["imported"], &report["sessions"]),
        (&json!(2), &json!(["sess_001"]))
    );
    let memory = sandbox.json(&["get", "mem_002"]);
    assert_eq!(memory["text"], "Hi!");
    assert_eq!(memory["author"], "assistant");
    assert_eq!(
        memory["links"],
        json!([{"rel": "related", "to": "mem_001"}])
    );
    assert_eq!(memory["created_at"], "2026-01-10T10:01:00Z");
}

#[test]
fn a_session_can_be_chosen_for_all_of_it() {
    let sandbox = Sandbox::with_session();
    let input = b"[{\"text\":\"a\"},{\"text\":\"b\",\"space\":\"agent/x\"}]";
    sandbox
        .run_with_input(
            &[
                "import",
                "-",
                "--session",
                "new",
                "--format",
                "json",
                "--json",
            ],
            input,
        )
        .json();
    assert_eq!(sandbox.json(&["list", "--session", "new"])["total"], 2);
}

#[test]
fn an_export_never_replaces_a_file_of_the_store_or_a_device() {
    let sandbox = Sandbox::with_session();
    sandbox.json(&["remember", "one", "--session", "s"]);
    let log = ".mnemon/sessions/s/memory.jsonl";
    let before = std::fs::read(sandbox.path().join(log)).unwrap();
    let export = ["export", "--all", "--format", "jsonl", "-o"];
    let (code, _) = sandbox.refusal(&[&export[..], &[log]].concat());
    assert_eq!(code, "E_SCHEMA_INVALID");
    assert_eq!(std::fs::read(sandbox.path().join(log)).unwrap(), before);
    sandbox.json(&[&export[..], &["/dev/null"]].concat());
    assert!(!Path::new("/dev/null").is_file());
}

#[test]
fn a_vector_of_another_dimension_is_refused_with_its_line() {
    let sandbox = Sandbox::with_session();
    let lines = "{\"text\":\"a\",\"space\":\"shared\"}\n\
        {\"text\":\"b\",\"space\":\"shared\",\"embedding\":[0.5,0.25]}\n";
    let ran = sandbox.run_with_input(&["import", "-", "--json"], lines.as_bytes());
    let (code, message) = ran.refusal();
    assert_eq!(code, "E_EMBEDDING");
    let told = "line 2: the embedding has 2 numbers, and vectors of mnemon-english-1 have 256";
    assert_eq!(message, told);
    assert_eq!(sandbox.json(&["list"])["total"], 0);
}

#[test]
fn lines_without_ids_are_completed_by_the_next_import_and_keep_their_order() {
    const LINES: usize = 3000;
    let sandbox = Sandbox::with_session();
    // Some say the same as others: each is a memory of its own.
    let line = |n: usize| {
        let text = format!("step {}", n % 1000);
        json!({"text": text, "kind": "event", "space": "session/steps"}).to_string()
    };
    let lines: Vec<String> = (0..LINES).map(line).collect();
    sandbox.file("steps.jsonl", lines.join("\n"));
    sandbox.kill_import("steps.jsonl");
    let import = ["import", "steps.jsonl"];
    let rest = sandbox.json(&import);
    let number = |name: &str| rest[name].as_u64().unwrap();
    assert_eq!(number("imported") + number("skipped"), LINES as u64);
    assert!(number("skipped") >= 500 && number("imported") > 0, "{rest}");
    let listed = sandbox.json(&["list", "--all", "--sort", "oldest", "--limit", "9999"]);
    let texts = listed["memories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["text"].as_str().unwrap());
    assert!(texts.eq((0..LINES).map(|n| format!("step {}", n % 1000))));
    // A file that grew brings what is new; the same elsewhere is another memory.
    sandbox.file("steps.jsonl", lines.join("\n") + "\n" + &line(LINES));
    let grown = sandbox.json(&import);
    assert_eq!(
        (&grown["imported"], &grown["skipped"]),
        (&json!(1), &json!(LINES))
    );
    let elsewhere = sandbox.json(&[&import[..], &["--session", "s"]].concat());
    assert_eq!(elsewhere["imported"], LINES + 1);
}

#[test]
fn a_few_lines_without_ids_are_new_each_time() {
    let sandbox = Sandbox::with_session();
    let line = r#"{"text":"the night's back-up is done","kind":"event"}"#;
    let append = ["import", "-", "--session", "s", "--json"];
    for _ in 0..2 {
        let imported = sandbox.run_with_input(&append, line.as_bytes()).json();
        assert_eq!(imported["imported"], 1);
    }
    assert_eq!(sandbox.json(&["list", "--session", "s"])["total"], 2);
}

#[test]
fn what_json_says_twice_or_beyond_64_bits_is_refused_before_anything_is_kept() {
    let sandbox = Sandbox::with_session();
    let long = "`12345678901234567890123` is too long for a number of 64 bits; give it as a text";
    for (line, problem) in [
        (r#"{"text":"a","text":"b"}"#, "`text` is given twice"),
        (
            r#"{"text":"a","body":{"x":1,"x":2}}"#,
            "`body.x` is given twice",
        ),
        (
            r#"{"text":"a","metadata":{"order":12345678901234567890123}}"#,
            long,
        ),
    ] {
        let lines = format!("{{\"text\":\"good\"}}\n{line}\n");
        let ran = sandbox.run_with_input(&["import", "-", "--session", "s"], lines.as_bytes());
        assert_eq!(ran.code, 1);
        let (first, _) = ran.stderr.split_once('\n').unwrap();
        assert!(first.starts_with("error[E_INVALID_FORMAT]"), "{first}");
        assert!(
            first.contains("line 2") && first.contains(problem),
            "{first}"
        );
    }
    for (body, problem) in [
        (r#"{"a":1,"a":2}"#, "`a` is given twice"),
        (r#"{"order":12345678901234567890123}"#, long),
    ] {
        let ran = sandbox.run(&["remember", "x", "--session", "s", "--body", body]);
        assert!(ran.stderr.contains(problem), "{}", ran.stderr);
    }
    assert_eq!(sandbox.json(&["list", "--session", "s"])["total"], 0);
}

#[test]
fn what_nobody_wrote_is_nobodys_after_a_round_trip() {
    let (here, there) = (Sandbox::with_session(), Sandbox::with_session());
    here.json(&["remember", "by me", "--session", "s"]);
    let log = here.path().join(".mnemon/sessions/s/memory.jsonl");
    let mut lines = std::fs::read_to_string(&log).unwrap();
    lines.push_str("{\"text\":\"by hand\",\"id\":\"hand1\"}\n");
    std::fs::write(&log, lines).unwrap();
    here.json(&["repair", "--accept-edits"]);
    let exported = here.run(&["export", "--session", "s"]).stdout;
    there.run_with_input(&["import", "-"], exported.as_bytes());
    for sandbox in [&here, &there] {
        assert_eq!(sandbox.json(&["get", "hand1"])["author"], Value::Null);
        assert_eq!(sandbox.json(&["get", "s/FACT-001"])["author"], "user");
    }
}

#[test]
fn what_comes_through_a_pipe_is_taken_whole() {
    let sandbox = Sandbox::with_session();
    let line = "{\"text\":\"the same again\"}\n";
    let lines = line.repeat(2000);
    let arguments = ["import", "/dev/stdin", "--session", "s", "--json"];
    let imported = sandbox.run_with_input(&arguments, lines.as_bytes()).json();
    assert_eq!(imported["imported"], 2000);
}
