//! `remember`: keeps one memory, or a list of them.
//!
//! Everything is read and checked before anything is kept; then each space
//! gets its memories in one transaction. A session that is not there is made.

use std::fmt::Write as _;

use mnemon::engine::{NewSession, Remembered};
use mnemon::memory::{Draft, SessionId, Space};
use mnemon::redact::{Redaction, sum};
use mnemon::store::OnFull;
use mnemon::{Error, Result};
use mnemon_wire::RememberedShape;
use serde_json::{Value, json};

use super::Opened;
use super::answer::Answer;
use super::door::Need;
use super::fields::{self, Arguments};
use super::{Shared, members, scope};
use crate::request::draft::{Reader, ids_of};

/// The most memories of one call.
const MEMORIES_MAX: usize = 1000;

/// The most that the text for the model names one by one.
const NAMED_MAX: usize = 20;

/// Keeps what the arguments say.
pub(super) fn remember(shared: &Shared, arguments: Arguments) -> Answer {
    let mut kept = Kept::default();
    let Err(error) = remember_all(shared, arguments, &mut kept) else {
        return Answer::new(kept.text(), kept.structured());
    };
    shared.door.failed(&error);
    let answer = Answer::error(&error);
    if kept.memories.is_empty() {
        return answer;
    }
    // An earlier space has its memories for good, whatever became of the later one.
    answer
        .with_line(&format!("Before that: {}", kept.text()))
        .with_member("memories", kept.shapes())
}

fn remember_all(shared: &Shared, arguments: Arguments, kept: &mut Kept) -> Result<()> {
    let asked = read(arguments)?;
    let opened = shared.opened(Need::Made)?;
    for (space, drafts) in by_space(shared, &opened, asked)? {
        if let Space::Session(id) = &space
            && make_session(&opened, id)?
        {
            kept.new_sessions.push(id.clone());
        }
        let (engine, caller) = (&opened.engine, &opened.caller);
        let receipts = engine.remember_all(caller, &space, drafts, OnFull::Refuse)?;
        kept.memories.extend(receipts);
        shared.background.after_write(&opened);
    }
    Ok(())
}

/// A memory as it was asked for, and where it goes if that was said.
struct Asked {
    /// Where in the call it stands, if it is one of several.
    place: Option<String>,
    space: Option<Space>,
    members: Arguments,
}

impl Asked {
    fn new(place: Option<String>, space: Option<Space>, mut members: Arguments) -> Result<Self> {
        let read = scope::space(&mut members).and_then(|own| {
            members::check(&mut members)?;
            Ok(own)
        });
        let own = read.map_err(at(place.as_deref()))?;
        Ok(Self {
            place,
            space: own.or(space),
            members,
        })
    }
}

/// For `map_err`: it stands at this place of the call.
fn at(place: Option<&str>) -> impl FnOnce(Error) -> Error {
    move |error| match place {
        None => error,
        Some(place) => Error::At {
            place: place.to_owned(),
            source: Box::new(error),
        },
    }
}

/// The memories that the arguments hold.
fn read(mut arguments: Arguments) -> Result<Vec<Asked>> {
    let Some(memories) = fields::take(&mut arguments, "memories") else {
        arguments.remove("memories");
        return Ok(vec![Asked::new(None, None, arguments)?]);
    };
    let space = scope::space(&mut arguments)?;
    arguments.retain(|_, value| !value.is_null());
    if let Some(name) = arguments.keys().next() {
        return Err(Error::Rule {
            field: "memories",
            rule: "alone: every other field belongs into one of its items".into(),
            given: fields::short(name),
        });
    }
    let items = match memories {
        Value::Array(items) if !items.is_empty() && items.len() <= MEMORIES_MAX => items,
        Value::Array(items) => {
            let rule = format!("a list of 1 to {MEMORIES_MAX} memories");
            return Err(fields::wrong("memories", &rule, &json!(items.len())));
        }
        other => return Err(fields::wrong("memories", "a list", &other)),
    };
    let items = items.into_iter().enumerate();
    items
        .map(|(number, item)| {
            let place = format!("memories[{number}]");
            match item {
                Value::Object(members) => Asked::new(Some(place), space.clone(), members),
                other => {
                    let rule = format!("a list of objects, which {place} is not");
                    Err(fields::wrong("memories", &rule, &other))
                }
            }
        })
        .collect()
}

/// The drafts of each space, in the order in which they came.
fn by_space(
    shared: &Shared,
    opened: &Opened,
    asked: Vec<Asked>,
) -> Result<Vec<(Space, Vec<Draft>)>> {
    let default = shared.default_space();
    let own_ids = ids_of(asked.iter().map(|asked| &asked.members));
    let reader = Reader {
        opened,
        zone: &shared.zone,
        default: &default,
        own_ids: &own_ids,
    };
    let mut spaces: Vec<(Space, Vec<Draft>)> = Vec::new();
    for asked in asked {
        let read = reader.read(asked.space, asked.members);
        let (space, draft) = read.map_err(at(asked.place.as_deref()))?;
        match spaces.iter_mut().find(|(known, _)| *known == space) {
            Some((_, drafts)) => drafts.push(draft),
            None => spaces.push((space, vec![draft])),
        }
    }
    Ok(spaces)
}

/// Makes the session unless it is there; says whether it did.
pub(super) fn make_session(opened: &Opened, id: &SessionId) -> Result<bool> {
    let (engine, caller) = (&opened.engine, &opened.caller);
    match engine.session(caller, id) {
        Err(Error::SessionNotFound { .. }) => {}
        there => return there.map(|_| false),
    }
    let new = NewSession {
        id: Some(id.clone()),
        ..NewSession::default()
    };
    match engine.create_session(caller, new) {
        Ok(_) => Ok(true),
        // Another process was quicker.
        Err(Error::SessionExists { session }) if session == id.as_str() => Ok(false),
        Err(error) => Err(error),
    }
}

/// What was kept so far.
#[derive(Default)]
struct Kept {
    memories: Vec<Remembered>,
    new_sessions: Vec<SessionId>,
}

impl Kept {
    fn text(&self) -> String {
        let mut text = String::new();
        for kept in self.memories.iter().take(NAMED_MAX) {
            let verb = if kept.new { "kept" } else { "had already" };
            let _ = match kept.handle {
                Some(handle) => write!(text, "{verb} {handle} ({}) in {}", kept.id, kept.space),
                None => write!(text, "{verb} {} in {}", kept.id, kept.space),
            };
            if !kept.durable {
                text.push_str(", not on the disk yet");
            }
            text.push('\n');
        }
        if let Some(more) = self.memories.len().checked_sub(NAMED_MAX + 1) {
            let _ = writeln!(text, "and {} more", more + 1);
        }
        for Redaction { class, count } in sum(self.memories.iter().flat_map(|kept| &kept.redacted))
        {
            let _ = writeln!(text, "redacted before it was kept: {count} {class}");
        }
        for session in &self.new_sessions {
            let _ = writeln!(text, "session {session} is new");
        }
        let mut notes: Vec<String> = Vec::new();
        for note in self.memories.iter().flat_map(Remembered::notes) {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        for note in notes {
            let _ = writeln!(text, "note: {note}");
        }
        text.truncate(text.trim_end().len());
        text
    }

    fn shapes(&self) -> Value {
        let shape = |kept: &Remembered| {
            let mut shape = json!(RememberedShape::of(kept));
            shape["new"] = json!(kept.new);
            shape
        };
        self.memories.iter().map(shape).collect()
    }

    fn structured(&self) -> Value {
        let mut structured = json!({ "memories": self.shapes() });
        if !self.new_sessions.is_empty() {
            structured["new_sessions"] = json!(self.new_sessions);
        }
        structured
    }
}
