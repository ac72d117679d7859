//! A tool as an entry of a table: what is said of it, and what it does.

use rmcp::model::Tool;

use super::Shared;
use super::answer::Answer;
use super::fields::Arguments;

/// One tool.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) name: &'static str,
    /// What clients are told.
    pub(super) describe: fn() -> Tool,
    pub(super) run: fn(&Shared, Arguments) -> Answer,
    pub(super) turn: Turn,
}

/// Beside which other calls a tool may run.
///
/// It keeps the order of a client that does not wait for its answers: what it
/// keeps is found by what it asks after that.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// Beside none: it writes.
    Alone,
    /// Beside others that only look.
    Beside,
}
