//! Letters of which a half is missing, in JSON.
//!
//! Programs that cut a text in the middle of an emoji write half of it, as
//! `\ud83d` without its other half. To a JSON parser that is no JSON. Such a
//! half becomes the sign of replacement, which is of the same length.
//!
//! Invariant: nothing is held back across the end of a line.

const REPLACEMENT: &[u8] = b"\\ufffd";

/// JSON that is whole, with every letter whole.
pub fn mend(message: &[u8]) -> Vec<u8> {
    let mut mender = Mender::default();
    mender.take(message);
    mender.mended.append(&mut mender.pending);
    mender.mended
}

/// Mends JSON that comes piece by piece.
#[derive(Debug, Default)]
pub struct Mender {
    /// An escape that is not decided yet, of twelve bytes at most.
    pending: Vec<u8>,
    /// What is mended; whoever takes it out of here empties it.
    pub mended: Vec<u8>,
}

impl Mender {
    /// The next piece.
    pub fn take(&mut self, mut bytes: &[u8]) {
        while let Some(first) = bytes.first() {
            if self.pending.is_empty() && *first != b'\\' {
                let plain = bytes.iter().position(|byte| *byte == b'\\');
                let (plain, rest) = bytes.split_at(plain.unwrap_or(bytes.len()));
                self.mended.extend_from_slice(plain);
                bytes = rest;
            } else {
                self.pending.push(*first);
                self.decide();
                bytes = &bytes[1..];
            }
        }
    }

    /// Hands on as much of what is pending as can be told by now.
    fn decide(&mut self) {
        while !self.pending.is_empty() {
            match look(&self.pending) {
                Seen::TooLittle => return,
                Seen::Whole(length) => self.mended.extend(self.pending.drain(..length)),
                Seen::Half => {
                    self.mended.extend_from_slice(REPLACEMENT);
                    self.pending.drain(..REPLACEMENT.len());
                }
            }
        }
    }
}

/// What bytes begin with.
enum Seen {
    /// More must come first.
    TooLittle,
    /// So many bytes that are as they should be.
    Whole(usize),
    /// An escape whose other half is missing.
    Half,
}

fn look(bytes: &[u8]) -> Seen {
    match escape(bytes) {
        Escape::TooLittle => Seen::TooLittle,
        Escape::Other(length) => Seen::Whole(length),
        Escape::Second => Seen::Half,
        Escape::First => match escape(&bytes[REPLACEMENT.len()..]) {
            Escape::TooLittle => Seen::TooLittle,
            Escape::Second => Seen::Whole(2 * REPLACEMENT.len()),
            Escape::First | Escape::Other(_) => Seen::Half,
        },
    }
}

enum Escape {
    TooLittle,
    /// The first half of a letter.
    First,
    /// The second half of a letter.
    Second,
    /// Anything else, of so many bytes.
    Other(usize),
}

fn escape(bytes: &[u8]) -> Escape {
    let digits = match bytes {
        [] | [b'\\'] => return Escape::TooLittle,
        [b'\\', b'u', digits @ ..] => &digits[..digits.len().min(4)],
        // The letter behind a backslash is no backslash of its own.
        [b'\\', _, ..] => return Escape::Other(2),
        _ => return Escape::Other(1),
    };
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return Escape::Other(2);
    }
    if digits.len() < 4 {
        return Escape::TooLittle;
    }
    match [digits[0], digits[1]].map(|digit| digit.to_ascii_lowercase()) {
        [b'd', b'8' | b'9' | b'a' | b'b'] => Escape::First,
        [b'd', b'c'..=b'f'] => Escape::Second,
        _ => Escape::Other(REPLACEMENT.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever pieces it comes in.
    fn check(given: &str, expected: &str) {
        for size in 1..=given.len() {
            let mut mender = Mender::default();
            given.as_bytes().chunks(size).for_each(|it| mender.take(it));
            let text = String::from_utf8(mender.mended).unwrap();
            assert_eq!(text, expected, "{given} in pieces of {size}");
            assert_eq!(mender.pending, b"");
        }
    }

    #[test]
    fn halves_are_replaced_and_nothing_else() {
        for (given, expected) in [
            (r#"{"a":"\ud83d"}"#, r#"{"a":"\ufffd"}"#),
            (r#"{"a":"\uDE00 x"}"#, r#"{"a":"\ufffd x"}"#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\ud83d\u00e9\n""#, r#""\ufffd\u00e9\n""#),
            (r#""\ud83d\n\ude00""#, r#""\ufffd\n\ufffd""#),
            (r#""\ude00\ud83d""#, r#""\ufffd\ufffd""#),
        ] {
            check(given, expected);
        }
        for whole in [
            "{\"a\":\"plain 茶\"}\n",
            r#""\ud83d\ude00 \uD83D\uDE00""#,
            r#""\\ud83d""#,
            r#""\\\\ud83d\"""#,
            r#""\u00e9\ud7ff\ue000""#,
            "\"\\ud8\n",
            "\"\\\n",
        ] {
            check(whole, whole);
        }
    }
}
