//! The end of a transcript of Claude Code: of the lines only what people and
//! the model said is kept, as an import of the whole would keep it.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use mnemon::memory::Draft;
use mnemon::{Error, Result};
use mnemon_wire::foreign::claude_code::turn;

/// The end of the file that is looked at: a turn, not a day.
const TAIL_BYTES: u64 = 512 << 10;

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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

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
