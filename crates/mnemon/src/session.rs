//! Sessions: one conversation of a user with one or more agents.
//!
//! What a caller says about a session ([`SessionDetails`]) is kept in its log;
//! what happened in it ([`Activity`]) is counted from the memories, and its
//! state follows from both and the clock. Nothing is rewritten as time passes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::config::SessionsConfig;
use crate::error::{Error, Result};
use crate::memory::draft::{DEPTH_MAX, depth_exceeds};
use crate::memory::{Kind, Memory, SessionId, Tag};
use crate::time::Time;

/// What the caller says about a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionDetails {
    // In the order of their names, because log lines are.
    /// The agents that take part.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// When it was closed, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<Time>,
    /// Compaction settings of its own.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub compaction: Map<String, Value>,
    /// When it was made, if that was before it came into this store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Time>,
    /// Decay settings of its own.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub decay: Map<String, Value>,
    /// Whatever else belongs to it.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    /// The phase of the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// Preferences that hold in this session.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub preferences: Map<String, Value>,
    /// The project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Labels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Tag>,
    /// The user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
}

impl SessionDetails {
    /// Refuses what no line of a log may hold: it must always be readable again.
    pub(crate) fn check(&self) -> Result<()> {
        for (field, map) in [
            ("metadata", &self.metadata),
            ("preferences", &self.preferences),
        ] {
            if map.values().any(|value| depth_exceeds(value, DEPTH_MAX)) {
                let rule = format!("nested at most {DEPTH_MAX} levels deep");
                return Err(Error::rule(field, rule, ""));
            }
        }
        Ok(())
    }
}

/// A session with all that is known about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// What the caller says about it.
    pub details: SessionDetails,
    /// When it was made.
    pub created_at: Time,
    /// When anything was last written in it.
    pub last_activity: Time,
    /// When its details were last written.
    pub detailed_at: Time,
    /// When it was last opened by hand or for somebody who asked, if ever.
    pub opened_at: Option<Time>,
    /// How and when it was archived, if it is; the rest then tells how it was.
    pub archived: Option<Archived>,
    /// What happened in it.
    pub activity: Activity,
}

/// How a session was archived, and what is known of it until it is opened again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Archived {
    // In the order of their names, because log lines are.
    /// When.
    pub at: Time,
    /// By whom.
    pub by: String,
    /// Memories by kind.
    pub by_kind: BTreeMap<Kind, u64>,
    /// Bytes of its log.
    pub bytes: u64,
    /// When it was made.
    pub created_at: Time,
    /// When its details were last written.
    pub detailed_at: Time,
    /// When anything was last written in it.
    pub last_activity: Time,
    /// Who wrote how much.
    pub participants: Vec<Participant>,
    /// Why.
    pub reason: String,
    /// The SHA-256 of its log, in hexadecimal digits.
    pub sha256: String,
    /// The file that holds its log.
    pub shelf: String,
}

/// A session that was deleted and can be brought back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeletedSession {
    /// Its id.
    pub session_id: SessionId,
    /// When.
    pub deleted_at: Time,
    /// By whom.
    pub deleted_by: String,
    /// Why.
    pub reason: String,
    /// Until when it is kept for certain.
    pub recovery_deadline: Time,
    /// Memories by kind.
    pub by_kind: BTreeMap<Kind, u64>,
    /// Bytes of its log.
    pub bytes: u64,
}

impl DeletedSession {
    /// How many memories it holds.
    pub fn memories(&self) -> u64 {
        self.by_kind.values().sum()
    }
}

/// Something that is done to a session.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionDeed {
    /// To which.
    pub session: SessionId,
    /// Who does it.
    pub by: String,
    /// Why.
    pub reason: String,
    /// When.
    pub at: Time,
}

/// What happened in a session, without what was forgotten.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Activity {
    /// Memories by kind.
    pub by_kind: BTreeMap<Kind, u64>,
    /// Who wrote how much, by name.
    pub participants: Vec<Participant>,
    /// Bytes of its log.
    pub log_bytes: u64,
}

impl Activity {
    /// What memories come to; of those that are forgotten nothing is told.
    pub fn of(memories: &[Memory]) -> Self {
        let mut by_kind: BTreeMap<Kind, u64> = BTreeMap::new();
        let mut participants: BTreeMap<&str, Participant> = BTreeMap::new();
        let shown = memories.iter().filter(|it| it.state.forgotten.is_none());
        for memory in shown {
            *by_kind.entry(memory.kind()).or_default() += 1;
            let Some(author) = &memory.author else {
                continue;
            };
            let known = participants
                .entry(author.as_str())
                .or_insert_with(|| Participant {
                    last_active: memory.created_at,
                    memories: 0,
                    messages: 0,
                    name: author.to_string(),
                });
            known.memories += 1;
            known.messages += u64::from(memory.kind() == Kind::Conversation);
            known.last_active = known.last_active.max(memory.created_at);
        }
        Self {
            by_kind,
            participants: participants.into_values().collect(),
            log_bytes: 0,
        }
    }

    /// How many memories there are.
    pub fn memories(&self) -> u64 {
        self.by_kind.values().sum()
    }
}

/// Somebody who wrote in a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Participant {
    // In the order of their names, because log lines are.
    /// When they last wrote.
    pub last_active: Time,
    /// Memories of any kind by them.
    pub memories: u64,
    /// Turns by them.
    pub messages: u64,
    /// The author's name.
    pub name: String,
}

/// Where a session is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionState {
    /// Made, but nothing was kept in it yet.
    Created,
    /// In use.
    Active,
    /// Closed, or not used for a day.
    Idle,
    /// Not used for a week.
    Decaying,
    /// Compressed, with a summary in its place, until somebody asks for it.
    Archived,
    /// In the trash, from where it can be brought back for a while.
    Deleted,
    /// Gone for good; only the audit knows of it.
    Purged,
}

impl SessionState {
    /// The state as it is written everywhere.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Active => "active",
            Self::Idle => "idle",
            Self::Decaying => "decaying",
            Self::Archived => "archived",
            Self::Deleted => "deleted",
            Self::Purged => "purged",
        }
    }
}

/// How fast a session that is not used loses its priority, for each day.
const PRIORITY_LOSS_PER_DAY: f64 = 0.05;

/// How much a session still matters: 1 while it is in use, less with every day without.
pub(crate) fn priority(last_activity_micros: i64, now_micros: i64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "an age needs no microseconds")]
    let unused_days = now_micros.saturating_sub(last_activity_micros) as f64 / 8.64e10;
    (-PRIORITY_LOSS_PER_DAY * unused_days.max(0.0)).exp()
}

impl Session {
    /// How much it still matters at that moment: 1 while it is in use, less with every day without.
    pub fn priority(&self, now: Time) -> f64 {
        priority(self.last_activity.micros(), now.micros())
    }

    /// Whether nobody has used it for so long that it is time to archive it.
    pub fn is_due_for_archive(&self, now: Time, config: &SessionsConfig) -> bool {
        self.archived.is_none()
            && self.unused_hours(now) >= u64::from(config.archive_after_days) * 24
    }

    /// How long it was neither written to nor opened.
    fn unused_hours(&self, now: Time) -> u64 {
        let used = self
            .last_activity
            .max(self.opened_at.unwrap_or(self.last_activity));
        let micros = now.micros().saturating_sub(used.micros());
        u64::try_from(micros / 3_600_000_000).unwrap_or(0)
    }

    /// Whether it was closed, and nobody has opened it since.
    pub fn is_closed(&self) -> bool {
        // Whatever is written after closing opens the session again, and so does whoever opens it.
        self.details.closed_at.is_some()
            && self.last_activity == self.detailed_at
            && self
                .opened_at
                .is_none_or(|opened| opened <= self.detailed_at)
    }

    /// Its state at that moment.
    pub fn state(&self, now: Time, config: &SessionsConfig) -> SessionState {
        if self.archived.is_some() {
            return SessionState::Archived;
        }
        let unused_hours = self.unused_hours(now);
        if unused_hours >= u64::from(config.decaying_after_days) * 24 {
            SessionState::Decaying
        } else if self.is_closed() || unused_hours >= u64::from(config.idle_after_hours) {
            SessionState::Idle
        } else if self.activity.memories() == 0 {
            SessionState::Created
        } else {
            SessionState::Active
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn session(hours_unused: i64, closed: bool, memories: u64) -> (Session, Time) {
        let last = Time::nearest_to_micros(1_000_000_000_000_000);
        let now = Time::nearest_to_micros(last.micros() + hours_unused * 3_600_000_000);
        let details = SessionDetails {
            closed_at: closed.then_some(last),
            ..SessionDetails::default()
        };
        let activity = Activity {
            by_kind: BTreeMap::from([(Kind::Fact, memories)]),
            ..Activity::default()
        };
        let id = "s".parse().unwrap();
        (
            Session {
                id,
                details,
                created_at: last,
                last_activity: last,
                detailed_at: last,
                opened_at: None,
                archived: None,
                activity,
            },
            now,
        )
    }

    #[test]
    fn the_state_follows_from_what_happened_and_the_clock() {
        let cases = [
            (0, false, 0, "created"),
            (0, false, 3, "active"),
            (23, false, 3, "active"),
            (24, false, 3, "idle"),
            (0, true, 3, "idle"),
            (7 * 24 - 1, false, 3, "idle"),
            (7 * 24, false, 3, "decaying"),
            (7 * 24, true, 0, "decaying"),
            // A clock that was set back makes nothing older.
            (-48, false, 3, "active"),
        ];
        for (hours, closed, memories, expected) in cases {
            let (session, now) = session(hours, closed, memories);
            let state = session.state(now, &Config::default().sessions);
            assert_eq!(
                state.as_str(),
                expected,
                "{hours} h, closed: {closed}, {memories} memories"
            );
        }
    }

    #[test]
    fn what_is_written_after_closing_opens_a_session_again() {
        let (mut session, now) = session(0, true, 3);
        session.last_activity = Time::nearest_to_micros(session.detailed_at.micros() + 1);
        assert_eq!(
            session.state(now, &Config::default().sessions),
            SessionState::Active
        );
    }

    #[test]
    fn priority_falls_by_a_twentieth_a_day() {
        for (hours, expected) in [
            (0, 1.0),
            (24, 0.951_229_424_500_714),
            (240, 0.606_530_659_712_633_4),
            (-5, 1.0),
        ] {
            let (session, now) = session(hours, false, 1);
            let got = session.priority(now);
            assert!((got - expected).abs() < 1e-12, "{hours} h: {got}");
        }
    }
}
