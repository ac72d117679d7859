//! Open or closed: how decisions and findings end, and the words for it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub(super) const OPEN: &str = "open";
pub(super) const RESOLVED: &str = "resolved";

/// What was done about a decision or a finding, or what comes next.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Resolution {
    /// `open`, `resolved`, `wont_fix`…
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// When it was closed, in RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<String>,
    /// Who closed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved_by: Option<String>,
    /// What was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action_taken: Option<String>,
    /// What shows that it was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verification: Option<String>,
    /// What is still to be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_steps: Option<String>,
    /// Fields that mnemon does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Resolution {
    pub(super) fn is_closed(&self) -> bool {
        self.status.as_deref().is_some_and(closes)
    }

    pub(super) fn resolve(&mut self, how: &str, by: Option<&str>, at: &str) {
        self.status = Some(RESOLVED.to_owned());
        self.resolved_at = Some(at.to_owned());
        // Nobody rather than who closed it the last time.
        self.resolved_by = by.map(str::to_owned);
        self.action_taken = Some(how.to_owned());
    }

    /// Who closed it and when is no longer true; what was tried still is.
    pub(super) fn reopen(&mut self) {
        self.status = Some(OPEN.to_owned());
        self.resolved_at = None;
        self.resolved_by = None;
    }
}

/// Whether this status means that nothing is left to do. An unknown word does
/// not: what is open is kept and shown, which is the harmless mistake.
pub(super) fn closes(status: &str) -> bool {
    let word = status
        .trim()
        .to_lowercase()
        .replace([' ', '-'], "_")
        .replace(['\'', '’'], "");
    matches!(
        word.as_str(),
        "resolved"
            | "closed"
            | "fixed"
            | "done"
            | "completed"
            | "verified"
            | "wont_fix"
            | "wontfix"
            | "rejected"
            | "dismissed"
            | "invalid"
            | "duplicate"
            | "obsolete"
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::examples::body;
    use super::*;
    use crate::memory::{Body, Kind};

    #[test]
    fn only_decisions_and_findings_are_open_or_resolved() {
        for (kind, given, open) in [
            (Kind::Decision, json!({}), Some(true)),
            (Kind::Decision, json!({"resolved": false}), Some(true)),
            (Kind::Decision, json!({"resolved": true}), Some(false)),
            (
                Kind::Decision,
                json!({"resolution": {"status": "resolved"}}),
                Some(false),
            ),
            (
                Kind::Decision,
                json!({"resolved": false, "resolution": {"status": "resolved"}}),
                Some(true),
            ),
            (Kind::Finding, json!({}), Some(true)),
            (Kind::Finding, json!({"status": "open"}), Some(true)),
            (Kind::Finding, json!({"status": "in_progress"}), Some(true)),
            (Kind::Finding, json!({"status": "Resolved"}), Some(false)),
            (Kind::Finding, json!({"status": "won't fix"}), Some(false)),
            (Kind::Finding, json!({"status": "wont-fix"}), Some(false)),
            (
                Kind::Finding,
                json!({"resolution": {"next_steps": "ask"}}),
                Some(true),
            ),
            (
                Kind::Finding,
                json!({"resolution": {"status": "fixed"}}),
                Some(false),
            ),
            (
                Kind::Finding,
                json!({"status": "open", "resolution": {"status": "closed"}}),
                Some(false),
            ),
            (
                Kind::Fact,
                json!({"status": "resolved", "resolved": true}),
                None,
            ),
            (Kind::Artifact, json!({"status": "resolved"}), None),
        ] {
            assert_eq!(body(kind, given.clone()).is_open(), open, "{kind} {given}");
        }
    }

    #[test]
    fn resolving_and_reopening_a_finding_writes_both_states() {
        let mut finding = body(
            Kind::Finding,
            json!({"severity": "high", "resolution": {"status": "open", "x": 1}}),
        );
        finding
            .resolve("Pool set to 50", Some("architect"), "2026-01-11T14:35:00Z")
            .unwrap();
        assert_eq!(finding.is_open(), Some(false));
        assert_eq!(
            Value::Object(finding.to_map()),
            json!({
                "severity": "high",
                "status": "resolved",
                "resolution": {
                    "status": "resolved",
                    "resolved_at": "2026-01-11T14:35:00Z",
                    "resolved_by": "architect",
                    "action_taken": "Pool set to 50",
                    "x": 1,
                },
            })
        );

        finding.reopen().unwrap();
        assert_eq!(finding.is_open(), Some(true));
        assert_eq!(
            Value::Object(finding.to_map()),
            json!({
                "severity": "high",
                "status": "open",
                "resolution": {"status": "open", "action_taken": "Pool set to 50", "x": 1},
            })
        );
    }

    #[test]
    fn resolving_and_reopening_a_decision_sets_resolved() {
        let mut decision = Body::empty(Kind::Decision);
        decision
            .resolve("Built", None, "2026-01-11T14:35:00Z")
            .unwrap();
        assert_eq!(decision.is_open(), Some(false));
        assert_eq!(
            Value::Object(decision.to_map()),
            json!({
                "resolved": true,
                "resolution": {
                    "status": "resolved",
                    "resolved_at": "2026-01-11T14:35:00Z",
                    "action_taken": "Built",
                },
            })
        );
        decision.reopen().unwrap();
        assert_eq!(decision.is_open(), Some(true));
    }

    #[test]
    fn other_kinds_can_not_be_resolved_or_reopened() {
        for kind in Kind::ALL {
            if matches!(kind, Kind::Decision | Kind::Finding) {
                continue;
            }
            let mut body = Body::empty(kind);
            for refused in [
                body.resolve("so", None, "2026-01-11T14:35:00Z"),
                body.reopen(),
            ] {
                assert_eq!(
                    refused.unwrap_err().to_string(),
                    format!(
                        "kind must be decision or finding: no other kind is open or resolved \
                         (given: {kind})"
                    )
                );
            }
            assert!(body.is_empty());
        }
    }
}
