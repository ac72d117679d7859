//! Paths that say where: absolute ones, those from a home folder, Windows' own.

use std::ops::Range;

/// Finds paths.
pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if starts_alone(bytes, at)
            && let Some(root) = root_length(&bytes[at..])
        {
            let end = at + root + tail_length(&text[at + root..]);
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
        Some(before) => before.is_ascii_whitespace() || b"\"'`([{<=:,;|>".contains(&before),
    }
}

/// How long the beginning is that makes it a path.
fn root_length(bytes: &[u8]) -> Option<usize> {
    let second = bytes.get(1).copied().unwrap_or(0);
    let third = bytes.get(2).copied().unwrap_or(0);
    match bytes[0] {
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
    let end = text
        .find(|c: char| c.is_whitespace() || c.is_control() || "\"'`<>|*?()[]{},;".contains(c))
        .unwrap_or(text.len());
    // A full stop or a colon at the end belongs to the sentence.
    text[..end].trim_end_matches(['.', ':', '!']).len()
}
