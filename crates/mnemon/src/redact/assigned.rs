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

use super::gap::{Gap, is_word};
use name::{Family, Told};

pub(super) use value::is_reference;

/// The longest name, and the most between it and its value.
const NAME_BYTES_MAX: usize = 64;
const SPACE_BYTES_MAX: usize = 8;
/// The longest secret between `<password>` and `</password>`.
const ELEMENT_BYTES_MAX: usize = 256;

/// Words that link a name to what it is for.
const LINKS: [&str; 13] = [
    "for", "of", "to", "on", "für", "von", "vom", "zum", "pour", "de", "du", "para", "del",
];

/// Finds values that their names give away.
pub(super) fn find(gap: &Gap<'_>, found: &mut dyn FnMut(Range<usize>, &'static str)) {
    let mut from = 0;
    while from < gap.len() {
        let Some(sign) = gap.find_byte(from, is_sign) else {
            return;
        };
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

fn is_sign(byte: u8) -> bool {
    // 0xEF begins the wide colon; a blank may be the one of `password is`.
    matches!(byte, b':' | b'=' | b'>' | b' ' | 0xEF)
}

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
    let word = gap.run_back(blank, NAME_BYTES_MAX, is_name);
    let text = gap.slice(whole_characters(gap, word.clone()));
    if let Some(option) = text.strip_prefix('-') {
        let family = match option {
            "p" => Family::of_short_option(program_before(gap, word.start))?,
            option => Family::of(option)?,
        };
        return Some((family, skip_space(gap, blank)));
    }
    if b"'\"`".contains(&gap.byte(blank + 1)) {
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
    let before = gap.run_back(sign, NAME_BYTES_MAX, |byte| !b"\n.;:=,!?".contains(&byte));
    let text = gap.slice(whole_characters(gap, before));
    // The first word that links a name to what it is for.
    let mut name = None;
    for (start, word) in words(text) {
        if start > 0 && (LINKS.contains(&word) || word.starts_with('(')) {
            name = text[..start].trim_end_matches(' ').rsplit(' ').next();
            break;
        }
    }
    let name = name?;
    Some(Family::of(name)?.in_a_sentence())
}

/// The words of a text, with where each begins.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let begin = text.as_ptr().addr();
    text.split(' ')
        .map(move |word| (word.as_ptr().addr() - begin, word))
}

fn skip_space(gap: &Gap<'_>, from: usize) -> usize {
    gap.run_at_most(from, SPACE_BYTES_MAX, |byte| byte == b' ' || byte == b'\t')
        .end
}

fn is_name(byte: u8) -> bool {
    is_word(byte) || byte == b'-' || byte >= 0x80
}

/// A range that was cut after so many bytes, without the half of a character.
fn whole_characters(gap: &Gap<'_>, range: Range<usize>) -> Range<usize> {
    let text = gap.text();
    let start = (range.start..=range.end)
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(range.end);
    start..range.end
}
