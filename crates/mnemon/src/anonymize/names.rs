//! Names in texts: whole ones, and the words that they are made of.

use std::collections::HashMap;
use std::ops::Range;

use super::NOBODY;
use crate::recall::is_stop_word;

/// Shorter words occur in too much else.
const WORD_CHARS_MIN: usize = 3;

/// The names that are known, by their first word.
#[derive(Debug, Default)]
pub(super) struct Names {
    by_first_word: HashMap<String, Vec<Name>>,
    known: Vec<String>,
}

#[derive(Debug)]
struct Name {
    words: Vec<String>,
    placeholder: String,
    /// Only where it begins with a capital letter, because it is a word as well.
    capital: bool,
}

impl Names {
    pub(super) fn knows(&self, name: &str) -> bool {
        let folded = name.to_lowercase();
        self.known.contains(&folded)
    }

    /// A name, and if it is a person's also its single words.
    pub(super) fn add(&mut self, name: &str, placeholder: &str, is_person: bool) {
        self.known.push(name.to_lowercase());
        let all: Vec<String> = words(name).map(|(_, word)| word.to_lowercase()).collect();
        if is_person && all.len() > 1 {
            for word in &all {
                let says_nothing = word.chars().count() < WORD_CHARS_MIN
                    || NOBODY.contains(&word.as_str())
                    || word.chars().all(|c| c.is_ascii_digit());
                if !says_nothing {
                    self.put(vec![word.clone()], placeholder);
                }
            }
        }
        self.put(all, placeholder);
    }

    fn put(&mut self, words: Vec<String>, placeholder: &str) {
        let Some(first) = words.first() else { return };
        let capital =
            words.len() == 1 && (is_stop_word(first) || first.chars().count() < WORD_CHARS_MIN);
        let names = self.by_first_word.entry(first.clone()).or_default();
        names.push(Name {
            words,
            placeholder: placeholder.to_owned(),
            capital,
        });
        // The longest first; of equals the one that was known first.
        names.sort_by_key(|name| std::cmp::Reverse(name.words.len()));
    }

    /// Where names stand, and what stands for them.
    pub(super) fn find(&self, text: &str) -> Vec<(Range<usize>, String)> {
        if self.by_first_word.is_empty() {
            return Vec::new();
        }
        let all: Vec<(Range<usize>, String)> = words(text)
            .map(|(range, word)| (range, word.to_lowercase()))
            .collect();
        let mut found = Vec::new();
        let mut place = 0;
        while place < all.len() {
            let rest = &all[place..];
            match self.name_at(text, rest) {
                Some(name) => {
                    let end = rest[name.words.len() - 1].0.end;
                    found.push((rest[0].0.start..end, name.placeholder.clone()));
                    place += name.words.len();
                }
                None => place += 1,
            }
        }
        found
    }

    fn name_at(&self, text: &str, rest: &[(Range<usize>, String)]) -> Option<&Name> {
        let (range, first) = rest.first()?;
        let has_capital = text[range.clone()].starts_with(char::is_uppercase);
        self.by_first_word.get(first)?.iter().find(|name| {
            let is_there = rest.len() >= name.words.len()
                && name.words.iter().zip(rest).all(|(a, (_, b))| a == b)
                && rest[..name.words.len()]
                    .windows(2)
                    .all(|pair| is_between(&text[pair[0].0.end..pair[1].0.start]));
            is_there && (!name.capital || has_capital)
        })
    }
}

/// Whether two words with this between them can be one name.
fn is_between(text: &str) -> bool {
    text.chars().count() <= 3 && !text.contains(['\n', '/', '\\', ':', ';', '!', '?'])
}

/// Runs of letters and digits.
fn words(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + text[from..].find(char::is_alphanumeric)?;
        let length = text[start..]
            .find(|c: char| !c.is_alphanumeric())
            .unwrap_or(text.len() - start);
        from = start + length;
        Some((start..from, &text[start..from]))
    })
}
