//! Decay: how much of its importance a memory still has.
//!
//! Computed when it is asked for, from stored facts, settings and the clock;
//! nothing is rewritten for it. Three models, each as its source has it, one
//! file each; [`Settings::fade`] chooses. [`Rules`] knows which settings hold
//! in which space, and [`Class`] what of a body decides.

mod boosted;
mod class;
mod half_life;
mod priority;
mod reason;
mod rules;
mod settings;

#[cfg(test)]
mod golden;

pub use class::Class;
pub(crate) use class::SESSION_SUMMARY;
pub use reason::Reason;
pub use rules::{At, Rules};
pub use settings::{Model, Settings};

use crate::memory::{Kind, Memory};
use crate::time::Time;

/// What decay depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facts {
    /// The memory's kind.
    pub kind: Kind,
    /// What its body says that matters here.
    pub class: Class,
    /// How much it mattered when it was kept.
    pub importance: f64,
    /// When it came into being, in microseconds since 1970.
    pub created_micros: i64,
    /// Pinned memories don't fade.
    pub pinned: bool,
    /// How often it was asked for, and when last.
    pub access: Access,
}

/// How often a memory was asked for, and when last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// How often.
    pub count: u64,
    /// When last, in microseconds since 1970.
    pub last_micros: Option<i64>,
}

impl From<&Memory> for Facts {
    fn from(memory: &Memory) -> Self {
        Self {
            kind: memory.kind(),
            class: Class::of(&memory.body),
            importance: memory.importance.get(),
            created_micros: memory.created_at.micros(),
            pinned: memory.pinned,
            access: Access {
                count: memory.state.access_count,
                last_micros: memory.state.last_access.map(Time::micros),
            },
        }
    }
}

/// What time has left of a memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Faded {
    /// How much of it is left, from 0 to 1.
    pub factor: f64,
    /// How much it matters now, from 0 to 1.
    pub priority: f64,
    /// Which rule gave the number.
    pub reason: Reason,
}

impl Settings {
    /// What is left of a memory at a moment.
    pub fn fade(&self, facts: &Facts, now_micros: i64) -> Faded {
        let (factor, reason) = match self.model {
            Model::HalfLife => half_life::factor(self, facts, now_micros),
            Model::Boosted => boosted::factor(self, facts, now_micros),
            Model::Priority => priority::priority(self, facts, now_micros),
        };
        let priority = match self.model {
            Model::HalfLife | Model::Boosted => facts.importance * factor,
            // It has a base of its own for each kind.
            Model::Priority => factor,
        };
        Faded {
            factor,
            priority,
            reason,
        }
    }
}

/// Why time takes nothing from a memory, if it takes nothing.
fn spared(settings: &Settings, facts: &Facts) -> Option<Reason> {
    if facts.pinned {
        Some(Reason::Pinned)
    } else if settings.enabled {
        None
    } else {
        Some(Reason::Off)
    }
}

/// A summary is dated when its turns were, and would have faded when it is made.
fn sums_up(facts: &Facts) -> Option<Reason> {
    (facts.class == Class::Summary).then_some(Reason::Summary)
}

/// A memory from the future (clock skew) counts as new.
#[expect(clippy::cast_precision_loss, reason = "an age needs no microseconds")]
fn hours_between(then_micros: i64, now_micros: i64) -> f64 {
    (now_micros.saturating_sub(then_micros) as f64 / 3.6e9).max(0.0)
}
