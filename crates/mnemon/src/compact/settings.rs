//! What can be set about compaction: for all, and by session.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::error::{Error, Result};

/// The settings that hold for a session.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Settings {
    /// Whether sessions that fill up are compacted by themselves.
    pub enabled: bool,
    /// From this share of the quota on, gently.
    pub gentle_at_percent: u8,
    /// From this share of the quota on, aggressively.
    pub aggressive_at_percent: u8,
    /// How much of its size a gentle compaction is to free.
    pub gentle_percent: u8,
    /// How much of its size an aggressive compaction is to free.
    pub aggressive_percent: u8,
    /// What has less priority than this is faded, and may go.
    pub faded_below: f64,
    /// Conversation older than this may be replaced by a summary.
    pub conversation_after_days: u32,
    /// Nothing younger than this goes.
    pub keep_recent_hours: u32,
    /// Nothing that was asked for since then goes.
    pub keep_accessed_hours: u32,
    /// Nothing with more priority than this goes.
    pub keep_priority_above: f64,
}

/// How much a compaction is to free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// A tenth, by default.
    Gentle,
    /// A fifth, by default.
    Aggressive,
}

impl Reach {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gentle => "gentle",
            Self::Aggressive => "aggressive",
        }
    }
}

impl Settings {
    /// How many bytes a compaction of a log of this size is to free.
    pub fn target_bytes(&self, reach: Reach, log_bytes: u64) -> u64 {
        let percent = match reach {
            Reach::Gentle => self.gentle_percent,
            Reach::Aggressive => self.aggressive_percent,
        };
        share(log_bytes, percent)
    }

    /// What is due by itself in a log of this size, if anything.
    pub fn due(&self, log_bytes: u64, quota_bytes: u64) -> Option<Reach> {
        let from = |percent| log_bytes >= share(quota_bytes, percent).max(1);
        if !self.enabled {
            None
        } else if from(self.aggressive_at_percent) {
            Some(Reach::Aggressive)
        } else if from(self.gentle_at_percent) {
            Some(Reach::Gentle)
        } else {
            None
        }
    }

    /// These settings with what a session says of its own, by the same names; also
    /// `auto_compact` for `enabled`, and `threshold` (a part of 1) for `gentle_at_percent`.
    pub fn with_session(&self, own: &Map<String, Value>) -> Result<Self> {
        let mut settings = self.clone();
        for (name, value) in own {
            let bad = || wrong(name, value);
            match name.as_str() {
                "enabled" | "auto_compact" => {
                    settings.enabled = value.as_bool().ok_or_else(bad)?;
                }
                "threshold" => {
                    let percent = part(value).map(|part| (part * 100.0).round());
                    #[expect(
                        clippy::cast_possible_truncation,
                        clippy::cast_sign_loss,
                        reason = "a part of 1 is at most 100 percent"
                    )]
                    let percent = percent.filter(|it| *it >= 1.0).map(|it| it as u8);
                    settings.gentle_at_percent = percent.ok_or_else(bad)?;
                    // The source knows one threshold: from there on, nothing gentler is due.
                    settings.aggressive_at_percent = settings
                        .aggressive_at_percent
                        .max(settings.gentle_at_percent);
                }
                "gentle_at_percent" => {
                    settings.gentle_at_percent = percent(value).ok_or_else(bad)?;
                }
                "aggressive_at_percent" => {
                    settings.aggressive_at_percent = percent(value).ok_or_else(bad)?;
                }
                "gentle_percent" => settings.gentle_percent = percent(value).ok_or_else(bad)?,
                "aggressive_percent" => {
                    settings.aggressive_percent = percent(value).ok_or_else(bad)?;
                }
                "faded_below" => settings.faded_below = part(value).ok_or_else(bad)?,
                "keep_priority_above" => {
                    settings.keep_priority_above = part(value).ok_or_else(bad)?;
                }
                "conversation_after_days" => {
                    settings.conversation_after_days = whole(value, 3_650).ok_or_else(bad)?;
                }
                "keep_recent_hours" => {
                    settings.keep_recent_hours = whole(value, 87_600).ok_or_else(bad)?;
                }
                "keep_accessed_hours" => {
                    settings.keep_accessed_hours = whole(value, 87_600).ok_or_else(bad)?;
                }
                _ => return Err(bad()),
            }
        }
        match settings.contradiction() {
            None => Ok(settings),
            Some((low, high, _)) => Err(Error::rule(
                "compaction",
                format!("such that {low} is not above {high}"),
                &Value::Object(own.clone()).to_string(),
            )),
        }
    }

    /// Two settings that can't hold together, and why.
    pub(crate) fn contradiction(&self) -> Option<(&'static str, &'static str, &'static str)> {
        if self.gentle_at_percent > self.aggressive_at_percent {
            let why = "a session is compacted gently before it is compacted aggressively";
            Some(("gentle_at_percent", "aggressive_at_percent", why))
        } else if self.gentle_percent > self.aggressive_percent {
            let why = "an aggressive compaction frees more than a gentle one";
            Some(("gentle_percent", "aggressive_percent", why))
        } else if self.faded_below > self.keep_priority_above {
            let why = "what is kept for its priority is not faded";
            Some(("faded_below", "keep_priority_above", why))
        } else {
            None
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: true,
            gentle_at_percent: 80,
            aggressive_at_percent: 95,
            gentle_percent: 10,
            aggressive_percent: 20,
            faded_below: 0.3,
            conversation_after_days: 7,
            keep_recent_hours: 24,
            keep_accessed_hours: 48,
            keep_priority_above: 0.7,
        }
    }
}

/// So many percent of a number of bytes.
pub(super) fn share(bytes: u64, percent: u8) -> u64 {
    let share = u128::from(bytes) * u128::from(percent) / 100;
    u64::try_from(share).unwrap_or(u64::MAX)
}

fn percent(value: &Value) -> Option<u8> {
    let number = whole(value, 100).filter(|number| *number >= 1)?;
    u8::try_from(number).ok()
}

fn whole(value: &Value, most: u32) -> Option<u32> {
    let number = u32::try_from(value.as_u64()?).ok()?;
    (number <= most).then_some(number)
}

fn part(value: &Value) -> Option<f64> {
    value.as_f64().filter(|number| (0.0..=1.0).contains(number))
}

fn wrong(name: &str, value: &Value) -> Error {
    let rule = "an object with enabled, gentle_at_percent, aggressive_at_percent, gentle_percent, \
                aggressive_percent, faded_below, conversation_after_days, keep_recent_hours, \
                keep_accessed_hours and keep_priority_above, each with a possible value";
    Error::rule("compaction", rule, &format!("{name} = {value}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn with(own: Value) -> Result<Settings> {
        match own {
            Value::Object(own) => Settings::default().with_session(&own),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn a_session_can_be_compacted_in_its_own_way() {
        // The example of the source.
        let own = with(json!({"auto_compact": false, "threshold": 0.95})).unwrap();
        assert!(!own.enabled);
        assert_eq!((own.gentle_at_percent, own.aggressive_at_percent), (95, 95));
        let own = with(json!({"gentle_percent": 15, "faded_below": 0.5, "keep_recent_hours": 0}));
        let own = own.unwrap();
        assert_eq!((own.gentle_percent, own.keep_recent_hours), (15, 0));
        assert!((own.faded_below - 0.5).abs() < 1e-12);
        assert_eq!(with(json!({})).unwrap(), Settings::default());
    }

    #[test]
    fn what_is_not_possible_is_refused() {
        for bad in [
            json!({"enabled": "yes"}),
            json!({"threshold": 80}),
            json!({"threshold": 0}),
            json!({"gentle_at_percent": 0}),
            json!({"gentle_at_percent": 101}),
            json!({"gentle_at_percent": 96}),
            json!({"gentle_percent": 21}),
            json!({"faded_below": 0.8}),
            json!({"faded_below": -0.1}),
            json!({"conversation_after_days": 1.5}),
            json!({"conversation_after_days": 3651}),
            json!({"gentle": 1}),
        ] {
            let error = with(bad.clone()).unwrap_err();
            assert_eq!(error.code().as_str(), "E_SCHEMA_INVALID", "{bad}");
        }
    }

    #[test]
    fn what_is_due_follows_from_the_share_of_the_quota() {
        let settings = Settings::default();
        for (bytes, expected) in [
            (0, None),
            (799, None),
            (800, Some(Reach::Gentle)),
            (949, Some(Reach::Gentle)),
            (950, Some(Reach::Aggressive)),
            (5_000, Some(Reach::Aggressive)),
        ] {
            assert_eq!(settings.due(bytes, 1_000), expected, "{bytes}");
        }
        let off = with(json!({"enabled": false})).unwrap();
        assert_eq!(off.due(1_000, 1_000), None);
        assert_eq!(settings.target_bytes(Reach::Gentle, 1_000), 100);
        assert_eq!(settings.target_bytes(Reach::Aggressive, 1_000), 200);
    }
}
