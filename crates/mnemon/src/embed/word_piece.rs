//! Cuts a text into the pieces that the model knows, as BERT (uncased) does.
//!
//! Accents and case are dropped; spaces end words; punctuation and Chinese
//! characters are words of their own; a word is the longest piece that it
//! begins with, then the longest that the rest begins with, and so on. A word
//! with a rest that begins with no piece is unknown as a whole.

use unicode_normalization::char::decompose_canonical;

use super::characters::{Characters, Class};
use super::vocabulary::Vocabulary;

/// Longer words are unknown, whatever is in them.
const WORD_CHARACTERS_MAX: usize = 100;

/// The rules by which texts are cut.
#[derive(Clone, Copy, Debug)]
pub(super) struct WordPiece {
    pub(super) characters: Characters,
    pub(super) vocabulary: Vocabulary,
}

impl WordPiece {
    /// Calls `found` with the number of each piece, in the order of the text;
    /// with none for an unknown word.
    pub(super) fn cut(&self, text: &str, found: impl FnMut(Option<usize>)) {
        let mut cutter = Cutter {
            vocabulary: &self.vocabulary,
            word: String::new(),
            characters: 0,
            pieces: Vec::new(),
            found,
        };
        for character in text.chars() {
            match character {
                'a'..='z' | '0'..='9' => cutter.push(character),
                'A'..='Z' => cutter.push(character.to_ascii_lowercase()),
                ' ' | '\t' | '\n' | '\r' => cutter.end_word(),
                _ if character.is_ascii_punctuation() => cutter.push_alone(character),
                _ => self.cut_rare(character, &mut cutter),
            }
        }
        cutter.end_word();
    }

    fn cut_rare(&self, character: char, cutter: &mut Cutter<impl FnMut(Option<usize>)>) {
        match self.characters.class(character) {
            Class::Dropped => {}
            Class::Space => cutter.end_word(),
            Class::Alone => {
                cutter.end_word();
                decompose_canonical(character, |part| cutter.push(part));
                cutter.end_word();
            }
            _ => decompose_canonical(character, |part| {
                if self.characters.class(part) != Class::Mark {
                    for lower in part.to_lowercase() {
                        match self.characters.class(lower) {
                            Class::Punctuation => cutter.push_alone(lower),
                            _ => cutter.push(lower),
                        }
                    }
                }
            }),
        }
    }
}

/// Collects a word and cuts it when it ends.
struct Cutter<'a, F> {
    vocabulary: &'a Vocabulary,
    word: String,
    characters: usize,
    pieces: Vec<usize>,
    found: F,
}

impl<F: FnMut(Option<usize>)> Cutter<'_, F> {
    fn push(&mut self, character: char) {
        self.characters += 1;
        // What is too long is only counted, so that a megabyte without a space needs no memory.
        if self.characters <= WORD_CHARACTERS_MAX {
            self.word.push(character);
        }
    }

    fn push_alone(&mut self, character: char) {
        self.end_word();
        self.push(character);
        self.end_word();
    }

    fn end_word(&mut self) {
        if self.characters == 0 {
            return;
        }
        if self.characters <= WORD_CHARACTERS_MAX && self.cut_word() {
            self.pieces
                .iter()
                .for_each(|&piece| (self.found)(Some(piece)));
        } else {
            (self.found)(None);
        }
        self.word.clear();
        self.characters = 0;
    }

    /// Whether every part of the word is known.
    fn cut_word(&mut self) -> bool {
        self.pieces.clear();
        let mut rest = self.word.as_str();
        while !rest.is_empty() {
            let continues = !self.pieces.is_empty();
            let Some((piece, length)) = self.vocabulary.longest(rest, continues) else {
                return false;
            };
            self.pieces.push(piece);
            rest = &rest[length..];
        }
        true
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
            assert_eq!(TABLE.pieces(&text), expected, "{text:?}");
            count += 1;
        }
        assert!(count > 200);
    }
}
