//! What was typed, turned into what the library takes.

use std::io::Read;

use mnemon::memory::body::confidence_from_word;
use mnemon::memory::{Confidence, Importance, Link, Memory, MemoryId, SessionId, Tag};
use mnemon::time::expression::{Moment, parse_expression};
use mnemon::{Caller, Error, Mnemon, Time};
use mnemon_wire::parse_strictly;
use serde_json::{Map, Value};

use crate::failure::{Failure, Outcome};
use crate::human::memories::name_and_text;

/// Words joined by spaces; a single `-` reads standard input, at most so many bytes and one more.
pub(crate) fn words_or_stdin(words: &[String], bytes_max: u64) -> Outcome<String> {
    if words != ["-"] {
        return Ok(words.join(" "));
    }
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(bytes_max.saturating_add(2))
        .read_to_end(&mut bytes)
        .map_err(Failure::file("read", "standard input"))?;
    let mut text = String::from_utf8(bytes).map_err(|error| Error::Unparsable {
        what: "text",
        input: "standard input".into(),
        problem: format!("byte {} is not UTF-8", error.utf8_error().valid_up_to() + 1),
    })?;
    // The newline that `echo` and editors add is not part of what was said.
    if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    Ok(text)
}

/// A whole file, or standard input for `-`.
pub(crate) fn file_or_stdin(path: &std::path::Path) -> Outcome<Vec<u8>> {
    if path.as_os_str() != "-" {
        return std::fs::read(path).map_err(Failure::file("read", path));
    }
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(Failure::file("read", "standard input"))?;
    Ok(bytes)
}

/// Without the mark that some editors put before the first line of UTF-8.
pub(crate) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

pub(crate) fn importance(text: &str) -> Outcome<Importance> {
    Ok(Importance::try_from(number(
        "importance",
        text,
        "a number from 0 to 1",
    )?)?)
}

/// A number, or a word that stands for one.
pub(crate) fn confidence(text: &str) -> Outcome<Confidence> {
    let number = match confidence_from_word(text) {
        Some(number) => number,
        None => number(
            "confidence",
            text,
            "a number from 0 to 1, or high, medium, low, explicit, inferred or uncertain",
        )?,
    };
    Ok(Confidence::try_from(number)?)
}

fn number(field: &'static str, text: &str, rule: &str) -> Outcome<f64> {
    text.trim().parse().map_err(|_| {
        Failure::from(Error::Rule {
            field,
            rule: rule.into(),
            given: text.chars().take(60).collect(),
        })
    })
}

pub(crate) fn tags(texts: &[String]) -> Outcome<Vec<Tag>> {
    Ok(texts
        .iter()
        .map(|text| text.parse())
        .collect::<Result<_, Error>>()?)
}

pub(crate) fn moment(text: &str, now: Time, zone: &jiff::tz::TimeZone) -> Outcome<Moment> {
    Ok(parse_expression(text, now, zone)?)
}

/// `key=value` pairs.
pub(crate) fn pairs(field: &'static str, texts: &[String]) -> Outcome<Vec<(String, String)>> {
    texts
        .iter()
        .map(|text| match text.split_once('=') {
            Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
            _ => Err(Failure::from(Error::Rule {
                field,
                rule: "key=value".into(),
                given: text.chars().take(60).collect(),
            })),
        })
        .collect()
}

pub(crate) fn metadata(texts: &[String]) -> Outcome<Map<String, Value>> {
    let pairs = pairs("meta", texts)?.into_iter();
    Ok(pairs
        .map(|(key, value)| (key, Value::String(value)))
        .collect())
}

/// Settings whose values are JSON, or words.
pub(crate) fn settings(field: &'static str, texts: &[String]) -> Outcome<Map<String, Value>> {
    let pairs = pairs(field, texts)?.into_iter();
    Ok(pairs
        .map(|(key, value)| {
            let value = serde_json::from_str(&value).unwrap_or(Value::String(value));
            (key, value)
        })
        .collect())
}

/// The JSON object of `--body`.
pub(crate) fn body(text: &str) -> Outcome<Map<String, Value>> {
    let what = "a JSON object for --body";
    match parse_strictly(what, text)? {
        Value::Object(map) => Ok(map),
        _ => Err(Failure::from(Error::Unparsable {
            what,
            input: text.chars().take(60).collect(),
            problem: "it is JSON, but not an object".into(),
        })),
    }
}

/// What names of memories mean to this caller.
pub(crate) struct Names<'a> {
    pub(crate) engine: &'a Mnemon,
    pub(crate) caller: &'a Caller,
    /// Where bare handles are looked up.
    pub(crate) session: Option<&'a SessionId>,
}

impl Names<'_> {
    /// The memory of that name, forgotten or not.
    pub(crate) fn find(&self, name: &str) -> Outcome<Memory> {
        Ok(self.engine.find(self.caller, name, self.session)?)
    }

    pub(crate) fn id(&self, name: &str) -> Outcome<MemoryId> {
        Ok(self.find(name)?.id)
    }

    /// What the memory at the other end of a link is called; its id if it is not there.
    ///
    /// To mention an archived memory opens nothing.
    pub(crate) fn describe(&self, id: &MemoryId) -> String {
        match self.engine.peek(self.caller, id) {
            Ok(Some(memory)) => name_and_text(&memory, self.session),
            Ok(None) | Err(_) => id.to_string(),
        }
    }

    /// Plain references, then `REL:ID` links.
    pub(crate) fn links(&self, references: &[String], links: &[String]) -> Outcome<Vec<Link>> {
        let mut all = Vec::new();
        for name in references {
            all.push(Link::related(self.id(name)?));
        }
        for text in links {
            let Some((rel, name)) = text.split_once(':') else {
                return Err(Failure::from(Error::Rule {
                    field: "link",
                    rule: "RELATION:ID, such as supersedes:DEC-001".into(),
                    given: text.chars().take(60).collect(),
                }));
            };
            all.push(Link {
                rel: rel.parse()?,
                to: self.id(name)?,
            });
        }
        Ok(all)
    }
}
