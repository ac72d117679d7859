//! Policies: how long what an agent has is kept.

use serde::{Deserialize, Serialize};

use crate::agent::Entry;
use crate::error::{Error, Result};
use crate::memory::{Importance, Memory, Tag};
use crate::schedule::Schedule;
use crate::time::{DAY_MICROS, Time};

/// Ten years and more are for ever.
const DAYS_MAX: u32 = 36_500;

/// How long what an agent has is kept, and when it is looked after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetentionPolicy {
    /// Entries of working memory that are older go; none are kept for ever.
    pub working_max_age_days: Option<u32>,
    /// Long-term memories that are older are forgotten; none are kept for ever.
    pub long_term_max_age_days: Option<u32>,
    /// What was forgotten so long ago is removed for good.
    pub forgotten_retention_days: u32,
    /// More snapshots than this are not kept: the oldest go.
    pub max_snapshots: Option<u32>,
    /// Snapshots that are older go.
    pub snapshot_max_age_days: Option<u32>,
    /// What matters at least this much is not forgotten for its age.
    pub exempt_importance: Option<f64>,
    /// What has one of these tags, or one below, is not forgotten for its age.
    pub exempt_tags: Vec<Tag>,
    /// Whether maintenance carries it out.
    pub auto_cleanup: bool,
    /// When it does, as cron writes it.
    pub schedule: Schedule,
}

impl Default for RetentionPolicy {
    /// A year for memories, ninety days for what was forgotten, ten snapshots and none older
    /// than thirty days; every day at midnight.
    fn default() -> Self {
        Self {
            working_max_age_days: None,
            long_term_max_age_days: Some(365),
            forgotten_retention_days: 90,
            max_snapshots: Some(10),
            snapshot_max_age_days: Some(30),
            exempt_importance: None,
            exempt_tags: Vec::new(),
            auto_cleanup: true,
            schedule: "0 0 * * *".parse().expect("midnight is a schedule"),
        }
    }
}

impl RetentionPolicy {
    /// Refuses values that mean nothing.
    pub fn check(&self) -> Result<()> {
        let ages = [
            ("working_max_age", self.working_max_age_days),
            ("long_term_max_age", self.long_term_max_age_days),
            ("snapshot_max_age", self.snapshot_max_age_days),
            ("forgotten_retention", Some(self.forgotten_retention_days)),
        ];
        for (field, days) in ages {
            if let Some(days) = days.filter(|days| *days > DAYS_MAX) {
                let rule = format!("at most {DAYS_MAX} days");
                return Err(Error::rule(field, rule, &days.to_string()));
            }
        }
        match self.exempt_importance {
            Some(number) if !(0.0..=1.0).contains(&number) => Err(Error::rule(
                "exempt_importance",
                "a number from 0 to 1",
                &number.to_string(),
            )),
            _ => Ok(()),
        }
    }

    /// Whether a memory is too old; it counts from when it came into being or was last asked for.
    pub fn is_expired(&self, memory: &Memory, now: Time) -> bool {
        let Some(days) = self.long_term_max_age_days else {
            return false;
        };
        let accessed = memory.state.last_access.map_or(i64::MIN, Time::micros);
        let since = memory.created_at.micros().max(accessed);
        memory.state.forgotten.is_none() && !self.exempts(memory) && is_past(since, days, now)
    }

    /// Whether a memory was forgotten so long ago that it goes for good.
    pub fn is_past_recovery(&self, memory: &Memory, now: Time) -> bool {
        let forgotten = memory.state.forgotten.as_ref();
        forgotten.is_some_and(|it| is_past(it.at.micros(), self.forgotten_retention_days, now))
    }

    /// Whether a value of working memory is too old; it counts from when it was last set.
    pub fn is_entry_expired(&self, entry: &Entry, now: Time) -> bool {
        let Some(days) = self.working_max_age_days else {
            return false;
        };
        let is_exempt = self.exempts_such(entry.pinned, entry.importance, &entry.tags);
        !is_exempt && is_past(entry.updated_at.micros(), days, now)
    }

    fn exempts(&self, memory: &Memory) -> bool {
        self.exempts_such(memory.pinned, memory.importance, &memory.tags)
    }

    fn exempts_such(&self, pinned: bool, importance: Importance, tags: &[Tag]) -> bool {
        let is_important = |least: f64| importance.get() >= least;
        let is_tagged = |exempt: &Tag| tags.iter().any(|tag| tag.is_within(exempt));
        pinned
            || self.exempt_importance.is_some_and(is_important)
            || self.exempt_tags.iter().any(is_tagged)
    }
}

/// Whether so many days are over.
pub(crate) fn is_past(since_micros: i64, days: u32, now: Time) -> bool {
    since_micros.saturating_add(i64::from(days) * DAY_MICROS) <= now.micros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_that_of_the_sources() {
        let policy = RetentionPolicy::default();
        let json = serde_json::to_value(&policy).unwrap();
        assert_eq!(
            json,
            serde_json::json!({
                "working_max_age_days": null,
                "long_term_max_age_days": 365,
                "forgotten_retention_days": 90,
                "max_snapshots": 10,
                "snapshot_max_age_days": 30,
                "exempt_importance": null,
                "exempt_tags": [],
                "auto_cleanup": true,
                "schedule": "0 0 * * *",
            })
        );
        assert_eq!(
            serde_json::from_value::<RetentionPolicy>(json).unwrap(),
            policy
        );
    }

    #[test]
    fn impossible_values_are_refused() {
        let refused = RetentionPolicy {
            exempt_importance: Some(1.5),
            ..RetentionPolicy::default()
        };
        assert_eq!(
            refused.check().unwrap_err().code().as_str(),
            "E_SCHEMA_INVALID"
        );
        let refused = RetentionPolicy {
            long_term_max_age_days: Some(40_000),
            ..RetentionPolicy::default()
        };
        assert!(refused.check().unwrap_err().to_string().contains("36500"));
    }
}
