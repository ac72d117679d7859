//! Retention policies of agents, and what carrying them out did.

use mnemon::Time;
use mnemon::engine::RetentionResult;
use mnemon::memory::AgentId;
use mnemon::retention::RetentionPolicy;
use serde::Serialize;

/// A policy with whose it is.
#[derive(Debug, Serialize)]
pub struct PolicyShape {
    agent: String,
    /// Null if nobody said how long what this agent has is kept.
    policy: Option<RetentionPolicy>,
}

impl PolicyShape {
    /// The shape of this agent's policy.
    pub fn of(agent: &AgentId, policy: Option<RetentionPolicy>) -> Self {
        Self {
            agent: agent.to_string(),
            policy,
        }
    }
}

/// What a run did, or would do.
#[derive(Debug, Serialize)]
pub struct RetentionShape {
    started_at: Time,
    completed_at: Time,
    working_memory_entries_deleted: u64,
    long_term_memory_entries_deleted: u64,
    forgotten_entries_purged: u64,
    /// Which memories were forgotten or are gone for good.
    memories: Vec<String>,
    snapshots_deleted: u64,
    bytes_freed: u64,
    agents_processed: u64,
    errors: Vec<String>,
    dry_run: bool,
}

impl RetentionShape {
    /// The shape of this result.
    pub fn of(result: &RetentionResult) -> Self {
        Self {
            started_at: result.started_at,
            completed_at: result.completed_at,
            working_memory_entries_deleted: result.working_entries_deleted,
            long_term_memory_entries_deleted: result.long_term_entries_deleted,
            forgotten_entries_purged: result.forgotten_entries_purged,
            memories: result.memories.iter().map(ToString::to_string).collect(),
            snapshots_deleted: result.snapshots_deleted,
            bytes_freed: result.bytes_freed,
            agents_processed: result.agents_processed,
            errors: result.errors.clone(),
            dry_run: result.dry_run,
        }
    }
}
