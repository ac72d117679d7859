//! JSON Web Tokens: three or five pieces of base64 with full stops between.

use std::ops::Range;

use super::gap::{Gap, is_word};

/// Every header begins with `{"`, which is this in base64.
const START: &str = "eyJ";
/// `{"alg":"none"}` has more letters than this.
const PIECE_BYTES_MIN: usize = 10;

/// Finds JSON Web Tokens.
pub(super) fn find(gap: &Gap<'_>, found: &mut dyn FnMut(Range<usize>, &'static str)) {
    let mut from = 0;
    while let Some(start) = gap.find_by(from, START, 2) {
        let mut end = piece(gap, start).end;
        from = end;
        if !gap.starts_word(start) || end - start < PIECE_BYTES_MIN {
            continue;
        }
        let mut pieces = 1;
        while pieces < 5 && gap.byte(end) == b'.' {
            let next = piece(gap, end + 1);
            // Only the last piece may be missing: a token without a signature ends in a full stop.
            if next.is_empty() {
                break;
            }
            (end, pieces) = (next.end, pieces + 1);
        }
        from = end;
        let claims_are_there = pieces >= 2 && end - start > 2 * PIECE_BYTES_MIN;
        if claims_are_there && gap.ends_word(end) {
            found(start..end, "jwt");
        }
    }
}

fn piece(gap: &Gap<'_>, from: usize) -> Range<usize> {
    gap.run(from, |byte| is_word(byte) || byte == b'-')
}
