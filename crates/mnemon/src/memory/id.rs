//! Ids: `dec_01J…` made by us, or whatever a caller gave that fits the rule.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::memory::Kind;
use crate::memory::as_text::as_text;

/// The longest id, of a memory, a session or an agent.
const ID_CHARS_MAX: usize = 64;

/// The letters of a ULID: no I, L, O or U, which are misread.
const CROCKFORD: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident, $field:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = Error;

            fn from_str(text: &str) -> Result<Self> {
                check_id($field, text)?;
                Ok(Self(text.to_owned()))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        as_text!($name);
    };
}

id_type!(
    /// A memory's id, unique in a store.
    MemoryId,
    "id"
);
id_type!(
    /// A session's id; it names a folder, so it is never a path.
    SessionId,
    "session"
);
id_type!(
    /// An agent's id; it names a folder, so it is never a path.
    AgentId,
    "agent"
);
id_type!(
    /// A snapshot's id; it names a file, so it is never a path.
    SnapshotId,
    "snapshot"
);

id_type!(
    /// The id of a token; it is no secret.
    TokenId,
    "token"
);

id_type!(
    /// What a request is known by that may come again; it names a file, so it is never a path.
    RequestId,
    "request"
);

impl TokenId {
    /// A new id, from ten random bytes.
    pub fn generate(random: [u8; 10]) -> Self {
        let tail = ulid(0, random);
        Self(format!("tok_{}", &tail[tail.len() - 12..]))
    }
}

impl MemoryId {
    /// A new id of this kind, from the time and ten random bytes.
    pub fn generate(kind: Kind, millis: u64, random: [u8; 10]) -> Self {
        Self(format!("{}_{}", kind.id_prefix(), ulid(millis, random)))
    }
}

impl SnapshotId {
    /// A new id, from the time and ten random bytes.
    pub fn generate(millis: u64, random: [u8; 10]) -> Self {
        Self(format!("snap_{}", ulid(millis, random)))
    }
}

impl SessionId {
    /// A new session id that tells its day: `sess-2026-01-11-4F7Q2M`.
    pub fn generate(day: &str, random: [u8; 10]) -> Self {
        let tail = ulid(0, random);
        Self(format!("sess-{day}-{}", &tail[tail.len() - 6..]))
    }
}

/// 48 bits of milliseconds and 80 random bits, as 26 letters that sort by time.
pub(crate) fn ulid(millis: u64, random: [u8; 10]) -> String {
    let mut bits = [0u8; 16];
    bits[..6].copy_from_slice(&millis.to_be_bytes()[2..]);
    bits[6..].copy_from_slice(&random);
    let number = u128::from_be_bytes(bits);
    (0..26)
        .rev()
        .map(|place| CROCKFORD[(number >> (5 * place)) as usize & 31] as char)
        .collect()
}

fn check_id(field: &'static str, text: &str) -> Result<()> {
    let fits = (1..=ID_CHARS_MAX).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if fits {
        Ok(())
    } else {
        Err(Error::rule(field, "1 to 64 letters, digits, _ or -", text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_a_prefix_and_sort_by_time() {
        let early = MemoryId::generate(Kind::Decision, 1_700_000_000_000, [0xff; 10]);
        let late = MemoryId::generate(Kind::Decision, 1_700_000_000_001, [0; 10]);
        assert_eq!(early.as_str(), "dec_01HF7YAT00ZZZZZZZZZZZZZZZZ");
        assert!(early < late);
        for kind in Kind::ALL {
            let id = MemoryId::generate(kind, u64::MAX >> 16, [7; 10]);
            assert!(id.as_str().len() <= 32, "{id}");
            assert_eq!(id.as_str().parse::<MemoryId>().unwrap(), id);
        }
    }

    #[test]
    fn an_id_is_never_a_path() {
        let long = "x".repeat(65);
        for bad in [
            "", "../x", "a/b", "a\\b", ".", "..", "a b", "a\0b", "ä", "a\n", &long,
        ] {
            let error = bad.parse::<SessionId>().unwrap_err();
            assert_eq!(error.code().as_str(), "E_SCHEMA_INVALID", "{bad:?}");
        }
        for good in ["a", "A-1_b", "con", &"x".repeat(64)] {
            assert_eq!(good.parse::<SessionId>().unwrap().as_str(), good);
        }
    }
}
