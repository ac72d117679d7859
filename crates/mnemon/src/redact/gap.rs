//! What a detector sees: a stretch of text between things that were found before.

use std::ops::Range;

/// A stretch of text in which nothing was found yet.
///
/// Where it borders on something that was found, a digit stands in for that,
/// and so no word ends there: the second look at a text finds no more than the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gap<'a> {
    text: &'a str,
    /// Whether the text begins here.
    at_start: bool,
    /// Whether the text ends here.
    at_end: bool,
}

impl<'a> Gap<'a> {
    /// A stretch of a text.
    pub(super) fn new(whole: &'a str, range: Range<usize>) -> Self {
        Self {
            at_start: range.start == 0,
            at_end: range.end == whole.len(),
            text: &whole[range],
        }
    }

    /// The stretch as text.
    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    /// How many bytes there are.
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// The byte at this place; beyond the end a blank, or a digit where the text goes on.
    pub(super) fn byte(&self, at: usize) -> u8 {
        count_work(1);
        let beyond = if self.at_end { b' ' } else { b'0' };
        self.text.as_bytes().get(at).copied().unwrap_or(beyond)
    }

    /// The byte so many places before this one; likewise.
    pub(super) fn byte_before(&self, at: usize, places: usize) -> u8 {
        match at.checked_sub(places) {
            Some(place) => self.byte(place),
            None if self.at_start => b' ',
            None => b'0',
        }
    }

    /// The bytes from here on for which the test holds.
    pub(super) fn run(&self, from: usize, fits: impl Fn(u8) -> bool) -> Range<usize> {
        let rest = self.text.as_bytes().get(from..).unwrap_or_default();
        let length = rest.iter().position(|byte| !fits(*byte));
        let length = length.unwrap_or(rest.len());
        count_work(length + 1);
        from..from + length
    }

    /// As [`Self::run`], at most so many bytes.
    pub(super) fn run_at_most(
        &self,
        from: usize,
        bytes_max: usize,
        fits: impl Fn(u8) -> bool,
    ) -> Range<usize> {
        let rest = self.text.as_bytes().get(from..).unwrap_or_default();
        let length = rest
            .iter()
            .take(bytes_max)
            .take_while(|byte| fits(**byte))
            .count();
        count_work(length + 1);
        from..from + length
    }

    /// The bytes before here for which the test holds, at most so many.
    pub(super) fn run_back(
        &self,
        to: usize,
        bytes_max: usize,
        fits: impl Fn(u8) -> bool,
    ) -> Range<usize> {
        let bytes = &self.text.as_bytes()[to.saturating_sub(bytes_max)..to];
        let length = bytes.iter().rev().take_while(|byte| fits(**byte)).count();
        count_work(length + 1);
        to - length..to
    }

    /// The bytes of this range as text; nothing if it cuts a character in two.
    pub(super) fn slice(&self, range: Range<usize>) -> &'a str {
        count_work(range.len());
        self.text.get(range).unwrap_or_default()
    }

    /// The first place from here on at which this begins.
    pub(super) fn find(&self, from: usize, needle: &str) -> Option<usize> {
        let rest = self.text.get(from..)?;
        let place = rest.find(needle);
        count_work(place.unwrap_or(rest.len()) + needle.len());
        place.map(|place| from + place)
    }

    /// The first place from here on with one of these bytes.
    pub(super) fn find_byte(&self, from: usize, wanted: impl Fn(u8) -> bool) -> Option<usize> {
        let end = self.run(from, |byte| !wanted(byte)).end;
        (end < self.len()).then_some(end)
    }

    /// The first place from here on with two such bytes.
    pub(super) fn find_pair(&self, from: usize, wanted: impl Fn(u8, u8) -> bool) -> Option<usize> {
        let rest = self.text.as_bytes().get(from..).unwrap_or_default();
        let place = rest.windows(2).position(|pair| wanted(pair[0], pair[1]));
        count_work(place.unwrap_or(rest.len()) + 2);
        place.map(|place| from + place)
    }

    /// As [`Self::find`], by a letter of it that is rare; it stands at this place of the needle.
    pub(super) fn find_by(&self, from: usize, needle: &str, letter: usize) -> Option<usize> {
        let rare = char::from(needle.as_bytes()[letter]);
        let mut at = from + letter;
        loop {
            let start = self.find_sign(at, rare)? - letter;
            if self.has(start, needle) {
                return Some(start);
            }
            at = start + letter + 1;
        }
    }

    /// The first place from here on with this sign of ASCII.
    pub(super) fn find_sign(&self, from: usize, sign: char) -> Option<usize> {
        // The library looks at many bytes at a time; a sign of ASCII is in no other character.
        let from = (from..self.len()).find(|at| self.text.is_char_boundary(*at))?;
        let rest = &self.text[from..];
        let place = rest.find(sign);
        count_work(place.unwrap_or(rest.len()) + 1);
        place.map(|place| from + place)
    }

    /// Whether this stands here.
    pub(super) fn has(&self, at: usize, needle: &str) -> bool {
        count_work(needle.len());
        let bytes = self.text.as_bytes();
        bytes
            .get(at..)
            .is_some_and(|rest| rest.starts_with(needle.as_bytes()))
    }

    /// Whether no letter, digit or underscore stands directly before this place.
    pub(super) fn starts_word(&self, at: usize) -> bool {
        !is_word(self.byte_before(at, 1))
    }

    /// Whether no letter, digit or underscore stands at this place.
    pub(super) fn ends_word(&self, at: usize) -> bool {
        !is_word(self.byte(at))
    }
}

/// Letters and digits of ASCII, and the underscore. Scripts without spaces
/// write keys directly beside their own letters, so those are no part of one.
pub(super) fn is_word(byte: u8) -> bool {
    WORD[usize::from(byte)]
}

/// A look at a table is faster than four comparisons, and every detector asks for every byte.
static WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        table[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_';
        byte += 1;
    }
    table
};

#[cfg(test)]
thread_local! {
    /// How many bytes were looked at, for the tests that bound it.
    pub(super) static WORK: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

#[cfg(test)]
fn count_work(bytes: usize) {
    WORK.with(|work| work.set(work.get() + bytes as u64));
}

#[cfg(not(test))]
#[inline]
fn count_work(_bytes: usize) {}
