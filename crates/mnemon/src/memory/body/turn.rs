//! A turn of a conversation.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

/// Who spoke, in which conversation and in answer to what.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// The speaker's part: `user`, `assistant`, `system`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The user or agent who spoke.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// What sort of turn it is, such as `message`; written `type`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub turn_type: Option<String>,
    /// The turn that this one answers; also read as `parent_message_id`.
    #[serde(alias = "parent_message_id", skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The conversation that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<String>,
    /// What the conversation is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// How many tokens the model counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// How long the answer took to make.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processing_time_ms: Option<Number>,
    /// What was kept because of this turn; also read as `memory_stored`.
    #[serde(alias = "memory_stored", skip_serializing_if = "Option::is_none")]
    pub memories_stored: Option<Vec<String>>,
    /// Fields that mnemon does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}
