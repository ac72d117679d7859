//! What an agent learned for next time.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::confidence::Confidence;
use super::preference::AppliesTo;

/// When a learning applies and what it rests on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Learning {
    /// What sort of learning it is, such as `pattern` or `mistake`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// What it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// Where and how it came up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// The situation in which to think of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    /// What to do then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recommendation: Option<String>,
    /// What came of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// What shows that it is so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// How sure the agent is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// How it is known: `behavior_pattern`, `user_feedback`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Where it holds; everywhere when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applies_to: Option<AppliesTo>,
    /// The sessions that it was learned from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learned_from: Option<Vec<String>>,
    /// Fields that mnemon does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}
