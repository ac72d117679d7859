//! An export in Markdown: the comments say what a memory is, the quote before one what it says.

use mnemon::{Error, Result};
use serde_json::Value;

use super::gather::Gatherer;
use super::not_json;
use crate::export::{HEADER, MARKER};

/// Whether a text has comments of ours.
pub(super) fn looks_like_it(text: &str) -> bool {
    text.lines().any(|line| line.starts_with(MARKER))
}

/// Reads the file.
pub(super) fn read(text: &str, gatherer: &mut Gatherer) -> Result<()> {
    if !looks_like_it(text) {
        return Err(Error::Unparsable {
            what: "an export in Markdown",
            input: String::new(),
            problem: format!("no line begins with `{}`", MARKER.trim_end()),
        });
    }
    let mut quote = Quote::default();
    for (number, line) in (1..).zip(text.split('\n')) {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if is_header(line) {
            continue;
        }
        if let Some(json) = line.strip_prefix(MARKER) {
            let value = comment(json).and_then(|value| quote.complete(value));
            match value {
                Ok(value) => gatherer.take_value_of(number, value),
                Err(error) => gatherer.refuse(number, error),
            }
            quote = Quote::default();
        } else {
            quote.take(line);
        }
    }
    if quote.blocks > 0 {
        let problem = "the last quote has no comment behind it that says what it is";
        let source = Error::Unparsable {
            what: "an export in Markdown",
            input: String::new(),
            problem: problem.into(),
        };
        gatherer.refuse(text.lines().count() as u64, source);
    }
    Ok(())
}

fn is_header(line: &str) -> bool {
    let json = line.strip_prefix(MARKER);
    json.is_some_and(|json| json.starts_with(HEADER))
}

fn comment(json: &str) -> Result<Value> {
    let json = json.trim_end();
    let Some(json) = json.strip_suffix("-->") else {
        return Err(Error::Unparsable {
            what: "an export in Markdown",
            input: crate::parse::shorten(json),
            problem: "the comment does not end on its line".into(),
        });
    };
    serde_json::from_str(json).map_err(|error| not_json(json, &error))
}

/// The quoted lines since the last comment.
#[derive(Default)]
struct Quote {
    text: String,
    blocks: u32,
    is_open: bool,
}

impl Quote {
    fn take(&mut self, line: &str) {
        let Some(quoted) = line.strip_prefix('>') else {
            self.is_open = false;
            return;
        };
        if self.is_open {
            self.text.push('\n');
        } else {
            self.blocks += 1;
            self.is_open = true;
        }
        self.text
            .push_str(quoted.strip_prefix(' ').unwrap_or(quoted));
    }

    /// A memory with its text.
    fn complete(&self, mut value: Value) -> Result<Value> {
        let Value::Object(map) = &mut value else {
            return Ok(value);
        };
        if map.contains_key("op") || map.contains_key("text") {
            return Ok(value);
        }
        if self.blocks > 1 {
            return Err(crate::parse::rule(
                "text",
                "one quote, without lines in it that don't begin with >",
                &self.text,
            ));
        }
        if self.blocks == 1 {
            map.insert("text".into(), Value::String(self.text.clone()));
        }
        Ok(value)
    }
}
