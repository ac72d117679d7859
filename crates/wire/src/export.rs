//! What an export consists of, in five ways of writing.
//!
//! All of them say the same: the sessions, then every memory with all that is
//! known about it. One memory after another, so that a large store needs no
//! large memory. [`crate::import`] reads each of them again.

mod binary;
mod document;
mod markdown;
mod yaml;

pub(crate) use binary::{BYTES_MIN, MAGIC, RATIO_MAX};
pub(crate) use markdown::{HEADER, MARKER};

use std::io::{self, Write};

use mnemon::Time;
use mnemon::memory::{Memory, SessionId};
use mnemon::session::{Session, SessionDetails};
use serde::Serialize;

use crate::memory::MemoryShape;

/// How an export is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// One JSON object a line.
    Jsonl,
    /// One JSON document.
    Json,
    /// One YAML document.
    Yaml,
    /// To be read by people, and read back all the same.
    Markdown,
    /// Compressed, with a checksum over everything.
    Binary,
}

/// A session in an export: what was said about it, without what is counted.
#[derive(Debug, Serialize)]
pub struct SessionLine<'a> {
    op: &'static str,
    id: &'a SessionId,
    created_at: Time,
    details: &'a SessionDetails,
}

impl<'a> SessionLine<'a> {
    /// The line of a session.
    pub fn of(session: &'a Session) -> Self {
        Self {
            op: "session",
            id: &session.id,
            created_at: session.created_at,
            details: &session.details,
        }
    }
}

/// The line of a session in a JSONL export, newline included.
pub fn session_line(session: &Session) -> String {
    line(&SessionLine::of(session))
}

/// The line of a memory in a JSONL export, newline included.
pub fn memory_line(memory: &Memory, future_skew_minutes: u64) -> String {
    line(&MemoryShape::of(memory, future_skew_minutes))
}

fn line(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string(value).expect("text keys and finite numbers");
    text.push('\n');
    text
}

/// An export that is being written.
pub struct ExportWriter<'a, W: Write> {
    way: Way<'a, W>,
    future_skew_minutes: u64,
}

enum Way<'a, W: Write> {
    Jsonl(W),
    Json(document::Writer<W>),
    Yaml(yaml::Writer<W>),
    Markdown(markdown::Writer<'a, W>),
    Binary(binary::Writer<W>),
}

impl<'a, W: Write> ExportWriter<'a, W> {
    /// Begins with the sessions.
    pub fn new(
        mut out: W,
        format: ExportFormat,
        sessions: &'a [Session],
        future_skew_minutes: u64,
    ) -> io::Result<Self> {
        let way = match format {
            ExportFormat::Jsonl => {
                for session in sessions {
                    out.write_all(session_line(session).as_bytes())?;
                }
                Way::Jsonl(out)
            }
            ExportFormat::Json => Way::Json(document::Writer::new(out, sessions)?),
            ExportFormat::Yaml => Way::Yaml(yaml::Writer::new(out, sessions)?),
            ExportFormat::Markdown => Way::Markdown(markdown::Writer::new(out, sessions)?),
            ExportFormat::Binary => {
                let mut writer = binary::Writer::new(out)?;
                for session in sessions {
                    writer.write_all(session_line(session).as_bytes())?;
                }
                Way::Binary(writer)
            }
        };
        Ok(Self {
            way,
            future_skew_minutes,
        })
    }

    /// Adds a memory.
    pub fn add(&mut self, memory: &Memory) -> io::Result<()> {
        let shape = MemoryShape::of(memory, self.future_skew_minutes);
        match &mut self.way {
            Way::Jsonl(out) => out.write_all(line(&shape).as_bytes()),
            Way::Json(writer) => writer.add(&shape),
            Way::Yaml(writer) => writer.add(&shape),
            Way::Markdown(writer) => writer.add(memory, &shape),
            Way::Binary(writer) => writer.write_all(line(&shape).as_bytes()),
        }
    }

    /// Ends it; before that it is not whole.
    pub fn finish(self) -> io::Result<()> {
        match self.way {
            Way::Jsonl(mut out) => out.flush(),
            Way::Json(writer) => writer.finish(),
            Way::Yaml(writer) => writer.finish(),
            Way::Markdown(writer) => writer.finish(),
            Way::Binary(writer) => writer.finish(),
        }
    }
}
