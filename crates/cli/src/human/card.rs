//! One memory on its own: everything about it, for reading.

use std::fmt::Write as _;

use mnemon::Time;
use mnemon::decay::Faded;
use mnemon::memory::{Memory, MemoryId, Tag};
use serde_json::Value;

use super::ago::exact;
use super::text::{harmless, one_line, wrap};
use super::{GOOD, LABEL, NAME, STRONG, WARN, count};

/// A card under construction: a heading, a text, labelled lines.
pub(crate) struct Card {
    out: String,
    room: usize,
    label_columns: usize,
}

impl Card {
    pub(crate) fn new(room: usize) -> Self {
        Self {
            out: String::new(),
            room,
            label_columns: 12,
        }
    }

    pub(crate) fn heading(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    pub(crate) fn blank(&mut self) {
        self.out.push('\n');
    }

    /// A paragraph, wrapped.
    pub(crate) fn paragraph(&mut self, text: &str) {
        for line in wrap(text, self.room) {
            self.out.push_str(line.trim_end());
            self.out.push('\n');
        }
    }

    /// A labelled value, wrapped beside its label.
    pub(crate) fn line(&mut self, label: &str, value: &str) {
        let indent = 2 + self.label_columns;
        let lines = wrap(value, self.room.saturating_sub(indent).max(20));
        for (place, line) in lines.iter().enumerate() {
            if place == 0 {
                let label = format!(
                    "{:<columns$}",
                    one_line(label),
                    columns = self.label_columns
                );
                let _ = write!(&mut self.out, "  {LABEL}{label}{LABEL:#} ");
            } else {
                self.out.push_str(&" ".repeat(indent + 1));
            }
            self.out.push_str(line.trim_end());
            self.out.push('\n');
        }
    }

    pub(crate) fn finish(self) -> String {
        self.out
    }
}

/// The card of a memory; `named` says what a memory at the other end of a link is called.
pub(crate) fn memory_card(
    memory: &Memory,
    faded: &Faded,
    room: usize,
    now: Time,
    future_skew_minutes: u64,
    named: impl Fn(&MemoryId) -> String,
) -> String {
    let mut card = Card::new(room);
    card.heading(&heading(memory));
    card.blank();
    card.paragraph(memory.text.as_str());
    card.blank();
    card.line("id", memory.id.as_str());
    card.line("space", &memory.space.to_string());
    if let Some(author) = &memory.author {
        card.line("author", author.as_str());
    }
    let mut created = exact(memory.created_at, now);
    if memory.is_from_the_future(future_skew_minutes) {
        created.push_str(", ahead of the clock");
    }
    card.line("created", &created);
    if memory.version > 1 {
        let updated = exact(memory.updated_at, now);
        card.line("revised", &format!("{updated}, version {}", memory.version));
    }
    card.line("importance", &memory.importance.get().to_string());
    card.line(
        "priority",
        &format!("{:.3}: {}", faded.priority, faded.reason),
    );
    let mut body = memory.body.to_map();
    if let Some(confidence) = memory.confidence {
        let mut said = confidence.get().to_string();
        if let Some(Value::String(word)) = body.remove("confidence") {
            let _ = write!(said, " ({word})");
        }
        card.line("confidence", &said);
    }
    if !memory.tags.is_empty() {
        let tags: Vec<_> = memory.tags.iter().map(Tag::as_str).collect();
        card.line("tags", &tags.join(", "));
    }
    if let Some(turn) = &memory.turn {
        card.line("turn", &named(turn));
    }
    for link in &memory.links {
        card.line(link.rel.as_str(), &named(&link.to));
    }
    members(&mut card, &body);
    members(&mut card, &memory.metadata);
    state(&mut card, memory, now);
    card.finish()
}

fn heading(memory: &Memory) -> String {
    let name = match memory.handle {
        Some(handle) => handle.to_string(),
        None => memory.id.to_string(),
    };
    let mut heading = format!("{NAME}{name}{NAME:#}  {STRONG}{}{STRONG:#}", memory.kind());
    if let Some(open) = memory.body.is_open() {
        let (style, word) = if open {
            (WARN, "open")
        } else {
            (GOOD, "resolved")
        };
        let _ = write!(heading, "  {style}{word}{style:#}");
    }
    for (set, word) in [(memory.pinned, "pinned"), (memory.sensitive, "sensitive")] {
        if set {
            let _ = write!(heading, "  {word}");
        }
    }
    if memory.state.forgotten.is_some() {
        let _ = write!(heading, "  {WARN}forgotten{WARN:#}");
    }
    heading
}

fn members(card: &mut Card, members: &serde_json::Map<String, Value>) {
    for (name, value) in members {
        card.line(&name.replace('_', " "), &readable(value));
    }
}

/// A JSON value as people read it: texts bare, lists by line, objects as `name: value`.
pub(crate) fn readable(value: &Value) -> String {
    match value {
        Value::String(text) => harmless(text),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(readable).collect();
            items.join("\n")
        }
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| match value {
                Value::Array(_) | Value::Object(_) => format!("{name}: {value}"),
                plain => format!("{name}: {}", readable(plain)),
            });
            members.collect::<Vec<_>>().join("; ")
        }
        Value::Null => "–".into(),
        other => other.to_string(),
    }
}

fn state(card: &mut Card, memory: &Memory, now: Time) {
    if let Some(last) = memory.state.last_access {
        let times = count(memory.state.access_count, "time", "times");
        card.line("asked for", &format!("{times}, last {}", exact(last, now)));
    }
    if let Some(forgotten) = &memory.state.forgotten {
        card.line(
            "forgotten",
            &format!("{} by {}", exact(forgotten.at, now), forgotten.by),
        );
        card.line("reason", &forgotten.reason);
        card.line("recoverable", &format!("until {}", forgotten.recover_until));
    }
}
