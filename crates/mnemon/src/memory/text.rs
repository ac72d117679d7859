//! The text of a memory: anything but nothing.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

/// What is remembered: any Unicode text that is not only white space.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Text(String);

impl Text {
    /// The text itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Text {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::try_from(text.to_owned())
    }
}

impl TryFrom<String> for Text {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        if text.trim().is_empty() {
            Err(Error::rule("text", "more than white space", &text))
        } else {
            Ok(Self(text))
        }
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl serde::Serialize for Text {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.0)
    }
}

impl<'de> serde::Deserialize<'de> for Text {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Self::try_from(String::deserialize(from)?).map_err(serde::de::Error::custom)
    }
}
