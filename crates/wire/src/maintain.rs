//! What maintenance did, or would do.

use std::path::PathBuf;

use mnemon::Time;
use mnemon::engine::{Expired, Maintained};
use mnemon::memory::{AgentId, MemoryId, SessionId, Space};
use mnemon::store::Tended;
use serde::Serialize;

use crate::backup::BackedUpShape;
use crate::error::ErrorShape;
use crate::retention::RetentionShape;

/// What maintenance did, or would do.
#[derive(Debug, Serialize)]
pub struct MaintainedShape<'a> {
    dry_run: bool,
    forgotten: Vec<ExpiredShape<'a>>,
    purged: &'a [MemoryId],
    purged_sessions: &'a [SessionId],
    archived: &'a [SessionId],
    index: Option<TendedShape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    policies: Option<RetentionShape>,
    #[serde(skip_serializing_if = "<[AgentId]>::is_empty")]
    snapshots: &'a [AgentId],
    #[serde(skip_serializing_if = "Option::is_none")]
    backup: Option<ScheduledShape<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    failures: Vec<ErrorShape>,
    complete: bool,
}

#[derive(Debug, Serialize)]
struct ScheduledShape<'a> {
    /// Null in a dry run.
    taken: Option<BackedUpShape<'a>>,
    dropped: &'a [PathBuf],
}

#[derive(Debug, Serialize)]
struct ExpiredShape<'a> {
    id: &'a MemoryId,
    space: &'a Space,
    at: Time,
    reason: &'a str,
}

#[derive(Debug, Serialize)]
struct TendedShape<'a> {
    removed: Vec<std::borrow::Cow<'a, str>>,
    bytes_before: u64,
    bytes_after: u64,
}

impl<'a> MaintainedShape<'a> {
    /// The shape of a report.
    pub fn of(done: &'a Maintained, dry_run: bool) -> Self {
        let expired = |own: &'a Expired| ExpiredShape {
            id: &own.id,
            space: &own.space,
            at: own.at,
            reason: &own.reason,
        };
        let tended = |own: &'a Tended| TendedShape {
            removed: own
                .removed
                .iter()
                .map(|path| path.to_string_lossy())
                .collect(),
            bytes_before: own.bytes_before,
            bytes_after: own.bytes_after,
        };
        Self {
            dry_run,
            forgotten: done.forgotten.iter().map(expired).collect(),
            purged: &done.purged,
            purged_sessions: &done.purged_sessions,
            archived: &done.archived,
            index: done.tended.as_ref().map(tended),
            policies: done.policies.as_ref().map(RetentionShape::of),
            snapshots: &done.snapshots,
            backup: done.backup.as_ref().map(|backup| ScheduledShape {
                taken: backup.taken.as_ref().map(BackedUpShape::of),
                dropped: &backup.dropped,
            }),
            failures: done.failures.iter().map(ErrorShape::of).collect(),
            complete: done.complete,
        }
    }
}
