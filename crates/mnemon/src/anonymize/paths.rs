//! Paths that say where: absolute ones, those from a home folder, Windows' own.

use std::ops::Range;

/// How addresses of files begin.
const FILE: &[u8] = b"file://";

/// The longest path that is looked for between quotes.
const QUOTED_BYTES_MAX: usize = 1024;

/// Finds paths.
pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if starts_alone(bytes, at) && bytes[at..].starts_with(FILE) {
            // What stands for the path begins with a slash, as it does.
            at += FILE.len();
        }
        if starts_alone(bytes, at)
            && let Some(root) = root_length(bytes, at)
        {
            let quoted = quoted_length(text, at);
            let end = at + quoted.unwrap_or_else(|| root + tail_length(&text[at + root..]));
            // `/help` is a word with a sign before it, `/a/b` is a path.
            let is_path = bytes[at] != b'/' || bytes[at + 1..end].contains(&b'/');
            if end > at + root && is_path {
                found.push(at..end);
                at = end;
                continue;
            }
        }
        at += 1;
    }
    found
}

/// Not within a word, an address or another path.
fn starts_alone(bytes: &[u8], at: usize) -> bool {
    match at.checked_sub(1).map(|before| bytes[before]) {
        None => true,
        Some(before) => {
            before.is_ascii_whitespace()
                || b"\"'`([{<=:,;|>".contains(&before)
                || bytes[..at].ends_with(FILE)
        }
    }
}

/// How long a path is that stands in quotes, blanks and all; none if it does not, or if what
/// stands there is more than a path.
fn quoted_length(text: &str, at: usize) -> Option<usize> {
    let quote = text.as_bytes()[..at].last().copied()?;
    if !b"\"'`".contains(&quote) {
        return None;
    }
    let line = text[at..].lines().next()?;
    let end = line
        .bytes()
        .take(QUOTED_BYTES_MAX)
        .position(|byte| byte == quote)?;
    // In JSON within JSON the quote has a sign before it.
    let path = line[..end].trim_end_matches('\\');
    let is_more = [" /", " ~", " -", " \\", "://", "  "]
        .iter()
        .any(|sign| path.contains(sign));
    (!is_more && !path.is_empty()).then_some(path.len())
}

/// How long the beginning is that makes it a path.
fn root_length(text: &[u8], at: usize) -> Option<usize> {
    if text[..at].ends_with(FILE) {
        // A machine may be named before the path.
        return Some(0);
    }
    let bytes = text.get(at..)?;
    let second = bytes.get(1).copied().unwrap_or(0);
    let third = bytes.get(2).copied().unwrap_or(0);
    match *bytes.first()? {
        b'/' if second != b'/' => Some(1),
        b'~' if second == b'/' || second == b'\\' => Some(2),
        b'\\' if second == b'\\' => Some(2),
        letter if letter.is_ascii_alphabetic() && second == b':' && b"/\\".contains(&third) => {
            Some(3)
        }
        _ => None,
    }
}

/// How much of the text goes on with the path.
fn tail_length(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text
        .find(|c: char| {
            // A shell writes blanks in names so.
            let goes_on = is_escaped && c == ' ';
            is_escaped = c == '\\';
            !goes_on && (c.is_whitespace() || c.is_control() || "\"'`<>|*?()[]{},;".contains(c))
        })
        .unwrap_or(text.len());
    // A full stop or a colon at the end belongs to the sentence.
    text[..end].trim_end_matches(['.', ':', '!']).len()
}
