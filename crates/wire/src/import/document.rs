//! A file that is one JSON value, with the line on which each memory begins.

use mnemon::{Error, Result};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::gather::Gatherer;
use super::not_json;

#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow, default)]
    sessions: Vec<&'a RawValue>,
    #[serde(borrow)]
    memories: Vec<&'a RawValue>,
}

/// Whether the text is one value, or at least no lines of values.
pub(super) fn looks_like_one(text: &str) -> bool {
    let is_json = |text: &str| serde_json::from_str::<&RawValue>(text).is_ok();
    if text.trim().is_empty() {
        return false;
    }
    is_json(text)
        || !text
            .lines()
            .any(|line| !line.trim().is_empty() && is_json(line))
}

/// Reads the value.
pub(super) fn read(text: &str, gatherer: &mut Gatherer) -> Result<()> {
    let whole = serde_json::from_str::<&RawValue>(text).map_err(|error| bad(text, &error))?;
    if let Ok(document) = serde_json::from_str::<Document<'_>>(whole.get()) {
        for session in document.sessions {
            gatherer.take_session(line_of(text, session), session.get());
        }
        take_all(text, &document.memories, gatherer);
    } else if let Ok(memories) = serde_json::from_str::<Vec<&RawValue>>(whole.get()) {
        take_all(text, &memories, gatherer);
    } else {
        gatherer.take(line_of(text, whole), whole.get());
    }
    Ok(())
}

fn take_all(text: &str, memories: &[&RawValue], gatherer: &mut Gatherer) {
    // Lines are counted on from the one before: a large file is walked once.
    let (mut line, mut offset) = (1, 0);
    for memory in memories {
        let begin = offset_of(text, memory);
        line += newlines(&text.as_bytes()[offset..begin]);
        offset = begin;
        gatherer.take(line, memory.get());
    }
}

fn line_of(text: &str, value: &RawValue) -> u64 {
    1 + newlines(&text.as_bytes()[..offset_of(text, value)])
}

pub(super) fn newlines(bytes: &[u8]) -> u64 {
    bytes.split(|byte| *byte == b'\n').skip(1).count() as u64
}

/// Where in the text a value that borrows from it begins.
fn offset_of(text: &str, value: &RawValue) -> usize {
    let offset = value.get().as_ptr().addr() - text.as_ptr().addr();
    offset.min(text.len())
}

fn bad(text: &str, error: &serde_json::Error) -> Error {
    let line = text.lines().nth(error.line().saturating_sub(1));
    Error::UnparsableLine {
        line: error.line() as u64,
        source: Box::new(not_json(line.unwrap_or_default(), error)),
    }
}
