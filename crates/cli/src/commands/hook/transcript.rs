//! The transcript of Claude Code: a line of JSON for everything that happened,
//! of which only what people and the model said is kept.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use mnemon::memory::{Body, Draft, Kind, Text};
use mnemon::{Error, Result};
use serde_json::{Map, Value, json};

/// The end of the file that is looked at: a turn, not a day.
const TAIL_BYTES: u64 = 512 << 10;
/// Longer words are no conversation.
const TEXT_BYTES_MAX: usize = 64 << 10;

/// What was said at the end of a transcript, in order; `user` is who talks with the model.
pub(super) fn read(path: &Path, user: &str) -> Result<Vec<Draft>> {
    let failed = |source: std::io::Error| Error::Io {
        action: "read",
        path: path.to_owned(),
        source: Arc::new(source),
    };
    let mut file = File::open(path).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    let start = length.saturating_sub(TAIL_BYTES);
    file.seek(SeekFrom::Start(start)).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(TAIL_BYTES)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    let mut lines = bytes.split(|byte| *byte == b'\n');
    if start > 0 {
        // The first is only the end of a line.
        lines.next();
    }
    Ok(lines.filter_map(|line| turn(line, user)).collect())
}

/// What a line says, if somebody said it.
fn turn(line: &[u8], user: &str) -> Option<Draft> {
    let line: Value = serde_json::from_slice(line).ok()?;
    let role = line["type"]
        .as_str()
        .filter(|it| ["user", "assistant"].contains(it))?;
    let is_aside = |name: &str| line[name].as_bool() == Some(true);
    if is_aside("isSidechain") || is_aside("isMeta") {
        return None;
    }
    let text = words(&line["message"]["content"])?;
    let mut draft = Draft::new(Kind::Conversation, Text::try_from(text).ok()?);
    let id = line["uuid"].as_str()?;
    draft.id = Some(format!("turn_{id}").parse().ok()?);
    draft.created_at = line["timestamp"].as_str().and_then(|at| at.parse().ok());
    let author = if role == "user" { user } else { "claude-code" };
    draft.author = author.parse().ok();
    let body = Map::from_iter([("role".to_owned(), json!(role))]);
    draft.body = Body::from_map(Kind::Conversation, body).ok()?;
    Some(draft)
}

/// The words in a message, without thoughts, tools and what they gave.
fn words(content: &Value) -> Option<String> {
    let text = match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter(|part| part["type"] == "text");
            let texts: Vec<&str> = texts.filter_map(|part| part["text"].as_str()).collect();
            texts.join("\n")
        }
        _ => return None,
    };
    let end = (0..=text.len().min(TEXT_BYTES_MAX))
        .rev()
        .find(|end| text.is_char_boundary(*end))?;
    let text = text[..end].trim();
    // What the client put in itself is no word of the user.
    let is_said = !text.is_empty() && !text.starts_with('<');
    is_said.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_somebody_said_is_taken() {
        let line = |value: Value| turn(value.to_string().as_bytes(), "ada");
        let said = line(json!({
            "type": "user", "uuid": "a-1", "timestamp": "2026-01-10T10:00:00.123Z",
            "message": { "role": "user", "content": "Use tabs" },
        }))
        .unwrap();
        assert_eq!(said.text.as_str(), "Use tabs");
        assert_eq!(said.id.unwrap().as_str(), "turn_a-1");
        assert_eq!(said.author.unwrap().as_str(), "ada");
        let answered = line(json!({
            "type": "assistant", "uuid": "a-2",
            "message": { "content": [
                { "type": "thinking", "thinking": "hm" },
                { "type": "text", "text": "Done." },
                { "type": "tool_use", "name": "Bash", "input": {} },
            ] },
        }))
        .unwrap();
        assert_eq!(answered.text.as_str(), "Done.");
        assert_eq!(answered.author.unwrap().as_str(), "claude-code");
        for aside in [
            json!({ "type": "summary", "summary": "x" }),
            json!({ "type": "user", "uuid": "b", "message": { "content": [
                { "type": "tool_result", "content": "x" } ] } }),
            json!({ "type": "user", "uuid": "b", "isMeta": true, "message": { "content": "x" } }),
            json!({ "type": "user", "uuid": "b", "isSidechain": true, "message": { "content": "x" } }),
            json!({ "type": "user", "uuid": "b", "message": { "content": "<command-name>x" } }),
            json!({ "type": "user", "message": { "content": "no name" } }),
            json!(7),
        ] {
            assert!(line(aside.clone()).is_none(), "{aside}");
        }
        assert!(turn(b"{", "ada").is_none());
    }
}
