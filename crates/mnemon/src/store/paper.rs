//! Papers: small documents that are read and replaced as a whole, beside the logs.
//!
//! What an agent holds in its hands now changes all the time and has no
//! history worth keeping, so it is no log. Whoever changes a paper sees it as
//! the last one left it: nobody's change is lost.

use std::fmt;

use crate::memory::{AgentId, RequestId, SnapshotId};

/// Which document.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Paper {
    /// What an agent holds now: its working memory and its context window.
    Working(AgentId),
    /// How long an agent's memories are kept.
    Retention(AgentId),
    /// When snapshots of an agent are taken by themselves.
    Routine(AgentId),
    /// What an agent held at a moment.
    Snapshot(AgentId, SnapshotId),
    /// Who may ask over a connection. There is one in a store.
    Tokens,
    /// What became of a request that may come again.
    Request(RequestId),
}

/// A sort of papers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaperSort {
    /// See [`Paper::Working`].
    Working,
    /// See [`Paper::Retention`].
    Retention,
    /// See [`Paper::Routine`].
    Routine,
    /// See [`Paper::Snapshot`].
    Snapshot,
    /// See [`Paper::Tokens`].
    Tokens,
    /// See [`Paper::Request`].
    Request,
}

impl Paper {
    /// What sort it is.
    pub fn sort(&self) -> PaperSort {
        match self {
            Self::Working(_) => PaperSort::Working,
            Self::Retention(_) => PaperSort::Retention,
            Self::Routine(_) => PaperSort::Routine,
            Self::Snapshot(..) => PaperSort::Snapshot,
            Self::Tokens => PaperSort::Tokens,
            Self::Request(_) => PaperSort::Request,
        }
    }

    /// Whose it is; nobody's if it is the store's.
    pub fn agent(&self) -> Option<&AgentId> {
        match self {
            Self::Working(agent)
            | Self::Retention(agent)
            | Self::Routine(agent)
            | Self::Snapshot(agent, _) => Some(agent),
            Self::Tokens | Self::Request(_) => None,
        }
    }
}

/// For people: what is written of it in an error or a receipt.
impl fmt::Display for Paper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Working(agent) => write!(f, "the working memory of {agent}"),
            Self::Retention(agent) => write!(f, "the retention policy of {agent}"),
            Self::Routine(agent) => write!(f, "the snapshot schedule of {agent}"),
            Self::Snapshot(agent, id) => write!(f, "the snapshot {id} of {agent}"),
            Self::Tokens => f.write_str("the list of tokens"),
            Self::Request(id) => write!(f, "what became of the request {id}"),
        }
    }
}

/// How a paper is changed: what it says (nothing if there is none) becomes what it says then, or
/// it goes away.
pub type Edit<'a> = &'a mut dyn FnMut(Option<&[u8]>) -> crate::error::Result<Option<Vec<u8>>>;
