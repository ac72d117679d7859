//! A plain fact.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::confidence::Confidence;

/// What a fact is about, where it comes from and how long it holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// What sort of fact it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// What it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// What it says something about: `the billing service`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// What it says: `listens on`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predicate: Option<String>,
    /// Of what: any JSON but null, which means that nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<Value>,
    /// Where and how it came up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Where it is known from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// What shows that it is so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// How sure it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// Since when it holds, in RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<String>,
    /// Until when it holds, in RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<String>,
    /// Fields that mnemon does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}
