//! One YAML document, the same members as in JSON.
//!
//! Texts of several lines stand as blocks, so that they can be read and edited.
//! Whatever could be taken for something else is quoted.

use std::fmt;
use std::io::{self, Write};

use mnemon::session::Session;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::SessionLine;
use crate::memory::MemoryShape;

/// Words that are no text unless they are quoted, in one version of YAML or another.
const NOT_TEXT: [&str; 11] = [
    "true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf",
];

/// A document whose memories are still to come.
pub(super) struct Writer<W> {
    out: W,
    is_empty: bool,
}

impl<W: Write> Writer<W> {
    pub(super) fn new(mut out: W, sessions: &[Session]) -> io::Result<Self> {
        if sessions.is_empty() {
            out.write_all(b"sessions: []\n")?;
        } else {
            out.write_all(b"sessions:\n")?;
        }
        for session in sessions {
            out.write_all(item(&SessionLine::of(session)).as_bytes())?;
        }
        Ok(Self {
            out,
            is_empty: true,
        })
    }

    pub(super) fn add(&mut self, memory: &MemoryShape<'_>) -> io::Result<()> {
        if std::mem::take(&mut self.is_empty) {
            self.out.write_all(b"memories:\n")?;
        }
        self.out.write_all(item(memory).as_bytes())
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        if self.is_empty {
            self.out.write_all(b"memories: []\n")?;
        }
        self.out.flush()
    }
}

fn item(value: &impl Serialize) -> String {
    let json = serde_json::to_string(value).expect("text keys and finite numbers");
    let Members(members) = serde_json::from_str(&json).expect("an object");
    let mut text = String::from("- ");
    let members = members.iter().map(|(name, value)| (name, value));
    entries(members, 2, &mut text);
    text
}

/// The members of an object in the order in which they were written: who, where and what first.
struct Members(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

/// The members of a map, the first on the line that is there already.
fn entries<'a>(
    map: impl IntoIterator<Item = (&'a String, &'a Value)>,
    indent: usize,
    text: &mut String,
) {
    for (place, (name, value)) in map.into_iter().enumerate() {
        if place > 0 {
            text.extend(std::iter::repeat_n(' ', indent));
        }
        scalar(name, text);
        text.push(':');
        entry(value, indent, text);
    }
}

fn entry(value: &Value, indent: usize, text: &mut String) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            text.push('\n');
            text.extend(std::iter::repeat_n(' ', indent + 2));
            entries(map, indent + 2, text);
        }
        Value::Array(list) if list.iter().any(is_large) => {
            text.push('\n');
            for value in list {
                text.extend(std::iter::repeat_n(' ', indent));
                text.push('-');
                match value {
                    Value::Object(map) if !map.is_empty() => {
                        text.push(' ');
                        entries(map, indent + 2, text);
                    }
                    other => entry(other, indent + 2, text),
                }
            }
        }
        Value::String(own) if is_block(own) => block(own, indent + 2, text),
        other => {
            text.push(' ');
            inline(other, text);
            text.push('\n');
        }
    }
}

/// Whether a value of a list needs lines of its own.
fn is_large(value: &Value) -> bool {
    match value {
        Value::Object(map) => !map.is_empty(),
        Value::Array(list) => list.iter().any(is_large),
        Value::String(text) => is_block(text),
        _ => false,
    }
}

fn inline(value: &Value, text: &mut String) {
    match value {
        Value::String(own) => scalar(own, text),
        Value::Array(list) => {
            text.push('[');
            for (place, value) in list.iter().enumerate() {
                if place > 0 {
                    text.push_str(", ");
                }
                inline(value, text);
            }
            text.push(']');
        }
        // What is left of objects is empty.
        Value::Object(_) => text.push_str("{}"),
        other => text.push_str(&other.to_string()),
    }
}

/// Whether a text can stand as it is, line by line.
fn is_block(text: &str) -> bool {
    let is_plain = |c: char| !needs_escape(c) || c == '\n';
    let body = text.strip_suffix('\n').unwrap_or(text);
    body.contains('\n')
        && !body.starts_with([' ', '\n', '\t'])
        && !body.ends_with('\n')
        && text.chars().all(is_plain)
}

fn block(own: &str, indent: usize, text: &mut String) {
    // The sign says whether a line break at the end is part of the text.
    let (sign, body) = match own.strip_suffix('\n') {
        Some(body) => (" |\n", body),
        None => (" |-\n", own),
    };
    text.push_str(sign);
    for line in body.split('\n') {
        if !line.is_empty() {
            text.extend(std::iter::repeat_n(' ', indent));
            text.push_str(line);
        }
        text.push('\n');
    }
}

fn scalar(own: &str, text: &mut String) {
    let is_word = own.starts_with(|c: char| c.is_ascii_alphabetic())
        && own
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '@'));
    let is_taken = NOT_TEXT.iter().any(|word| own.eq_ignore_ascii_case(word));
    if is_word && !is_taken {
        text.push_str(own);
        return;
    }
    text.push('"');
    for c in own.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            '\r' => text.push_str("\\r"),
            c if needs_escape(c) => {
                use std::fmt::Write;
                let _ = write!(text, "\\U{:08x}", u32::from(c));
            }
            c => text.push(c),
        }
    }
    text.push('"');
}

/// What YAML does not print, or takes for the end of a line.
fn needs_escape(c: char) -> bool {
    let is_odd = matches!(
        c,
        '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
    );
    c.is_control() || is_odd
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    #[test]
    fn what_could_be_something_else_is_quoted_and_lines_are_blocks() {
        let members = r#"{
            "id": "fact_1", "text": "two lines\n  and more", "word": "plain", "flag": "yes",
            "number": "12", "tags": ["a.b", "c d"], "links": [{"rel": "related", "to": "x"}],
            "body": {"nested": {"deep": [1, 2.5]}}, "none": null, "odd": "tab\tend",
            "empty": {}, "nothing": [], "kept": "line\nbreak\n"
        }"#;
        let value: Box<RawValue> = serde_json::from_str(members).unwrap();
        insta::assert_snapshot!(item(&value), @r#"
        - id: fact_1
          text: |-
            two lines
              and more
          word: plain
          flag: "yes"
          number: "12"
          tags: [a.b, "c d"]
          links:
          - rel: related
            to: x
          body:
            nested:
              deep: [1, 2.5]
          none: null
          odd: "tab\tend"
          empty: {}
          nothing: []
          kept: |
            line
            break
        "#);
    }
}
