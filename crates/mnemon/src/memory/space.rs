//! Spaces: where a memory lives, and so who may see it.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::memory::{AgentId, SessionId};

/// Where a memory lives; each space has a log of its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    /// One conversation of a user with one or more agents.
    Session(SessionId),
    /// What one agent knows for good.
    Agent(AgentId),
    /// What holds across sessions: the user's profile, learned patterns.
    Shared,
}

impl Space {
    /// The session, if it is one.
    pub fn session(&self) -> Option<&SessionId> {
        match self {
            Self::Session(id) => Some(id),
            Self::Agent(_) | Self::Shared => None,
        }
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Session(id) => write!(f, "session/{id}"),
            Self::Agent(id) => write!(f, "agent/{id}"),
            Self::Shared => f.write_str("shared"),
        }
    }
}

impl FromStr for Space {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text.split_once('/') {
            None if text == "shared" => Ok(Self::Shared),
            Some(("session", id)) => Ok(Self::Session(id.parse()?)),
            Some(("agent", id)) => Ok(Self::Agent(id.parse()?)),
            _ => Err(Error::rule(
                "space",
                "session/<id>, agent/<id> or shared",
                text,
            )),
        }
    }
}

impl serde::Serialize for Space {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Space {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(from)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_space_is_written_and_read_the_same() {
        for text in ["session/a-1", "agent/claude", "shared"] {
            assert_eq!(text.parse::<Space>().unwrap().to_string(), text);
        }
        for bad in [
            "",
            "session",
            "session/",
            "session/../x",
            "agent/a/b",
            "Shared",
            "global",
        ] {
            assert_eq!(
                bad.parse::<Space>().unwrap_err().code().as_str(),
                "E_SCHEMA_INVALID",
                "{bad}"
            );
        }
    }
}
