//! An export to be read by people: a heading, the text and what matters of each memory.
//!
//! What people don't want to read stands in a comment beside it, so that
//! nothing is lost. Only the quoted text and the comment are read back.

use std::io::{self, Write};

use mnemon::memory::{Memory, Space};
use mnemon::session::Session;
use serde::Serialize;
use serde_json::Value;

use super::SessionLine;
use crate::memory::MemoryShape;

/// How a comment of ours begins; ` -->` ends it.
pub(crate) const MARKER: &str = "<!-- mnemon ";

/// What the first comment says; the number is the version of the form.
pub(crate) const HEADER: &str = "{\"op\":\"export\",\"format\":1}";

/// A document whose memories are still to come.
pub(super) struct Writer<'a, W> {
    out: W,
    /// Those that are not written yet.
    sessions: Vec<&'a Session>,
    space: Option<Space>,
}

impl<'a, W: Write> Writer<'a, W> {
    pub(super) fn new(mut out: W, sessions: &'a [Session]) -> io::Result<Self> {
        writeln!(out, "{MARKER}{HEADER} -->\n# Memories")?;
        Ok(Self {
            out,
            sessions: sessions.iter().collect(),
            space: None,
        })
    }

    pub(super) fn add(&mut self, memory: &Memory, shape: &MemoryShape<'_>) -> io::Result<()> {
        if self.space.as_ref() != Some(&memory.space) {
            self.begin(&memory.space)?;
        }
        let name = match memory.handle {
            Some(handle) => handle.to_string(),
            None => memory.id.to_string(),
        };
        let text = memory.text.as_str();
        let quoted = quote(text);
        writeln!(
            self.out,
            "\n### {name} · {}\n\n{quoted}{}\n{}",
            memory.kind(),
            facts(memory),
            details(memory)
        )?;
        let mut value = serde_json::to_value(shape)?;
        // What a quote can't carry exactly stands in the comment too.
        if let (Value::Object(map), true) = (&mut value, is_quotable(text)) {
            map.remove("text");
        }
        writeln!(self.out, "{}", marker(&value))
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        while let Some(session) = self.sessions.first() {
            let space = Space::Session(session.id.clone());
            self.begin(&space)?;
        }
        self.out.flush()
    }

    fn begin(&mut self, space: &Space) -> io::Result<()> {
        writeln!(self.out, "\n## {space}")?;
        let own = |session: &&Session| Some(&session.id) == space.session();
        if let Some(place) = self.sessions.iter().position(own) {
            let session = self.sessions.remove(place);
            writeln!(self.out, "\n{}", marker(&SessionLine::of(session)))?;
        }
        self.space = Some(space.clone());
        Ok(())
    }
}

/// What people want to know beside the text, on one line.
fn facts(memory: &Memory) -> String {
    let mut facts = vec![memory.created_at.to_string()];
    facts.extend(
        memory
            .author
            .as_ref()
            .map(|author| one_line(author.as_str())),
    );
    facts.push(format!("importance {}", memory.importance.get()));
    if !memory.tags.is_empty() {
        let tags: Vec<String> = memory
            .tags
            .iter()
            .map(|tag| one_line(tag.as_str()))
            .collect();
        facts.push(format!("tags {}", tags.join(", ")));
    }
    for link in &memory.links {
        facts.push(format!("{} {}", link.rel, link.to));
    }
    if memory.pinned {
        facts.push("pinned".into());
    }
    if memory.body.is_open() == Some(true) {
        facts.push("open".into());
    }
    if memory.state.forgotten.is_some() {
        facts.push("forgotten".into());
    }
    if memory.state.compacted {
        facts.push("compacted".into());
    }
    format!("\n*{}*", facts.join(" · "))
}

/// The fields of the body that can be read in a line, as a list.
fn details(memory: &Memory) -> String {
    let mut lines = Vec::new();
    for (name, value) in memory.body.to_map() {
        let text = match value {
            Value::String(text) => one_line(&text),
            Value::Array(values) if values.iter().all(Value::is_string) => {
                let texts = values.iter().filter_map(Value::as_str);
                texts.map(one_line).collect::<Vec<_>>().join("; ")
            }
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            _ => continue,
        };
        lines.push(format!("\n- {}: {text}", one_line(&name)));
    }
    if !lines.is_empty() {
        lines.push("\n".to_owned());
    }
    lines.concat()
}

/// Line by line, so that nothing in a text can be taken for a heading or a comment of ours.
fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 8);
    for line in text.split('\n') {
        quoted.push('>');
        if !line.is_empty() {
            quoted.push(' ');
            quoted.extend(line.chars().map(|c| if is_readable(c) { c } else { ' ' }));
        }
        quoted.push('\n');
    }
    quoted
}

fn is_quotable(text: &str) -> bool {
    text.chars().all(|c| is_readable(c) || c == '\n')
}

fn is_readable(c: char) -> bool {
    c == '\t' || !c.is_control()
}

fn one_line(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() || c == '*' { ' ' } else { c })
        .collect()
}

/// A comment with JSON in it, which can't end before it should.
fn marker(value: &impl Serialize) -> String {
    let json = serde_json::to_string(value).expect("text keys and finite numbers");
    // Outside of texts JSON has no such signs, and within them they can be written so.
    let json = json.replace('<', "\\u003c").replace('>', "\\u003e");
    format!("{MARKER}{json} -->")
}
