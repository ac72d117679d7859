//! Aggregations: what all that fits says together, whatever the page.

use std::collections::BTreeMap;
use std::str::FromStr;

use jiff::tz::TimeZone;

use crate::error::{Error, Result};
use crate::memory::Memory;
use crate::nearest::nearest;
use crate::recall::aggregate::{self, AgentActivity, Timeline, Topic};

/// What is made of all that fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregation {
    /// How many there are.
    Count,
    /// How many of each kind.
    ByKind,
    /// How many by each author; what has none is left out.
    ByAuthor,
    /// How many with each tag.
    ByTag,
    /// How many in each session; what is in none is left out.
    BySession,
    /// How many were created on each day.
    ByDay,
    /// How many were created in each hour of each day.
    ByHour,
    /// Who wrote how much of what, and when.
    ByAgent,
    /// What they are about.
    Topics,
    /// What happened when.
    Timeline,
}

/// What was made of all that fits.
#[derive(Clone, Debug, PartialEq)]
pub enum Aggregated {
    /// How many in all.
    Count(u64),
    /// How many by name, in the order of the names.
    Counts(BTreeMap<String, u64>),
    /// Who wrote how much of what, and when.
    Agents(Vec<AgentActivity>),
    /// What they are about, the weightiest first.
    Topics(Vec<Topic>),
    /// What happened when.
    Timeline(Timeline),
}

impl Aggregation {
    /// All of them, with their names.
    pub const ALL: [(&'static str, Aggregation); 10] = [
        ("count", Aggregation::Count),
        ("by_kind", Aggregation::ByKind),
        ("by_author", Aggregation::ByAuthor),
        ("by_tag", Aggregation::ByTag),
        ("by_session", Aggregation::BySession),
        ("by_day", Aggregation::ByDay),
        ("by_hour", Aggregation::ByHour),
        ("by_agent", Aggregation::ByAgent),
        ("topics", Aggregation::Topics),
        ("timeline", Aggregation::Timeline),
    ];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        // The table has them in the order of the declaration.
        Self::ALL[self as usize].0
    }

    /// Of these memories; days and hours that are counted are those of the zone.
    pub(crate) fn of(self, memories: &[&Memory], zone: &TimeZone) -> Aggregated {
        let all = memories.iter().copied();
        let created = |memory: &Memory, form: &str| {
            let zoned = memory.created_at.timestamp().to_zoned(zone.clone());
            Some(zoned.strftime(form).to_string())
        };
        match self {
            Self::Count => Aggregated::Count(memories.len() as u64),
            Self::ByKind => counts(all.map(Memory::kind)),
            Self::ByAuthor => counts(all.filter_map(|memory| memory.author.as_ref())),
            Self::ByTag => counts(all.flat_map(|memory| &memory.tags)),
            Self::BySession => counts(all.filter_map(|memory| memory.space.session())),
            Self::ByDay => counts(all.filter_map(|memory| created(memory, "%Y-%m-%d"))),
            Self::ByHour => counts(all.filter_map(|memory| created(memory, "%Y-%m-%dT%H:00%:z"))),
            Self::ByAgent => Aggregated::Agents(aggregate::agents(all)),
            Self::Topics => Aggregated::Topics(aggregate::topics(all, None)),
            Self::Timeline => Aggregated::Timeline(aggregate::timeline(all, None)),
        }
    }
}

fn counts(names: impl Iterator<Item = impl ToString>) -> Aggregated {
    let mut counts = BTreeMap::new();
    for name in names {
        *counts.entry(name.to_string()).or_default() += 1;
    }
    Aggregated::Counts(counts)
}

impl FromStr for Aggregation {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let known = Self::ALL.iter().find(|(name, _)| *name == text);
        known.map(|(_, own)| *own).ok_or_else(|| {
            let names = Self::ALL.map(|(name, _)| name);
            let meant = match nearest(text, names) {
                Some(near) => format!("did you mean {near}?"),
                None => format!("there are {}", names.join(", ")),
            };
            Error::InvalidQuery {
                field: "aggregations".into(),
                problem: format!("{} is not known; {meant}", crate::error::shorten(text)),
            }
        })
    }
}
