//! Sessions as they are printed.

use std::collections::BTreeMap;

use mnemon::Time;
use mnemon::memory::{Kind, Memory, SessionId, Tag};
use mnemon::session::{DeletedSession, Session, SessionState};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::memory::MemoriesShape;

/// A session with its details, its state and its statistics.
#[derive(Debug, Serialize)]
pub struct SessionShape<'a> {
    /// As `session new` answers.
    session_id: &'a SessionId,
    id: &'a SessionId,
    state: &'static str,
    user: Option<&'a str>,
    agents: &'a [String],
    project: Option<&'a str>,
    phase: Option<&'a str>,
    tags: &'a [Tag],
    created_at: Time,
    last_activity: Time,
    closed_at: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    opened_at: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    archived: Option<ArchivedShape<'a>>,
    priority: f64,
    memories: u64,
    by_kind: &'a BTreeMap<Kind, u64>,
    participants: Vec<ParticipantShape<'a>>,
    size: SizeShape,
    #[serde(skip_serializing_if = "Map::is_empty")]
    preferences: &'a Map<String, Value>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    decay: &'a Map<String, Value>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    compaction: &'a Map<String, Value>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    metadata: &'a Map<String, Value>,
}

#[derive(Debug, Serialize)]
struct ArchivedShape<'a> {
    at: Time,
    by: &'a str,
    reason: &'a str,
}

#[derive(Debug, Serialize)]
struct ParticipantShape<'a> {
    name: &'a str,
    messages: u64,
    memories: u64,
    last_active: Time,
}

#[derive(Debug, Serialize)]
struct SizeShape {
    log_bytes: u64,
    quota_bytes: u64,
    used_percent: f64,
}

impl<'a> SessionShape<'a> {
    /// The shape of a session that is in this state now and may have so many bytes.
    pub fn of(session: &'a Session, state: SessionState, now: Time, quota_bytes: u64) -> Self {
        let details = &session.details;
        Self {
            session_id: &session.id,
            id: &session.id,
            state: state.as_str(),
            user: details.user.as_deref(),
            agents: &details.agents,
            project: details.project.as_deref(),
            phase: details.phase.as_deref(),
            tags: &details.tags,
            created_at: session.created_at,
            last_activity: session.last_activity,
            closed_at: details.closed_at,
            opened_at: session.opened_at,
            archived: session.archived.as_ref().map(|archived| ArchivedShape {
                at: archived.at,
                by: &archived.by,
                reason: &archived.reason,
            }),
            priority: (session.priority(now) * 1000.0).round() / 1000.0,
            memories: session.activity.memories(),
            by_kind: &session.activity.by_kind,
            participants: session
                .activity
                .participants
                .iter()
                .map(|participant| ParticipantShape {
                    name: &participant.name,
                    messages: participant.messages,
                    memories: participant.memories,
                    last_active: participant.last_active,
                })
                .collect(),
            size: SizeShape {
                log_bytes: session.activity.log_bytes,
                quota_bytes,
                used_percent: percent(session.activity.log_bytes, quota_bytes),
            },
            preferences: &details.preferences,
            decay: &details.decay,
            compaction: &details.compaction,
            metadata: &details.metadata,
        }
    }
}

/// With one digit after the point, which is as exact as anybody wants to know.
fn percent(part: u64, whole: u64) -> f64 {
    let tenths = u128::from(part) * 1000 / u128::from(whole.max(1));
    f64::from(u32::try_from(tenths).unwrap_or(u32::MAX)) / 10.0
}

/// All sessions.
#[derive(Debug, Serialize)]
pub struct SessionsShape<'a> {
    sessions: Vec<SessionShape<'a>>,
    total: usize,
}

impl<'a> SessionsShape<'a> {
    /// The shape of a list.
    pub fn of(sessions: Vec<SessionShape<'a>>) -> Self {
        Self {
            total: sessions.len(),
            sessions,
        }
    }
}

/// A session that was deleted, with what is known of it.
#[derive(Debug, Serialize)]
pub struct DeletedSessionShape<'a> {
    session_id: &'a SessionId,
    id: &'a SessionId,
    state: &'static str,
    deleted_at: Time,
    deleted_by: &'a str,
    reason: &'a str,
    recovery_deadline: Time,
    memories: u64,
    by_kind: &'a BTreeMap<Kind, u64>,
    log_bytes: u64,
}

impl<'a> DeletedSessionShape<'a> {
    /// The shape of a session that is in the trash, or was.
    pub fn of(deleted: &'a DeletedSession, state: SessionState) -> Self {
        Self {
            session_id: &deleted.session_id,
            id: &deleted.session_id,
            state: state.as_str(),
            deleted_at: deleted.deleted_at,
            deleted_by: &deleted.deleted_by,
            reason: &deleted.reason,
            recovery_deadline: deleted.recovery_deadline,
            memories: deleted.memories(),
            by_kind: &deleted.by_kind,
            log_bytes: deleted.bytes,
        }
    }

    fn all(deleted: &'a [DeletedSession], state: SessionState) -> Vec<Self> {
        let deleted = deleted.iter();
        deleted.map(|session| Self::of(session, state)).collect()
    }
}

/// The sessions in the trash.
#[derive(Debug, Serialize)]
pub struct DeletedSessionsShape<'a> {
    sessions: Vec<DeletedSessionShape<'a>>,
    total: usize,
}

impl<'a> DeletedSessionsShape<'a> {
    /// The shape of a list.
    pub fn of(deleted: &'a [DeletedSession]) -> Self {
        Self {
            sessions: DeletedSessionShape::all(deleted, SessionState::Deleted),
            total: deleted.len(),
        }
    }
}

/// What is forgotten or deleted, and can be brought back.
#[derive(Debug, Serialize)]
pub struct DeletedShape<'a> {
    #[serde(flatten)]
    memories: MemoriesShape<'a>,
    sessions: Vec<DeletedSessionShape<'a>>,
}

impl<'a> DeletedShape<'a> {
    /// The shape of a page of memories, and of the sessions.
    pub fn of(
        memories: &'a [Memory],
        total: u64,
        future_skew_minutes: u64,
        sessions: &'a [DeletedSession],
    ) -> Self {
        Self {
            memories: MemoriesShape::of(memories, total, future_skew_minutes),
            sessions: DeletedSessionShape::all(sessions, SessionState::Deleted),
        }
    }
}

/// Sessions that were removed for good, or would be.
#[derive(Debug, Serialize)]
pub struct PurgedShape<'a> {
    purged: Vec<DeletedSessionShape<'a>>,
    total: usize,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dry_run: bool,
}

impl<'a> PurgedShape<'a> {
    /// The shape of a list; `dry_run` if they were only looked up.
    pub fn of(sessions: &'a [DeletedSession], dry_run: bool) -> Self {
        let state = if dry_run {
            SessionState::Deleted
        } else {
            SessionState::Purged
        };
        Self {
            purged: DeletedSessionShape::all(sessions, state),
            total: sessions.len(),
            dry_run,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::percent;

    #[test]
    fn use_of_the_quota_is_in_percent_with_one_digit() {
        for (part, whole, expected) in [
            (0, 10, 0.0),
            (1, 3, 33.3),
            (10, 10, 100.0),
            (15, 10, 150.0),
            (5, 0, 500.0),
        ] {
            assert!(
                (percent(part, whole) - expected).abs() < 1e-9,
                "{part}/{whole}"
            );
        }
    }
}
