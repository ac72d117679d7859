//! Callers: on whose behalf something is asked, what they see and what they may do.

mod rights;
mod sight;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use rights::Operation;
pub use sight::Sight;

use crate::error::{Error, Result};
use crate::memory::AgentId;
use crate::tier::Tier;

/// Who asks, and how much they may do. Every operation of the engine takes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Who.
    pub who: Who,
    /// How much they may do.
    pub role: Role,
    /// What they licensed, if it is not what the settings say.
    pub tier: Option<Tier>,
}

/// A person or a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Who {
    /// The user, who sees everything.
    User(String),
    /// An agent.
    Agent(AgentId),
}

/// How much a caller may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Ask.
    Reader,
    /// Ask and keep.
    Writer,
    /// Ask, keep, and look after the store.
    Admin,
}

impl Role {
    /// All of them, the least first.
    pub const ALL: [Self; 3] = [Self::Reader, Self::Writer, Self::Admin];

    /// The role as it is written everywhere.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Writer => "writer",
            Self::Admin => "admin",
        }
    }
}

impl FromStr for Role {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|role| role.as_str() == text);
        let names = Self::ALL.map(Self::as_str).join(", ");
        found.ok_or_else(|| Error::rule("role", format!("one of {names}"), text))
    }
}

impl Caller {
    /// The user of this machine.
    pub fn user(name: impl Into<String>) -> Self {
        Self {
            who: Who::User(name.into()),
            role: Role::Admin,
            tier: None,
        }
    }

    /// An agent that may ask and keep.
    pub fn agent(id: AgentId) -> Self {
        Self {
            who: Who::Agent(id),
            role: Role::Writer,
            tier: None,
        }
    }

    /// The name that is written beside what they do.
    pub fn name(&self) -> &str {
        match &self.who {
            Who::User(name) => name,
            Who::Agent(id) => id.as_str(),
        }
    }
}

impl fmt::Display for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
