//! What a character is to the tokenizer, as the model's own tokenizer sees it.
//!
//! The classes come with the table, so that a newer Unicode can't cut a text
//! otherwise than the model learned it.

use std::cmp::Ordering;

/// What becomes of a character.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Class {
    /// Part of a word.
    Word,
    /// Ends the word before it.
    Space,
    /// As if it were not there.
    Dropped,
    /// An accent: dropped, but only after the letters that carry one are taken apart.
    Mark,
    /// A word of its own, also if it is made of others.
    Alone,
    /// A word of its own, but only after letters are taken apart.
    Punctuation,
}

/// Ranges of characters that are no part of a word: first, and last × 4 + class.
#[derive(Clone, Copy, Debug)]
pub(super) struct Characters {
    ranges: &'static [[u8; 8]],
}

impl Characters {
    /// None unless the ranges are sorted and of known classes.
    pub(super) fn read(bytes: &'static [u8]) -> Option<Self> {
        let (ranges, rest) = bytes.as_chunks();
        let mut next = 0;
        for &range in ranges {
            let (first, last, kind) = decode(range);
            if first < next || last < first || class(kind).is_none() {
                return None;
            }
            next = last + 1;
        }
        rest.is_empty().then_some(Self { ranges })
    }

    /// What this character is.
    pub(super) fn class(self, character: char) -> Class {
        let code = u32::from(character);
        let found = self.ranges.binary_search_by(|range| match decode(*range) {
            (first, _, _) if first > code => Ordering::Greater,
            (_, last, _) if last < code => Ordering::Less,
            _ => Ordering::Equal,
        });
        match found {
            Ok(at) => class(decode(self.ranges[at]).2).unwrap_or(Class::Word),
            Err(_) if character.is_whitespace() => Class::Space,
            Err(_) => Class::Word,
        }
    }
}

fn decode(range: [u8; 8]) -> (u32, u32, u32) {
    let [first, last] = [0, 4].map(|at| u32::from_le_bytes([0, 1, 2, 3].map(|i| range[at + i])));
    (first, last / 4, last % 4)
}

fn class(number: u32) -> Option<Class> {
    match number {
        0 => Some(Class::Alone),
        1 => Some(Class::Dropped),
        2 => Some(Class::Mark),
        3 => Some(Class::Punctuation),
        _ => None,
    }
}
