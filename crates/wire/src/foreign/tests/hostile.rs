//! Bad input: whatever it is, it ends, and every piece has a place.

use super::*;

/// Reads any bytes as a file of any program.
fn survive(bytes: &[u8]) {
    let about = about("x.json");
    let _ = recognise(bytes);
    for program in Program::ALL {
        let mut input = bytes;
        let read: Result<()> = read(program, &mut input, &about, &mut |piece| {
            if let Piece::Left { place, why } = piece {
                assert!(!place.is_empty(), "{why:?}");
            }
            Ok(())
        });
        read.unwrap();
    }
}

#[test]
fn bad_bytes_are_told_and_never_break_a_reader() {
    let deep = "[".repeat(200_000);
    let deeper = "{\"a\":".repeat(200_000);
    let cases: [&[u8]; 14] = [
        b"",
        b"\xff\xfe\x00",
        b"[",
        b"{",
        b"]]]}}}",
        b"null",
        b"[null,1,\"x\",[],{}]",
        b"{\"mapping\":7}",
        b"[{\"mapping\":{\"a\":7,\"b\":{\"message\":[]}},\"id\":\"x\"}]",
        b"[{\"uuid\":\"x\",\"chat_messages\":[{\"sender\":7,\"content\":{}}]}]",
        b"{\"type\":\"user\",\"message\":{\"content\":[[],7]}}\n{\"type\":7}",
        b"{\"type\":\"response_item\",\"payload\":7}\n{\"payload\":{}}",
        deep.as_bytes(),
        deeper.as_bytes(),
    ];
    for case in cases {
        survive(case);
    }
}

#[test]
fn a_file_cut_at_any_byte_is_read_up_to_there() {
    let whole = json!([{ "uuid": "c", "chat_messages": [
        { "uuid": "m", "sender": "human", "text": "Größe", "created_at": "2026-01-10T10:00:01Z" } ] }])
    .to_string();
    for end in 0..whole.len() {
        survive(&whole.as_bytes()[..end]);
    }
}

#[test]
fn a_text_that_is_too_long_becomes_several_that_continue() {
    let long = "word ".repeat(300_000);
    let line =
        json!({ "type": "user", "uuid": "u", "sessionId": "s", "message": { "content": long } });
    let found = pieces(Program::ClaudeCode, "x.jsonl", &lines(&[line]));
    let parts: Vec<&Draft> = found
        .iter()
        .filter_map(|piece| match piece {
            Piece::Memory { draft, .. } => Some(&**draft),
            _ => None,
        })
        .collect();
    assert_eq!(parts.len(), 3);
    let joined: String = parts.iter().map(|part| part.text.as_str()).collect();
    assert_eq!(joined, long.trim());
    assert_eq!(Some(&parts[1].links[0].to), parts[0].id.as_ref());
    assert_eq!(parts[2].metadata["part"], json!([3, 3]));
}

#[test]
fn what_a_session_is_called_is_never_nested_or_endless() {
    let deep = "[".repeat(100) + &"]".repeat(100);
    let long = "x".repeat(100_000);
    let text = format!(
        "[{{\"uuid\":\"c\",\"name\":{deep},\"summary\":\"{long}\",\"project\":{{\"name\":\"{long}\"}},\"chat_messages\":[]}}]"
    );
    let found = pieces(Program::ClaudeAi, "x.json", &text);
    let Piece::Session { details, .. } = &found[0] else {
        panic!("{found:?}");
    };
    assert_eq!(details.metadata["title"], json!(deep));
    assert!(details.metadata["summary"].as_str().unwrap().len() < 20_000);
    assert_eq!(details.project.as_ref().unwrap().len(), 512);
}

#[test]
fn what_has_no_time_is_told_in_its_order() {
    let found = pieces(Program::Chat, "x.md", "User: a\nAssistant: b\nUser: c\n");
    let times: Vec<Time> = found
        .iter()
        .filter_map(|piece| match piece {
            Piece::Memory { draft, .. } => draft.created_at,
            _ => None,
        })
        .collect();
    assert_eq!(times.len(), 3);
    assert!(times.is_sorted_by(|one, other| one.micros() < other.micros()));
}
