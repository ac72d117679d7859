//! An agent's state within a session.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What an agent works on, has in mind, and has learned in this session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentState {
    /// The agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The session, for readers that see the body alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// When the agent saw things like this, in RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_updated: Option<String>,
    /// The agent's view of what goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_context: Option<CurrentContext>,
    /// What the agent has in mind; every agent has its own fields here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub working_memory: Option<Map<String, Value>>,
    /// What it learned in this session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_learnings: Option<Vec<String>>,
    /// The memories that it made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_refs: Option<MemoryRefs>,
    /// Fields that mnemon does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// What an agent is doing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CurrentContext {
    /// The task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_task: Option<String>,
    /// How far the task is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_phase: Option<String>,
    /// What it looks at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub focus_area: Option<String>,
    /// What it works with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_artifacts: Option<Vec<ActiveArtifact>>,
    /// Fields that mnemon does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A file or document that an agent works with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ActiveArtifact {
    /// Where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// How far the agent is with it, such as `reviewed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// How much was found in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub findings_count: Option<u64>,
    /// Fields that mnemon does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Ids or handles of the memories that an agent made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemoryRefs {
    /// Decisions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decisions_made: Option<Vec<String>>,
    /// Findings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub findings_created: Option<Vec<String>>,
    /// Preferences.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preferences_learned: Option<Vec<String>>,
    /// Fields that mnemon does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}
