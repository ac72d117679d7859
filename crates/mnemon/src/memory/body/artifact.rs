//! Something that was made: generated content or the result of an analysis.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What was made, where it is, by whom and from what.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Artifact {
    /// What sort of thing it is, such as `analysis_result`; written `type`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub artifact_type: Option<String>,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Where it is in the file system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Where it is elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// Its format, such as `text/markdown`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// How large it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<u64>,
    /// The SHA-256 of its bytes, to see later whether it was changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// How far it is: `draft`, `reviewed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// How much was found in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub findings_count: Option<u64>,
    /// Who made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made_by: Option<String>,
    /// What it was made from: memories, files or addresses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made_from: Option<Vec<String>>,
    /// Fields that mnemon does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}
