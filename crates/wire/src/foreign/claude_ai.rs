//! The export of Claude.ai: a list of conversations, and beside it projects
//! with their documents and what Claude remembers.

use std::io::BufRead;

use mnemon::Result;
use mnemon::memory::{Kind, MemoryId, Space};
use mnemon::session::SessionDetails;
use serde_json::{Map, Value, json};

use super::reading::{Message, Reading, text, time};
use super::{ids, input, tool};

const MODEL: &str = "claude";

/// Reads one of the files of an export.
pub(super) fn read(input: &mut dyn BufRead, reading: &mut Reading<'_>) -> Result<()> {
    input::items(input, |number, item| {
        let place = format!("[{number}]");
        match item
            .map_err(str::to_owned)
            .and_then(|item| input::value(&item))
        {
            Ok(item) => one(&place, &item, reading),
            Err(problem) => reading.problem(place, problem),
        }
    })
}

fn one(place: &str, item: &Value, reading: &mut Reading<'_>) -> Result<()> {
    let place = place.to_owned();
    if let Some(messages) = item["chat_messages"].as_array() {
        conversation(&place, item, messages, reading)
    } else if item["docs"].is_array() || item.get("prompt_template").is_some() {
        project(&place, item, reading)
    } else if item.get("conversations_memory").is_some() || item.get("project_memories").is_some() {
        remembered(&place, item, reading)
    } else if item.get("email_address").is_some() || item.get("full_name").is_some() {
        reading.leave(place, "accounts")
    } else {
        let problem = "it is no conversation, project or memory of Claude.ai";
        reading.problem(place, problem)
    }
}

fn conversation(
    place: &str,
    item: &Value,
    messages: &[Value],
    reading: &mut Reading<'_>,
) -> Result<()> {
    let Some(own) = text(item, "uuid") else {
        return reading.problem(place.to_owned(), "it has no `uuid`");
    };
    let details = SessionDetails {
        agents: vec![MODEL.into()],
        project: text(&item["project"], "name").map(str::to_owned),
        created_at: time(&item["created_at"]),
        metadata: Map::from_iter([
            ("title".to_owned(), item["name"].clone()),
            ("summary".to_owned(), item["summary"].clone()),
        ]),
        ..SessionDetails::default()
    };
    reading.session(ids::session("claude-ai", own), details)?;
    let mut before = None;
    for (number, said) in messages.iter().enumerate() {
        let place = format!("{place}.chat_messages[{number}]");
        before = message(own, place, said, before, reading)?;
    }
    Ok(())
}

/// Takes a message with all that belongs to it; gives its id, or the one before.
fn message(
    own: &str,
    place: String,
    said: &Value,
    before: Option<MemoryId>,
    reading: &mut Reading<'_>,
) -> Result<Option<MemoryId>> {
    if !said.is_object() {
        reading.problem(place, "it is no message")?;
        return Ok(before);
    }
    let words = words(said);
    let uuid = match text(said, "uuid") {
        Some(uuid) => uuid.to_owned(),
        // The first generation had none.
        None => ids::digest(&[&words, &reading.occurrence(&[own, &words])], 26),
    };
    let id = ids::memory(Kind::Conversation, &["claude-ai", own, &uuid]);
    let is_person = ["human", "user"].contains(&text(said, "sender").unwrap_or_default());
    let author = if is_person { reading.about.user } else { MODEL };
    let at = time(&said["created_at"]);
    let parent = text(said, "parent_message_uuid")
        // The root of every conversation.
        .filter(|uuid| !uuid.starts_with("00000000-0000-4000-8000"))
        .map(|uuid| ids::memory(Kind::Conversation, &["claude-ai", own, uuid]))
        .or_else(|| before.clone());
    let has_words = !words.trim().is_empty();
    let mut turn = Message::new(place.clone(), id.clone(), Kind::Conversation, words);
    turn.role = Some(if is_person { "user" } else { "assistant" });
    author.clone_into(&mut turn.author);
    (turn.at, turn.parent) = (at, parent);
    turn.metadata = Map::from_iter([
        ("source_id".to_owned(), json!(uuid)),
        ("files".to_owned(), file_names(said)),
    ]);
    reading.message(turn)?;
    let belongs = Belongs {
        uuid: &uuid,
        turn: has_words.then(|| id.clone()),
        author,
        place: &place,
        said,
    };
    belongs.attachments(reading)?;
    belongs.tools(reading)?;
    Ok(if has_words { Some(id) } else { before })
}

/// The words of a message: of its blocks, or of the older form.
fn words(said: &Value) -> String {
    let blocks = said["content"].as_array().into_iter().flatten();
    let texts = blocks.filter(|block| block["type"] == "text");
    let texts: Vec<&str> = texts.filter_map(|block| block["text"].as_str()).collect();
    let joined = texts.join("\n");
    if joined.trim().is_empty() {
        text(said, "text").unwrap_or_default().to_owned()
    } else {
        joined
    }
}

fn file_names(said: &Value) -> Value {
    let files = said["files"].as_array().into_iter().flatten();
    let names: Vec<&Value> = files.map(|file| &file["file_name"]).collect();
    if names.is_empty() {
        Value::Null
    } else {
        json!(names)
    }
}

/// What belongs to a message.
struct Belongs<'a> {
    uuid: &'a str,
    turn: Option<MemoryId>,
    author: &'a str,
    place: &'a str,
    said: &'a Value,
}

impl Belongs<'_> {
    fn attachments(&self, reading: &mut Reading<'_>) -> Result<()> {
        let list = self.said["attachments"].as_array();
        for (number, file) in list.into_iter().flatten().enumerate() {
            let place = format!("{}.attachments[{number}]", self.place);
            let name = text(file, "file_name").unwrap_or_default();
            let content = text(file, "extracted_content").unwrap_or_default();
            let parts = ["claude-ai", self.uuid, "attachment", &number.to_string()];
            let id = ids::memory(Kind::Artifact, &parts);
            let mut artifact = Message::new(place, id, Kind::Artifact, content.to_owned());
            self.author.clone_into(&mut artifact.author);
            artifact.at = time(&self.said["created_at"]);
            artifact.turn.clone_from(&self.turn);
            artifact.body = Map::from_iter([
                ("title".to_owned(), json!(name)),
                ("type".to_owned(), json!("attachment")),
                ("size_bytes".to_owned(), file["file_size"].clone()),
            ]);
            reading.message(artifact)?;
        }
        Ok(())
    }

    fn tools(&self, reading: &mut Reading<'_>) -> Result<()> {
        let blocks: Vec<&Value> = self.said["content"]
            .as_array()
            .into_iter()
            .flatten()
            .collect();
        for (number, block) in blocks.iter().enumerate() {
            if block["type"] != "tool_use" {
                continue;
            }
            let input = &block["input"];
            let number = number.to_string();
            let parts = ["claude-ai", self.uuid, "tool", &number];
            let mut used = tool::Use {
                place: format!("{}.content[{number}]", self.place),
                parts: &parts,
                name: text(block, "name").unwrap_or("a tool"),
                input,
                author: self.author,
                at: time(&block["start_timestamp"]).or_else(|| time(&self.said["created_at"])),
                turn: self.turn.clone(),
            }
            .message();
            // The result is the next block, or the one that names the use.
            let result = blocks.iter().find(|result| {
                result["type"] == "tool_result"
                    && !block["id"].is_null()
                    && result["tool_use_id"] == block["id"]
            });
            if let Some(result) = result {
                tool::add_result(&mut used, &result["content"], result["is_error"] == true);
            }
            if let Some(made) = text(input, "content").filter(|_| block["name"] == "artifacts") {
                made.clone_into(&mut used.text);
                used.kind = Kind::Artifact;
                used.id = ids::memory(Kind::Artifact, &parts);
                used.importance = None;
                used.metadata.remove("input");
                used.body = Map::from_iter([
                    ("title".to_owned(), input["title"].clone()),
                    ("type".to_owned(), input["type"].clone()),
                ]);
            }
            reading.message(used)?;
        }
        Ok(())
    }
}

/// A project: what it is for, and its documents.
fn project(place: &str, item: &Value, reading: &mut Reading<'_>) -> Result<()> {
    let own = text(item, "uuid").unwrap_or_else(|| reading.stem());
    let name = text(item, "name").unwrap_or("a project");
    let details = SessionDetails {
        project: Some(name.to_owned()),
        created_at: time(&item["created_at"]),
        metadata: Map::from_iter([("title".to_owned(), json!(format!("Project {name}")))]),
        ..SessionDetails::default()
    };
    reading.session(ids::session("claude-project", own), details)?;
    for (field, kind) in [
        ("description", Kind::Fact),
        ("prompt_template", Kind::Procedure),
    ] {
        if let Some(said) = text(item, field) {
            let id = ids::memory(kind, &["claude-ai", own, field]);
            let mut message = Message::new(format!("{place}.{field}"), id, kind, said.to_owned());
            reading.about.user.clone_into(&mut message.author);
            message.at = time(&item["created_at"]);
            reading.message(message)?;
        }
    }
    for (number, doc) in item["docs"].as_array().into_iter().flatten().enumerate() {
        let place = format!("{place}.docs[{number}]");
        let uuid = text(doc, "uuid").map_or_else(|| number.to_string(), str::to_owned);
        let id = ids::memory(Kind::Artifact, &["claude-ai", own, "doc", &uuid]);
        let said = text(doc, "content").unwrap_or_default().to_owned();
        let mut message = Message::new(place, id, Kind::Artifact, said);
        reading.about.user.clone_into(&mut message.author);
        message.at = time(&doc["created_at"]);
        message.body.insert("title".into(), doc["filename"].clone());
        reading.message(message)?;
    }
    Ok(())
}

/// What Claude remembers of the person.
fn remembered(place: &str, item: &Value, reading: &mut Reading<'_>) -> Result<()> {
    let mut told: Vec<(String, &str)> = Vec::new();
    if let Some(said) = text(item, "conversations_memory") {
        told.push(("conversations_memory".into(), said));
    }
    for (project, said) in item["project_memories"].as_object().into_iter().flatten() {
        if let Some(said) = said.as_str() {
            told.push((format!("project_memories.{project}"), said));
        }
    }
    for (name, said) in told {
        // A text that changed is another memory.
        let id = ids::memory(Kind::Learning, &["claude-ai", &name, said]);
        let mut message = Message::new(format!("{place}.{name}"), id, Kind::Learning, said.into());
        MODEL.clone_into(&mut message.author);
        message.space = Some(Space::Shared);
        message.metadata.insert("source_id".into(), json!(name));
        reading.message(message)?;
    }
    Ok(())
}
