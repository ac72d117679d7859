//! Patterns of one's own: `ticket=ACME-[0-9]+`.
//!
//! A pattern is matched within a line, so `^` and `$` are its ends. One search
//! is linear in the text, but many searches in one long line would not be:
//! long lines are cut into pieces that overlap.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use regex::{Regex, RegexBuilder};

use super::page::is_class;

/// How much of a line is searched at once, and how much of that again with the next piece.
const PIECE_BYTES: usize = 4096;
const OVERLAP_BYTES: usize = 1024;
/// A pattern that needs more memory than this is a mistake.
const COMPILED_BYTES_MAX: usize = 1 << 20;

/// A class of one's own and the regular expression that finds it.
#[derive(Clone, Debug)]
pub struct Pattern {
    class: String,
    regex: Regex,
}

impl Pattern {
    /// Finds what matches.
    pub(super) fn find<'c>(&'c self, text: &str, found: &mut dyn FnMut(Range<usize>, &'c str)) {
        let mut start = 0;
        for line in text.split('\n') {
            for piece in pieces(line) {
                for matched in self.regex.find_iter(&line[piece.clone()]) {
                    let offset = start + piece.start;
                    found(
                        offset + matched.start()..offset + matched.end(),
                        &self.class,
                    );
                }
            }
            start += line.len() + 1;
        }
    }
}

/// A line in pieces that overlap; most lines are one.
fn pieces(line: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut next: Option<usize> = Some(0);
    std::iter::from_fn(move || {
        let start = next?;
        let end = boundary(line, start.saturating_add(PIECE_BYTES));
        next = (end < line.len()).then(|| boundary(line, end - OVERLAP_BYTES));
        Some(start..end)
    })
}

/// The end of a character at or before this place.
fn boundary(line: &str, at: usize) -> usize {
    (0..=at.min(line.len()))
        .rev()
        .find(|at| line.is_char_boundary(*at))
        .unwrap_or(0)
}

impl FromStr for Pattern {
    /// What is wrong, to follow the name of the setting.
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (class, expression) = text
            .split_once('=')
            .filter(|(class, expression)| is_class(class) && !expression.is_empty())
            .ok_or("is written `class=pattern`, the class in small letters, digits and _")?;
        let regex = RegexBuilder::new(expression)
            .size_limit(COMPILED_BYTES_MAX)
            .build()
            .map_err(|error| {
                let text = error.to_string();
                let last = text.lines().last().unwrap_or_default();
                last.trim_start_matches("error: ").to_owned()
            })?;
        if regex.is_match("") {
            return Err("matches nothing at all, and so would match everywhere".to_owned());
        }
        Ok(Self {
            class: class.to_owned(),
            regex,
        })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.class, self.regex)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.class == other.class && self.regex.as_str() == other.regex.as_str()
    }
}

impl<'de> serde::Deserialize<'de> for Pattern {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(from)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
