//! Conversation logs of BMAD: turns with a speaker, and what they refer to.
//!
//! `session` reads the folder of a session, `extract` finds what was decided,
//! found out and wished for where nobody wrote it down.

pub(super) mod extract;
mod session;

use std::io::BufRead;

use mnemon::memory::{Kind, MemoryId, SessionId};
use mnemon::session::SessionDetails;
use mnemon::{Result, Time};
use serde_json::{Map, json};

use super::reading::{Message, Reading, plain_time};
use super::{chat, ids, input};

pub(super) use session::{read_common, read_session};

/// Words for the person in `**Speaker:**`.
const PEOPLE: [&str; 3] = ["user", "human", "you"];

/// Reads a log: turns, or whatever else people write conversations as.
pub(super) fn read(input: &mut dyn BufRead, reading: &mut Reading<'_>) -> Result<()> {
    let whole = match input::text(input)? {
        Ok(whole) => whole,
        Err(problem) => return reading.problem("the file".into(), problem),
    };
    if whole.lines().any(|line| heading(line).is_some()) {
        let own = head(&whole, "Session").unwrap_or_else(|| reading.stem().to_owned());
        let details = SessionDetails {
            created_at: head(&whole, "Started").as_deref().and_then(plain_time),
            ..SessionDetails::default()
        };
        reading.session(session_id(&own), details)?;
        turns(&own, &whole, reading)
    } else {
        chat::read(&mut whole.as_bytes(), reading)
    }
}

/// Sessions keep the names that they have, if those can be names here.
pub(super) fn session_id(own: &str) -> SessionId {
    own.parse()
        .unwrap_or_else(|_| ids::readable("bmad", own, &[own]))
}

/// The id of a turn by its number.
pub(super) fn turn_id(session: &str, number: &str) -> MemoryId {
    ids::memory(Kind::Conversation, &["bmad", session, "turn", number])
}

/// `**Name:** value` at the head of a log.
fn head(whole: &str, name: &str) -> Option<String> {
    let mark = format!("**{name}:**");
    let before_turns = whole.lines().take_while(|line| heading(line).is_none());
    let mut found = before_turns.filter_map(|line| line.trim().strip_prefix(mark.as_str()));
    found.next().map(|value| value.trim().to_owned())
}

/// `## Turn 3 - 2026-01-11 14:30:30`
fn heading(line: &str) -> Option<(&str, Option<Time>)> {
    let rest = line.trim_end().strip_prefix("## Turn ")?;
    let (number, rest) = rest.split_once(" - ").unwrap_or((rest, ""));
    let number = number.trim();
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| (number, rest.parse().ok().or_else(|| plain_time(rest))))
}

/// A turn as it stands in a log.
struct Turn<'t> {
    line: u64,
    number: &'t str,
    at: Option<Time>,
    lines: Vec<&'t str>,
}

/// Takes every turn of a log.
pub(super) fn turns(session: &str, whole: &str, reading: &mut Reading<'_>) -> Result<()> {
    let mut found: Vec<Turn<'_>> = Vec::new();
    for (line, text) in (1..).zip(whole.lines()) {
        if let Some((number, at)) = heading(text) {
            found.push(Turn {
                line,
                number,
                at,
                lines: Vec::new(),
            });
        } else if let Some(turn) = found.last_mut() {
            turn.lines.push(text);
        }
    }
    let mut before = None;
    for turn in found {
        let id = turn_id(session, turn.number);
        let mut message = message(id.clone(), turn, reading);
        message.parent = before.replace(id);
        for name in references(&message) {
            message
                .links
                .push(mnemon::memory::Link::related(name_id(session, &name)));
        }
        reading.message(message)?;
    }
    Ok(())
}

/// The id of what a name such as `FIND-001` stands for in a session.
pub(super) fn name_id(session: &str, name: &str) -> MemoryId {
    let lower = name.to_ascii_lowercase();
    let kind = match name.parse::<mnemon::memory::Handle>() {
        Ok(handle) => handle.kind,
        Err(_) if lower.starts_with("msg") => Kind::Conversation,
        Err(_) if lower.starts_with("finding") => Kind::Finding,
        // Who refers to it does not know what it is.
        Err(_) => return ids::unknown(&["bmad", session, name]),
    };
    ids::memory(kind, &["bmad", session, name])
}

fn references(message: &Message) -> Vec<String> {
    let names = message
        .body
        .get("memory_refs")
        .and_then(|names| names.as_array());
    let names = names.into_iter().flatten().filter_map(|name| name.as_str());
    names.map(str::to_owned).collect()
}

fn message(id: MemoryId, turn: Turn<'_>, reading: &Reading<'_>) -> Message {
    let mut members = Map::new();
    let mut lines = turn.lines.into_iter().peekable();
    let mut speaker = String::new();
    while let Some(line) = lines.peek() {
        let member = line
            .trim()
            .strip_prefix("**")
            .and_then(|rest| rest.split_once(":**"));
        match member {
            Some(("Speaker", name)) => name.trim().clone_into(&mut speaker),
            Some(("Type", sort)) => {
                members.insert("type".into(), json!(sort.trim()));
            }
            Some(("Memory-Refs", names)) => {
                let names = names.trim().trim_matches(['[', ']']).split(',');
                let names = names.map(str::trim).filter(|name| !name.is_empty());
                members.insert("memory_refs".into(), json!(names.collect::<Vec<_>>()));
            }
            None if line.trim().is_empty() && members.is_empty() && speaker.is_empty() => {}
            _ => break,
        }
        lines.next();
    }
    let text = lines.collect::<Vec<_>>().join("\n");
    let mut message = Message::new(
        format!("line {}", turn.line),
        id,
        Kind::Conversation,
        without_rules(&text).to_owned(),
    );
    let is_person = PEOPLE.contains(&speaker.to_lowercase().as_str());
    message.role = Some(if is_person { "user" } else { "assistant" });
    message.author = if is_person {
        reading.about.user.to_owned()
    } else {
        speaker.clone()
    };
    members.insert("speaker".into(), json!(speaker));
    message.body = members;
    message.at = turn.at;
    message.handle = format!("TURN-{}", turn.number).parse().ok();
    message
}

/// Without the rules and comments that end a turn.
fn without_rules(text: &str) -> &str {
    let mut text = text.trim();
    loop {
        let last = text.lines().next_back().unwrap_or_default().trim();
        let is_rule = last == "---" || (last.starts_with("<!--") && last.ends_with("-->"));
        if !is_rule {
            return text;
        }
        text = text[..text.rfind(last).unwrap_or(0)].trim_end();
    }
}
