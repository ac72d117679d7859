//! Context packs: what an agent needs for its next turn, within a token budget.
//!
//! The engine gathers [`Candidate`]s, section by section, the best first;
//! [`pack()`] chooses among them. The same candidates and budget give the same
//! bytes, no fact stands there twice, and the text never has more tokens than
//! the budget. [`text`] is how a pack looks and how it is known again.

mod pack;
mod repeats;
pub mod selector;
pub mod text;

pub use pack::{Counter, pack};
pub use selector::Selector;

use crate::memory::{Memory, SessionId};

/// What a pack is asked for.
#[derive(Clone, Debug)]
pub struct ContextRequest {
    /// The session that goes on.
    pub session: SessionId,
    /// What the next turn is about; else what the last turns were about.
    pub topic: Option<String>,
    /// At most so many tokens.
    pub budget_tokens: usize,
    /// What a workflow wants to read; the usual if it says nothing.
    pub selectors: Vec<Selector>,
}

impl ContextRequest {
    /// How many tokens a pack has if nobody says.
    pub const BUDGET_TOKENS: usize = 2000;

    /// How many of the last turns are looked at.
    pub const TURNS: usize = 20;

    /// A request with the usual budget and everything that is usual.
    pub fn new(session: SessionId) -> Self {
        Self {
            session,
            topic: None,
            budget_tokens: Self::BUDGET_TOKENS,
            selectors: Vec::new(),
        }
    }
}

/// The parts of a pack, in the order in which they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// What the asking agent was at.
    State,
    /// What the user likes or demands.
    Preferences,
    /// What was decided.
    Decisions,
    /// What was found and is still open.
    Findings,
    /// What is known beyond this session, and whatever else fits.
    Knowledge,
    /// What was said last.
    Conversation,
}

impl Section {
    /// Every section, in the order in which they are read.
    pub const ALL: [Self; 6] = [
        Self::State,
        Self::Preferences,
        Self::Decisions,
        Self::Findings,
        Self::Knowledge,
        Self::Conversation,
    ];

    /// Its name, for programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::Preferences => "preferences",
            Self::Decisions => "decisions",
            Self::Findings => "findings",
            Self::Knowledge => "knowledge",
            Self::Conversation => "conversation",
        }
    }

    /// What stands above it.
    pub fn title(self) -> &'static str {
        match self {
            Self::State => "Where you were",
            Self::Preferences => "Preferences",
            Self::Decisions => "Decisions",
            Self::Findings => "Open findings",
            Self::Knowledge => "Known",
            Self::Conversation => "Last turns",
        }
    }
}

/// A memory that could be in a pack.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The memory.
    pub memory: Memory,
    /// Where it belongs.
    pub section: Section,
    /// Why it is here.
    pub reason: String,
    /// Who else says so.
    pub also_by: Vec<String>,
}

impl Candidate {
    /// Notes who wrote a memory that says the same.
    fn take_author_of(&mut self, memory: &Memory) {
        let own = self.memory.author.as_ref();
        if let Some(author) = memory.author.as_ref().filter(|it| Some(*it) != own)
            && !self.also_by.iter().any(|known| known == author.as_str())
        {
            self.also_by.push(author.to_string());
        }
    }
}

/// A memory that is in a pack.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextItem {
    /// The memory.
    pub memory: Memory,
    /// Where it stands.
    pub section: Section,
    /// Why it is there.
    pub reason: String,
    /// Who else says so.
    pub also_by: Vec<String>,
    /// How many tokens its lines have.
    pub tokens: usize,
    /// Whether only its beginning is there.
    pub is_cut: bool,
}

/// What an agent needs for its next turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContextPack {
    /// To be put before the model, as it is; empty if there is nothing to say.
    pub text: String,
    /// What stands in it, in this order.
    pub items: Vec<ContextItem>,
    /// How many tokens the text has.
    pub tokens: usize,
    /// How many memories would have fitted too but for the budget.
    pub left_out: usize,
}
