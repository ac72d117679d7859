//! The export of ChatGPT: a list of conversations, each a tree of messages.
//!
//! `current_node` is the end of what the person sees; answers that were made
//! again, and what followed them, are other branches of the tree and kept too.

use std::collections::{HashMap, HashSet};
use std::io::BufRead;

use mnemon::Result;
use mnemon::memory::{Kind, MemoryId, Space};
use mnemon::session::SessionDetails;
use serde_json::{Map, Value, json};

use super::reading::{Message, Reading, missing, text, time};
use super::{ids, input};

const MODEL: &str = "chatgpt";
/// What tools gave matters less than what was said.
const TOOL_IMPORTANCE: f64 = 0.2;

/// Reads an export.
pub(super) fn read(input: &mut dyn BufRead, reading: &mut Reading<'_>) -> Result<()> {
    input::items(input, |number, item| {
        let place = format!("[{number}]");
        match item
            .map_err(str::to_owned)
            .and_then(|item| input::value(&item))
        {
            Ok(Value::Object(mut whole)) if whole.contains_key("conversations") => {
                let list = whole.remove("conversations");
                for (number, item) in list
                    .iter()
                    .filter_map(Value::as_array)
                    .flatten()
                    .enumerate()
                {
                    conversation(&format!("conversations[{number}]"), item, reading)?;
                }
                Ok(())
            }
            Ok(item) => conversation(&place, &item, reading),
            Err(problem) => reading.problem(place, problem),
        }
    })
}

fn conversation(place: &str, item: &Value, reading: &mut Reading<'_>) -> Result<()> {
    let Some(mapping) = item["mapping"].as_object() else {
        return reading.problem(place.to_owned(), missing("`mapping` of messages"));
    };
    let Some(own) = text(item, "conversation_id").or_else(|| text(item, "id")) else {
        return reading.problem(place.to_owned(), missing("`conversation_id`"));
    };
    let details = SessionDetails {
        agents: vec![MODEL.into()],
        created_at: time(&item["create_time"]),
        metadata: Map::from_iter([
            ("title".to_owned(), item["title"].clone()),
            ("model".to_owned(), item["default_model_slug"].clone()),
            ("gizmo".to_owned(), item["gizmo_id"].clone()),
            ("archived".to_owned(), item["is_archived"].clone()),
        ]),
        ..SessionDetails::default()
    };
    reading.session(ids::session("chatgpt", own), details)?;
    let tree = Tree {
        own,
        place,
        mapping,
        current: path(mapping, text(item, "current_node")),
    };
    for name in tree.order() {
        tree.node(name, reading)?;
    }
    Ok(())
}

/// The nodes from the root to the one that was shown last; empty if nothing says which it is.
fn path<'v>(mapping: &'v Map<String, Value>, last: Option<&'v str>) -> HashSet<&'v str> {
    let mut path = HashSet::new();
    let mut next = last;
    while let Some(name) = next {
        // A circle ends where it began.
        if !mapping.contains_key(name) || !path.insert(name) {
            break;
        }
        next = text(&mapping[name], "parent");
    }
    path
}

struct Tree<'v> {
    /// The id of the conversation.
    own: &'v str,
    place: &'v str,
    mapping: &'v Map<String, Value>,
    /// The nodes of the branch that is shown.
    current: HashSet<&'v str>,
}

impl<'v> Tree<'v> {
    /// Every node once: parents before children, the branch that is shown last.
    fn order(&self) -> Vec<&'v str> {
        let mut order = Vec::new();
        let mut seen = HashSet::new();
        let is_root = |node: &Value| {
            text(node, "parent").is_none_or(|parent| !self.mapping.contains_key(parent))
        };
        let roots = self.mapping.iter().filter(|(_, node)| is_root(node));
        // What no root reaches stands in a circle.
        let all = self.mapping.iter();
        for (root, _) in roots.chain(all) {
            let mut stack = vec![root.as_str()];
            while let Some(name) = stack.pop() {
                let Some((name, node)) = self.mapping.get_key_value(name) else {
                    continue;
                };
                if !seen.insert(name.as_str()) {
                    continue;
                }
                order.push(name.as_str());
                let children = node["children"].as_array().into_iter().flatten();
                let mut children: Vec<&str> = children.filter_map(Value::as_str).collect();
                children.sort_by_key(|name| !self.current.contains(name));
                stack.extend(children);
            }
        }
        order
    }

    fn id(&self, name: &str) -> MemoryId {
        ids::memory(Kind::Conversation, &["chatgpt", self.own, name])
    }

    /// The message before a node, passing over nodes without one.
    fn parent(&self, name: &str) -> Option<MemoryId> {
        let mut seen = HashSet::new();
        let mut next = text(&self.mapping[name], "parent");
        while let Some(name) = next {
            let node = self.mapping.get(name)?;
            if !seen.insert(name) {
                return None;
            }
            if is_turn(&node["message"]) {
                return Some(self.id(name));
            }
            next = text(node, "parent");
        }
        None
    }

    fn node(&self, name: &str, reading: &mut Reading<'_>) -> Result<()> {
        let place = format!("{}.mapping.{name}", self.place);
        let node = &self.mapping[name];
        let said = &node["message"];
        if said.is_null() {
            // The root of the tree is no message.
            return Ok(());
        }
        if !said.is_object() {
            return reading.problem(place, "its message is no object");
        }
        let role = text(&said["author"], "role").unwrap_or_default();
        let content = Content::of(&said["content"]);
        if let Some(instructions) = content.instructions {
            return own_instructions(place, &instructions, reading);
        }
        if content.is_thought {
            return reading.leave(place, "thoughts of the model");
        }
        if is_hidden(said) {
            return reading.leave(place, "messages that ChatGPT hides");
        }
        let mut message = Message::new(place, self.id(name), Kind::Conversation, content.text);
        match role {
            "user" => {
                message.role = Some("user");
                reading.about.user.clone_into(&mut message.author);
            }
            "tool" => {
                message.role = Some("tool");
                text(&said["author"], "name")
                    .unwrap_or("tool")
                    .clone_into(&mut message.author);
                message.importance = Some(TOOL_IMPORTANCE);
            }
            "assistant" => {
                message.role = Some("assistant");
                MODEL.clone_into(&mut message.author);
            }
            other => {
                other.clone_into(&mut message.author);
                message.body.insert("role".into(), json!(other));
            }
        }
        message.at = time(&said["create_time"]).or_else(|| time(&said["update_time"]));
        message.parent = self.parent(name);
        message.metadata = self.metadata(name, said);
        if !content.attachments.is_empty() {
            let list = json!(content.attachments);
            message.metadata.insert("attachments".into(), list);
        }
        reading.message(message)
    }

    fn metadata(&self, name: &str, said: &Value) -> Map<String, Value> {
        let kind = &said["content"]["content_type"];
        let mut metadata = Map::from_iter([
            ("source_id".to_owned(), json!(name)),
            ("model".to_owned(), said["metadata"]["model_slug"].clone()),
            ("files".to_owned(), said["metadata"]["attachments"].clone()),
        ]);
        if kind != "text" {
            metadata.insert("content_type".into(), kind.clone());
        }
        if said["recipient"].as_str().is_some_and(|to| to != "all") {
            metadata.insert("recipient".into(), said["recipient"].clone());
        }
        if !self.current.is_empty() && !self.current.contains(name) {
            metadata.insert("branch".into(), json!("other"));
        }
        metadata
    }
}

fn is_hidden(said: &Value) -> bool {
    said["metadata"]["is_visually_hidden_from_conversation"] == true
        || said["author"]["role"] == "system"
}

/// Whether a message becomes a turn that others can answer.
fn is_turn(said: &Value) -> bool {
    let content = Content::of(&said["content"]);
    let has_words = !content.text.trim().is_empty();
    has_words && !content.is_thought && content.instructions.is_none() && !is_hidden(said)
}

/// What the person told ChatGPT about itself, which every conversation repeats: kept once.
fn own_instructions(place: String, said: &str, reading: &mut Reading<'_>) -> Result<()> {
    let id = ids::memory(Kind::Preference, &["chatgpt", "instructions", said]);
    let mut message = Message::new(place, id, Kind::Preference, said.to_owned());
    reading.about.user.clone_into(&mut message.author);
    message.space = Some(Space::Shared);
    message
        .body
        .insert("source".into(), json!("user_statement"));
    message
        .body
        .insert("topic".into(), json!("instructions for ChatGPT"));
    reading.message(message)
}

/// What a message says.
#[derive(Default)]
struct Content {
    text: String,
    is_thought: bool,
    attachments: Vec<Value>,
    instructions: Option<String>,
}

impl Content {
    fn of(content: &Value) -> Self {
        let own = |name: &str| content[name].as_str().unwrap_or_default().to_owned();
        let said = |text: String| Self {
            text,
            ..Self::default()
        };
        match content["content_type"].as_str().unwrap_or("text") {
            "thoughts" | "reasoning_recap" => Self {
                is_thought: true,
                ..Self::default()
            },
            "user_editable_context" => {
                let parts = [own("user_profile"), own("user_instructions")];
                let parts: Vec<String> = parts.into_iter().filter(|it| !it.is_empty()).collect();
                Self {
                    instructions: Some(parts.join("\n\n")),
                    ..Self::default()
                }
            }
            "code" | "execution_output" | "system_error" => said(own("text")),
            "tether_browsing_display" => said(own("result")),
            "tether_quote" => said([own("title"), own("url"), own("text")].join("\n")),
            "model_editable_context" => said(own("model_set_context")),
            _ => Self::of_parts(content),
        }
    }

    /// Texts, and objects that stand for something else.
    fn of_parts(content: &Value) -> Self {
        let mut found = Self::default();
        let mut texts = Vec::new();
        for part in content["parts"].as_array().into_iter().flatten() {
            match part {
                Value::String(text) => texts.push(text.clone()),
                Value::Object(_) => {
                    if let Some(said) = text(part, "text") {
                        texts.push(said.to_owned());
                    } else {
                        let sort = part["content_type"].as_str().unwrap_or("something");
                        texts.push(format!("[{}]", sort.replace("_asset_pointer", "")));
                        found.attachments.push(part.clone());
                    }
                }
                _ => {}
            }
        }
        if texts.is_empty() {
            // A generation that is not known yet: its words are the texts among its members.
            let members: HashMap<_, _> = content.as_object().into_iter().flatten().collect();
            let names = ["text", "result", "content"];
            let said = names
                .iter()
                .find_map(|name| members.get(&(*name).to_owned())?.as_str());
            texts.extend(said.map(str::to_owned));
        }
        texts.join("\n").trim().clone_into(&mut found.text);
        found
    }
}
