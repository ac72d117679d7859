//! The folder of a session in the BMAD tree: YAML beside a conversation in
//! Markdown, states of agents, and what they made.

use mnemon::Result;
use mnemon::memory::{Kind, Space};
use mnemon::session::SessionDetails;
use serde_json::{Map, Value, json};

use super::super::reading::{Message, Reading, text, time};
use super::super::tree::{self, TreeFile, entry, texts};
use super::super::{ids, told};
use crate::import::yaml::documents;

/// The lists of memories, and what they hold.
const LISTS: [(&str, &str, Kind); 3] = [
    ("decisions.yaml", "decisions", Kind::Decision),
    ("findings.yaml", "findings", Kind::Finding),
    ("preferences.yaml", "preferences", Kind::Preference),
];

/// Reads the folder of a session.
pub(in super::super) fn read_session(
    folder: &str,
    files: &[TreeFile],
    reading: &mut Reading<'_>,
) -> Result<()> {
    let metadata = files.iter().find(|file| file.path == "metadata.yaml");
    let metadata = match metadata.map(yaml) {
        Some(Ok(value)) => value["session"].clone(),
        Some(Err(problem)) => {
            reading.problem("metadata.yaml".into(), problem)?;
            Value::Null
        }
        None => Value::Null,
    };
    let own = text(&metadata, "id").unwrap_or(folder).to_owned();
    let session = super::session_id(&own);
    reading.session(session.clone(), details(&metadata))?;
    // What was written down need not be looked for.
    let is_written_down = LISTS
        .iter()
        .any(|(name, ..)| files.iter().any(|it| it.path == *name));
    reading.extracts &= !is_written_down;
    let space = Space::Session(session);
    // The conversation first: the others refer to its turns.
    if let Some(file) = files.iter().find(|file| file.path == "conversation.md") {
        let whole = String::from_utf8_lossy(&file.bytes);
        if whole.lines().any(|line| super::heading(line).is_some()) {
            super::turns(&own, &whole, reading)?;
        } else {
            let problem = "it has no `## Turn` in it; `mnemon import` may know its form";
            reading.problem("conversation.md".into(), problem)?;
        }
    }
    for file in files {
        let list = LISTS.iter().find(|(name, ..)| *name == file.path);
        let path = file.path.as_str();
        if let Some((_, name, kind)) = list {
            memories(&own, &space, file, name, *kind, reading)?;
        } else if path.starts_with("agent-states/") {
            state(&own, &space, file, reading)?;
        } else if path.starts_with("artifacts/") {
            artifact(&own, file, reading)?;
        } else {
            tree::other(file, &["metadata.yaml", "conversation.md"], reading)?;
        }
    }
    Ok(())
}

fn details(metadata: &Value) -> SessionDetails {
    let (people, context) = (&metadata["participants"], &metadata["context"]);
    let agents = people["agents"].as_array().into_iter().flatten();
    SessionDetails {
        agents: agents
            .filter_map(|agent| text(agent, "agent_id").or_else(|| agent.as_str()))
            .map(str::to_owned)
            .collect(),
        created_at: time(&metadata["created_at"]),
        user: text(people, "user_id").map(str::to_owned),
        project: text(context, "project_name").map(str::to_owned),
        phase: text(context, "project_phase").map(str::to_owned),
        tags: texts(&context["tags"])
            .iter()
            .filter_map(|tag| tag.parse().ok())
            .collect(),
        metadata: Map::from_iter([
            ("primary_topic".to_owned(), context["primary_topic"].clone()),
            ("status".to_owned(), metadata["status"].clone()),
        ]),
        ..SessionDetails::default()
    }
}

fn memories(
    own: &str,
    space: &Space,
    file: &TreeFile,
    name: &str,
    kind: Kind,
    reading: &mut Reading<'_>,
) -> Result<()> {
    let document = match yaml(file) {
        Ok(document) => document,
        Err(problem) => return reading.problem(file.path.clone(), problem),
    };
    for (number, item) in document[name].as_array().into_iter().flatten().enumerate() {
        let place = format!("{} {name}[{number}]", file.path);
        entry(own, space.clone(), place, item.clone(), Some(kind), reading)?;
    }
    Ok(())
}

/// What an agent knew of where it was.
fn state(own: &str, space: &Space, file: &TreeFile, reading: &mut Reading<'_>) -> Result<()> {
    let document = match yaml(file) {
        Ok(document) => document,
        Err(problem) => return reading.problem(file.path.clone(), problem),
    };
    let mut state = match document.get("agent_state") {
        Some(state) => state.clone(),
        None => document,
    };
    let agent = text(&state, "agent_id").unwrap_or("an agent").to_owned();
    let task = text(&state["current_context"], "current_task").unwrap_or("no task");
    let said = format!("State of {agent}: {task}");
    let Some(map) = state.as_object_mut() else {
        return reading.problem(file.path.clone(), "it is no state");
    };
    let at = map.remove("last_updated").unwrap_or_default();
    map.insert("text".into(), json!(said));
    map.insert("timestamp".into(), at);
    map.retain(|_, value| !value.is_null());
    // A state that changed is another memory.
    let version = ids::digest(&[&Value::Object(map.clone()).to_string()], 8);
    map.insert("id".into(), json!(format!("{}-{version}", file.path)));
    map.insert("state_refs".into(), json!(map.get("memory_refs")));
    map.remove("memory_refs");
    let place = file.path.clone();
    entry(own, space.clone(), place, state, Some(Kind::State), reading)
}

fn artifact(own: &str, file: &TreeFile, reading: &mut Reading<'_>) -> Result<()> {
    let Ok(content) = std::str::from_utf8(&file.bytes) else {
        return reading.leave(file.path.clone(), "artifacts that are no text");
    };
    let version = ids::digest(&[content], 26);
    let id = ids::memory(Kind::Artifact, &["bmad", own, &file.path, &version]);
    let mut message = Message::new(file.path.clone(), id, Kind::Artifact, content.to_owned());
    "bmad".clone_into(&mut message.author);
    let name = file.path.rsplit('/').next().unwrap_or_default();
    message.body = Map::from_iter([
        ("title".to_owned(), json!(name)),
        ("path".to_owned(), json!(file.path)),
    ]);
    reading.message(message)
}

/// What holds in all sessions: lists of preferences and patterns, or members that say it.
pub(in super::super) fn read_common(files: &[TreeFile], reading: &mut Reading<'_>) -> Result<()> {
    for file in files {
        let ending = file.path.rsplit('.').next().unwrap_or_default();
        let document = if ending == "json" {
            serde_json::from_slice(&file.bytes).map_err(|error| error.to_string())
        } else if ["yaml", "yml"].contains(&ending) {
            yaml(file)
        } else {
            tree::other(file, &[], reading)?;
            continue;
        };
        match document {
            Ok(document) => common(file, &document, reading)?,
            Err(problem) => reading.problem(file.path.clone(), problem)?,
        }
    }
    Ok(())
}

fn common(file: &TreeFile, document: &Value, reading: &mut Reading<'_>) -> Result<()> {
    let kind = if file.path.contains("preferences") || file.path.contains("profile") {
        Kind::Preference
    } else {
        Kind::Learning
    };
    let mut found: Vec<(String, Value)> = Vec::new();
    gather(String::new(), document, &mut found);
    for (path, value) in found {
        let place = format!("{} {path}", file.path);
        if value.is_object() {
            entry("", Space::Shared, place, value, Some(kind), reading)?;
            continue;
        }
        let said = match &value {
            Value::String(text) if path.ends_with(']') => text.clone(),
            Value::String(text) => format!("{path}: {text}"),
            other => format!("{path}: {other}"),
        };
        let id = ids::memory(kind, &["bmad", &file.path, &path, &said]);
        let mut message = Message::new(place, id, kind, said);
        reading.about.user.clone_into(&mut message.author);
        message.space = Some(Space::Shared);
        if kind == Kind::Preference && !path.ends_with(']') {
            message.body.insert("key".into(), json!(path));
            message.body.insert("value".into(), value);
        }
        reading.message(message)?;
    }
    Ok(())
}

/// The items of lists, and single values by their path.
fn gather(path: String, value: &Value, found: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let dot = if path.is_empty() { "" } else { "." };
                gather(format!("{path}{dot}{name}"), value, found);
            }
        }
        Value::Array(items) => {
            for (number, item) in items.iter().enumerate() {
                found.push((format!("{path}[{number}]"), item.clone()));
            }
        }
        Value::Null => {}
        value => found.push((path, value.clone())),
    }
}

fn yaml(file: &TreeFile) -> std::result::Result<Value, String> {
    let whole = String::from_utf8_lossy(&file.bytes);
    let documents = documents(&whole).map_err(|error| told(&error))?;
    Ok(documents.into_iter().next().unwrap_or_default())
}
