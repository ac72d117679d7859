//! Rollouts of Codex CLI: lines with a `type` and a `payload`, and the older
//! form whose lines are the payloads themselves.
//!
//! Messages have no ids there, so they are named by their session, their time
//! and their words.

use std::collections::HashMap;
use std::io::BufRead;

use mnemon::Result;
use mnemon::memory::{Kind, MemoryId};
use mnemon::session::SessionDetails;
use serde_json::{Map, Value, json};

use super::reading::{Message, Reading, text, time};
use super::{ids, input, tool};

const MODEL: &str = "codex";
const WAITING_MAX: usize = 256;

/// What the client puts in itself begins with one of these.
const OWN: [&str; 7] = [
    "<environment_context>",
    "<user_instructions>",
    "<INSTRUCTIONS>",
    "# AGENTS.md instructions",
    "<turn_aborted>",
    "<permissions instructions>",
    "<skill>",
];

/// Reads a rollout.
pub(super) fn read(input: &mut dyn BufRead, reading: &mut Reading<'_>) -> Result<()> {
    let mut rollout = Rollout::default();
    input::lines(input, |number, line| {
        let place = format!("line {number}");
        match line
            .map_err(str::to_owned)
            .and_then(|line| input::value(&line))
        {
            Ok(line) => rollout.take(place, &line, reading),
            Err(problem) => reading.problem(place, problem),
        }
    })?;
    rollout.settle(reading)
}

#[derive(Default)]
struct Rollout {
    /// The id of the session.
    own: Option<String>,
    model: Value,
    last_turn: Option<MemoryId>,
    waiting: Vec<Message>,
    places: HashMap<String, usize>,
}

impl Rollout {
    fn take(&mut self, place: String, line: &Value, reading: &mut Reading<'_>) -> Result<()> {
        let Some(payload) = line.get("payload") else {
            return self.bare(place, line, reading);
        };
        match text(line, "type").unwrap_or_default() {
            "session_meta" => {
                self.enter(payload, line, reading)?;
                reading.leave(place, "records of the client (session_meta)")
            }
            "response_item" => self.item(place, payload, line, reading),
            "compacted" => self.summary(place, payload, line, reading),
            "event_msg" => event(place, payload, reading),
            sort => {
                if sort == "turn_context" {
                    self.model = payload["model"].clone();
                }
                let sort: String = sort.chars().take(40).collect();
                reading.leave(place, format!("records of the client ({sort})"))
            }
        }
    }

    /// A line of the older form.
    fn bare(&mut self, place: String, line: &Value, reading: &mut Reading<'_>) -> Result<()> {
        if line.get("record_type").is_some() {
            return reading.leave(place, "records of the client (state)");
        }
        if line.get("type").is_some() {
            return self.item(place, line, line, reading);
        }
        if line.get("id").is_some() && line.get("timestamp").is_some() {
            self.enter(line, line, reading)?;
            return reading.leave(place, "records of the client (session_meta)");
        }
        reading.problem(place, "it is no record of Codex")
    }

    fn enter(&mut self, meta: &Value, line: &Value, reading: &mut Reading<'_>) -> Result<()> {
        if self.own.is_some() {
            // A session that goes on from another repeats where it comes from.
            return Ok(());
        }
        let own = text(meta, "id")
            .unwrap_or_else(|| reading.stem())
            .to_owned();
        let details = SessionDetails {
            agents: vec![MODEL.into()],
            project: text(meta, "cwd").map(str::to_owned),
            created_at: time(&meta["timestamp"]).or_else(|| time(&line["timestamp"])),
            metadata: Map::from_iter([
                ("version".to_owned(), meta["cli_version"].clone()),
                ("branch".to_owned(), meta["git"]["branch"].clone()),
                ("forked_from".to_owned(), meta["forked_from_id"].clone()),
            ]),
            ..SessionDetails::default()
        };
        let id = ids::session("codex", &own);
        self.own = Some(own);
        reading.session(id, details)
    }

    fn item(
        &mut self,
        place: String,
        item: &Value,
        line: &Value,
        reading: &mut Reading<'_>,
    ) -> Result<()> {
        if self.own.is_none() {
            self.enter(&json!({}), line, reading)?;
        }
        match text(item, "type").unwrap_or_default() {
            "message" => self.message(place, item, line, reading),
            "reasoning" => reading.leave(place, "thoughts of the model"),
            "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" => {
                self.result(item, reading)?;
                reading.leave(place, "results of tools, kept with their use")
            }
            "function_call" | "custom_tool_call" | "local_shell_call" | "web_search_call"
            | "tool_search_call" => self.tool(place, item, line, reading),
            sort => {
                let sort: String = sort.chars().take(40).collect();
                reading.leave(place, format!("records of the client ({sort})"))
            }
        }
    }

    fn message(
        &mut self,
        place: String,
        item: &Value,
        line: &Value,
        reading: &mut Reading<'_>,
    ) -> Result<()> {
        let words = words(&item["content"]);
        let role = text(item, "role").unwrap_or_default();
        let is_person = role == "user";
        if !["user", "assistant"].contains(&role) || OWN.iter().any(|own| words.starts_with(own)) {
            return reading.leave(place, "texts that the client put in itself");
        }
        let id = self.id(Kind::Conversation, role, &words, line, reading);
        let mut message = Message::new(place, id.clone(), Kind::Conversation, words);
        message.role = Some(if is_person { "user" } else { "assistant" });
        let author = if is_person { reading.about.user } else { MODEL };
        author.clone_into(&mut message.author);
        message.at = time(&line["timestamp"]);
        message.parent.clone_from(&self.last_turn);
        if !is_person {
            message.metadata.insert("model".into(), self.model.clone());
        }
        if !message.text.trim().is_empty() {
            self.last_turn = Some(id);
        }
        self.settle(reading)?;
        reading.message(message)
    }

    /// What the client says that was said before, when it no longer fits.
    fn summary(
        &mut self,
        place: String,
        payload: &Value,
        line: &Value,
        reading: &mut Reading<'_>,
    ) -> Result<()> {
        let words = text(payload, "message").unwrap_or_default().to_owned();
        let id = self.id(Kind::Conversation, "summary", &words, line, reading);
        let mut message = Message::new(place, id, Kind::Conversation, words);
        message.role = Some("system");
        MODEL.clone_into(&mut message.author);
        message.at = time(&line["timestamp"]);
        message.body.insert("type".into(), json!("summary"));
        self.settle(reading)?;
        reading.message(message)
    }

    fn tool(
        &mut self,
        place: String,
        item: &Value,
        line: &Value,
        reading: &mut Reading<'_>,
    ) -> Result<()> {
        let call = text(item, "call_id").or_else(|| text(item, "id"));
        let given = item.get("arguments").or_else(|| item.get("input"));
        let given = given
            .or_else(|| item.get("action"))
            .cloned()
            .unwrap_or_default();
        // Arguments are JSON in a text.
        let given = match &given {
            Value::String(text) => serde_json::from_str(text).unwrap_or(given),
            _ => given,
        };
        let own = self.own.clone().unwrap_or_default();
        let call = match call {
            Some(call) => call.to_owned(),
            None => {
                let parts = [own.as_str(), &given.to_string()];
                let nth = reading.occurrence(&parts);
                ids::digest(&[&given.to_string(), &nth], 26)
            }
        };
        let sort = text(item, "type").unwrap_or("a tool");
        let message = tool::Use {
            place,
            parts: &["codex", &own, &call],
            name: text(item, "name").unwrap_or_else(|| sort.trim_end_matches("_call")),
            input: &given,
            author: MODEL,
            at: time(&line["timestamp"]),
            turn: self.last_turn.clone(),
        }
        .message();
        self.places.insert(call, self.waiting.len());
        self.waiting.push(message);
        if self.waiting.len() > WAITING_MAX {
            self.settle(reading)?;
        }
        Ok(())
    }

    fn result(&mut self, item: &Value, reading: &mut Reading<'_>) -> Result<()> {
        let call = text(item, "call_id").unwrap_or_default();
        if let Some(place) = self.places.remove(call)
            && let Some(message) = self.waiting.get_mut(place)
        {
            tool::add_result(message, &item["output"], false);
        }
        if self.places.is_empty() {
            self.settle(reading)?;
        }
        Ok(())
    }

    fn settle(&mut self, reading: &mut Reading<'_>) -> Result<()> {
        self.places.clear();
        for message in std::mem::take(&mut self.waiting) {
            reading.message(message)?;
        }
        Ok(())
    }

    fn id(
        &self,
        kind: Kind,
        role: &str,
        words: &str,
        line: &Value,
        reading: &mut Reading<'_>,
    ) -> MemoryId {
        let own = self.own.as_deref().unwrap_or_default();
        let at = text(line, "timestamp").unwrap_or_default();
        let nth = reading.occurrence(&[own, at, role, words]);
        ids::memory(kind, &["codex", own, at, role, words, &nth])
    }
}

/// Events repeat what the items say, for whoever watches.
fn event(place: String, payload: &Value, reading: &mut Reading<'_>) -> Result<()> {
    match text(payload, "type").unwrap_or_default() {
        "user_message" | "agent_message" => reading.leave(place, "events that repeat a message"),
        "agent_reasoning" | "agent_reasoning_raw_content" => {
            reading.leave(place, "thoughts of the model")
        }
        sort => {
            let sort: String = sort.chars().take(40).collect();
            reading.leave(place, format!("records of the client ({sort})"))
        }
    }
}

/// The words in a message: `input_text`, `output_text`, or a plain text.
fn words(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<String> = parts
                .iter()
                .filter_map(|part| match part["text"].as_str() {
                    Some(text) => Some(text.to_owned()),
                    None if part["type"] == "input_image" => Some("[image]".to_owned()),
                    None => None,
                })
                .collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}
