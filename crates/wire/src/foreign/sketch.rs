//! Which program wrote a file: told by the names of its members, of which the
//! beginning of the file is enough.

use std::collections::HashMap;

use super::{Program, chat};

/// So much of a file is looked at.
pub const PREFIX_BYTES: usize = 256 << 10;
/// More names than tell anything.
const NAMES_MAX: usize = 20_000;

/// What a file is, and what tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Who wrote it.
    pub program: Program,
    /// What tells it.
    pub because: &'static str,
}

/// Who wrote a file that begins with these bytes; nothing if it may be one of ours.
pub fn recognise(prefix: &[u8]) -> Option<Seen> {
    let prefix = prefix.strip_prefix(b"\xef\xbb\xbf").unwrap_or(prefix);
    let text = prefix.trim_ascii_start();
    if matches!(text.first(), Some(b'{' | b'[')) {
        return json(&Sketch::of(text));
    }
    let end = match std::str::from_utf8(text) {
        Ok(_) => text.len(),
        // The end may cut a letter in two.
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        Err(_) => return None,
    };
    let text = std::str::from_utf8(&text[..end]).ok()?;
    if text
        .lines()
        .any(|line| line.starts_with(crate::export::MARKER))
    {
        return None;
    }
    let is_turn = |line: &str| line.starts_with("## Turn ");
    if text.lines().any(is_turn) && text.contains("**Speaker:**") {
        let because = "it has `## Turn` headings with a `**Speaker:**`";
        return Some(seen(Program::Bmad, because));
    }
    if chat::looks_like_it(text) {
        let because = "lines in it begin with the names of a person and of a model";
        return Some(seen(Program::Chat, because));
    }
    None
}

fn seen(program: Program, because: &'static str) -> Seen {
    Seen { program, because }
}

fn json(sketch: &Sketch) -> Option<Seen> {
    let has = |depth: u32, name: &str| sketch.names.contains_key(&(depth, name.to_owned()));
    let is = |name: &str, values: &[&str]| {
        let said = sketch.names.get(&(1, name.to_owned()));
        said.is_some_and(|said| said.iter().any(|value| values.contains(&value.as_str())))
    };
    Some(
        if has(1, "mapping") && (has(1, "current_node") || has(1, "create_time") || has(2, "title"))
        {
            seen(Program::ChatGpt, "its conversations have a `mapping`")
        } else if has(1, "chat_messages") {
            seen(Program::ClaudeAi, "its conversations have `chat_messages`")
        } else if has(1, "conversations_memory") {
            seen(Program::ClaudeAi, "it has a `conversations_memory`")
        } else if has(1, "prompt_template") && has(1, "docs") {
            seen(Program::ClaudeAi, "its projects have `docs`")
        } else if has(1, "projectHash") && has(1, "sessionId") {
            seen(Program::Gemini, "it has a `projectHash` and a `sessionId`")
        } else if has(1, "sessionId") && has(1, "messageId") && has(1, "message") && !has(1, "uuid")
        {
            seen(Program::Gemini, "its messages have a `messageId`")
        } else if has(1, "role") && has(1, "parts") && is("role", &["user", "model"]) {
            seen(Program::Gemini, "its turns have `parts`")
        } else if has(1, "sessionId") && (has(1, "uuid") || has(1, "parentUuid"))
            || has(1, "leafUuid")
            || is("type", &["file-history-snapshot", "queue-operation"])
        {
            seen(
                Program::ClaudeCode,
                "its lines have a `sessionId` and a `uuid`",
            )
        } else if has(1, "payload") && is("type", &["session_meta", "response_item", "event_msg"]) {
            seen(Program::Codex, "its lines have a `type` and a `payload`")
        } else if has(1, "record_type")
            || (has(1, "instructions") && has(1, "timestamp") && !has(1, "text"))
        {
            seen(Program::Codex, "it begins as a rollout does")
        } else if is("type", &["entity", "relation"])
            && (has(1, "entityType") || has(1, "relationType"))
            || (has(1, "entities") && has(2, "entityType"))
        {
            seen(Program::McpMemory, "its lines are entities and relations")
        } else if has(1, "memory") && !has(1, "text")
            || (["results", "memories"].iter().any(|list| has(1, list)) && has(2, "memory"))
        {
            seen(Program::Mem0, "its memories have a `memory`")
        } else {
            return None;
        },
    )
}

/// The names of members at the beginning of a file, by how many objects deep
/// they are, each with the short texts that it has.
#[derive(Default)]
struct Sketch {
    names: HashMap<(u32, String), Vec<String>>,
}

impl Sketch {
    fn of(text: &[u8]) -> Self {
        let mut found = Self::default();
        // What each open bracket is: an object, or a list.
        let mut open: Vec<bool> = Vec::new();
        let mut name: Option<String> = None;
        let mut last: Option<String> = None;
        let mut place = 0;
        while place < text.len() && found.names.len() < NAMES_MAX {
            match text[place] {
                b'"' => {
                    let (said, end) = word(text, place + 1);
                    place = end;
                    if let Some(name) = name.take() {
                        let depth = depth(&open);
                        let values = found.names.entry((depth, name)).or_default();
                        if values.len() < 64 {
                            values.extend(said);
                        }
                    } else {
                        last = said;
                    }
                    continue;
                }
                b':' => {
                    name = last.take();
                    if let Some(name) = &name {
                        found.names.entry((depth(&open), name.clone())).or_default();
                    }
                }
                b'{' | b'[' => {
                    open.push(text[place] == b'{');
                    (name, last) = (None, None);
                }
                b'}' | b']' => {
                    open.pop();
                    (name, last) = (None, None);
                }
                b',' => (name, last) = (None, None),
                _ => {}
            }
            place += 1;
        }
        found
    }
}

fn depth(open: &[bool]) -> u32 {
    let objects = open.iter().filter(|is_object| **is_object).count();
    u32::try_from(objects).unwrap_or(u32::MAX)
}

/// A text of JSON from behind its quote, if it is short and plain, and where it ends.
fn word(text: &[u8], begin: usize) -> (Option<String>, usize) {
    let mut place = begin;
    while place < text.len() && text[place] != b'"' {
        place += if text[place] == b'\\' { 2 } else { 1 };
    }
    let end = place.min(text.len());
    let said = text.get(begin..end).filter(|said| said.len() <= 64);
    let said = said.and_then(|said| std::str::from_utf8(said).ok());
    (said.map(str::to_owned), end + 1)
}
