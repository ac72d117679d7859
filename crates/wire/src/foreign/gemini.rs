//! Chats of Gemini CLI: one object with `messages`, lines of which later ones
//! replace earlier ones of the same id, the log of what was asked, or a saved
//! checkpoint of turns with `parts`.

use std::io::BufRead;

use mnemon::Result;
use mnemon::memory::{Kind, MemoryId};
use mnemon::session::SessionDetails;
use serde_json::{Map, Value, json};

use super::reading::{Message, Reading, text, time};
use super::{ids, input, tool};

/// Who answers.
pub(super) const MODEL: &str = "gemini-cli";

/// Reads a chat of any form.
pub(super) fn read(input: &mut dyn BufRead, reading: &mut Reading<'_>) -> Result<()> {
    let whole = match input::text(input)? {
        Ok(whole) => whole,
        Err(problem) => return reading.problem("the file".into(), problem),
    };
    match serde_json::from_str::<Value>(&whole) {
        Ok(Value::Array(items)) => list(&items, reading),
        Ok(chat) if chat["messages"].is_array() => {
            let mut found = Chat::of(&chat, reading);
            let messages = chat["messages"].as_array().into_iter().flatten();
            for (number, message) in messages.enumerate() {
                found.put(format!("messages[{number}]"), message.clone());
            }
            found.tell(reading)
        }
        _ => lines(&whole, reading),
    }
}

/// The form of one record a line.
fn lines(whole: &str, reading: &mut Reading<'_>) -> Result<()> {
    let mut chat = Chat::of(&Value::Null, reading);
    for (number, line) in (1..).zip(whole.lines()) {
        let place = format!("line {number}");
        if line.trim().is_empty() {
            continue;
        }
        match input::value(line.as_bytes()) {
            Err(problem) => reading.problem(place, problem)?,
            Ok(record) if record.get("$rewindTo").is_some() => {
                // What was taken back was said all the same.
                reading.leave(place, "records of the client (rewind)")?;
            }
            Ok(record) if record["$set"].is_object() => {
                chat.learn(&record["$set"]);
                reading.leave(place, "records of the client (metadata)")?;
            }
            Ok(record) if text(&record, "id").is_some() => chat.put(place, record),
            Ok(record) if record.get("sessionId").is_some() => {
                chat.learn(&record);
                reading.leave(place, "records of the client (metadata)")?;
            }
            Ok(_) => reading.problem(place, "it is no record of Gemini CLI")?,
        }
    }
    chat.tell(reading)
}

struct Chat {
    own: String,
    about: Map<String, Value>,
    /// As the last record of each id leaves them.
    messages: Vec<(String, Value)>,
    /// How many records were replaced, and where the last of them stands.
    replaced: Vec<String>,
}

impl Chat {
    fn of(chat: &Value, reading: &Reading<'_>) -> Self {
        let mut found = Self {
            own: reading.stem().to_owned(),
            about: Map::new(),
            messages: Vec::new(),
            replaced: Vec::new(),
        };
        found.learn(chat);
        found
    }

    fn learn(&mut self, record: &Value) {
        if let Some(own) = text(record, "sessionId") {
            own.clone_into(&mut self.own);
        }
        for (name, value) in record.as_object().into_iter().flatten() {
            if name != "messages" {
                self.about.insert(name.clone(), value.clone());
            }
        }
    }

    fn put(&mut self, place: String, message: Value) {
        let known = self.messages.iter_mut().rev().take(64);
        let mut known = known.filter(|(_, own)| own["id"] == message["id"]);
        match known.next().filter(|_| !message["id"].is_null()) {
            Some(earlier) => {
                self.replaced.push(std::mem::replace(&mut earlier.0, place));
                earlier.1 = message;
            }
            None => self.messages.push((place, message)),
        }
    }

    fn tell(self, reading: &mut Reading<'_>) -> Result<()> {
        let own = Value::Object(self.about);
        let details = SessionDetails {
            agents: vec![MODEL.into()],
            created_at: time(&own["startTime"]),
            project: own["directories"][0].as_str().map(str::to_owned),
            metadata: Map::from_iter([
                ("title".to_owned(), own["summary"].clone()),
                ("project_hash".to_owned(), own["projectHash"].clone()),
            ]),
            ..SessionDetails::default()
        };
        reading.session(ids::session("gemini", &self.own), details)?;
        for place in self.replaced {
            reading.leave(place, "records that a later one replaces")?;
        }
        let mut before = None;
        for (place, message) in &self.messages {
            before = one(&self.own, place, message, before, reading)?;
        }
        Ok(())
    }
}

fn one(
    own: &str,
    place: &str,
    said: &Value,
    before: Option<MemoryId>,
    reading: &mut Reading<'_>,
) -> Result<Option<MemoryId>> {
    let sort = text(said, "type")
        .or_else(|| text(said, "role"))
        .unwrap_or_default();
    let is_person = sort == "user";
    if !["user", "gemini", "model"].contains(&sort) {
        let sort: String = sort.chars().take(40).collect();
        reading.leave(place.to_owned(), format!("notices of the client ({sort})"))?;
        return Ok(before);
    }
    let content = said.get("content").or_else(|| said.get("parts"));
    let content = content
        .or_else(|| said.get("message"))
        .unwrap_or(&Value::Null);
    let words = if is_person {
        without_context(words(content))
    } else {
        words(content)
    };
    let name = match said.get("id").or_else(|| said.get("messageId")) {
        Some(Value::String(id)) => id.clone(),
        Some(Value::Number(id)) => id.to_string(),
        _ => ids::digest(
            &[sort, &words, &reading.occurrence(&[own, sort, &words])],
            26,
        ),
    };
    let id = ids::memory(Kind::Conversation, &["gemini", own, &name]);
    let has_words = !words.trim().is_empty();
    let has_tools = said["toolCalls"]
        .as_array()
        .is_some_and(|calls| !calls.is_empty());
    if has_words || !has_tools {
        let mut turn = Message::new(place.to_owned(), id.clone(), Kind::Conversation, words);
        turn.role = Some(if is_person { "user" } else { "assistant" });
        let author = if is_person { reading.about.user } else { MODEL };
        author.clone_into(&mut turn.author);
        turn.at = time(&said["timestamp"]);
        turn.parent.clone_from(&before);
        turn.metadata.insert("model".into(), said["model"].clone());
        reading.message(turn)?;
    }
    let turn = if has_words { Some(id) } else { before };
    for (number, call) in said["toolCalls"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
    {
        let number = number.to_string();
        let call_id = text(call, "id").unwrap_or(&number);
        let mut used = tool::Use {
            place: format!("{place}.toolCalls[{number}]"),
            parts: &["gemini", own, &name, call_id],
            name: text(call, "name").unwrap_or("a tool"),
            input: &call["args"],
            author: MODEL,
            at: time(&call["timestamp"]).or_else(|| time(&said["timestamp"])),
            turn: turn.clone(),
        }
        .message();
        let shown = call.get("resultDisplay").filter(|shown| shown.is_string());
        let result = shown.unwrap_or(&call["result"]);
        tool::add_result(&mut used, result, call["status"] == "error");
        reading.message(used)?;
    }
    Ok(turn)
}

/// The words of a message: a text, or parts of which some have one.
fn words(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Object(_) => text(content, "text").unwrap_or_default().to_owned(),
        Value::Array(parts) => {
            let texts = parts.iter().filter(|part| part["thought"] != true);
            let texts: Vec<&str> = texts
                .filter_map(|part| part.as_str().or_else(|| part["text"].as_str()))
                .collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}

/// What a person wrote, without what hooks put before or behind it.
///
/// Among that is what was handed out from here; kept again, it would grow with every session.
pub(super) fn without_context(words: String) -> String {
    const OPENING: &str = "<hook_context>";
    const CLOSING: &str = "</hook_context>";
    let mut rest = words.trim();
    while let Some((_, behind)) = rest
        .strip_prefix(OPENING)
        .and_then(|inner| inner.split_once(CLOSING))
    {
        rest = behind.trim_start();
    }
    while let Some((before, _)) = rest
        .strip_suffix(CLOSING)
        .and_then(|inner| inner.rsplit_once(OPENING))
    {
        rest = before.trim_end();
    }
    if rest.len() == words.trim().len() {
        return words;
    }
    rest.to_owned()
}

/// The log of what was asked, which has several sessions, or a checkpoint.
fn list(items: &[Value], reading: &mut Reading<'_>) -> Result<()> {
    let mut before = None;
    for (number, item) in items.iter().enumerate() {
        let place = format!("[{number}]");
        if !item.is_object() {
            reading.problem(place, "it is no message")?;
            continue;
        }
        let own = text(item, "sessionId").map_or_else(|| reading.stem().to_owned(), str::to_owned);
        let id = ids::session("gemini", &own);
        if !reading.is_in(&id) {
            before = None;
            let details = SessionDetails {
                agents: vec![MODEL.into()],
                created_at: time(&item["timestamp"]),
                metadata: Map::from_iter([("title".to_owned(), json!(null))]),
                ..SessionDetails::default()
            };
            reading.session(id, details)?;
        }
        before = one(&own, &place, item, before, reading)?;
    }
    Ok(())
}
