//! Cuts a text into the pieces that the model knows, as BERT (uncased) does.
//!
//! Accents and case are dropped; spaces end words; punctuation and Chinese
//! characters are words of their own; a word is the longest piece that it
//! begins with, then the longest that the rest begins with, and so on. A word
//! with a rest that begins with no piece is unknown as a whole.

use unicode_normalization::char::decompose_canonical;

use super::characters::{Characters, Class};
use super::vocabulary::Vocabulary;
use crate::plain_letters::plain_letters;

/// Longer words are unknown, whatever is in them.
const WORD_CHARACTERS_MAX: usize = 100;

/// The rules by which texts are cut.
#[derive(Clone, Copy, Debug)]
pub(super) struct WordPiece {
    pub(super) characters: Characters,
    pub(super) vocabulary: Vocabulary,
}

impl WordPiece {
    /// Hands over each word of a text, without accents and in lower case; none
    /// for one that is too long.
    pub(super) fn each_word(&self, text: &str, each: impl FnMut(Option<&str>)) {
        let mut words = Words {
            word: String::new(),
            characters: 0,
            each,
        };
        let text = text.to_ascii_lowercase();
        let mut rest = text.as_str();
        while let Some(character) = rest.chars().next() {
            let (letters, after) = rest.split_at(plain_letters(rest.as_bytes()));
            if !letters.is_empty() {
                words.push_letters(letters, after);
                rest = after;
                continue;
            }
            let (alone, after) = rest.split_at(character.len_utf8());
            match character {
                ' ' | '\t' | '\n' | '\r' => words.end(),
                _ if character.is_ascii_punctuation() => {
                    words.end();
                    (words.each)(Some(alone));
                }
                _ => self.take_rare(character, &mut words),
            }
            rest = after;
        }
        words.end();
    }

    fn take_rare(&self, character: char, words: &mut Words<impl FnMut(Option<&str>)>) {
        match self.characters.class(character) {
            Class::Dropped => {}
            Class::Space => words.end(),
            Class::Alone => {
                words.end();
                decompose_canonical(character, |part| words.push(part));
                words.end();
            }
            _ => decompose_canonical(character, |part| {
                if self.characters.class(part) != Class::Mark {
                    for lower in part.to_lowercase() {
                        match self.characters.class(lower) {
                            Class::Punctuation => words.push_alone(lower),
                            _ => words.push(lower),
                        }
                    }
                }
            }),
        }
    }

    /// The numbers of a word's pieces; none if a part of it is unknown.
    pub(super) fn pieces(&self, word: &str) -> Option<Vec<u16>> {
        let mut pieces = Vec::new();
        let mut rest = word;
        while !rest.is_empty() {
            let (piece, length) = self.vocabulary.longest(rest, !pieces.is_empty())?;
            pieces.push(piece);
            rest = &rest[length..];
        }
        Some(pieces)
    }
}

/// Collects a word and hands it over when it ends.
struct Words<F> {
    word: String,
    characters: usize,
    each: F,
}

impl<F: FnMut(Option<&str>)> Words<F> {
    /// Many at once: nearly all of most texts.
    fn push_letters(&mut self, letters: &str, after: &str) {
        let next = after.bytes().next();
        let is_whole = next.is_none_or(|next| next == b' ' || next.is_ascii_punctuation());
        if is_whole && self.characters == 0 {
            let fits = letters.len() <= WORD_CHARACTERS_MAX;
            return (self.each)(fits.then_some(letters));
        }
        self.characters += letters.len();
        // What is too long is only counted, so that a megabyte without a space needs no memory.
        if self.characters <= WORD_CHARACTERS_MAX {
            self.word.push_str(letters);
        }
    }

    fn push(&mut self, character: char) {
        self.characters += 1;
        if self.characters <= WORD_CHARACTERS_MAX {
            self.word.push(character);
        }
    }

    fn push_alone(&mut self, character: char) {
        self.end();
        self.push(character);
        self.end();
    }

    fn end(&mut self) {
        if self.characters > 0 {
            let fits = self.characters <= WORD_CHARACTERS_MAX;
            (self.each)(fits.then_some(self.word.as_str()));
            self.word.clear();
            self.characters = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::built_in::TABLE;

    #[test]
    fn texts_are_cut_as_the_models_own_tokenizer_does() {
        let mut count = 0;
        for line in include_str!("golden/pieces.jsonl").lines() {
            let (text, expected): (String, Vec<String>) = serde_json::from_str(line).unwrap();
            assert_eq!(TABLE.names(&text), expected, "{text:?}");
            count += 1;
        }
        assert!(count > 200);
    }
}
