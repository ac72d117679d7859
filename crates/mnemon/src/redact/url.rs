//! Passwords in addresses: `postgres://user:password@host`.
//!
//! Only the password goes, so that the address still says where it leads.

use std::ops::Range;

use super::assigned::is_reference;
use super::gap::Gap;

/// A user's name and password are shorter than this.
const AUTHORITY_BYTES_MAX: usize = 512;

/// Finds passwords in addresses.
pub(super) fn find(gap: &Gap<'_>, found: &mut dyn FnMut(Range<usize>, &'static str)) {
    let mut from = 0;
    while let Some(scheme_end) = gap.find_by(from, "://", 0) {
        from = scheme_end + 3;
        let scheme = gap.run_back(scheme_end, 32, |byte| {
            byte.is_ascii_alphanumeric() || b"+.-".contains(&byte)
        });
        if scheme.is_empty() {
            continue;
        }
        if let Some(password) = password(gap, from) {
            from = password.end;
            found(password, "password");
        }
    }
}

/// The password of the address whose authority begins here.
fn password(gap: &Gap<'_>, start: usize) -> Option<Range<usize>> {
    let mut colon = None;
    let mut at_sign = None;
    for place in start..gap.len().min(start + AUTHORITY_BYTES_MAX) {
        match gap.byte(place) {
            b':' if colon.is_none() => colon = Some(place),
            // A password may hold one that was not written as %40; the last one counts.
            b'@' => at_sign = Some(place),
            // Nor may a slash stand there, but people write it all the same.
            b'/' | b'?' | b'#' if colon.is_none() || at_sign.is_some() => break,
            byte if byte.is_ascii_whitespace() || b"\"'`<>\\".contains(&byte) => break,
            _ => {}
        }
    }
    let password = colon? + 1..at_sign?;
    let text = gap.slice(password.clone());
    let is_one = password.start < password.end && !is_reference(text);
    is_one.then_some(password)
}
