//! A finding: how bad, where, why, and what became of it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::resolution::{OPEN, RESOLVED, Resolution, closes};

/// Everything about a finding but the finding itself, which is the text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// How bad it is. A free word: one source says critical, important, minor,
    /// another critical, high, medium, low.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<String>,
    /// What sort of finding it is, such as `missing_requirement`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Who found it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discovered_by: Option<String>,
    /// Where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// What shows that it is so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// What should be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recommendation: Option<String>,
    /// What it leads to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub impact: Option<String>,
    /// Where it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_cause: Option<String>,
    /// `open`, `resolved`, `wont_fix`… The finding is closed as soon as this
    /// or the status of the resolution says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// What was done about it, or what comes next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolution: Option<Resolution>,
    /// Fields that mnemon does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// How bad a word for it says it is: 0 is the worst. Nothing for words that nobody knows.
pub(crate) fn badness(severity: &str) -> Option<u8> {
    match severity.to_lowercase().as_str() {
        "critical" | "blocker" => Some(0),
        "high" | "important" | "major" => Some(1),
        "medium" | "moderate" => Some(2),
        "low" | "minor" => Some(3),
        "info" | "informational" | "note" | "trivial" => Some(4),
        _ => None,
    }
}

/// A place in something that was made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Location {
    /// The file or document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact: Option<String>,
    /// The section of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// The lines, usually the first and the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_numbers: Option<Vec<u64>>,
    /// Fields that mnemon does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Finding {
    pub(super) fn is_open(&self) -> bool {
        let by_status = self.status.as_deref().is_some_and(closes);
        let by_resolution = self.resolution.as_ref().is_some_and(Resolution::is_closed);
        !by_status && !by_resolution
    }

    // Both places are written, because one source asks for `status` and the
    // other for `resolution.status`.
    pub(super) fn resolve(&mut self, how: &str, by: Option<&str>, at: &str) {
        self.status = Some(RESOLVED.to_owned());
        self.resolution.get_or_insert_default().resolve(how, by, at);
    }

    pub(super) fn reopen(&mut self) {
        self.status = Some(OPEN.to_owned());
        if let Some(resolution) = &mut self.resolution {
            resolution.reopen();
        }
    }
}
