//! What compaction never touches.

use std::fmt;

use super::Situation;
use super::summary::is_summary;
use crate::decay::Class;
use crate::memory::{Body, Memory};

/// Why a memory stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Protection {
    /// A decision or a finding that is not settled.
    Open,
    /// A preference that the user stated.
    ExplicitPreference,
    /// It came into being a short while ago.
    Recent,
    /// It matters much.
    Priority,
    /// Somebody pinned it.
    Pinned,
    /// It was asked for a short while ago.
    Accessed,
    /// It is the newest state of its agent.
    NewestState,
    /// It is forgotten, and can still be brought back.
    Recoverable,
    /// It is sealed, and nobody here can tell what of this holds for it.
    Sealed,
}

impl Protection {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::ExplicitPreference => "explicit_preference",
            Self::Recent => "recent",
            Self::Priority => "priority",
            Self::Pinned => "pinned",
            Self::Accessed => "accessed",
            Self::NewestState => "newest_state",
            Self::Recoverable => "recoverable",
            Self::Sealed => "sealed",
        }
    }

    /// What protects a memory that is not forgotten; of several reasons the first.
    ///
    /// The newest states are not known here.
    pub(super) fn of(memory: &Memory, situation: &Situation<'_>) -> Option<Self> {
        let settings = situation.settings;
        let now = situation.at.now_micros;
        let since = |hours: u32| now.saturating_sub(i64::from(hours) * 3_600_000_000);
        // A summary has the date of what it stands for. What lies in the future is no older than now.
        let made_at = if is_summary(memory) {
            memory.recorded_at
        } else {
            memory.created_at
        };
        let is_recent = made_at.micros() > since(settings.keep_recent_hours);
        let was_accessed = memory
            .state
            .last_access
            .is_some_and(|last| last.micros() > since(settings.keep_accessed_hours));
        if memory.closed().is_some() {
            Some(Self::Sealed)
        } else if memory.body.is_open() == Some(true) {
            Some(Self::Open)
        } else if Class::of(&memory.body) == Class::ExplicitPreference {
            Some(Self::ExplicitPreference)
        } else if memory.pinned {
            Some(Self::Pinned)
        } else if is_recent {
            Some(Self::Recent)
        } else if was_accessed {
            Some(Self::Accessed)
        } else if situation.priority(memory) > settings.keep_priority_above {
            Some(Self::Priority)
        } else {
            None
        }
    }
}

impl fmt::Display for Protection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Open => "open decisions and findings",
            Self::ExplicitPreference => "explicit preferences",
            Self::Recent => "too young",
            Self::Priority => "important",
            Self::Pinned => "pinned",
            Self::Accessed => "asked for lately",
            Self::NewestState => "newest states of agents",
            Self::Recoverable => "forgotten and recoverable",
            Self::Sealed => "sealed and not opened",
        })
    }
}

/// Whose state a memory is, if it is one.
pub(super) fn agent_of(memory: &Memory) -> Option<&str> {
    let Body::State(state) = &memory.body else {
        return None;
    };
    let author = memory.author.as_ref().map(crate::memory::Author::as_str);
    Some(state.agent_id.as_deref().or(author).unwrap_or_default())
}
