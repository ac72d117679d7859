use mnemon::memory::{Space, State};
use mnemon::session::SessionDetails;

use super::*;

fn read(text: &str) -> Vec<ImportItem> {
    read_import(text.as_bytes(), Format::Auto, None).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// Line, space, text and state of every memory.
fn memories(items: Vec<ImportItem>) -> Vec<(u64, String, String, State)> {
    let memory = |item| match item {
        ImportItem::Memory {
            line,
            space,
            draft,
            state,
            ..
        } => Some((line, space.to_string(), draft.text.to_string(), state)),
        ImportItem::Session { .. } => None,
    };
    items.into_iter().filter_map(memory).collect()
}

fn lines_and_texts(text: &str) -> Vec<(u64, String)> {
    let all = memories(read(text)).into_iter();
    all.map(|(line, _, text, _)| (line, text)).collect()
}

fn sessions(items: Vec<ImportItem>) -> Vec<(String, SessionDetails)> {
    let session = |item| match item {
        ImportItem::Session { id, details } => Some((id.to_string(), details)),
        ImportItem::Memory { .. } => None,
    };
    items.into_iter().filter_map(session).collect()
}

fn refusal(bytes: &[u8]) -> (String, String) {
    let error = read_import(bytes, Format::Auto, None).unwrap_err();
    (error.code().to_string(), error.to_string())
}

#[test]
fn every_way_of_writing_is_recognised() {
    let two = vec![(1, "a".to_owned()), (2, "b".to_owned())];
    for text in [
        "{\"text\":\"a\"}\n{\"text\":\"b\"}\n",
        "\u{feff}{\"text\":\"a\"}\r\n{\"text\":\"b\"}\r\n",
        "[{\"text\":\"a\"},\n{\"text\":\"b\"}]",
        "{\"memories\":[{\"text\":\"a\"},\n{\"text\":\"b\"}]}",
    ] {
        assert_eq!(lines_and_texts(text), two, "{text}");
    }
    assert_eq!(
        lines_and_texts("\n\n{\"text\":\"a\"}\n\n  \n{\"text\":\"b\"}"),
        [(3, "a".to_owned()), (6, "b".to_owned())]
    );
    assert_eq!(
        lines_and_texts("{\n \"text\": \"a\"\n}"),
        [(1, "a".to_owned())]
    );
    assert_eq!(lines_and_texts(""), []);
    assert_eq!(lines_and_texts("[]"), []);
}

#[test]
fn every_bad_line_is_told_up_to_twenty() {
    let file = b"{\"text\":\"ok\"}\n{\"text\":\"\"}\nnot json\n{\"text\":\"x\",\"importance\":2}\n";
    let (code, message) = refusal(file);
    assert_eq!(code, "E_SCHEMA_INVALID");
    assert_eq!(
        message,
        "3 lines can't be taken:\n  \
         line 2: text must be more than white space\n  \
         line 3: this is not JSON: expected ident, column 2 (given: not json)\n  \
         line 4: importance must be a number from 0 to 1 (given: 2)"
    );
    let (_, message) = refusal("{}\n".repeat(23).as_bytes());
    let told: Vec<&str> = message.lines().collect();
    assert_eq!(told.len(), 22, "{message}");
    assert_eq!(told[0], "23 lines can't be taken:");
    assert_eq!(told[21], "  and 3 more");
    let (code, message) = refusal(b"{\"text\":\"ok\"}\n\n{\"text\": \"cut");
    assert_eq!(code, "E_INVALID_FORMAT");
    assert!(
        message.starts_with("line 3: this is not JSON: EOF"),
        "{message}"
    );
    let (_, message) = refusal(b"[\n {\"text\": \"a\"},\n {\"text\": 5}\n]");
    assert_eq!(message, "line 3: text must be text (given: 5)");
    let (_, message) = refusal(b"[\n {\"text\": \"a\"},\n {\"text\": \n]");
    assert!(message.starts_with("line 4: this is not JSON"), "{message}");
}

#[test]
fn bytes_that_are_no_text_are_refused_with_their_line() {
    assert_eq!(
        refusal(b"{\"text\":\"a\"}\n{\"text\":\"\xff\"}\n"),
        (
            "E_INVALID_FORMAT".to_owned(),
            "line 2: this is not text: it is not UTF-8".to_owned()
        )
    );
}

#[test]
fn bombs_are_refused() {
    for depth in [200, 100_000] {
        let deep = format!("{{\"text\":\"a\",\"x\":{}", "[".repeat(depth));
        assert_eq!(refusal(deep.as_bytes()).0, "E_INVALID_FORMAT");
        let closed = format!("{deep}{}}}", "]".repeat(depth));
        assert_eq!(refusal(closed.as_bytes()).0, "E_INVALID_FORMAT");
    }
    let huge = format!(
        "{{\"text\":\"a\",\"tags\":[{}\"a b\"]}}",
        "\"t\",".repeat(200_000)
    );
    assert_eq!(refusal(huge.as_bytes()).0, "E_SCHEMA_INVALID");
}

#[test]
fn an_id_is_used_once_in_a_file() {
    let (code, message) = refusal(b"[{\"id\":\"a\",\"text\":\"x\"},{\"id\":\"a\",\"text\":\"y\"}]");
    assert_eq!(code, "E_SCHEMA_INVALID");
    assert_eq!(
        message,
        "line 1: id must be used once in a file (line 1 has it too) (given: a)"
    );
}

#[test]
fn a_log_can_be_imported() {
    let log = concat!(
        r#"{"format":1,"generation":"g","op":"log","recorded_at":"2026-01-01T00:00:00Z","space":"session/s","checksum":"x"}"#,
        "\n",
        r#"{"details":{"user":"dana"},"op":"session","recorded_at":"2026-01-01T00:00:00Z"}"#,
        "\n",
        r#"{"id":"f1","kind":"fact","recorded_at":"2026-01-02T00:00:00Z","text":"first","tx":"t","checksum":"x"}"#,
        "\n",
        r#"{"id":"f2","kind":"fact","recorded_at":"2026-01-02T00:00:00Z","text":"second"}"#,
        "\n",
        r#"{"count":2,"op":"commit","tx":"t"}"#,
        "\n",
        r#"{"by":"dana","created_at":"2026-01-02T00:00:00Z","first_recorded_at":"2026-01-02T00:00:00Z","id":"f1","kind":"fact","op":"update","recorded_at":"2026-01-03T00:00:00Z","text":"revised","version":2}"#,
        "\n",
        r#"{"access_count":4,"id":"f1","last_access":"2026-01-04T00:00:00Z","op":"access"}"#,
        "\n",
        r#"{"by":"dana","id":"f2","op":"delete","reason":"wrong","recorded_at":"2026-01-05T00:00:00Z","recover_until":"2026-02-05T00:00:00Z"}"#,
        "\n",
    );
    let items = read(log);
    let found = memories(items.clone());
    assert_eq!(found.len(), 2);
    let (line, space, text, state) = &found[0];
    assert_eq!(
        (*line, space.as_str(), text.as_str()),
        (3, "session/s", "revised")
    );
    assert_eq!(state.access_count, 4);
    assert_eq!(found[1].3.forgotten.as_ref().unwrap().reason, "wrong");
    for item in &items {
        if let ImportItem::Memory { draft, .. } = item {
            assert_eq!(
                draft.created_at.unwrap().to_string(),
                "2026-01-02T00:00:00Z"
            );
            assert!(draft.body.is_empty(), "{draft:?}");
        }
    }
    let (id, details) = sessions(items).remove(0);
    assert_eq!((id.as_str(), details.user.as_deref()), ("s", Some("dana")));
    let restored = format!("{log}{}", r#"{"id":"f2","op":"restore","reason":"right"}"#);
    assert_eq!(memories(read(&restored))[1].3.forgotten, None);
}

#[test]
fn an_unknown_op_is_refused() {
    let (code, message) = refusal(b"{\"op\":\"explode\"}");
    assert_eq!(code, "E_SCHEMA_INVALID");
    assert_eq!(
        message,
        "line 1: op must be one of session, update, delete, restore, access, log, commit (given: explode)"
    );
}

#[test]
fn where_it_goes_is_the_given_session_else_its_own_else_shared() {
    let file = "{\"text\":\"a\"}\n{\"text\":\"b\",\"space\":\"agent/x\"}\n";
    let spaces = |session: Option<&str>| -> Vec<String> {
        let session = session.map(|id| id.parse().unwrap());
        let items = read_import(file.as_bytes(), Format::Auto, session.as_ref()).unwrap();
        memories(items)
            .into_iter()
            .map(|(_, space, _, _)| space)
            .collect()
    };
    assert_eq!(spaces(None), [Space::Shared.to_string(), "agent/x".into()]);
    assert_eq!(spaces(Some("s")), ["session/s", "session/s"]);
}
