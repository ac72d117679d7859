//! How something is done.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::confidence::Confidence;
use super::preference::AppliesTo;
use super::text_or::TextOr;

/// What a procedure is for, what it needs and its steps in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Procedure {
    /// What it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it achieves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// What it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// The situation in which to follow it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    /// What has to be true before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preconditions: Option<Vec<String>>,
    /// What to do, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<Vec<TextOr<Step>>>,
    /// The tools that it needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// How to tell that it worked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verification: Option<String>,
    /// How sure somebody is that it works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// Where it is known from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Where it holds; everywhere when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applies_to: Option<AppliesTo>,
    /// Fields that mnemon does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// One step of a procedure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// The command to run, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// What should be seen then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// Fields that mnemon does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}
