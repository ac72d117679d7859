//! Transcripts of Claude Code: a line of JSON for everything that happened.
//!
//! What people and the model said becomes turns, what tools were used for
//! becomes events with what came of it. The hook reads the same lines with
//! [`turn`], so that what it kept is there already when it is imported.

use std::collections::HashMap;
use std::io::BufRead;

use mnemon::Result;
use mnemon::memory::{Body, Draft, Kind, MemoryId, SessionId, Text};
use mnemon::session::SessionDetails;
use serde_json::{Map, Value, json};

use super::reading::{Message, Reading, cut, text, time};
use super::{ids, input, tool};

/// Who answers.
const MODEL: &str = "claude-code";
/// So many uses of tools wait for what comes of them.
const WAITING_MAX: usize = 256;

/// What the client puts into a conversation itself begins with one of these.
const OWN: [&str; 14] = [
    "<command-name>",
    "<command-message>",
    "<command-args>",
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<local-command-caveat>",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<system-reminder>",
    "<task-notification>",
    "<user-prompt-submit-hook>",
    "<ide_opened_file>",
    "<ide_selection>",
];

/// The session in which a conversation is kept.
pub fn session_id(own: &str) -> SessionId {
    ids::session("claude", own)
}

/// What a line says, if somebody said it in the conversation itself.
pub fn turn(line: &[u8], user: &str) -> Option<Draft> {
    let line: Value = serde_json::from_slice(line).ok()?;
    let said = Said::of(&line)?;
    if said.is_aside || said.is_own {
        return None;
    }
    // What is too long for one memory is several after an import, and this is the first of them.
    let words = cut(&said.words).first()?.to_string();
    let mut draft = Draft::new(Kind::Conversation, Text::try_from(words).ok()?);
    draft.id = Some(turn_id(text(&line, "uuid")?)?);
    draft.created_at = time(&line["timestamp"]);
    draft.author = said.role.author(user).parse().ok();
    draft.body = Body::from_map(Kind::Conversation, said.role.body()).ok()?;
    Some(draft)
}

fn turn_id(uuid: &str) -> Option<MemoryId> {
    format!("turn_{uuid}").parse().ok()
}

/// What sort of message it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    User,
    Model,
    /// What the model says that it remembers of what no longer fits.
    Summary,
}

impl Role {
    fn author(self, user: &str) -> &str {
        match self {
            Self::User => user,
            Self::Model | Self::Summary => MODEL,
        }
    }

    fn body(self) -> Map<String, Value> {
        let role = match self {
            Self::User => "user",
            Self::Model => "assistant",
            Self::Summary => "system",
        };
        let mut body = Map::from_iter([("role".to_owned(), json!(role))]);
        if self == Self::Summary {
            body.insert("type".into(), json!("summary"));
        }
        body
    }
}

/// The words of a line.
struct Said {
    role: Role,
    words: String,
    /// Said to or by a sub-agent, or meant for the model alone.
    is_aside: bool,
    /// Put in by the client.
    is_own: bool,
}

impl Said {
    fn of(line: &Value) -> Option<Self> {
        let flag = |name: &str| line[name].as_bool() == Some(true);
        let role = match text(line, "type")? {
            "user" if flag("isCompactSummary") => Role::Summary,
            "user" => Role::User,
            "assistant" => Role::Model,
            _ => return None,
        };
        let words = words(&line["message"]["content"]);
        let words = words.trim();
        let is_own = role == Role::User && OWN.iter().any(|mark| words.starts_with(mark));
        (!words.is_empty()).then(|| Self {
            role,
            words: words.to_owned(),
            is_aside: flag("isSidechain") || flag("isMeta"),
            is_own: is_own || flag("isApiErrorMessage"),
        })
    }
}

/// The words in a message, without thoughts, tools and what they gave.
fn words(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter(|part| part["type"] == "text");
            let texts: Vec<&str> = texts.filter_map(|part| part["text"].as_str()).collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}

/// Reads a transcript.
pub(super) fn read(input: &mut dyn BufRead, reading: &mut Reading<'_>) -> Result<()> {
    let mut transcript = Transcript::default();
    input::lines(input, |number, line| {
        let place = format!("line {number}");
        match line
            .map_err(str::to_owned)
            .and_then(|line| input::value(&line))
        {
            Ok(line) => transcript.take(place, &line, reading),
            Err(problem) => reading.problem(place, problem),
        }
    })?;
    transcript.finish(reading)
}

#[derive(Default)]
struct Transcript {
    title: Option<String>,
    last_turn: Option<MemoryId>,
    /// The last turn at or above each line, which not every line is.
    turns: HashMap<String, MemoryId>,
    /// Uses of tools whose results have not come yet, in order.
    waiting: Vec<(String, Message)>,
    places: HashMap<String, usize>,
}

impl Transcript {
    fn take(&mut self, place: String, line: &Value, reading: &mut Reading<'_>) -> Result<()> {
        let Some(sort) = text(line, "type") else {
            return reading.problem(place, "it is no record with a type");
        };
        match sort {
            "user" | "assistant" => self.message(place, line, reading),
            "summary" => {
                self.title = text(line, "summary").map(str::to_owned);
                reading.leave(place, "titles")
            }
            "custom-title" | "ai-title" => {
                let title = text(line, "customTitle").or_else(|| text(line, "aiTitle"));
                self.title = title.map(str::to_owned).or(self.title.take());
                reading.leave(place, "titles")
            }
            sort => {
                let sort: String = sort.chars().take(40).collect();
                reading.leave(place, format!("records of the client ({sort})"))
            }
        }
    }

    fn message(&mut self, place: String, line: &Value, reading: &mut Reading<'_>) -> Result<()> {
        self.enter(line, reading)?;
        self.place(line);
        if let Some(said) = Said::of(line) {
            // Results come before anybody speaks again.
            self.settle_all(reading)?;
            self.turn(place.clone(), line, said, reading)?;
            return self.tools(&place, line, reading).map(drop);
        }
        let mut is_told = self.tools(&place, line, reading)?;
        for block in blocks(line).filter(|block| block["type"] == "tool_result") {
            self.result(block, reading)?;
            is_told = true;
        }
        if is_told {
            // The uses are pieces of their own; the line that answers them says no more.
            let has_results = blocks(line).any(|block| block["type"] == "tool_result");
            return if has_results {
                reading.leave(place, "results of tools, kept with their use")
            } else {
                Ok(())
            };
        }
        let has_thoughts = blocks(line).any(|block| {
            ["thinking", "redacted_thinking"].contains(&block["type"].as_str().unwrap_or_default())
        });
        let why = if has_thoughts {
            "thoughts of the model"
        } else {
            "messages without words"
        };
        reading.leave(place, why)
    }

    /// The turn that a line answers: its parent, or the nearest above that is one.
    fn above(&self, line: &Value) -> Option<MemoryId> {
        let parent = text(line, "parentUuid")?;
        // What is not in this file may be in another.
        let known = self.turns.get(parent).cloned();
        known.or_else(|| turn_id(parent))
    }

    /// Remembers which turn a line is, or stands below.
    fn place(&mut self, line: &Value) {
        let Some(uuid) = text(line, "uuid") else {
            return;
        };
        let said = Said::of(line).filter(|said| !said.is_own && line["isMeta"] != true);
        let turn = match said {
            Some(_) => turn_id(uuid),
            None => self.above(line),
        };
        if let Some(turn) = turn {
            self.turns.insert(uuid.to_owned(), turn);
        }
    }

    /// Says which session this is, if it is another than before.
    fn enter(&mut self, line: &Value, reading: &mut Reading<'_>) -> Result<()> {
        let own = text(line, "sessionId").unwrap_or_else(|| reading.stem());
        let id = session_id(own);
        if reading.is_in(&id) {
            return Ok(());
        }
        self.settle_all(reading)?;
        self.last_turn = None;
        let details = SessionDetails {
            agents: vec![MODEL.into()],
            project: text(line, "cwd").map(str::to_owned),
            created_at: time(&line["timestamp"]),
            metadata: Map::from_iter([
                ("title".to_owned(), json!(self.title.take())),
                ("version".to_owned(), line["version"].clone()),
                ("branch".to_owned(), line["gitBranch"].clone()),
            ]),
            ..SessionDetails::default()
        };
        reading.session(id, details)
    }

    fn turn(
        &mut self,
        place: String,
        line: &Value,
        said: Said,
        reading: &mut Reading<'_>,
    ) -> Result<()> {
        if said.is_own || line["isMeta"].as_bool() == Some(true) {
            return reading.leave(place, "texts that the client put in itself");
        }
        let Some(id) = text(line, "uuid").and_then(turn_id) else {
            return reading.problem(place, "it has no uuid that could name it");
        };
        let mut message = Message::new(place, id.clone(), Kind::Conversation, said.words);
        let is_side = line["isSidechain"].as_bool() == Some(true);
        message.author = match (is_side, said.role) {
            // A sub-agent is told what to do by the model.
            (true, Role::User) => MODEL.to_owned(),
            (true, _) => format!("{MODEL}-subagent"),
            (false, role) => role.author(reading.about.user).to_owned(),
        };
        message.at = time(&line["timestamp"]);
        message.parent = self.above(line);
        message.body = said.role.body();
        message.metadata = Map::from_iter([
            ("model".to_owned(), line["message"]["model"].clone()),
            ("subagent".to_owned(), line["agentId"].clone()),
        ]);
        if is_side {
            message.metadata.insert("sidechain".into(), json!(true));
            message.importance = Some(0.3);
        }
        if !is_side {
            self.last_turn = Some(id);
        }
        reading.message(message)
    }

    /// Keeps the uses of tools until their results come; says whether there were any.
    fn tools(&mut self, place: &str, line: &Value, reading: &mut Reading<'_>) -> Result<bool> {
        let mut found = false;
        for block in blocks(line).filter(|block| block["type"] == "tool_use") {
            found = true;
            let own = text(block, "id").unwrap_or_default();
            let uuid = text(line, "uuid").unwrap_or_default();
            let message = tool::Use {
                place: place.to_owned(),
                parts: &["claude-code", uuid, own],
                name: text(block, "name").unwrap_or("a tool"),
                input: &block["input"],
                author: MODEL,
                at: time(&line["timestamp"]),
                turn: self.last_turn.clone(),
            }
            .message();
            self.places.insert(own.to_owned(), self.waiting.len());
            self.waiting.push((own.to_owned(), message));
        }
        if self.waiting.len() > WAITING_MAX {
            self.settle_all(reading)?;
        }
        Ok(found)
    }

    /// Joins a result to its use.
    fn result(&mut self, block: &Value, reading: &mut Reading<'_>) -> Result<()> {
        let own = text(block, "tool_use_id").unwrap_or_default();
        let Some(place) = self.places.get(own).copied() else {
            return Ok(());
        };
        let is_error = block["is_error"].as_bool() == Some(true);
        if let Some((_, message)) = self.waiting.get_mut(place) {
            tool::add_result(message, &block["content"], is_error);
        }
        self.places.remove(own);
        if self.places.is_empty() {
            self.settle_all(reading)?;
        }
        Ok(())
    }

    fn settle_all(&mut self, reading: &mut Reading<'_>) -> Result<()> {
        self.places.clear();
        for (_, message) in std::mem::take(&mut self.waiting) {
            reading.message(message)?;
        }
        Ok(())
    }

    fn finish(&mut self, reading: &mut Reading<'_>) -> Result<()> {
        self.settle_all(reading)
    }
}

fn blocks(line: &Value) -> impl Iterator<Item = &Value> {
    line["message"]["content"].as_array().into_iter().flatten()
}
