//! Aggregations: counts over all that fits, whatever the page.

use std::collections::BTreeMap;
use std::str::FromStr;

use jiff::tz::TimeZone;

use crate::error::{Error, Result};
use crate::memory::Memory;
use crate::nearest::nearest;

/// What is counted.
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
}

/// What was counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Counts {
    /// In all.
    All(u64),
    /// By name, in the order of the names.
    By(BTreeMap<String, u64>),
}

impl Aggregation {
    /// All of them, with their names.
    pub const ALL: [(&'static str, Aggregation); 7] = [
        ("count", Aggregation::Count),
        ("by_kind", Aggregation::ByKind),
        ("by_author", Aggregation::ByAuthor),
        ("by_tag", Aggregation::ByTag),
        ("by_session", Aggregation::BySession),
        ("by_day", Aggregation::ByDay),
        ("by_hour", Aggregation::ByHour),
    ];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        // The table has them in the order of the declaration.
        Self::ALL[self as usize].0
    }

    /// Counts memories; days and hours are those of the zone.
    pub(crate) fn count<'a>(
        self,
        memories: impl Iterator<Item = &'a Memory>,
        zone: &TimeZone,
    ) -> Counts {
        if self == Self::Count {
            return Counts::All(memories.count() as u64);
        }
        let mut counts = BTreeMap::new();
        for memory in memories {
            for name in self.names(memory, zone) {
                *counts.entry(name).or_default() += 1;
            }
        }
        Counts::By(counts)
    }

    fn names(self, memory: &Memory, zone: &TimeZone) -> Vec<String> {
        let created = |form: &str| {
            let zoned = memory.created_at.timestamp().to_zoned(zone.clone());
            Some(zoned.strftime(form).to_string())
        };
        let one = match self {
            Self::Count => None,
            Self::ByKind => Some(memory.kind().to_string()),
            Self::ByAuthor => memory.author.as_ref().map(ToString::to_string),
            Self::ByTag => return memory.tags.iter().map(ToString::to_string).collect(),
            Self::BySession => memory.space.session().map(ToString::to_string),
            Self::ByDay => created("%Y-%m-%d"),
            Self::ByHour => created("%Y-%m-%dT%H:00%:z"),
        };
        one.into_iter().collect()
    }
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
