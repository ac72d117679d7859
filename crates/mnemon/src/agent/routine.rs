//! Snapshots that are taken by themselves, again and again.

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::memory::SnapshotId;
use crate::schedule::Schedule;
use crate::time::Time;

/// So many are kept if nobody says.
const KEEP: u32 = 7;

/// More than this are not kept.
const KEEP_MAX: u32 = 1_000;

/// When snapshots of an agent are taken by themselves, and how many of them are kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Routine {
    /// When, in UTC.
    pub schedule: Schedule,
    /// Whether they know which long-term memories there were.
    pub long_term: bool,
    /// How many are kept; those that were taken by hand are not counted.
    pub keep: u32,
}

impl Routine {
    /// The usual, at these times.
    pub fn new(schedule: Schedule) -> Self {
        Self {
            schedule,
            long_term: false,
            keep: KEEP,
        }
    }

    pub(crate) fn check(&self, now: Time) -> Result<()> {
        if !(1..=KEEP_MAX).contains(&self.keep) {
            let rule = "a number from 1 to 1000";
            return Err(Error::rule("keep", rule, &self.keep.to_string()));
        }
        let now = now.timestamp().to_zoned(TimeZone::UTC);
        if self.schedule.next_after(&now).is_none() {
            let given = self.schedule.to_string();
            return Err(Error::rule("schedule", "a time that ever comes", &given));
        }
        Ok(())
    }
}

/// A routine as it is written down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Running {
    pub(crate) routine: Routine,
    /// When it began, or when the last one was taken.
    pub(crate) last: Time,
    /// Those that it took and that are there still, the oldest first.
    pub(crate) taken: Vec<SnapshotId>,
}

impl Running {
    /// Whether the time of another one has come; of several that were missed one is taken.
    pub(crate) fn is_due(&self, now: Time) -> bool {
        let last = self.last.timestamp().to_zoned(TimeZone::UTC);
        let next = self.routine.schedule.next_after(&last);
        next.is_some_and(|next| next.timestamp() <= now.timestamp())
    }
}
