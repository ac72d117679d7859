//! Cutting a text into pieces; no token reaches over the end of one.
//!
//! The same cuts as the pattern of `o200k_base`, in the order of its branches:
//! a word with one sign before it and `'s` or the like behind it, up to three
//! digits, punctuation with the newlines behind it, white space up to its last
//! newline, and white space that leaves one for the word that follows.

use crate::class::class;
use crate::layout::Class;

/// The pieces of a text; one behind the other they are the text.
pub(crate) struct Pieces<'a> {
    rest: &'a str,
}

impl<'a> Pieces<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        Self { rest: text }
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let first = self.rest.chars().next()?;
        let (piece, rest) = self.rest.split_at(piece_bytes(self.rest, first));
        self.rest = rest;
        Some(piece)
    }
}

fn piece_bytes(text: &str, first: char) -> usize {
    let found = match class(first) {
        Class::Upper | Class::Lower | Class::Caseless | Class::Mark => word(text),
        Class::Number => Some(number(text)),
        Class::Newline => None,
        Class::Space | Class::Other => {
            let sign = first.len_utf8();
            let led = word(&text[sign..]).map(|word| sign + word);
            led.or_else(|| punctuation(text))
        }
    };
    found.unwrap_or_else(|| white_space(text))
}

/// Capitals, then small letters; marks and letters without case are both.
///
/// If there are only capitals behind the last one that is both, the pattern prefers to end with that one.
fn word(text: &str) -> Option<usize> {
    let (mut capitals, mut both) = (0, 0);
    for (start, character) in text.char_indices() {
        match class(character) {
            Class::Upper => capitals = start + character.len_utf8(),
            Class::Caseless | Class::Mark => {
                capitals = start + character.len_utf8();
                both = capitals;
            }
            Class::Lower => {
                both = start + run(&text[start..], is_small);
                break;
            }
            _ => break,
        }
    }
    let end = if both > 0 { both } else { capitals };
    (end > 0).then(|| end + contraction(&text[end..]))
}

fn is_small(character: char) -> bool {
    matches!(
        class(character),
        Class::Lower | Class::Caseless | Class::Mark
    )
}

/// The bytes of `'s`, `'t`, `'re`, `'ve`, `'m`, `'ll` or `'d`, in whatever case.
fn contraction(text: &str) -> usize {
    let Some(behind) = text.strip_prefix('\'') else {
        return 0;
    };
    let mut letters = behind.chars();
    let letters = (letters.next(), letters.next());
    match letters {
        // The long s is an s in another case.
        (Some('ſ'), _) => 1 + 'ſ'.len_utf8(),
        (Some('s' | 'S' | 't' | 'T' | 'm' | 'M' | 'd' | 'D'), _) => 2,
        (Some('r' | 'R' | 'v' | 'V'), Some('e' | 'E')) | (Some('l' | 'L'), Some('l' | 'L')) => 3,
        _ => 0,
    }
}

fn number(text: &str) -> usize {
    let digits = text.chars().take(3);
    let digits = digits.take_while(|&digit| class(digit) == Class::Number);
    digits.map(char::len_utf8).sum()
}

/// Signs with a space before them, and the newlines and slashes behind them.
fn punctuation(text: &str) -> Option<usize> {
    let space = usize::from(text.starts_with(' '));
    let is_sign = |sign| matches!(class(sign), Class::Other | Class::Mark);
    let signs = run(&text[space..], is_sign);
    let end = space + signs;
    let is_trailing = |character| matches!(character, '\r' | '\n' | '/');
    (signs > 0).then(|| end + run(&text[end..], is_trailing))
}

/// Up to the last newline; or without the last character, which belongs to what follows.
fn white_space(text: &str) -> usize {
    let is_space = |character| matches!(class(character), Class::Space | Class::Newline);
    let end = run(text, is_space);
    let space = &text[..end];
    if let Some(newline) = space.rfind(['\r', '\n']) {
        return newline + 1;
    }
    let last = space.char_indices().next_back();
    match last {
        Some((start, _)) if start > 0 && end < text.len() => start,
        _ => end,
    }
}

/// The bytes of the characters at the start for which this holds.
fn run(text: &str, holds: impl Fn(char) -> bool) -> usize {
    text.find(|character| !holds(character))
        .unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_where_the_pattern_cuts_it() {
        let cases: [(&str, &[&str]); 14] = [
            ("", &[]),
            ("Hello, world!", &["Hello", ",", " world", "!"]),
            ("getHTTPResponse", &["get", "HTTPResponse"]),
            ("it's WE'LL don'T", &["it's", " WE'LL", " don'T"]),
            ("i'ſ x'reed", &["i'ſ", " x're", "ed"]),
            ("文ABC", &["文", "ABC"]),
            ("文ABc", &["文ABc"]),
            ("\u{301}ABC", &["\u{301}", "ABC"]),
            ("!\u{301}'s!!\u{301}", &["!\u{301}'s", "!!\u{301}"]),
            ("12345½", &["123", "45½"]),
            ("a //\r\n/ b", &["a", " //\r\n/", " b"]),
            ("a   b\t!", &["a", "  ", " b", "\t", "!"]),
            (" \n \r\n  x", &[" \n \r\n", " ", " x"]),
            ("a \u{3000} ", &["a", " \u{3000} "]),
        ];
        for (text, expected) in cases {
            let pieces: Vec<&str> = Pieces::of(text).collect();
            assert_eq!(pieces, expected, "{text:?}");
        }
    }
}
