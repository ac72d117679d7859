//! Something that happened.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

/// When it happened, who took part and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// What sort of event it is, such as `deployment`; written `type`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub event_type: Option<String>,
    /// When it began, in RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub occurred_at: Option<String>,
    /// When it was over, in RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// How long it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<Number>,
    /// Where it happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Who took part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub participants: Option<Vec<String>>,
    /// What it was about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topics: Option<Vec<String>>,
    /// What it is the event of, such as `turn-1`; written `ref`.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// How bad it was, where that makes sense.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<String>,
    /// Why it happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// What came of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// Fields that mnemon does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}
