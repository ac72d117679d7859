//! What people type, read as words, phrases and wildcards.
//!
//! Nothing that can be typed is an error here but emptiness and excess:
//! whatever is not a word, a `"phrase"` or a `wild*card` is passed over.

use std::collections::HashSet;

use super::probe::{Probe, Term};
use super::stop_words::is_stop_word;
use super::words::{Word, words};
use crate::error::{Error, Result};

/// Four characters that are written without spaces can be one word.
const PAIRS_OF_A_WORD_MAX: usize = 3;

/// A question that is not empty.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    text: String,
    /// Words that say something; all of them if none does.
    words: Vec<Word>,
    phrases: Vec<Vec<String>>,
    patterns: Vec<String>,
    everything: bool,
}

impl Question {
    /// The longest question, in bytes.
    pub const BYTES_MAX: usize = 16 << 10;

    /// Reads a question.
    pub fn parse(text: &str) -> Result<Self> {
        let invalid = |problem: String| Error::InvalidQuery {
            field: "query".into(),
            problem,
        };
        if text.trim().is_empty() {
            return Err(invalid("nothing is asked".to_owned()));
        }
        if text.len() > Self::BYTES_MAX {
            return Err(invalid(format!(
                "{} bytes are too many (at most {})",
                text.len(),
                Self::BYTES_MAX
            )));
        }
        let mut question = Self {
            text: text.to_owned(),
            words: Vec::new(),
            phrases: Vec::new(),
            patterns: Vec::new(),
            everything: false,
        };
        let (quoted, plain) = split_quotes(text);
        for phrase in quoted {
            question.take_phrase(phrase);
        }
        for part in plain.split_whitespace() {
            question.take_part(part);
        }
        question.drop_stop_words();
        Ok(question)
    }

    /// As it was typed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The words that say something, as typed and as looked for.
    pub fn words(&self) -> impl Iterator<Item = (&str, &str)> {
        self.words
            .iter()
            .map(|word| (word.folded.as_str(), word.stem.as_str()))
    }

    /// Whether it asks for whatever there is: `*`.
    pub fn is_everything(&self) -> bool {
        self.everything && self.words.is_empty() && self.patterns.is_empty()
    }

    /// What a text could contain of it, each once.
    pub fn terms(&self) -> Vec<Term> {
        let patterns = self.patterns.iter().cloned().map(Term::Pattern);
        let phrases = self.phrases.iter().cloned().map(Term::Phrase);
        let stems = self.words.iter().map(|word| Term::Stem(word.stem.clone()));
        let mut seen = HashSet::new();
        phrases
            .chain(patterns)
            .chain(stems)
            .filter(|term| seen.insert(term.clone()))
            .take(Probe::TERMS_MAX)
            .collect()
    }

    fn take_phrase(&mut self, phrase: &str) {
        let found = words(phrase);
        if found.len() > 1 {
            let stems = found.iter().map(|word| word.stem.clone()).collect();
            self.phrases.push(stems);
        }
        self.words.extend(found);
    }

    fn take_part(&mut self, part: &str) {
        if part.contains('*') {
            if let Some(pattern) = pattern(part) {
                self.patterns.push(pattern);
                return;
            }
            self.everything |= part.chars().all(|character| character == '*');
            let is_inside = |character: char| character.is_alphanumeric() || character == '*';
            let mut pieces = part.split(|character| !is_inside(character));
            // Of `rate-lim*` only the end is open.
            if pieces.clone().count() > 1 {
                pieces
                    .by_ref()
                    .filter(|piece| !piece.is_empty())
                    .for_each(|piece| self.take_part(piece));
                return;
            }
        }
        let mut found = words(part);
        let are_pairs = |found: &[Word]| found.iter().all(Word::is_pair);
        // Pairs of characters are one word, so they have to stand side by side;
        // more of them are a sentence.
        if (2..=PAIRS_OF_A_WORD_MAX).contains(&found.len()) && are_pairs(&found) {
            self.phrases
                .push(found.iter().map(|word| word.stem.clone()).collect());
        }
        // Memories have pairs, so one character alone is looked for in all of them.
        found.retain(|word| match word.single() {
            Some(character) => {
                self.patterns.push(format!("*{character}*"));
                false
            }
            None => true,
        });
        self.words.extend(found);
    }

    /// Only stop words are better than nothing.
    fn drop_stop_words(&mut self) {
        let says_something = |word: &Word| !is_stop_word(&word.folded);
        if self.words.iter().any(says_something) || !self.patterns.is_empty() {
            self.words.retain(says_something);
        }
    }
}

/// The quoted parts, and the rest; a quote without its partner is no quote.
fn split_quotes(text: &str) -> (Vec<&str>, String) {
    let mut quoted = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(['"', '“', '”']) {
        plain.push_str(before);
        plain.push(' ');
        match behind.split_once(['"', '“', '”']) {
            Some((inside, after)) => {
                quoted.push(inside);
                rest = after;
            }
            None => rest = behind,
        }
    }
    plain.push_str(rest);
    (quoted, plain)
}

/// `auth*` folded; none if there is no letter in it, or more than one word.
fn pattern(part: &str) -> Option<String> {
    let trimmed =
        part.trim_matches(|character: char| !character.is_alphanumeric() && character != '*');
    let mut pattern = String::new();
    for (place, piece) in trimmed.split('*').enumerate() {
        if place > 0 && !pattern.ends_with('*') {
            pattern.push('*');
        }
        match &words(piece)[..] {
            [] if piece.is_empty() => {}
            [word] => pattern.push_str(&word.folded),
            _ => return None,
        }
    }
    (pattern.chars().any(char::is_alphanumeric)).then_some(pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[Term]) {
        assert_eq!(Question::parse(text).unwrap().terms(), expected, "{text}");
    }

    fn stem(text: &str) -> Term {
        Term::Stem(text.to_owned())
    }

    #[test]
    fn words_phrases_and_wildcards_are_told_apart() {
        let phrase = |stems: &[&str]| Term::Phrase(stems.iter().map(ToString::to_string).collect());
        let pattern = |text: &str| Term::Pattern(text.to_owned());
        check("the databases", &[stem("databas")]);
        check(
            "to be or not",
            &[stem("to"), stem("be"), stem("or"), stem("not")],
        );
        check("auth* flow", &[pattern("auth*"), stem("flow")]);
        check("*tion a*b **", &[pattern("*tion"), pattern("a*b")]);
        check(
            "\"dark mode\"",
            &[phrase(&["dark", "mode"]), stem("dark"), stem("mode")],
        );
        check("say \"dark", &[stem("say"), stem("dark")]);
        check(
            "東京都",
            &[phrase(&["東京", "京都"]), stem("東京"), stem("京都")],
        );
        check("猫", &[pattern("*猫*")]);
        check(
            "数据库什么时",
            &["数据", "据库", "库什", "什么", "么时"].map(stem),
        );
        check("rate-lim*", &[pattern("lim*"), stem("rate")]);
        check("e_inv*", &[pattern("inv*"), stem("e")]);
        check(
            "a AND (b OR -c) NEAR/2 col:x^2",
            &[
                stem("b"),
                stem("c"),
                stem("near"),
                stem("2"),
                stem("col"),
                stem("x"),
            ],
        );
        check("?!...", &[]);
    }

    #[test]
    fn only_emptiness_and_excess_are_refused() {
        for bad in ["", "  \n", &"x".repeat(Question::BYTES_MAX + 1)] {
            let error = Question::parse(bad).unwrap_err();
            assert_eq!(error.code().as_str(), "E_INVALID_QUERY");
        }
        assert!(Question::parse("*").unwrap().is_everything());
        assert!(!Question::parse("* x").unwrap().is_everything());
    }
}
