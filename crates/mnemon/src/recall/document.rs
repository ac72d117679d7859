//! What is searchable of a memory: its words, and what ranking wants to know of it.

use serde_json::Value;

use super::probe::Term;
use super::word_list::WordList;
use super::words::{Sense, each_word};
use crate::embed::Pieces;
use crate::memory::Memory;

/// Stands between the text, each tag and each field: no phrase reaches across.
pub(crate) const BORDER: &str = "\u{0}";

/// A memory as it is searched.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    stems: WordList,
    forms: WordList,
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
        let author = memory.author.as_ref();
        let mut document = Self {
            stems: WordList::for_text(text.len()),
            forms: WordList::for_text(text.len()),
            author: author.map_or_else(Vec::new, |author| name_words(author.as_str())),
            length: 0,
            is_question: asks(text),
            has_time: false,
            pieces: Pieces::default(),
        };
        let mut has_time = false;
        let mut pieces = Vec::with_capacity(text.len() / 5);
        document.take(text, |sense| {
            has_time |= sense.says_when;
            pieces.extend(&sense.pieces);
        });
        document.has_time = has_time;
        for tag in &memory.tags {
            document.take(tag.as_str(), |sense| pieces.extend(&sense.pieces));
        }
        document.pieces = Pieces::heaviest_of(pieces);
        for value in memory.body.to_map().values() {
            document.take_value(value);
        }
        document.forms = document.forms.into_set();
        document
    }

    /// The stems of text, tags and body, in order.
    pub fn stems(&self) -> impl Iterator<Item = &str> {
        self.stems.iter()
    }

    /// Its words as they were written, where that is not the stem, each once and
    /// in the order of the alphabet; for wildcards.
    pub fn forms(&self) -> impl Iterator<Item = &str> {
        self.forms.iter()
    }

    /// How often a term occurs; patterns and names at most once.
    pub fn occurrences(&self, term: &Term) -> u32 {
        let count = match term {
            Term::Stem(stem) => self.stems().filter(|own| own == stem).count(),
            Term::Phrase(stems) => {
                let own: Vec<&str> = self.stems().collect();
                let runs = own.windows(stems.len().max(1));
                runs.filter(|run| run == stems).count()
            }
            Term::Pattern(pattern) => usize::from(self.has_pattern(pattern)),
            Term::Name { word, stem } => {
                usize::from(self.author.contains(word) || self.stems().any(|own| own == stem))
            }
        };
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// Whether a word of it is written like this.
    pub(crate) fn has_pattern(&self, pattern: &str) -> bool {
        let mut words = self.stems().chain(self.forms());
        words.any(|word| fits_pattern(word, pattern))
    }

    /// Takes in the words of a text, and hands on what each of them means.
    fn take(&mut self, text: &str, mut each: impl FnMut(&Sense)) {
        let mut is_apart = !self.stems.is_empty();
        each_word(text, &mut |folded, sense| {
            if std::mem::take(&mut is_apart) {
                self.stems.push(BORDER);
            }
            self.length += u32::from(!sense.says_nothing);
            if *sense.stem != *folded {
                self.forms.push(folded);
            }
            self.stems.push(&sense.stem);
            each(sense);
        });
    }

    fn take_value(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.take(text, |_| {}),
            Value::Array(values) => values.iter().for_each(|value| self.take_value(value)),
            Value::Object(fields) => fields.values().for_each(|value| self.take_value(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// The words of a name, folded.
pub(crate) fn name_words(name: &str) -> Vec<String> {
    let mut found = Vec::new();
    each_word(name, &mut |folded, _| found.push(folded.to_owned()));
    found
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
