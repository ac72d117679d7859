//! Folders of a session: its conversation, decisions, findings and preferences
//! in files of their own, in YAML, or in JSON lines by kind, or in one log.

use mnemon::Result;
use mnemon::memory::{Kind, Link, SessionId, Space};
use mnemon::session::SessionDetails;
use serde_json::{Map, Value, json};

use super::reading::{Reading, text, time};
use super::{About, Piece, Program, bmad, ids, input, told};
use crate::parse::parse_memory;

/// A file below the folder of a session.
#[derive(Clone, Debug)]
pub struct TreeFile {
    /// Its path from the folder, with `/`.
    pub path: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// What sort of folder it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    /// `conversation.md` and YAML.
    Bmad,
    /// `manifest.json` and JSON lines by kind.
    ByKind,
    /// `metadata.json` and one log.
    Log,
    /// What holds in all sessions.
    Common,
}

/// Names of files that tell what sort of folder it is.
const TELLING: [(&str, Sort); 11] = [
    ("metadata.yaml", Sort::Bmad),
    ("decisions.yaml", Sort::Bmad),
    ("findings.yaml", Sort::Bmad),
    ("preferences.yaml", Sort::Bmad),
    ("manifest.json", Sort::ByKind),
    ("conversation.jsonl", Sort::ByKind),
    ("memory.jsonl", Sort::Log),
    ("cross-session-preferences.yaml", Sort::Common),
    ("user-profile.yaml", Sort::Common),
    ("user-preferences.json", Sort::Common),
    ("agent-knowledge.json", Sort::Common),
];

/// The kinds of the files by kind.
const BY_KIND: [(&str, Kind); 4] = [
    ("conversation.jsonl", Kind::Conversation),
    ("decisions.jsonl", Kind::Decision),
    ("findings.jsonl", Kind::Finding),
    ("preferences.jsonl", Kind::Preference),
];

/// Whether files of these names, beside each other, are the folder of a session or of what
/// holds in all of them.
pub fn is_tree<'n>(names: impl IntoIterator<Item = &'n str>) -> bool {
    sort(names).is_some()
}

fn sort<'n>(names: impl IntoIterator<Item = &'n str>) -> Option<Sort> {
    let names: Vec<&str> = names.into_iter().collect();
    let mut known = TELLING.iter().filter(|(name, _)| names.contains(name));
    // A log beside a manifest is one of the files by kind.
    known.next().map(|(_, sort)| *sort)
}

/// Reads such a folder; `folder` is its name.
pub fn read_tree(
    folder: &str,
    files: &[TreeFile],
    about: &About<'_>,
    take: &mut dyn FnMut(Piece) -> Result<()>,
) -> Result<()> {
    let mut reading = Reading::new(Program::Bmad, about, take);
    let names = files.iter().map(|file| file.path.as_str());
    match sort(names) {
        Some(Sort::Bmad) => bmad::read_session(folder, files, &mut reading),
        Some(Sort::ByKind) => by_kind(folder, files, &mut reading),
        Some(Sort::Log) => log(folder, files, &mut reading),
        Some(Sort::Common) => bmad::read_common(files, &mut reading),
        None => reading.problem(folder.to_owned(), "it is no folder of a session"),
    }
}

/// Whether a file is made of others.
pub(super) fn is_derived(path: &str) -> bool {
    ["index.json", "lock", "config.json", ".lock"].contains(&path) || path.starts_with("indexes/")
}

fn by_kind(folder: &str, files: &[TreeFile], reading: &mut Reading<'_>) -> Result<()> {
    let manifest = object(files, "manifest.json");
    let own = text(&manifest, "session_id").unwrap_or(folder);
    let about = &manifest["metadata"];
    let details = SessionDetails {
        agents: texts(&manifest["agent_ids"]),
        created_at: time(&manifest["created_at"]),
        user: text(&manifest, "user_id").map(str::to_owned),
        project: text(about, "project_name").map(str::to_owned),
        tags: texts(&about["tags"])
            .iter()
            .filter_map(|tag| tag.parse().ok())
            .collect(),
        metadata: Map::from_iter([("session_type".to_owned(), about["session_type"].clone())]),
        ..SessionDetails::default()
    };
    let session = bmad::session_id(own);
    reading.session(session.clone(), details)?;
    for file in files {
        let kind = BY_KIND.iter().find(|(name, _)| *name == file.path);
        match kind {
            Some((_, kind)) => lines(own, &session, file, Some(*kind), reading)?,
            None => other(file, &["manifest.json"], reading)?,
        }
    }
    Ok(())
}

fn log(folder: &str, files: &[TreeFile], reading: &mut Reading<'_>) -> Result<()> {
    let is_ours = |file: &TreeFile| {
        let mut lines = file.bytes.split(|byte| *byte == b'\n');
        let first = lines.next().and_then(|line| input::value(line).ok());
        file.path == "memory.jsonl" && first.is_some_and(|first| first["op"] == "log")
    };
    if files.iter().any(is_ours) {
        let problem =
            "it belongs to a store of mnemon: import its memory.jsonl, or an export of it";
        return reading.problem(folder.to_owned(), problem);
    }
    let metadata = object(files, "metadata.json");
    let own = text(&metadata, "session_id").unwrap_or(folder);
    let details = SessionDetails {
        created_at: time(&metadata["created_at"]),
        user: text(&metadata, "user_id").map(str::to_owned),
        preferences: metadata["preferences"]
            .as_object()
            .cloned()
            .unwrap_or_default(),
        metadata: Map::from_iter([("decay_config".to_owned(), metadata["decay_config"].clone())]),
        ..SessionDetails::default()
    };
    let session = bmad::session_id(own);
    reading.session(session.clone(), details)?;
    for file in files {
        match file.path.as_str() {
            "memory.jsonl" => lines(own, &session, file, None, reading)?,
            "tombstones.jsonl" => reading.leave(file.path.clone(), "lists of what was deleted")?,
            _ => other(file, &["metadata.json"], reading)?,
        }
    }
    Ok(())
}

/// A file that holds no memories.
pub(super) fn other(file: &TreeFile, known: &[&str], reading: &mut Reading<'_>) -> Result<()> {
    if known.contains(&file.path.as_str()) {
        return Ok(());
    }
    if is_derived(&file.path) {
        return reading.leave(file.path.clone(), "files that are made of others");
    }
    reading.problem(
        file.path.clone(),
        "nothing is known of a file of that name here",
    )
}

/// The lines of a log, each a memory.
fn lines(
    own: &str,
    session: &SessionId,
    file: &TreeFile,
    kind: Option<Kind>,
    reading: &mut Reading<'_>,
) -> Result<()> {
    input::lines(&mut file.bytes.as_slice(), |number, line| {
        let place = format!("{} line {number}", file.path);
        match line
            .map_err(str::to_owned)
            .and_then(|line| input::value(&line))
        {
            Ok(line) => entry(
                own,
                Space::Session(session.clone()),
                place,
                line,
                kind,
                reading,
            ),
            Err(problem) => reading.problem(place, problem),
        }
    })
}

/// One memory in the shape of the sources, under an id of ours.
pub(super) fn entry(
    own: &str,
    space: Space,
    place: String,
    mut value: Value,
    kind: Option<Kind>,
    reading: &mut Reading<'_>,
) -> Result<()> {
    let Some(map) = value.as_object_mut() else {
        return reading.problem(place, "it is no memory");
    };
    if let Some(kind) = kind
        && !map.contains_key("kind")
    {
        map.insert("kind".into(), json!(kind.as_str()));
    }
    let name = match map.remove("id") {
        Some(Value::String(name)) => Some(name),
        Some(other) => Some(other.to_string()),
        None => None,
    };
    let turn = map.remove("turn_ref").filter(|turn| !turn.is_null());
    // Where it goes is said by the folder.
    map.remove("session_id");
    let references = references(map);
    let line = value.to_string();
    let mut draft = match parse_memory(value) {
        Ok(parsed) => parsed.draft,
        Err(error) => return reading.problem(place, told(&error)),
    };
    let kind = draft.body.kind();
    draft.id = Some(match &name {
        Some(name) => bmad_id(own, name),
        None => ids::memory(
            kind,
            &["bmad", own, &line, &reading.occurrence(&[own, &line])],
        ),
    });
    draft.handle = name.as_deref().and_then(|name| name.parse().ok());
    if let Some(turn) = turn {
        let number = match &turn {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        draft.turn = Some(bmad::turn_id(own, &number));
    }
    for reference in references {
        draft.links.push(Link::related(bmad_id(own, &reference)));
    }
    if let Some(name) = name {
        draft.metadata.insert("source_id".into(), json!(name));
    }
    reading.memory(place, space, draft)
}

/// The id of whatever a session calls by a name; the kind does not matter, for who refers
/// to it may not know it.
pub(super) fn bmad_id(own: &str, name: &str) -> mnemon::memory::MemoryId {
    bmad::name_id(own, name)
}

/// The names that a memory refers to, wherever a source has them.
fn references(map: &mut Map<String, Value>) -> Vec<String> {
    let mut names = Vec::new();
    let mut take = |list: &Value| match list {
        Value::Array(items) => {
            names.extend(items.iter().filter_map(Value::as_str).map(str::to_owned));
        }
        Value::Object(lists) => {
            for list in lists.values() {
                names.extend(texts(list));
            }
        }
        _ => {}
    };
    for name in ["references", "memory_refs"] {
        if let Some(list) = map.remove(name) {
            take(&list);
        }
    }
    if let Some(Value::Object(metadata)) = map.get_mut("metadata")
        && let Some(list) = metadata.remove("references")
    {
        take(&list);
    }
    names
}

/// The texts of a list.
pub(super) fn texts(list: &Value) -> Vec<String> {
    let items = list.as_array().into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn object(files: &[TreeFile], path: &str) -> Value {
    let file = files.iter().find(|file| file.path == path);
    file.and_then(|file| serde_json::from_slice(&file.bytes).ok())
        .unwrap_or_default()
}
