//! What the user likes or demands, and where it holds.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::confidence::Confidence;

/// Everything about a preference but the sentence itself, which is the text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Preference {
    /// The area: `policy`, `workflow`, `communication`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// What it sets; a newer preference with the same key takes its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// What it is set to: any JSON but null, which means that nothing is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// What it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// Where and how it came up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// `explicit`, `inferred`, `uncertain`, or a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// How it is known: `user_statement`, `behavior_pattern`.
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

/// Where a preference or a learning holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AppliesTo {
    /// The projects; `*` is all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub projects: Option<Vec<String>>,
    /// The fields of work, such as `security`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domains: Option<Vec<String>>,
    /// The agents; `*` is all of them. A preference for some is not shown to others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agents: Option<Vec<String>>,
    /// Fields that mnemon does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}
