//! Authors: the agent or user that a memory comes from.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::memory::as_text::as_text;

/// The longest name.
const AUTHOR_CHARS_MAX: usize = 128;

/// A name as it is spoken; unlike an agent's id it may hold spaces and any script.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Author(String);

impl Author {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Author {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let fits = !text.trim().is_empty()
            && text.chars().count() <= AUTHOR_CHARS_MAX
            && !text.chars().any(char::is_control);
        if fits {
            Ok(Self(text.to_owned()))
        } else {
            Err(Error::rule(
                "author",
                "1 to 128 characters without control characters",
                text,
            ))
        }
    }
}

impl fmt::Display for Author {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

as_text!(Author);
