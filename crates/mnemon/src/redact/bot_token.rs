//! Tokens of bots, as Telegram writes them: a number, a colon, and a key that begins with AA.

use std::ops::Range;

use super::gap::Gap;

const NUMBER_BYTES: std::ops::RangeInclusive<usize> = 8..=10;
const KEY_BYTES: usize = 35;

/// Finds tokens of bots.
pub(super) fn find(gap: &Gap<'_>, found: &mut dyn FnMut(Range<usize>, &'static str)) {
    let mut from = 0;
    while let Some(colon) = gap.find_sign(from, ':') {
        from = colon + 1;
        if !gap.has(colon + 1, "AA") {
            continue;
        }
        let number = gap.run_back(colon, *NUMBER_BYTES.end() + 1, |byte| byte.is_ascii_digit());
        let key = gap.run_at_most(colon + 1, KEY_BYTES + 1, |byte| {
            byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
        });
        if NUMBER_BYTES.contains(&number.len()) && key.len() == KEY_BYTES {
            from = key.end;
            found(number.start..key.end, "api_key");
        }
    }
}
