//! Private keys in PEM: from their first line to their last.

use std::ops::Range;

use super::gap::Gap;

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
/// `ENCRYPTED PRIVATE KEY`, `PGP PRIVATE KEY BLOCK`: longer labels don't exist.
const LABEL_BYTES_MAX: usize = 40;
/// A line of a key that was cut off has at least so many letters.
const LINE_BYTES_MIN: usize = 16;

/// Finds private keys.
pub(super) fn find(gap: &Gap<'_>, found: &mut dyn FnMut(Range<usize>, &'static str)) {
    let mut from = 0;
    // Looked for only once beyond each place, or many beginnings would each read to the end.
    let mut next_end = Some(0);
    while let Some(start) = gap.find_by(from, BEGIN, 7) {
        from = start + BEGIN.len();
        let Some(body) = after_label(gap, from) else {
            continue;
        };
        if next_end.is_some_and(|end| end < body) {
            next_end = gap.find(body, END);
        }
        let end = next_end
            .and_then(|end| after_label(gap, end + END.len()))
            .unwrap_or_else(|| cut_off(gap, body));
        found(start..end, "private_key");
        from = end;
    }
}

/// Where the line of dashes ends whose label begins here, if it is that of a private key.
fn after_label(gap: &Gap<'_>, from: usize) -> Option<usize> {
    let label = gap.run_at_most(from, LABEL_BYTES_MAX, |byte| {
        byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' '
    });
    let is_key = gap.slice(label.clone()).contains("PRIVATE KEY") && gap.has(label.end, "-----");
    is_key.then_some(label.end + 5)
}

/// Where a key ends that has no last line: with the last word that looks like one of its lines.
fn cut_off(gap: &Gap<'_>, body: usize) -> usize {
    let mut end = body;
    let mut from = body;
    loop {
        // Line breaks may be written as \n, as in JSON.
        let space = gap.run(from, |byte| byte.is_ascii_whitespace() || byte == b'\\');
        let mut word = gap.run(space.end, |byte| {
            byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)
        });
        if gap.byte(space.end.wrapping_sub(1)) == b'\\' && gap.byte(word.start) == b'n' {
            word.start += 1;
        }
        if word.len() < LINE_BYTES_MIN {
            return end;
        }
        (end, from) = (word.end, word.end);
    }
}
