//! Handles: the short names that a memory has within its session (`DEC-001`).

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::memory::Kind;

/// A short name within one session, counted by kind and never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle {
    /// The kind that the memory had when it was kept.
    pub kind: Kind,
    /// Its number, from 1.
    pub number: u32,
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = self.kind.handle_prefix();
        match self.kind {
            // Turns are counted as in a transcript: TURN-12.
            Kind::Conversation => write!(f, "{prefix}-{}", self.number),
            _ => write!(f, "{prefix}-{:03}", self.number),
        }
    }
}

impl FromStr for Handle {
    type Err = Error;

    /// Reads `DEC-001`, and also `dec-1` as people type it.
    fn from_str(text: &str) -> Result<Self> {
        text.split_once('-')
            .and_then(|(prefix, number)| {
                let kind = Kind::ALL
                    .into_iter()
                    .find(|kind| kind.handle_prefix().eq_ignore_ascii_case(prefix))?;
                let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
                let number = digits.then(|| number.parse().ok()).flatten()?;
                (number > 0).then_some(Self { kind, number })
            })
            .ok_or_else(|| {
                Error::unparsable("a handle", text, "handles look like DEC-001 or TURN-12")
            })
    }
}

impl serde::Serialize for Handle {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Handle {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(from)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_written_in_the_bmad_manner() {
        let cases = [
            ("DEC-001", Kind::Decision, 1, "DEC-001"),
            ("dec-1", Kind::Decision, 1, "DEC-001"),
            ("FIND-1234", Kind::Finding, 1234, "FIND-1234"),
            ("TURN-12", Kind::Conversation, 12, "TURN-12"),
            ("turn-012", Kind::Conversation, 12, "TURN-12"),
        ];
        for (text, kind, number, shown) in cases {
            let handle: Handle = text.parse().unwrap();
            assert_eq!(handle, Handle { kind, number }, "{text}");
            assert_eq!(handle.to_string(), shown);
        }
    }

    #[test]
    fn other_texts_are_no_handles() {
        for text in [
            "",
            "DEC",
            "DEC-",
            "DEC-0",
            "DEC-+1",
            "DEC--1",
            "NOPE-1",
            "DEC-99999999999",
            "D1-1",
        ] {
            assert_eq!(
                text.parse::<Handle>().unwrap_err().code().as_str(),
                "E_INVALID_FORMAT",
                "{text}"
            );
        }
    }
}
