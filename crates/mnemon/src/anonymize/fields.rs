//! What of a memory and a session says who and where, and how it is replaced.

use serde_json::{Map, Value};

use super::Anonymizer;
use crate::error::Result;
use crate::memory::{Author, Body, Forgotten, Link, Memory, MemoryId, SessionId, Space, Tag, Text};
use crate::session::{Session, SessionDetails};

/// Fields of bodies and metadata that hold names of people.
const PEOPLE: [&str; 10] = [
    "made_by",
    "agreed_by",
    "approved_by",
    "approvals",
    "discovered_by",
    "resolved_by",
    "speaker",
    "user",
    "user_id",
    "assignee",
];

/// Fields that hold names of projects.
const PROJECTS: [&str; 3] = ["project", "projects", "project_name"];

/// Everybody whom a memory names in a field that is for it.
pub(super) fn people(memory: &Memory) -> Vec<String> {
    let mut names: Vec<String> = memory.author.iter().map(ToString::to_string).collect();
    each_named(memory, &PEOPLE, &mut names);
    names
}

/// The projects that a memory names in a field that is for it.
pub(super) fn projects(memory: &Memory) -> Vec<String> {
    let mut names = Vec::new();
    each_named(memory, &PROJECTS, &mut names);
    names
}

fn each_named(memory: &Memory, fields: &[&str], names: &mut Vec<String>) {
    collect(&Value::Object(memory.body.to_map()), fields, false, names);
    let metadata = Value::Object(memory.metadata.clone());
    collect(&metadata, fields, false, names);
}

fn collect(value: &Value, fields: &[&str], is_named: bool, names: &mut Vec<String>) {
    match value {
        Value::String(text) if is_named => names.push(text.clone()),
        Value::Array(items) => {
            for item in items {
                collect(item, fields, is_named, names);
            }
        }
        Value::Object(members) => {
            for (name, value) in members {
                collect(value, fields, fields.contains(&name.as_str()), names);
            }
        }
        _ => {}
    }
}

impl Anonymizer {
    /// The session, without who and where; what is counted of it stays.
    pub fn session(&mut self, session: &Session) -> Session {
        let mut session = session.clone();
        session.id = self.session_id(&session.id);
        self.details(&mut session.details);
        for participant in &mut session.activity.participants {
            participant.name = self.text(&participant.name);
        }
        session
    }

    fn details(&mut self, details: &mut SessionDetails) {
        let texts = [&mut details.user, &mut details.project, &mut details.phase];
        for text in texts.into_iter().flatten() {
            *text = self.text(text);
        }
        for agent in &mut details.agents {
            *agent = self.text(agent);
        }
        self.members(&mut details.metadata);
        self.members(&mut details.preferences);
        self.tags(&mut details.tags);
    }

    /// The memory, without who and where.
    pub fn memory(&mut self, memory: &Memory) -> Result<Memory> {
        let mut new = memory.clone();
        new.id = self.id(&memory.id);
        new.space = match &memory.space {
            Space::Session(id) => Space::Session(self.session_id(id)),
            Space::Agent(id) => Space::Agent(self.agent(id)),
            Space::Shared => Space::Shared,
        };
        if let Some(author) = &memory.author {
            new.author = Some(self.author(author)?);
        }
        new.turn = memory.turn.as_ref().map(|turn| self.id(turn));
        new.text = Text::try_from(self.text(memory.text.as_str()))?;
        if new.text != memory.text {
            // Both were made from the text as it was.
            new.embedding = None;
            new.tokens = None;
        }
        let mut body = memory.body.to_map();
        self.members(&mut body);
        new.body = Body::from_map(memory.kind(), body)?;
        self.members(&mut new.metadata);
        self.tags(&mut new.tags);
        for Link { to, .. } in &mut new.links {
            *to = self.id(to);
        }
        if let Some(Forgotten { by, reason, .. }) = &mut new.state.forgotten {
            *by = self.text(by);
            *reason = self.text(reason);
        }
        Ok(new)
    }

    fn author(&mut self, author: &Author) -> Result<Author> {
        self.text(author.as_str()).parse()
    }

    /// An id that holds a name gets another; two never get the same.
    fn id(&mut self, id: &MemoryId) -> MemoryId {
        if let Some(known) = self.ids.get(id) {
            return known.clone();
        }
        let text = self.text(id.as_str());
        let mut new: MemoryId = text.parse().unwrap_or_else(|_| id.clone());
        let mut number = 2;
        while new != *id && self.used_ids.contains(&new) {
            new = format!("Memory-{number}")
                .parse()
                .unwrap_or_else(|_| id.clone());
            number += 1;
        }
        self.ids.insert(id.clone(), new.clone());
        self.used_ids.insert(new.clone());
        new
    }

    fn session_id(&mut self, id: &SessionId) -> SessionId {
        let text = self.text(id.as_str());
        text.parse().unwrap_or_else(|_| id.clone())
    }

    fn tags(&mut self, tags: &mut Vec<Tag>) {
        for tag in &mut *tags {
            let text = self.text(tag.as_str());
            if text != tag.as_str() {
                *tag = text
                    .parse()
                    .or_else(|_| "anonymised".parse())
                    .expect("a tag");
            }
        }
        let mut seen = Vec::new();
        tags.retain(|tag| {
            let is_new = !seen.contains(tag);
            seen.push(tag.clone());
            is_new
        });
    }

    fn members(&mut self, members: &mut Map<String, Value>) {
        let all = std::mem::take(members);
        for (name, mut value) in all {
            self.value(&mut value);
            let mut new = self.text(&name);
            while members.contains_key(&new) {
                new.push('\'');
            }
            members.insert(new, value);
        }
    }

    fn value(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item)),
            Value::Object(members) => self.members(members),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}
