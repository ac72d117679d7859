//! Files of memories: lines of JSON, or one document, in every form that an export has.
//!
//! Everything is read and checked before anything is handed on, and every
//! refusal names its line. Lines with an `op` are about a session or about a
//! memory before them, so that a store's own log can be imported too.

mod binary;
mod document;
mod gather;
mod markdown;
pub(crate) mod yaml;

use mnemon::engine::ImportItem;
use mnemon::memory::SessionId;
use mnemon::{Error, Result};

use gather::Gatherer;

/// How a file is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Whatever it looks like.
    #[default]
    Auto,
    /// One JSON object a line.
    Jsonl,
    /// A list of memories, `{"memories":[…],"sessions":[…]}`, or a single one.
    Json,
    /// The same as JSON, in YAML.
    Yaml,
    /// An export to be read by people.
    Markdown,
    /// The compact form of an export.
    Binary,
}

/// Reads a whole file; everything goes to `session` if one is given.
pub fn read_import(
    bytes: &[u8],
    format: Format,
    session: Option<&SessionId>,
) -> Result<Vec<ImportItem>> {
    if format == Format::Binary || (format == Format::Auto && binary::looks_like_it(bytes)) {
        return read_import(&binary::unpack(bytes)?, Format::Jsonl, session);
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = utf8(bytes)?;
    let mut gatherer = Gatherer::new(session.cloned());
    let format = match format {
        Format::Auto => recognise(text),
        given => given,
    };
    match format {
        Format::Json => document::read(text, &mut gatherer)?,
        Format::Yaml => yaml::read(text, &mut gatherer)?,
        Format::Markdown => markdown::read(text, &mut gatherer)?,
        _ => {
            for (number, line) in (1..).zip(text.lines()) {
                if !line.trim().is_empty() {
                    gatherer.take(number, line);
                }
            }
        }
    }
    gatherer.finish()
}

/// What a text looks like.
fn recognise(text: &str) -> Format {
    let is_json = text.trim_start().starts_with(['{', '[']);
    if !is_json && markdown::looks_like_it(text) {
        Format::Markdown
    } else if !is_json && yaml::looks_like_it(text) {
        Format::Yaml
    } else if document::looks_like_one(text) {
        Format::Json
    } else {
        Format::Jsonl
    }
}

fn utf8(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|error| {
        let good = &bytes[..error.valid_up_to()];
        let line = 1 + document::newlines(good);
        let source = Error::Unparsable {
            what: "text",
            input: String::new(),
            problem: "it is not UTF-8".into(),
        };
        Error::UnparsableLine {
            line,
            source: Box::new(source),
        }
    })
}

pub(crate) fn not_json(input: &str, error: &serde_json::Error) -> Error {
    // The place is told by the line that the error is about.
    let problem = error.to_string();
    let problem = problem.split(" at line ").next().unwrap_or_default();
    Error::Unparsable {
        what: "JSON",
        input: crate::parse::shorten(input),
        problem: format!("{problem}, column {}", error.column()),
    }
}

#[cfg(test)]
mod tests;
