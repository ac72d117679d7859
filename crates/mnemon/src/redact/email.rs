//! E-mail addresses.

use std::ops::Range;

use super::gap::Gap;

/// The longest name and the longest domain that mail knows, in bytes.
const LOCAL_BYTES_MAX: usize = 64;
const DOMAIN_BYTES_MAX: usize = 253;

/// What files and units are called where mail has a country: `icon@2x.png`, `getty@tty1.service`.
const ENDINGS_OF_FILES: &str = "\
    png jpg jpeg gif svg webp js ts css json service socket timer target mount slice path";

/// Finds e-mail addresses.
pub(super) fn find(gap: &Gap<'_>, found: &mut dyn FnMut(Range<usize>, &'static str)) {
    let mut from = 0;
    let mut behind = 0;
    while let Some(sign) = gap.find_sign(from, '@') {
        from = sign + 1;
        let Some(start) = local_start(gap, sign, behind) else {
            continue;
        };
        if let Some(end) = domain_end(gap, sign + 1) {
            (from, behind) = (end, end);
            found(start..end, "email");
        }
    }
}

/// Where the name before the sign begins, if it is one; not before the end of the last address.
fn local_start(gap: &Gap<'_>, sign: usize, behind: usize) -> Option<usize> {
    let most = (sign - behind).min(LOCAL_BYTES_MAX + 1);
    let mut range = gap.run_back(sign, most, |byte| {
        byte.is_ascii_alphanumeric() || b"._%+-".contains(&byte) || byte >= 0x80
    });
    if range.len() > LOCAL_BYTES_MAX {
        return None;
    }
    // Letters of scripts without spaces belong to the sentence before.
    let text = gap.slice(range.clone());
    if let Some((at, c)) = text.char_indices().rev().find(|(_, c)| !is_local(*c)) {
        range.start += at + c.len_utf8();
    }
    while b".-+%".contains(&gap.byte(range.start)) && range.start < sign {
        range.start += 1;
    }
    let local = gap.slice(range.clone());
    let before = gap.byte_before(range.start, 1);
    let is_address = !local.is_empty()
        && !local.ends_with('.')
        && gap.starts_word(range.start)
        && !b"@/".contains(&before)
        // git@github.com:owner/name is the address of a repository.
        && local != "git";
    is_address.then_some(range.start)
}

fn is_local(c: char) -> bool {
    c.is_ascii() || (c < '\u{2E80}' && c.is_alphanumeric())
}

/// Where the domain that begins here ends, if it is one.
fn domain_end(gap: &Gap<'_>, start: usize) -> Option<usize> {
    let range = gap.run_at_most(start, DOMAIN_BYTES_MAX, |byte| {
        byte.is_ascii_alphanumeric() || b".-".contains(&byte) || byte >= 0x80
    });
    let text = gap.slice(range.clone());
    let length = text
        .char_indices()
        .find(|(_, c)| !is_local(*c))
        .map_or(text.len(), |(at, _)| at);
    let domain = text[..length].trim_end_matches(['.', '-']);
    let (labels, top) = domain.rsplit_once('.')?;
    let is_domain = top.chars().count() >= 2
        && top.chars().all(char::is_alphabetic)
        && !ENDINGS_OF_FILES.split(' ').any(|ending| ending == top)
        && labels
            .split('.')
            .all(|label| !label.is_empty() && !label.starts_with('-') && !label.ends_with('-'));
    let end = start + domain.len();
    (is_domain && gap.ends_word(end)).then_some(end)
}
