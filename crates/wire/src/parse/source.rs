//! The shapes of the sources, turned into ours.
//!
//! An entry of the persistence layer has its words in `content`, one of the
//! files by type has them in `decision`, `description` or `message`, and both
//! say `timestamp`, `session_id` and `references`. What has a place of its own
//! here moves there; the rest stays where it is and ends up in the body.

use mnemon::Result;
use mnemon::memory::Kind;
use serde_json::{Map, Value};

use super::{DEFAULT_KIND, field};

/// Where the sources keep the main sentence, the surest first.
const TEXT_MEMBERS: [&str; 14] = [
    "message",
    "decision",
    "finding",
    "description",
    "preference",
    "learning",
    "fact",
    "event",
    "procedure",
    "statement",
    "summary",
    "title",
    "name",
    "context",
];

/// Moves what the sources call otherwise to our names, and says which kind it is.
pub(super) fn normalise(map: &mut Map<String, Value>) -> Result<Kind> {
    rename(map, "timestamp", "created_at");
    spread_content(map);
    let kind = kind(map)?;
    if kind == Kind::Conversation {
        spread_context(map);
    }
    if !map.contains_key("text")
        && let Some(text) = main_sentence(map)
    {
        map.insert("text".into(), Value::String(text));
    }
    session(map)?;
    author(map, kind);
    Ok(kind)
}

/// The kind that a word of ours or of the sources names: also plurals, `turn`, `message`.
pub fn kind_from_word(word: &str) -> Result<Kind> {
    let lower = word.to_ascii_lowercase();
    match lower.as_str() {
        "turn" | "turns" | "conversation_turn" | "message" | "messages" => Ok(Kind::Conversation),
        "agent_state" | "agent_states" => Ok(Kind::State),
        "user_preference" => Ok(Kind::Preference),
        _ => Kind::ALL
            .into_iter()
            .find(|kind| lower.strip_suffix('s') == Some(kind.as_str()))
            .map_or_else(|| lower.parse(), Ok)
            // The message should show what was given, not what was made of it.
            .or_else(|_: mnemon::Error| word.parse()),
    }
}

/// The ids in `references`: a list, or lists by kind.
pub(super) fn references(map: &mut Map<String, Value>) -> Result<Vec<String>> {
    let lists = match map.remove("references") {
        None => Vec::new(),
        Some(Value::Object(by_kind)) => by_kind.into_iter().map(|(_, list)| list).collect(),
        Some(list) => vec![list],
    };
    let mut ids = Vec::new();
    for list in lists {
        let Value::Array(items) = list else {
            return Err(field::rule("references", "lists of ids", &list.to_string()));
        };
        for item in items {
            ids.push(field::string("references", item)?);
        }
    }
    Ok(ids)
}

/// Words in `content` are the text; members of it belong to the memory.
fn spread_content(map: &mut Map<String, Value>) {
    if map.contains_key("text") {
        return;
    }
    match map.remove("content") {
        Some(Value::Object(members)) => {
            for (name, value) in members {
                if !value.is_null() {
                    map.entry(name).or_insert(value);
                }
            }
        }
        Some(Value::String(text)) => {
            map.insert("text".into(), Value::String(text));
        }
        Some(other) => {
            map.insert("content".into(), other);
        }
        None => {}
    }
}

/// A turn's `context` is an object of members that a turn has itself.
fn spread_context(map: &mut Map<String, Value>) {
    if let Some(Value::Object(_)) = map.get("context")
        && let Some(Value::Object(members)) = map.remove("context")
    {
        for (name, value) in members {
            map.entry(name).or_insert(value);
        }
    }
}

fn kind(map: &mut Map<String, Value>) -> Result<Kind> {
    if let Some(kind) = map.remove("kind") {
        return kind_from_word(&field::string("kind", kind)?);
    }
    match map.get("type") {
        Some(Value::String(word)) => {
            let kind = kind_from_word(word)?;
            map.remove("type");
            Ok(kind)
        }
        // Our own shape leaves the kind out only when it is the default.
        _ if map.contains_key("text") && !map.contains_key("role") => Ok(DEFAULT_KIND),
        _ => Ok(kind_by_members(map)),
    }
}

/// The files by type don't say the type: the members do.
fn kind_by_members(map: &Map<String, Value>) -> Kind {
    let has = |name: &str| map.contains_key(name);
    if has("role") || has("message") {
        Kind::Conversation
    } else if has("decision") {
        Kind::Decision
    } else if has("finding") || has("severity") || has("discovered_by") {
        Kind::Finding
    } else if has("preference") || (has("key") && has("value")) {
        Kind::Preference
    } else if has("learning") {
        Kind::Learning
    } else {
        DEFAULT_KIND
    }
}

/// The member that says it, taken out; `context` stays, because it is a field too.
fn main_sentence(map: &mut Map<String, Value>) -> Option<String> {
    for name in TEXT_MEMBERS {
        if let Some(Value::String(text)) = map.get(name)
            && !text.trim().is_empty()
        {
            let text = text.clone();
            if !["context", "title", "name"].contains(&name) {
                map.remove(name);
            }
            return Some(text);
        }
    }
    match (map.get("key"), map.get("value")) {
        (Some(Value::String(key)), Some(Value::String(value))) => Some(format!("{key}: {value}")),
        (Some(Value::String(key)), Some(value)) => Some(format!("{key}: {value}")),
        _ => None,
    }
}

fn session(map: &mut Map<String, Value>) -> Result<()> {
    for name in ["session_id", "session"] {
        if !map.contains_key("space")
            && let Some(id) = map.remove(name)
        {
            let id = field::string("session", id)?;
            // Checked here, or the refusal would speak of a space.
            let id: mnemon::memory::SessionId = id.parse()?;
            map.insert("space".into(), Value::String(format!("session/{id}")));
        }
    }
    Ok(())
}

/// Who it comes from; `made_by` and the like are fields of a body, and stay.
fn author(map: &mut Map<String, Value>, kind: Kind) {
    rename(map, "agent_id", "author");
    let turns: &[&str] = &["speaker", "role"];
    let others: &[&str] = &["made_by", "discovered_by"];
    let names = if kind == Kind::Conversation {
        turns
    } else {
        others
    };
    for name in names {
        if !map.contains_key("author")
            && let Some(Value::String(author)) = map.get(*name)
        {
            map.insert("author".into(), Value::String(author.clone()));
        }
    }
}

/// Moves a member unless its place is taken.
fn rename(map: &mut Map<String, Value>, from: &str, to: &str) {
    if !map.contains_key(to)
        && let Some(value) = map.remove(from)
    {
        map.insert(to.into(), value);
    }
}
