//! Memories of mem0: an object with `results` (or `memories`), or a list.

use std::io::BufRead;

use mnemon::Result;
use mnemon::memory::{AgentId, Kind, Space, Tag};
use serde_json::{Map, Value, json};

use super::reading::{Message, Reading, missing, text, time};
use super::{ids, input};

/// Where a memory has its words, the surest first.
const WORDS: [&str; 4] = ["memory", "text", "data", "content"];

/// Members that have a place here.
const KNOWN: [&str; 8] = [
    "memory",
    "text",
    "data",
    "content",
    "created_at",
    "updated_at",
    "categories",
    "score",
];

/// Reads an export.
pub(super) fn read(input: &mut dyn BufRead, reading: &mut Reading<'_>) -> Result<()> {
    input::items(input, |number, item| {
        let place = format!("[{number}]");
        let item = match item
            .map_err(str::to_owned)
            .and_then(|item| input::value(&item))
        {
            Ok(item) => item,
            Err(problem) => return reading.problem(place, problem),
        };
        let mut is_whole = false;
        for name in ["results", "memories", "data"] {
            for (number, item) in item[name].as_array().into_iter().flatten().enumerate() {
                is_whole = true;
                memory(format!("{name}[{number}]"), item, reading)?;
            }
            is_whole |= item[name].is_array();
        }
        for (number, item) in item["relations"]
            .as_array()
            .into_iter()
            .flatten()
            .enumerate()
        {
            is_whole = true;
            relation(format!("relations[{number}]"), item, reading)?;
        }
        if is_whole {
            Ok(())
        } else {
            memory(place, &item, reading)
        }
    })
}

fn memory(place: String, item: &Value, reading: &mut Reading<'_>) -> Result<()> {
    let Some(words) = WORDS.iter().find_map(|name| text(item, name)) else {
        return reading.problem(place, missing("`memory` with words"));
    };
    let id = match text(item, "id") {
        Some(own) => ids::memory(Kind::Fact, &["mem0", own]),
        None => ids::memory(Kind::Fact, &["mem0", "words", words]),
    };
    let mut message = Message::new(place, id, Kind::Fact, words.to_owned());
    message.at = time(&item["created_at"]);
    let user = text(item, "user_id").unwrap_or(reading.about.user);
    let agent = text(item, "agent_id");
    agent.unwrap_or(user).clone_into(&mut message.author);
    // What an agent knows of nobody in particular is its own.
    let own_space = agent.filter(|_| text(item, "user_id").is_none());
    let agent: Option<AgentId> = own_space.and_then(|agent| agent.parse().ok());
    message.space = Some(agent.map_or(Space::Shared, Space::Agent));
    message.tags = tags(&item["categories"]);
    let members = item.as_object().into_iter().flatten();
    message.metadata = members
        .filter(|(name, _)| !KNOWN.contains(&name.as_str()))
        .map(|(name, value)| match name.as_str() {
            "id" => ("source_id".to_owned(), value.clone()),
            _ => (name.clone(), value.clone()),
        })
        .collect();
    if let Some(Value::Object(own)) = message.metadata.remove("metadata") {
        for (name, value) in own {
            message.metadata.entry(name).or_insert(value);
        }
    }
    reading.message(message)
}

/// An edge of what mem0 calls graph memory.
fn relation(place: String, item: &Value, reading: &mut Reading<'_>) -> Result<()> {
    let part = |names: [&str; 2]| names.iter().find_map(|name| text(item, name));
    let from = part(["source", "from"]);
    let to = part(["target", "destination"]);
    let (Some(from), Some(to)) = (from, to) else {
        return reading.problem(place, missing("`source` or no `target`"));
    };
    let kind = part(["relationship", "relation"]).unwrap_or("related to");
    let said = format!("{from} {} {to}", kind.replace('_', " "));
    let id = ids::memory(Kind::Fact, &["mem0", "relation", from, kind, to]);
    let mut message = Message::new(place, id, Kind::Fact, said);
    reading.about.user.clone_into(&mut message.author);
    message.space = Some(Space::Shared);
    message.metadata = Map::from_iter([
        ("from".to_owned(), json!(from)),
        ("to".to_owned(), json!(to)),
        ("relation_type".to_owned(), json!(kind)),
    ]);
    reading.message(message)
}

/// Labels without what a label can't have.
fn tags(categories: &Value) -> Vec<Tag> {
    let names = categories.as_array().into_iter().flatten();
    let names = names.filter_map(Value::as_str);
    names
        .filter_map(|name| {
            name.split_whitespace()
                .collect::<Vec<_>>()
                .join("-")
                .parse()
                .ok()
        })
        .collect()
}
