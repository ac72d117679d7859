//! Links: how one memory relates to another (`resolves`, `led_to`, `supersedes`).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::memory::MemoryId;
use crate::memory::as_text::as_text;

/// The relation of a plain reference, which says no more than "see also".
pub const RELATED: &str = "related";

/// The relation to what a memory takes the place of.
pub const SUPERSEDES: &str = "supersedes";

/// The relation to the memory that says the same and counts.
pub const DUPLICATE_OF: &str = "duplicate_of";

/// The relation to a memory that looks the same and is not, as somebody said.
pub const DISTINCT_FROM: &str = "distinct_from";

/// A directed, typed relation to another memory, which need not exist any more.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Link {
    /// What the relation is.
    pub rel: Relation,
    /// The memory at the other end.
    pub to: MemoryId,
}

impl Link {
    /// A plain reference.
    pub fn related(to: MemoryId) -> Self {
        Self {
            rel: Relation::known(RELATED),
            to,
        }
    }
}

/// The name of a relation: a word of lower-case letters, digits and `_`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Relation(String);

impl Relation {
    /// A name that is known to fit.
    pub(crate) fn known(name: &'static str) -> Self {
        debug_assert!(name.parse::<Self>().is_ok(), "{name}");
        Self(name.to_owned())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Relation {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let fits = (1..=32).contains(&text.len())
            && text.starts_with(|c: char| c.is_ascii_lowercase())
            && text
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        if fits {
            Ok(Self(text.to_owned()))
        } else {
            let rule = "a word such as resolves, led_to or supersedes (a-z, 0-9, _; at most 32)";
            Err(Error::rule("link", rule, text))
        }
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

as_text!(Relation);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_are_plain_words() {
        for good in ["resolves", "led_to", "x2", &"a".repeat(32)] {
            assert_eq!(good.parse::<Relation>().unwrap().as_str(), good);
        }
        for bad in ["", "Resolves", "led to", "_x", "2x", "é", &"a".repeat(33)] {
            assert_eq!(
                bad.parse::<Relation>().unwrap_err().code().as_str(),
                "E_SCHEMA_INVALID",
                "{bad}"
            );
        }
    }
}
