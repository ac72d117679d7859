//! `Authorization: Bearer …` and `Basic …`.

use std::ops::Range;

use super::gap::Gap;

/// Shorter ones are words.
const TOKEN_BYTES_MIN: usize = 16;
const BASIC_BYTES_MIN: usize = 8;

/// Finds what stands for a login in a header.
pub(super) fn find(gap: &Gap<'_>, found: &mut dyn FnMut(Range<usize>, &'static str)) {
    let mut from = 0;
    while let Some(start) = gap.find_byte(from, |byte| byte.eq_ignore_ascii_case(&b'b')) {
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
        token.len() >= TOKEN_BYTES_MIN
            && gap
                .slice(token.clone())
                .bytes()
                .any(|byte| byte.is_ascii_digit())
    } else if name.eq_ignore_ascii_case("basic") {
        let header = gap.run_back(word.start, 24, |byte| byte != b'\n');
        token.len() >= BASIC_BYTES_MIN
            && gap
                .slice(header)
                .to_ascii_lowercase()
                .contains("authorization")
    } else {
        false
    }
}
