//! The ten kinds of memory.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// What sort of thing a memory is; it decides the shape of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A turn of a conversation; never changed once it is kept.
    Conversation,
    /// Something that was decided, and why.
    Decision,
    /// Something that was found out: a problem, a risk, a result.
    Finding,
    /// What the user likes or demands.
    Preference,
    /// What an agent learned for next time.
    Learning,
    /// A plain fact: the kind when none is given.
    Fact,
    /// Something that happened.
    Event,
    /// How something is done.
    Procedure,
    /// An agent's state within a session.
    State,
    /// Something that was made: a file, a report.
    Artifact,
}

impl Kind {
    /// Every kind, in the order in which people read them.
    pub const ALL: [Kind; 10] = [
        Kind::Conversation,
        Kind::Decision,
        Kind::Finding,
        Kind::Preference,
        Kind::Learning,
        Kind::Fact,
        Kind::Event,
        Kind::Procedure,
        Kind::State,
        Kind::Artifact,
    ];

    /// The kind as it is written everywhere: `decision`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Conversation => "conversation",
            Self::Decision => "decision",
            Self::Finding => "finding",
            Self::Preference => "preference",
            Self::Learning => "learning",
            Self::Fact => "fact",
            Self::Event => "event",
            Self::Procedure => "procedure",
            Self::State => "state",
            Self::Artifact => "artifact",
        }
    }

    /// What ids of this kind begin with: `dec` in `dec_01J…`.
    pub fn id_prefix(self) -> &'static str {
        match self {
            Self::Conversation => "turn",
            Self::Decision => "dec",
            Self::Finding => "find",
            Self::Preference => "pref",
            Self::Learning => "learn",
            Self::Fact => "fact",
            Self::Event => "event",
            Self::Procedure => "proc",
            Self::State => "state",
            Self::Artifact => "art",
        }
    }

    /// What handles of this kind begin with: `DEC` in `DEC-001`.
    pub fn handle_prefix(self) -> &'static str {
        match self {
            Self::Conversation => "TURN",
            Self::Decision => "DEC",
            Self::Finding => "FIND",
            Self::Preference => "PREF",
            Self::Learning => "LEARN",
            Self::Fact => "FACT",
            Self::Event => "EVENT",
            Self::Procedure => "PROC",
            Self::State => "STATE",
            Self::Artifact => "ART",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Kind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.as_str() == text)
            .ok_or_else(|| {
                let known: Vec<_> = Self::ALL.iter().map(|kind| kind.as_str()).collect();
                Error::rule("kind", format!("one of {}", known.join(", ")), text)
            })
    }
}
