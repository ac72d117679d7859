//! `Authorization: Bearer …` and `Basic …`.

use std::ops::Range;

use super::gap::Gap;

/// Shorter ones are words, unless letters and digits take turns in them.
const TOKEN_BYTES_MIN: usize = 16;
const SHORT_BYTES_MIN: usize = 8;
const BASIC_BYTES_MIN: usize = 8;
/// In a header nothing else stands there.
const HEADER_BYTES_MIN: usize = 6;

/// Finds what stands for a login in a header.
pub(super) fn find(gap: &Gap<'_>, found: &mut dyn FnMut(Range<usize>, &'static str)) {
    let mut from = 0;
    // Bearer, or Basic.
    while let Some(start) = gap.find_pair(from, |one, other| {
        matches!(one, b'b' | b'B') && matches!(other, b'e' | b'E' | b'a' | b'A')
    }) {
        from = start + 1;
        if !gap.starts_word(start) {
            continue;
        }
        let word = gap.run(start, |byte| byte.is_ascii_alphabetic());
        from = word.end;
        let space = gap.run(word.end, |byte| byte == b' ');
        if !(1..=4).contains(&space.len()) {
            continue;
        }
        let mut token = gap.run(space.end, |byte| {
            byte.is_ascii_alphanumeric() || b"._~+/=-".contains(&byte)
        });
        while !token.is_empty() && gap.byte(token.end - 1) == b'.' {
            token.end -= 1;
        }
        if is_login(gap, &word, &token) && gap.ends_word(token.end) {
            from = token.end;
            found(token, "bearer_token");
        }
    }
}

fn is_login(gap: &Gap<'_>, word: &Range<usize>, token: &Range<usize>) -> bool {
    let name = gap.slice(word.clone());
    if name.eq_ignore_ascii_case("bearer") {
        let text = gap.slice(token.clone());
        text.bytes().any(|byte| byte.is_ascii_digit())
            && (text.len() >= TOKEN_BYTES_MIN
                || (text.len() >= SHORT_BYTES_MIN && takes_turns(text))
                || (text.len() >= HEADER_BYTES_MIN && is_in_header(gap, word)))
    } else if name.eq_ignore_ascii_case("basic") {
        token.len() >= BASIC_BYTES_MIN && is_in_header(gap, word)
    } else {
        false
    }
}

fn is_in_header(gap: &Gap<'_>, word: &Range<usize>) -> bool {
    let before = gap.run_back(word.start, 24, |byte| byte != b'\n');
    let before = gap.slice(before).to_ascii_lowercase();
    before.contains("authorization")
}

/// `abc123def`, but neither `rfc6750` nor `oauth-2`.
fn takes_turns(text: &str) -> bool {
    let turns = text.as_bytes().windows(2).filter(|pair| {
        let [one, other] = [pair[0], pair[1]];
        (one.is_ascii_digit() && other.is_ascii_alphabetic())
            || (one.is_ascii_alphabetic() && other.is_ascii_digit())
    });
    turns.count() >= 2
}
