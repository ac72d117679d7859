//! What is searchable of a memory.

use std::collections::BTreeSet;

use serde_json::Value;

use super::probe::Term;
use super::words::words;
use crate::memory::Memory;

/// A memory as it is searched: its words, and what ranking wants to know of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The stems of everything in it, in order.
    pub stems: Vec<String>,
    /// Its words as they were written, where that is not the stem; for wildcards.
    pub forms: BTreeSet<String>,
    /// Whether it asks something.
    pub is_question: bool,
    /// Whether it says when.
    pub has_time: bool,
}

impl Document {
    /// What is searchable of this memory.
    pub fn of(memory: &Memory) -> Self {
        let mut document = Self {
            stems: Vec::new(),
            forms: BTreeSet::new(),
            is_question: memory.text.as_str().trim_end().ends_with('?'),
            has_time: says_when(memory.text.as_str()),
        };
        if let Some(author) = &memory.author {
            document.take(author.as_str());
        }
        document.take(&date_words(memory));
        document.take(memory.text.as_str());
        for tag in &memory.tags {
            document.take(tag.as_str());
        }
        for value in memory.body.to_map().values() {
            document.take_value(value);
        }
        document
    }

    /// How long it is, in words.
    pub fn length(&self) -> u32 {
        u32::try_from(self.stems.len()).unwrap_or(u32::MAX)
    }

    /// How often a term occurs; patterns at most once.
    pub fn occurrences(&self, term: &Term) -> u32 {
        let count = match term {
            Term::Stem(stem) => self.stems.iter().filter(|own| *own == stem).count(),
            Term::Phrase(stems) => {
                let runs = self.stems.windows(stems.len().max(1));
                runs.filter(|run| run == stems).count()
            }
            Term::Pattern(pattern) => usize::from(self.has_pattern(pattern)),
        };
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// Whether a word of it is written like this.
    pub(crate) fn has_pattern(&self, pattern: &str) -> bool {
        let mut words = self.stems.iter().chain(&self.forms);
        words.any(|word| fits_pattern(word, pattern))
    }

    fn take(&mut self, text: &str) {
        for word in words(text) {
            if word.folded != word.stem {
                self.forms.insert(word.folded);
            }
            self.stems.push(word.stem);
        }
    }

    fn take_value(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.take(text),
            Value::Array(values) => values.iter().for_each(|value| self.take_value(value)),
            Value::Object(fields) => fields.values().for_each(|value| self.take_value(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
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

/// The date as people would ask for it.
fn date_words(memory: &Memory) -> String {
    memory.created_at.date_in_words()
}

/// Whether a text says when something was or will be.
fn says_when(text: &str) -> bool {
    const WHEN: &[&str] = &[
        "ago",
        "april",
        "august",
        "december",
        "evening",
        "february",
        "friday",
        "january",
        "july",
        "june",
        "march",
        "monday",
        "month",
        "morning",
        "november",
        "october",
        "saturday",
        "september",
        "sunday",
        "thursday",
        "today",
        "tomorrow",
        "tonight",
        "tuesday",
        "wednesday",
        "week",
        "weekend",
        "year",
        "yesterday",
    ];
    words(text).iter().any(|word| {
        let folded = word.folded.as_str();
        let singular = folded.strip_suffix('s').unwrap_or(folded);
        WHEN.binary_search(&folded).is_ok()
            || WHEN.binary_search(&singular).is_ok()
            || is_year(folded)
    })
}

/// 1900 to 2099.
fn is_year(word: &str) -> bool {
    word.len() == 4
        && (word.starts_with("19") || word.starts_with("20"))
        && word.bytes().all(|byte| byte.is_ascii_digit())
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
        for text in [
            "It was in May 2023",
            "two weeks ago",
            "see you Friday",
            "in 1999",
        ] {
            assert!(says_when(text), "{text}");
        }
        for text in ["It was nice", "room 3023", "may I?"] {
            assert!(!says_when(text), "{text}");
        }
    }
}
