//! One JSON document, written piece by piece.

use std::io::{self, Write};

use mnemon::session::Session;
use serde::Serialize;

use super::SessionLine;
use crate::memory::MemoryShape;

/// A document whose memories are still to come.
pub(super) struct Writer<W> {
    out: W,
    is_first: bool,
}

impl<W: Write> Writer<W> {
    pub(super) fn new(out: W, sessions: &[Session]) -> io::Result<Self> {
        let mut writer = Self {
            out,
            is_first: true,
        };
        writer.out.write_all(b"{\n  \"sessions\": [")?;
        for session in sessions {
            writer.item(&SessionLine::of(session))?;
        }
        writer.end_list()?;
        writer.out.write_all(b",\n  \"memories\": [")?;
        Ok(writer)
    }

    pub(super) fn add(&mut self, memory: &MemoryShape<'_>) -> io::Result<()> {
        self.item(memory)
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        self.end_list()?;
        self.out.write_all(b"\n}\n")?;
        self.out.flush()
    }

    fn item(&mut self, value: &impl Serialize) -> io::Result<()> {
        let separator: &[u8] = if self.is_first { b"\n    " } else { b",\n    " };
        self.is_first = false;
        self.out.write_all(separator)?;
        let text = serde_json::to_string_pretty(value)?;
        // No text has a line break of its own: JSON writes them as \n.
        self.out.write_all(text.replace('\n', "\n    ").as_bytes())
    }

    fn end_list(&mut self) -> io::Result<()> {
        let end: &[u8] = if self.is_first { b"]" } else { b"\n  ]" };
        self.is_first = true;
        self.out.write_all(end)
    }
}
