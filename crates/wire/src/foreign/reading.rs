//! What all readers share: from a message of theirs to a memory of ours.
//!
//! Times never go backwards for want of one: what has none of its own is said
//! a millisecond after what stands before it. A text that is too long for one
//! memory becomes several.

use std::collections::HashMap;

use mnemon::memory::{
    Body, Confidence, Draft, Handle, Importance, Kind, Link, MemoryId, SessionId, Space, Tag, Text,
};
use mnemon::session::SessionDetails;
use mnemon::{Result, Time};
use serde_json::{Map, Value, json};

use super::bmad::extract::extract;
use super::{About, Piece, Program, Why, ids, told};

/// A text that is longer becomes several memories; an entry of a session may have 1 MiB in all.
const TEXT_BYTES_MAX: usize = 512 << 10;
/// Metadata that is longer says nothing to anybody.
const MEMBER_BYTES_MAX: usize = 16 << 10;
/// A name that is longer is none.
const NAME_BYTES_MAX: usize = 512;
/// Between two messages of which the second has no time.
const STEP_MICROS: i64 = 1000;

/// A message of another program.
pub(super) struct Message {
    /// Where it stands.
    pub(super) place: String,
    /// Its id here.
    pub(super) id: MemoryId,
    pub(super) kind: Kind,
    /// `user`, `assistant`, `system`, `tool`; nothing for what is no turn.
    pub(super) role: Option<&'static str>,
    pub(super) author: String,
    pub(super) text: String,
    pub(super) at: Option<Time>,
    /// The turn that it answers.
    pub(super) parent: Option<MemoryId>,
    /// The turn that it belongs to.
    pub(super) turn: Option<MemoryId>,
    pub(super) links: Vec<Link>,
    pub(super) tags: Vec<Tag>,
    pub(super) pinned: bool,
    /// What it is called in its session.
    pub(super) handle: Option<Handle>,
    pub(super) confidence: Option<f64>,
    pub(super) importance: Option<f64>,
    pub(super) body: Map<String, Value>,
    pub(super) metadata: Map<String, Value>,
    /// Where it goes if not to the session.
    pub(super) space: Option<Space>,
}

impl Message {
    pub(super) fn new(place: String, id: MemoryId, kind: Kind, text: String) -> Self {
        Self {
            place,
            id,
            kind,
            role: None,
            author: String::new(),
            text,
            at: None,
            parent: None,
            turn: None,
            links: Vec::new(),
            tags: Vec::new(),
            pinned: false,
            handle: None,
            confidence: None,
            importance: None,
            body: Map::new(),
            metadata: Map::new(),
            space: None,
        }
    }
}

/// One file being read.
pub(super) struct Reading<'a> {
    pub(super) program: Program,
    pub(super) about: &'a About<'a>,
    take: &'a mut dyn FnMut(Piece) -> Result<()>,
    session: Option<SessionId>,
    last_micros: Option<i64>,
    /// How often a thing without an id of its own was seen.
    seen: HashMap<String, u32>,
    /// Whether what turns say of decisions, findings and wishes is kept beside them.
    pub(super) extracts: bool,
}

impl<'a> Reading<'a> {
    pub(super) fn new(
        program: Program,
        about: &'a About<'a>,
        take: &'a mut dyn FnMut(Piece) -> Result<()>,
    ) -> Self {
        Self {
            program,
            about,
            take,
            session: None,
            last_micros: None,
            seen: HashMap::new(),
            extracts: about.extract,
        }
    }

    /// The name of the file without folders and ending.
    pub(super) fn stem(&self) -> &'a str {
        let name = self
            .about
            .file
            .rsplit(['/', '\\'])
            .next()
            .unwrap_or_default();
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }

    /// What follows belongs to this session.
    pub(super) fn session(&mut self, id: SessionId, mut details: SessionDetails) -> Result<()> {
        if self.session.as_ref() == Some(&id) {
            return Ok(());
        }
        let source = self.program.as_str();
        details.metadata.insert("source".into(), json!(source));
        details.metadata.retain(|_, value| !value.is_null());
        // Nobody checks these, and a line of a log must always be readable again.
        for map in [&mut details.metadata, &mut details.preferences] {
            map.values_mut().for_each(flatten);
        }
        let names = [&mut details.project, &mut details.phase, &mut details.user];
        for name in names.into_iter().flatten() {
            name.truncate(beginning(name, NAME_BYTES_MAX).len());
        }
        details
            .user
            .get_or_insert_with(|| self.about.user.to_owned());
        self.session = Some(id.clone());
        self.last_micros = None;
        if self.about.space.is_some() {
            return Ok(());
        }
        let details = Box::new(details);
        (self.take)(Piece::Session { id, details })
    }

    /// Whether this session was named last.
    pub(super) fn is_in(&self, id: &SessionId) -> bool {
        self.session.as_ref() == Some(id)
    }

    /// Something that can be no memory, on purpose.
    pub(super) fn leave(&mut self, place: String, why: impl Into<String>) -> Result<()> {
        let why = Why::OnPurpose(why.into());
        (self.take)(Piece::Left { place, why })
    }

    /// Something that could not be read.
    pub(super) fn problem(&mut self, place: String, problem: impl Into<String>) -> Result<()> {
        let why = Why::NotUnderstood(problem.into());
        (self.take)(Piece::Left { place, why })
    }

    /// Parts of an id for something that has none: the same thing again is another one.
    pub(super) fn occurrence(&mut self, parts: &[&str]) -> String {
        let count = self.seen.entry(ids::digest(parts, 26)).or_default();
        *count += 1;
        count.to_string()
    }

    /// Hands a message on; one without words is left out.
    pub(super) fn message(&mut self, message: Message) -> Result<()> {
        if message.text.trim().is_empty() {
            return self.leave(message.place, "messages without words");
        }
        let place = message.place.clone();
        let space = self.space_of(&message);
        let extracted = if self.extracts && message.kind == Kind::Conversation {
            extracted(&message)
        } else {
            Vec::new()
        };
        match self.drafts(&message) {
            Err(error) => self.problem(place, told(&error)),
            Ok(drafts) => {
                for draft in drafts {
                    (self.take)(Piece::Memory {
                        place: place.clone(),
                        space: space.clone(),
                        draft: Box::new(draft),
                    })?;
                }
                extracted.into_iter().try_for_each(|it| self.message(it))
            }
        }
    }

    /// A memory that is already read, under an id of ours.
    pub(super) fn memory(&mut self, place: String, space: Space, mut draft: Draft) -> Result<()> {
        let source = json!(self.program.as_str());
        draft.metadata.insert("source".into(), source);
        if draft.created_at.is_none() {
            draft.metadata.insert("time".into(), json!("assumed"));
        }
        let author = draft.author.as_ref().map_or("user", |it| it.as_str());
        if ["user", "human"].contains(&author) {
            draft.author = self.about.user.parse().ok();
        }
        draft.created_at = Some(self.time(draft.created_at)?);
        let space = self.about.space.clone().unwrap_or(space);
        let draft = Box::new(draft);
        (self.take)(Piece::Memory {
            place,
            space,
            draft,
        })
    }

    fn space_of(&self, message: &Message) -> Space {
        let given = self.about.space.clone().or_else(|| message.space.clone());
        given.unwrap_or_else(|| match &self.session {
            Some(id) => Space::Session(id.clone()),
            None => Space::Shared,
        })
    }

    /// The memory that a message becomes, or the memories if it is long.
    fn drafts(&mut self, message: &Message) -> Result<Vec<Draft>> {
        let parts = cut(&message.text);
        let count = parts.len();
        let mut drafts: Vec<Draft> = Vec::new();
        for (number, part) in (1..).zip(parts) {
            let mut draft = Draft::new(message.kind, Text::try_from(part.to_owned())?);
            let id = if number == 1 {
                message.id.clone()
            } else {
                ids::memory(
                    message.kind,
                    &[message.id.as_str(), &format!("part {number}")],
                )
            };
            draft.metadata = self.metadata(message);
            if let Some(before) = drafts.last().and_then(|before| before.id.clone()) {
                draft.links.push(Link {
                    rel: "continues".parse()?,
                    to: before,
                });
            }
            if count > 1 {
                draft.metadata.insert("part".into(), json!([number, count]));
            }
            draft.id = Some(id);
            draft.links.extend(message.links.iter().cloned());
            draft.tags.clone_from(&message.tags);
            draft.pinned = message.pinned;
            draft.handle = message.handle.filter(|_| number == 1);
            draft.confidence = message.confidence.map(Confidence::try_from).transpose()?;
            draft.turn.clone_from(&message.turn);
            draft.author = author(&message.author).parse().ok();
            draft.created_at = Some(self.time(message.at)?);
            if let Some(importance) = message.importance {
                draft.importance = Importance::try_from(importance)?;
            }
            draft.body = body(message)?;
            drafts.push(draft);
        }
        Ok(drafts)
    }

    fn metadata(&self, message: &Message) -> Map<String, Value> {
        let mut metadata = Map::new();
        metadata.insert("source".into(), json!(self.program.as_str()));
        if message.at.is_none() {
            // Whoever asks by time should know that this one is made up.
            metadata.insert("time".into(), json!("assumed"));
        }
        for (name, value) in &message.metadata {
            if !value.is_null() {
                metadata.insert(name.clone(), shortened(value));
            }
        }
        metadata
    }

    fn time(&mut self, own: Option<Time>) -> Result<Time> {
        let start = self.about.file_time.micros();
        let time = match (own, self.last_micros) {
            (Some(own), _) => own,
            (None, Some(last)) => Time::from_micros(last.saturating_add(STEP_MICROS))?,
            (None, None) => Time::from_micros(start)?,
        };
        self.last_micros = Some(time.micros());
        Ok(time)
    }
}

/// What a turn says of decisions, findings and wishes, each with its rule and its turn.
fn extracted(turn: &Message) -> Vec<Message> {
    let is_person = turn.role == Some("user");
    let found = extract(&turn.text, is_person).into_iter();
    let made = found.map(|it| {
        let parts = [turn.id.as_str(), it.kind.as_str(), &it.text];
        let id = ids::memory(it.kind, &parts);
        let mut message = Message::new(turn.place.clone(), id, it.kind, it.text);
        turn.author.clone_into(&mut message.author);
        (message.at, message.turn) = (turn.at, Some(turn.id.clone()));
        message.space.clone_from(&turn.space);
        message.confidence = Some(it.confidence);
        message.handle = it.name.as_deref().and_then(|name| name.parse().ok());
        if it.kind != Kind::Finding {
            message.body.insert("confidence".into(), json!(it.sureness));
        }
        if it.kind == Kind::Finding {
            message.body.insert("severity".into(), json!(it.severity));
        }
        let why = json!({ "rule": it.rule, "sureness": it.sureness, "named": it.name });
        message.metadata.insert("extracted".into(), why);
        message
    });
    made.collect()
}

fn body(message: &Message) -> Result<Body> {
    let mut body = message.body.clone();
    body.retain(|_, value| !value.is_null());
    if let Some(role) = message.role {
        body.insert("role".into(), json!(role));
    }
    if let Some(parent) = &message.parent {
        body.insert("parent".into(), json!(parent.as_str()));
    }
    Body::from_map(message.kind, body)
}

/// A name that an author may have.
fn author(name: &str) -> String {
    let name: String = name.chars().filter(|c| !c.is_control()).take(128).collect();
    if name.trim().is_empty() {
        "unknown".to_owned()
    } else {
        name
    }
}

/// Metadata in a size that a memory can have: what is longer becomes the beginning of its text.
pub(super) fn shortened(value: &Value) -> Value {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Array(_) | Value::Object(_) => value.to_string(),
        _ => return value.clone(),
    };
    if text.len() <= MEMBER_BYTES_MAX {
        return value.clone();
    }
    Value::String(beginning(&text, MEMBER_BYTES_MAX).to_owned() + "…")
}

/// A value without anything in it: what has members becomes the text of them.
fn flatten(value: &mut Value) {
    if value.is_array() || value.is_object() {
        *value = Value::String(value.to_string());
    }
    *value = shortened(value);
}

/// At most so many bytes of a text, whole characters.
pub(super) fn beginning(text: &str, bytes_max: usize) -> &str {
    let end = (0..=bytes_max.min(text.len()))
        .rev()
        .find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}

/// Parts of at most so many bytes, cut after a line where there is one.
pub(super) fn cut(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while rest.len() > TEXT_BYTES_MAX {
        let part = beginning(rest, TEXT_BYTES_MAX);
        let end = part.rfind('\n').map_or(part.len(), |end| end + 1);
        parts.push(&rest[..end]);
        rest = &rest[end..];
    }
    parts.push(rest);
    // White space alone is no memory.
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// A text in a member.
pub(super) fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name)?.as_str().filter(|text| !text.is_empty())
}

/// A time: RFC 3339, or seconds or milliseconds since 1970.
pub(super) fn time(value: &Value) -> Option<Time> {
    match value {
        Value::String(text) => text.parse().ok().or_else(|| plain_time(text)),
        Value::Number(number) => {
            let number = number.as_f64().filter(|it| it.is_finite() && *it > 0.0)?;
            let seconds = if number > 1e11 { number / 1e3 } else { number };
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a number that is no time is refused by the time itself"
            )]
            Time::from_micros((seconds * 1e6).round() as i64).ok()
        }
        _ => None,
    }
}

/// `2026-01-11 14:30:00`, taken as UTC, with or without seconds and ` UTC`.
pub(super) fn plain_time(text: &str) -> Option<Time> {
    let text = text
        .trim()
        .trim_end_matches("UTC")
        .trim_end()
        .replacen(' ', "T", 1);
    let text = match text.len() {
        10 => text + "T00:00:00",
        16 => text + ":00",
        _ => text,
    };
    [format!("{text}Z"), text]
        .iter()
        .find_map(|text| text.parse().ok())
}

/// Where an object does not say what was looked for.
pub(super) fn missing(names: &str) -> String {
    format!("it has no {names}")
}
