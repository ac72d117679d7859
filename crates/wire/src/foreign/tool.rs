//! What a model did with a tool: an event that says what, with what it was
//! given and what came of it beside it, both cut short.

use mnemon::Time;
use mnemon::memory::{Kind, MemoryId};
use serde_json::{Map, Value, json};

use super::ids;
use super::reading::{Message, beginning};

/// What is kept of what a tool was given.
const INPUT_BYTES_MAX: usize = 4 << 10;
/// What is kept of what it gave.
const RESULT_BYTES_MAX: usize = 2 << 10;
/// What is said of it.
const GIST_CHARS_MAX: usize = 300;
/// Less than what anybody said.
const IMPORTANCE: f64 = 0.2;

/// The members that tell best what a tool does, the surest first.
const TELLING: [&str; 13] = [
    "command",
    "cmd",
    "file_path",
    "path",
    "notebook_path",
    "pattern",
    "query",
    "url",
    "description",
    "prompt",
    "title",
    "skill",
    "content",
];

/// A use of a tool.
pub(super) struct Use<'a> {
    pub(super) place: String,
    /// What names it.
    pub(super) parts: &'a [&'a str],
    pub(super) name: &'a str,
    pub(super) input: &'a Value,
    pub(super) author: &'a str,
    pub(super) at: Option<Time>,
    /// The turn that it belongs to.
    pub(super) turn: Option<MemoryId>,
}

impl Use<'_> {
    pub(super) fn message(self) -> Message {
        let id = ids::memory(Kind::Event, self.parts);
        let text = match gist(self.input) {
            gist if gist.is_empty() => self.name.to_owned(),
            gist => format!("{}: {gist}", self.name),
        };
        let mut message = Message::new(self.place, id, Kind::Event, text);
        message.author = self.author.to_owned();
        message.at = self.at;
        message.turn = self.turn;
        message.importance = Some(IMPORTANCE);
        message.body.insert("type".into(), json!("tool_use"));
        message.metadata = Map::from_iter([
            ("tool".to_owned(), json!(self.name)),
            ("input".to_owned(), short(self.input, INPUT_BYTES_MAX)),
        ]);
        message
    }
}

/// Adds what came of it.
pub(super) fn add_result(message: &mut Message, result: &Value, is_error: bool) {
    let result = Value::String(words(result));
    message
        .metadata
        .insert("result".into(), short(&result, RESULT_BYTES_MAX));
    if is_error {
        message.body.insert("outcome".into(), json!("error"));
    }
}

/// The words in a result: a text, or blocks of which some are texts.
fn words(result: &Value) -> String {
    match result {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks.iter().map(|block| match block["text"].as_str() {
                Some(text) => text.to_owned(),
                None => format!("[{}]", block["type"].as_str().unwrap_or("something")),
            });
            texts.collect::<Vec<_>>().join("\n")
        }
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// What it is about, on one line.
fn gist(input: &Value) -> String {
    let telling = TELLING.iter().find_map(|name| match input.get(name)? {
        Value::String(text) => Some(text.clone()),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            Some(words.join(" "))
        }
        _ => None,
    });
    let text = match (telling, input) {
        (Some(telling), _) => telling,
        (None, Value::Null) => String::new(),
        (None, Value::Object(members)) if members.is_empty() => String::new(),
        (None, Value::String(text)) => text.clone(),
        (None, other) => other.to_string(),
    };
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut gist: String = line.chars().take(GIST_CHARS_MAX).collect();
    if gist.len() < line.len() {
        gist.push('…');
    }
    gist
}

/// A value as it is if it is short, or the beginning of its text.
fn short(value: &Value, bytes_max: usize) -> Value {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Null => return Value::Null,
        other => other.to_string(),
    };
    if text.len() <= bytes_max {
        return value.clone();
    }
    let begin = beginning(&text, bytes_max);
    Value::String(format!("{begin}… ({} bytes in all)", text.len()))
}
