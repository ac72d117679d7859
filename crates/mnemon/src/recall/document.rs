//! What is searchable of a memory: its words, and what ranking wants to know of it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::probe::Term;
use super::words::{Word, words};
use crate::embed::Pieces;
use crate::memory::Memory;

/// Stands between the text, each tag and each field: no phrase reaches across.
pub(crate) const BORDER: &str = "\u{0}";

/// A memory as it is searched.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The stems of text, tags and body, in order.
    pub stems: Vec<String>,
    /// Its words as they were written, where that is not the stem; for wildcards.
    pub forms: BTreeSet<String>,
    /// The words of its author's name.
    pub author: Vec<String>,
    /// How long it is, in words that say something.
    pub length: u32,
    /// Whether it asks something.
    pub is_question: bool,
    /// Whether it says when.
    pub has_time: bool,
    /// The pieces of its words, to compare them with other words.
    pub pieces: Pieces,
}

impl Document {
    /// What is searchable of this memory.
    pub fn of(memory: &Memory) -> Self {
        let text = memory.readable_text();
        let own = words(text);
        let mut document = Self {
            stems: Vec::new(),
            forms: BTreeSet::new(),
            author: memory
                .author
                .as_ref()
                .map_or_else(Vec::new, |author| name_words(author.as_str())),
            length: 0,
            is_question: asks(text),
            has_time: own.iter().any(says_when),
            pieces: Pieces::default(),
        };
        let tags = memory.tags.iter().map(|tag| words(tag.as_str()));
        let tags: Vec<Vec<Word>> = tags.collect();
        let said = own.iter().chain(tags.iter().flatten());
        let said = said.filter(|word| !word.says_nothing);
        document.pieces = Pieces::of(said.map(|word| word.folded.as_str()));
        document.take(own);
        for tag in tags {
            document.take(tag);
        }
        for value in memory.body.to_map().values() {
            document.take_value(value);
        }
        document
    }

    /// The stems of text, tags and body, in order.
    pub fn stems(&self) -> impl Iterator<Item = &str> {
        self.stems.iter().map(String::as_str)
    }

    /// Its words as they were written, where that is not the stem.
    pub fn forms(&self) -> impl Iterator<Item = &str> {
        self.forms.iter().map(String::as_str)
    }

    /// How often a term occurs; patterns and names at most once.
    pub fn occurrences(&self, term: &Term) -> u32 {
        let count = match term {
            Term::Stem(stem) => self.stems.iter().filter(|own| *own == stem).count(),
            Term::Phrase(stems) => {
                let runs = self.stems.windows(stems.len().max(1));
                runs.filter(|run| run == stems).count()
            }
            Term::Pattern(pattern) => usize::from(self.has_pattern(pattern)),
            Term::Name { word, stem } => {
                usize::from(self.author.contains(word) || self.stems.contains(stem))
            }
        };
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// Whether a word of it is written like this.
    pub(crate) fn has_pattern(&self, pattern: &str) -> bool {
        let mut words = self.stems.iter().chain(&self.forms);
        words.any(|word| fits_pattern(word, pattern))
    }

    fn take(&mut self, words: Vec<Word>) {
        if !self.stems.is_empty() && !words.is_empty() {
            self.stems.push(BORDER.to_owned());
        }
        for word in words {
            self.length += u32::from(!word.says_nothing);
            if word.folded != word.stem {
                self.forms.insert(word.folded);
            }
            self.stems.push(word.stem);
        }
    }

    fn take_value(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.take(words(text)),
            Value::Array(values) => values.iter().for_each(|value| self.take_value(value)),
            Value::Object(fields) => fields.values().for_each(|value| self.take_value(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// The words of a name, folded.
pub(crate) fn name_words(name: &str) -> Vec<String> {
    words(name).into_iter().map(|word| word.folded).collect()
}

/// Whether a word is written like the pattern, in which `*` stands for anything.
pub(crate) fn fits_pattern(word: &str, pattern: &str) -> bool {
    let Some((begin, rest)) = pattern.split_once('*') else {
        return word == pattern;
    };
    let Some(mut left) = word.strip_prefix(begin) else {
        return false;
    };
    let (middle, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    for piece in middle.split('*') {
        match left.find(piece) {
            Some(place) => left = &left[place + piece.len()..],
            None => return false,
        }
    }
    left.ends_with(end)
}

/// Whether a text asks something; a note in brackets behind it does not count.
fn asks(text: &str) -> bool {
    let mut said = text.trim_end();
    if said.ends_with(']')
        && let Some(note) = said.rfind('[')
    {
        said = said[..note].trim_end();
    }
    said.ends_with(['?', '？', '؟'])
}

/// Whether a word says when something was or will be.
fn says_when(word: &Word) -> bool {
    #[rustfmt::skip]
    const WHEN: &[&str] = &[
        "ago", "april", "august", "autumn", "december", "february", "friday", "january", "july", "june", "last",
        "march", "monday", "month", "months", "next", "november", "october", "recently", "saturday", "september",
        "since", "spring", "summer", "sunday", "thursday", "today", "tomorrow", "tonight", "tuesday", "wednesday",
        "week", "weekend", "weeks", "winter", "year", "years", "yesterday",
    ];
    WHEN.binary_search(&word.folded.as_str()).is_ok() || year(&word.folded).is_some()
}

/// 1900 to 2099.
pub(crate) fn year(word: &str) -> Option<i16> {
    let digits = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    let year: i16 = word.parse().ok().filter(|_| digits)?;
    (1900..2100).contains(&year).then_some(year)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        let cases = [
            ("auth*", "authentication", true),
            ("auth*", "auth", true),
            ("auth*", "oauth", false),
            ("*tion", "station", true),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "acb", false),
            ("a*a", "a", false),
            ("при*", "привет", true),
        ];
        for (pattern, word, expected) in cases {
            assert_eq!(fits_pattern(word, pattern), expected, "{pattern} {word}");
        }
    }

    #[test]
    fn a_text_says_when_by_days_months_years_and_spans() {
        let says = |text: &str| words(text).iter().any(says_when);
        for text in [
            "It was in June",
            "two weeks ago",
            "see you Friday",
            "in 1999",
        ] {
            assert!(says(text), "{text}");
        }
        for text in ["It was nice", "room 3023", "may I?", "19990"] {
            assert!(!says(text), "{text}");
        }
    }

    #[test]
    fn a_question_ends_with_its_mark() {
        for text in [
            "Is it?",
            "Is it?  ",
            "Is it? [photo: a boat]",
            "そうですか？",
        ] {
            assert!(asks(text), "{text}");
        }
        for text in ["It is.", "? no", "a[?]", "why? because"] {
            assert!(!asks(text), "{text}");
        }
    }
}
