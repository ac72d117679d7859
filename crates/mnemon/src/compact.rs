//! Compaction: what may leave a session that fills up, in which order, and what stays in its place.
//!
//! A pure plan from memories, settings and the clock ([`Plan::new`]); the
//! engine carries it out. What leaves goes to the session's archive, from
//! where it can be brought back, unless its user had forgotten it for good.
//!
//! Invariant: what [`Protection`] names is never in a plan. `size` tells what
//! a session is made of.

mod groups;
mod plan;
mod protection;
mod settings;
mod size;
mod summary;

#[cfg(test)]
mod golden;
#[cfg(test)]
mod properties;

pub use plan::{Action, Plan, Rule, Spared};
pub use protection::Protection;
pub use settings::{Reach, Settings};
pub use size::{Component, Gain, LargeItem, Size};
pub(crate) use summary::summary;
pub use summary::{CONVERSATION_SUMMARY, SUMMARIZES, is_summary};

use crate::decay::At;
use crate::memory::Memory;

/// A memory, and how many bytes of the log are about it.
#[derive(Clone, Debug)]
pub struct Item {
    /// The memory as it is now, forgotten or not.
    pub memory: Memory,
    /// All lines about it: that it was kept, its versions, accesses, forgetting.
    pub bytes: u64,
}

/// A session at a moment.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// Everything in it, forgotten memories included.
    pub items: &'a [Item],
    /// The bytes of its log.
    pub log_bytes: u64,
    /// What its settings say about compaction.
    pub settings: &'a Settings,
    /// How memories fade, and what time it is.
    pub at: At<'a>,
}

impl Situation<'_> {
    /// How much a memory matters now.
    fn priority(&self, memory: &Memory) -> f64 {
        self.at.priority(memory)
    }
}
