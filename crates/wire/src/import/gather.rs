//! From lines to things to import: memories as their last line leaves them.

use std::collections::HashMap;

use mnemon::engine::{IMPORTED_AT_ONCE, ImportItem};
use mnemon::memory::{Forgotten, MemoryId, SessionId, Space, State};
use mnemon::session::SessionDetails;
use mnemon::{Error, Result, Time};
use serde_json::{Map, Value};

use super::not_json;
use crate::foreign::ids;
use crate::parse::{Parsed, parse_memory, rule, shorten};
use crate::strict::{self, Refused};

/// Members that a log's lines have besides the memory.
const LOG_MEMBERS: [&str; 3] = ["tx", "by", "first_recorded_at"];

pub(super) struct Gatherer {
    /// Where everything goes, whatever it says itself.
    session: Option<SessionId>,
    /// Whose log this is, if it is one.
    log: Option<Space>,
    memories: Vec<(u64, Parsed)>,
    /// Where in `memories` each id is.
    places: HashMap<MemoryId, usize>,
    /// What the memories without an id say, up to each of them: where it is in `memories`, and a digest.
    unnamed: Vec<(usize, String)>,
    sessions: Vec<(SessionId, SessionDetails)>,
    bad: Vec<Error>,
}

impl Gatherer {
    pub(super) fn new(session: Option<SessionId>) -> Self {
        Self {
            session,
            log: None,
            memories: Vec::new(),
            places: HashMap::new(),
            unnamed: Vec::new(),
            sessions: Vec::new(),
            bad: Vec::new(),
        }
    }

    /// Takes a line, or remembers what is wrong with it.
    pub(super) fn take(&mut self, line: u64, json: &str) {
        let taken = parse(json).and_then(|value| self.take_value(line, value));
        self.note(line, taken);
    }

    /// Takes what is already read.
    pub(super) fn take_value_of(&mut self, line: u64, value: Value) {
        let taken = self.take_value(line, value);
        self.note(line, taken);
    }

    /// Takes a session of a document, which has no `op`.
    pub(super) fn take_session(&mut self, line: u64, json: &str) {
        match parse(json) {
            Ok(value) => self.take_session_value_of(line, value),
            Err(error) => self.refuse(line, error),
        }
    }

    /// As [`Self::take_session`], already read.
    pub(super) fn take_session_value_of(&mut self, line: u64, value: Value) {
        let taken = match value {
            Value::Object(map) => self.session(map),
            other => Err(rule("session", "an object", &other.to_string())),
        };
        self.note(line, taken);
    }

    /// Remembers what is wrong with a line.
    pub(super) fn refuse(&mut self, line: u64, error: Error) {
        self.note(line, Err(error));
    }

    /// Everything, or all that is wrong with it.
    pub(super) fn finish(mut self) -> Result<Vec<ImportItem>> {
        if let Some(refusal) = Error::bad_lines(std::mem::take(&mut self.bad)) {
            return Err(refusal);
        }
        let whole = self.session.clone().map(Space::Session);
        for (_, parsed) in &mut self.memories {
            let said = parsed.space.take();
            let space = whole.clone().or(said).or_else(|| self.log.clone());
            // What says nothing about where it belongs holds everywhere.
            parsed.space = Some(space.unwrap_or(Space::Shared));
        }
        self.name_the_unnamed();
        let sessions = self
            .sessions
            .into_iter()
            .map(|(id, details)| ImportItem::Session { id, details });
        let memories = self
            .memories
            .into_iter()
            .map(|(line, parsed)| ImportItem::Memory {
                line,
                space: parsed.space.unwrap_or(Space::Shared),
                draft: Box::new(parsed.draft),
                state: parsed.state,
                base: parsed.base,
            });
        Ok(sessions.chain(memories).collect())
    }

    /// What is written in several pieces may be cut off between them: its memories get ids that are
    /// the same at every run, so that the same file again brings what is missing, and nothing twice.
    ///
    /// Those of a small file are kept together or not at all. Handed in again they are told again,
    /// as people do who append to a session in this way.
    fn name_the_unnamed(&mut self) {
        let mut spaces: Vec<&Option<Space>> =
            self.memories.iter().map(|(_, it)| &it.space).collect();
        spaces.dedup();
        if self.memories.len() <= IMPORTED_AT_ONCE && spaces.len() <= 1 {
            return;
        }
        for (place, said) in &self.unnamed {
            let Parsed { draft, space, .. } = &mut self.memories[*place].1;
            let space = space.as_ref().map(ToString::to_string);
            let parts = ["import", space.as_deref().unwrap_or_default(), said];
            draft.id = Some(ids::memory(draft.body.kind(), &parts));
        }
    }

    fn note(&mut self, line: u64, taken: Result<()>) {
        if let Err(error) = taken {
            self.bad.push(Error::UnparsableLine {
                line,
                source: Box::new(error),
            });
        }
    }

    fn take_value(&mut self, line: u64, value: Value) -> Result<()> {
        let Value::Object(mut map) = value else {
            return parse_memory(value).map(|_| ());
        };
        let op = match map.get("op") {
            None | Some(Value::Null) => return self.add(line, map),
            Some(Value::String(op)) => op.clone(),
            Some(other) => return Err(rule("op", "text", &other.to_string())),
        };
        match op.as_str() {
            "log" => self.header(&map),
            "commit" => Ok(()),
            "session" => self.session(map),
            "update" => self.update(line, map),
            "access" => {
                let count = map.remove("access_count").and_then(|count| count.as_u64());
                let last = time(&mut map, "last_access")?;
                let state = self.state(&mut map)?;
                state.access_count = count.unwrap_or(state.access_count);
                state.last_access = last.or(state.last_access);
                Ok(())
            }
            "delete" => {
                let at = time(&mut map, "recorded_at")?;
                let until = time(&mut map, "recover_until")?.or(at);
                let (by, reason) = (text(&mut map, "by"), text(&mut map, "reason"));
                let state = self.state(&mut map)?;
                state.forgotten = at.zip(until).map(|(at, recover_until)| Forgotten {
                    at,
                    by,
                    reason,
                    recover_until,
                });
                Ok(())
            }
            "restore" => {
                self.state(&mut map)?.forgotten = None;
                Ok(())
            }
            other => Err(rule(
                "op",
                "one of session, update, delete, restore, access, log, commit",
                other,
            )),
        }
    }

    fn add(&mut self, line: u64, map: Map<String, Value>) -> Result<()> {
        if map.get("id").is_none_or(Value::is_null) {
            let before = self.unnamed.last().map_or("", |(_, said)| said.as_str());
            let said = serde_json::to_string(&map).expect("its keys are texts");
            let said = ids::digest(&[before, &said], ids::LETTERS_KEPT);
            self.unnamed.push((self.memories.len(), said));
        }
        let parsed = self.parse(map)?;
        if let Some(id) = &parsed.draft.id {
            if let Some(place) = self.places.get(id) {
                let earlier = self.memories[*place].0;
                let problem = format!("used once in a file (line {earlier} has it too)");
                return Err(rule("id", problem, id.as_str()));
            }
            self.places.insert(id.clone(), self.memories.len());
        }
        self.memories.push((line, parsed));
        Ok(())
    }

    /// The last version is the memory; what had happened to it stays.
    fn update(&mut self, line: u64, map: Map<String, Value>) -> Result<()> {
        let parsed = self.parse(map)?;
        let known = parsed.draft.id.as_ref().and_then(|id| self.places.get(id));
        if let Some(place) = known {
            let memory = &mut self.memories[*place].1;
            (memory.draft, memory.base) = (parsed.draft, parsed.base);
            return Ok(());
        }
        if let Some(id) = &parsed.draft.id {
            self.places.insert(id.clone(), self.memories.len());
        }
        self.memories.push((line, parsed));
        Ok(())
    }

    fn parse(&self, mut map: Map<String, Value>) -> Result<Parsed> {
        if self.log.is_some() {
            for name in LOG_MEMBERS {
                map.remove(name);
            }
        }
        parse_memory(Value::Object(map))
    }

    fn header(&mut self, map: &Map<String, Value>) -> Result<()> {
        if let Some(Value::String(space)) = map.get("space") {
            self.log = Some(space.parse()?);
        }
        Ok(())
    }

    fn session(&mut self, mut map: Map<String, Value>) -> Result<()> {
        let id = ["id", "session_id", "session"]
            .iter()
            .find_map(|name| map.remove(*name));
        let said = match id {
            Some(Value::String(id)) => Some(id.parse()?),
            Some(other) => return Err(rule("session", "text", &other.to_string())),
            None => self.log.as_ref().and_then(|space| space.session().cloned()),
        };
        let Some(id) = self.session.clone().or(said) else {
            return Err(rule("session", "named by `id`", ""));
        };
        let created_at = map.get("created_at").cloned();
        let mut details = map.remove("details").unwrap_or(Value::Object(map));
        if let (Some(created_at), Some(details)) = (created_at, details.as_object_mut()) {
            details.entry("created_at").or_insert(created_at);
        }
        let details = serde_json::from_value(details).map_err(|error| Error::Unparsable {
            what: "a session",
            input: String::new(),
            problem: error.to_string(),
        })?;
        self.sessions.push((id, details));
        Ok(())
    }

    /// The state of the memory that a line is about.
    fn state(&mut self, map: &mut Map<String, Value>) -> Result<&mut State> {
        let id = text(map, "id");
        let place = id.parse().ok().and_then(|id| self.places.get(&id).copied());
        match place {
            Some(place) => Ok(&mut self.memories[place].1.state),
            None => Err(rule("id", "that of a memory on an earlier line", &id)),
        }
    }
}

fn parse(json: &str) -> Result<Value> {
    strict::read(json).map_err(|refused| match refused {
        Refused::Unreadable(error) => not_json(json, &error),
        Refused::At { .. } => Error::Unparsable {
            what: "JSON",
            input: shorten(json),
            problem: refused.to_string(),
        },
    })
}

fn text(map: &mut Map<String, Value>, name: &str) -> String {
    match map.remove(name) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    }
}

fn time(map: &mut Map<String, Value>, name: &'static str) -> Result<Option<Time>> {
    match map.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => text.parse().map(Some),
        Some(other) => Err(rule(name, "a time in RFC 3339", &other.to_string())),
    }
}
