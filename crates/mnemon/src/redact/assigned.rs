//! Secrets that stand behind their name: `password: …`, `API_KEY=…`.
//!
//! `name` knows which names announce a secret, `value` which values are one,
//! `told` when a plain word of a sentence is a password.
//! Wherever a name and a value may be told apart (`:`, `=`, `is`, `<name>`),
//! a few bytes before and after are looked at.

mod name;
mod told;
mod value;

use std::ops::Range;

use super::gap::Gap;
use name::{Family, Told};

pub(super) use value::is_reference;

/// The longest name, and the most between it and its value.
const NAME_BYTES_MAX: usize = 64;
const SPACE_BYTES_MAX: usize = 8;
/// The longest secret between `<password>` and `</password>`.
const ELEMENT_BYTES_MAX: usize = 256;

/// Words that link a name to what it is for; `is_link` knows their first letters.
const LINKS: [&str; 13] = [
    "for", "of", "to", "on", "für", "von", "vom", "zum", "pour", "de", "du", "para", "del",
];

/// Finds values that their names give away.
pub(super) fn find(gap: &Gap<'_>, found: &mut dyn FnMut(Range<usize>, &'static str)) {
    let has_options = gap.find_sign(0, '-').is_some();
    let mut from = 0;
    while let Some(sign) = next_sign(gap, from, has_options) {
        from = sign + 1;
        let Some((family, start)) = announced(gap, sign) else {
            continue;
        };
        if let Some(value) = value::at(gap, start, family) {
            from = value.end;
            found(value, family.class());
        }
    }
}

/// The class of a value that stands beside its name, as in JSON.
pub(super) fn class_of(name: &str, value: &str) -> Option<&'static str> {
    let family = Family::of(name)?;
    value::is_secret(value, family).then(|| family.class())
}

/// The next place where a name and a value may be told apart.
///
/// Of the blanks, which are many, only those behind a word that links, before a quote, or behind
/// an option.
fn next_sign(gap: &Gap<'_>, from: usize, has_options: bool) -> Option<usize> {
    let first = (from < gap.len()).then(|| is_sign(gap.byte(from)))?;
    if first {
        return Some(from);
    }
    let found = gap.find_pair(from, |one, other| {
        let other_class = SIGNS[usize::from(other)];
        let may_link = SIGNS[usize::from(one)] & LINKING != 0;
        other_class & SIGN != 0
            || (other_class & BLANK != 0 && (has_options || may_link))
            || (one == b' ' && other_class & QUOTE != 0)
    })?;
    // A quote is told by what stands before it.
    let is_quote = SIGNS[usize::from(gap.byte(found + 1))] & QUOTE != 0;
    Some(if is_quote { found } else { found + 1 })
}

fn is_sign(byte: u8) -> bool {
    SIGNS[usize::from(byte)] & (SIGN | BLANK) != 0
}

/// What a byte may be.
const SIGN: u8 = 1;
const BLANK: u8 = 2;
const QUOTE: u8 = 4;
/// The last letter of a word that links a name to its value.
const LINKING: u8 = 8;
/// A part of a name.
const NAME: u8 = 16;
/// The end of a sentence or of a part of it.
const CLAUSE: u8 = 32;

/// All of this is asked for most bytes, so one look tells it.
static SIGNS: [u8; 256] = {
    const fn mark(signs: &mut [u8; 256], bytes: &[u8], what: u8) {
        let mut place = 0;
        while place < bytes.len() {
            signs[bytes[place] as usize] |= what;
            place += 1;
        }
    }
    let mut signs = [0; 256];
    // 0xEF begins the wide colon; a blank may be the one of `password is`.
    mark(&mut signs, b":=>\xEF", SIGN);
    mark(&mut signs, b" ", BLANK);
    mark(&mut signs, b"\"'`", QUOTE);
    mark(&mut signs, b"st", LINKING);
    mark(&mut signs, b"\n.;:=,!?", CLAUSE);
    let mut byte = 0_u8;
    while byte < u8::MAX {
        if byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-' || byte >= 0x80 {
            signs[byte as usize] |= NAME;
        }
        byte += 1;
    }
    signs[u8::MAX as usize] |= NAME;
    signs
};

/// Which secret is announced before this sign, and where its value begins.
fn announced(gap: &Gap<'_>, sign: usize) -> Option<(Family, usize)> {
    match gap.byte(sign) {
        b' ' => by_words(gap, sign),
        0xEF if !gap.has(sign, "：") => None,
        b'>' => {
            // <password>…</password>
            let name = gap.run_back(sign, NAME_BYTES_MAX, is_name);
            let opened = gap.byte_before(name.start, 1) == b'<';
            let family = Family::of(gap.slice(name)).filter(|_| opened)?;
            let end = gap
                .run_at_most(sign + 1, ELEMENT_BYTES_MAX, |byte| byte != b'<')
                .end;
            gap.has(end, "</").then_some((family, sign + 1))
        }
        _ => {
            let family = named_before(gap, sign).or_else(|| described_before(gap, sign))?;
            let signs_end = match gap.byte(sign) {
                0xEF => sign + "：".len(),
                _ => gap.run_at_most(sign, 4, |byte| b":=>".contains(&byte)).end,
            };
            // **Password:** in Markdown.
            let bold_end = gap.run_at_most(signs_end, 2, |byte| byte == b'*').end;
            Some((family, skip_space(gap, bold_end)))
        }
    }
}

/// `password is …`, `--password …`, `PASSWORD '…'`.
fn by_words(gap: &Gap<'_>, blank: usize) -> Option<(Family, usize)> {
    let is_quoted = b"'\"`".contains(&gap.byte(blank + 1));
    let word = gap.run_back(blank, NAME_BYTES_MAX, is_name);
    // Most blanks stand behind a word that says nothing of this.
    let may_link = (2..=3).contains(&word.len()) && b"st".contains(&gap.byte(blank - 1));
    if !may_link && !is_quoted && word.len() < NAME_BYTES_MAX && gap.byte(word.start) != b'-' {
        return None;
    }
    let text = gap.slice(whole_characters(gap, word.clone()));
    if let Some(option) = text.strip_prefix('-') {
        let family = match option {
            "p" => Family::of_short_option(program_before(gap, word.start))?,
            option => Family::of(option)?,
        };
        return Some((family, skip_space(gap, blank)));
    }
    if is_quoted {
        // The name may have two words: `secret access key "…"`.
        let both = gap.run_back(blank, NAME_BYTES_MAX, |byte| is_name(byte) || byte == b' ');
        let both = gap.slice(whole_characters(gap, both));
        let names = both.rsplitn(3, ' ').take(2).collect::<Vec<_>>();
        let name = names.iter().rev().copied().collect::<String>();
        if let Some(family) = Family::of(&name) {
            return Some((family.in_a_sentence(), blank + 1));
        }
    }
    if !matches!(text, "is" | "was" | "ist" | "est" | "es") {
        return None;
    }
    let before = word
        .start
        .checked_sub(1)
        .filter(|at| gap.byte(*at) == b' ')?;
    let name = gap.run_back(before, NAME_BYTES_MAX, is_name);
    let family = Family::of(gap.slice(name.clone()))?;
    let told = match text {
        // In other languages it is not known which words only describe one.
        "is" | "was" if told::says_whose(gap, name.start) => Told::Whose,
        "is" | "was" => Told::Is,
        _ => Told::Not,
    };
    Some((family.told(told), skip_space(gap, blank)))
}

/// The word before an option.
fn program_before<'a>(gap: &Gap<'a>, option: usize) -> &'a str {
    let blank = option.saturating_sub(1);
    let word = gap.run_back(blank, NAME_BYTES_MAX, is_name);
    gap.slice(whole_characters(gap, word))
}

/// The name directly before the sign: `password:`, `"password" :`, `password]=`.
fn named_before(gap: &Gap<'_>, sign: usize) -> Option<Family> {
    let space = gap.run_back(sign, SPACE_BYTES_MAX, |byte| b" \t\"'`]\\*".contains(&byte));
    let name = gap.run_back(space.start, NAME_BYTES_MAX, is_name);
    Family::of(gap.slice(whole_characters(gap, name)))
}

/// `password for the database:`, `password (staging):`
fn described_before(gap: &Gap<'_>, sign: usize) -> Option<Family> {
    let before = gap.run_back(sign, NAME_BYTES_MAX, |byte| {
        SIGNS[usize::from(byte)] & CLAUSE == 0
    });
    let text = gap.slice(whole_characters(gap, before));
    // The first word that links a name to what it is for.
    let mut start = 0;
    for word in text.as_bytes().split(|byte| *byte == b' ') {
        if start > 0 && is_link(word) {
            let name = text[..start].trim_end_matches(' ').rsplit(' ').next()?;
            return Some(Family::of(name)?.in_a_sentence());
        }
        start += word.len() + 1;
    }
    None
}

/// Whether a word links a name to what it is for.
fn is_link(word: &[u8]) -> bool {
    match word {
        [b'(', ..] => true,
        [b'f' | b'o' | b't' | b'v' | b'z' | b'p' | b'd', _, ..] if word.len() <= 4 => {
            LINKS.iter().any(|link| link.as_bytes() == word)
        }
        _ => false,
    }
}

fn skip_space(gap: &Gap<'_>, from: usize) -> usize {
    gap.run_at_most(from, SPACE_BYTES_MAX, |byte| byte == b' ' || byte == b'\t')
        .end
}

fn is_name(byte: u8) -> bool {
    SIGNS[usize::from(byte)] & NAME != 0
}

/// A range that was cut after so many bytes, without the half of a character.
fn whole_characters(gap: &Gap<'_>, range: Range<usize>) -> Range<usize> {
    let text = gap.text();
    let start = (range.start..=range.end)
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(range.end);
    start..range.end
}
