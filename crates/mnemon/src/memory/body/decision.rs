//! A decision: why, instead of what, by whom and with which effect.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::confidence::Confidence;
use super::resolution::Resolution;
use super::text_or::TextOr;

/// Everything about a decision but the decision itself, which is the text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// Why it was decided so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    /// What else was possible; also read as `alternatives_considered`.
    #[serde(
        alias = "alternatives_considered",
        skip_serializing_if = "Option::is_none"
    )]
    pub alternatives: Option<Vec<TextOr<Alternative>>>,
    /// Who decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made_by: Option<String>,
    /// Who agreed: usually agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agreed_by: Option<Vec<String>>,
    /// Who approved: usually people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<Vec<String>>,
    /// The agents that take part in what was decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agents_involved: Option<Vec<String>>,
    /// How much it changes, such as `high`; also read as `implementation_impact`.
    #[serde(
        alias = "implementation_impact",
        skip_serializing_if = "Option::is_none"
    )]
    pub impact: Option<String>,
    /// Whether it can be taken back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reversible: Option<bool>,
    /// How sure the deciders are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// Whether it is settled; when absent, `resolution` tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved: Option<bool>,
    /// How it was settled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolution: Option<Resolution>,
    /// Fields that mnemon does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Something that could have been decided instead.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Alternative {
    /// What it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub option: Option<String>,
    /// Why it was not chosen; also read as `rejected_reason`.
    #[serde(alias = "rejected_reason", skip_serializing_if = "Option::is_none")]
    pub rejected_because: Option<String>,
    /// Fields that mnemon does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Decision {
    pub(super) fn is_open(&self) -> bool {
        match self.resolved {
            Some(resolved) => !resolved,
            None => !self.resolution.as_ref().is_some_and(Resolution::is_closed),
        }
    }

    pub(super) fn resolve(&mut self, how: &str, by: Option<&str>, at: &str) {
        self.resolved = Some(true);
        self.resolution.get_or_insert_default().resolve(how, by, at);
    }

    pub(super) fn reopen(&mut self) {
        self.resolved = Some(false);
        if let Some(resolution) = &mut self.resolution {
            resolution.reopen();
        }
    }
}
