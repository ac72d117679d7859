//! The bodies that the sources show, in JSON, at least one for each kind.
//!
//! Ids, times, texts, tags, references and decay are left out: they belong to
//! the memory, not to its body. Kinds that the sources only name have an
//! example with all of our fields.

use serde_json::{Map, Value, json};

use crate::memory::{Body, Kind};

pub(super) fn examples() -> Vec<(Kind, Value)> {
    [
        (Kind::Conversation, turns()),
        (Kind::Decision, decisions()),
        (Kind::Finding, findings()),
        (Kind::Preference, preferences()),
        (Kind::Learning, learnings()),
        (Kind::Fact, facts()),
        (Kind::Event, events()),
        (Kind::Procedure, procedures()),
        (Kind::State, states()),
        (Kind::Artifact, artifacts()),
    ]
    .into_iter()
    .flat_map(|(kind, bodies)| bodies.into_iter().map(move |body| (kind, body)))
    .collect()
}

pub(super) fn map(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => panic!("not an object: {other}"),
    }
}

pub(super) fn body(kind: Kind, value: Value) -> Body {
    Body::from_map(kind, map(value)).unwrap()
}

fn turns() -> Vec<Value> {
    vec![
        json!({"role": "user"}),
        json!({
            "speaker": "veritas",
            "type": "message",
            "memories_stored": [
                "Finding: Missing MFA requirement [FIND-001]",
                "Finding: Missing session timeout [FIND-002]",
            ],
        }),
        json!({
            "role": "assistant",
            "conversation_id": "conv-xyz",
            "parent": "msg-000",
            "topic": "database_selection",
            "tokens": 15,
            "processing_time_ms": 230,
        }),
    ]
}

fn decisions() -> Vec<Value> {
    vec![
        json!({
            "rationale": "Most secure for server-side applications",
            "alternatives": ["Implicit flow", "PKCE"],
        }),
        json!({
            "made_by": "bmad-master",
            "rationale": "Authentication is security-critical and benefits from specialist review",
            "agents_involved": ["veritas", "architect"],
            "confidence": "high",
            "reversible": true,
        }),
        json!({
            "made_by": "architect",
            "agreed_by": ["bmad-master", "veritas"],
            "approved_by": ["user-789"],
            "rationale": "Industry standard, good library support, supports SSO future",
            "alternatives": [
                {
                    "option": "Session cookies",
                    "rejected_because": "Not suitable for API authentication",
                },
                {
                    "option": "Opaque tokens",
                    "rejected_because": "Requires additional lookup on every request",
                },
            ],
            "confidence": "high",
            "reversible": false,
            "impact": "high",
            "resolved": false,
        }),
    ]
}

fn findings() -> Vec<Value> {
    vec![
        json!({
            "discovered_by": "veritas",
            "severity": "critical",
            "category": "missing_requirement",
            "location": {
                "artifact": "/docs/requirements.md",
                "section": "3.2 Authentication",
                "line_numbers": [45, 60],
            },
            "impact": "Security vulnerability - admin accounts could be compromised",
            "root_cause": "Requirements template didn't include MFA as checklist item",
            "resolution": {
                "status": "resolved",
                "resolved_at": "2026-01-11T14:35:00Z",
                "resolved_by": "user",
                "action_taken": "Added MFA requirement: required for admins",
                "verification": "Requirement added in commit abc123",
            },
        }),
        json!({
            "discovered_by": "veritas",
            "severity": "important",
            "category": "ambiguous_requirement",
            "resolution": {
                "status": "open",
                "next_steps": "Need to define timeout for different user roles",
            },
        }),
        json!({
            "discovered_by": "analyst",
            "category": "scalability",
            "severity": "high",
            "evidence": "Connection pool config missing from application.yml",
            "recommendation": "Implement HikariCP with max 50 connections",
            "status": "open",
        }),
    ]
}

fn preferences() -> Vec<Value> {
    vec![
        json!({
            "category": "policy",
            "topic": "mfa_requirements",
            "context": "E-commerce platform authentication policy",
            "confidence": "explicit",
            "source": "user_statement",
            "applies_to": {
                "projects": ["e-commerce-platform"],
                "domains": ["authentication", "security"],
            },
        }),
        json!({
            "category": "communication",
            "key": "response_style",
            "value": "concise_with_examples",
            "context": "User prefers brief explanations followed by code examples",
            "confidence": 0.9,
            "learned_from": ["sess-2026-01-10-xyz", "sess-2026-01-11-abc"],
        }),
        json!({"key": "editor", "value": {"font": null, "size": 12}}),
    ]
}

fn learnings() -> Vec<Value> {
    vec![json!({
        "category": "pattern",
        "topic": "requirements",
        "context": "Review of the authentication requirements",
        "trigger": "A section about sign-in",
        "recommendation": "Requirements review should check for MFA in all auth sections",
        "outcome": "One critical finding",
        "evidence": "FIND-001",
        "confidence": "medium",
        "source": "behavior_pattern",
        "applies_to": {"projects": ["*"], "domains": ["security"]},
        "learned_from": ["session-2026-01-11-abc123"],
    })]
}

fn facts() -> Vec<Value> {
    vec![json!({
        "category": "infrastructure",
        "topic": "billing",
        "subject": "the billing service",
        "predicate": "listens on",
        "object": 8443,
        "context": "Set-up of the staging environment",
        "source": "application.yml",
        "evidence": "server.port",
        "confidence": 1,
        "valid_from": "2026-01-11T00:00:00Z",
        "valid_until": "2026-07-01T00:00:00Z",
    })]
}

fn events() -> Vec<Value> {
    vec![
        json!({
            "type": "conversation_turn",
            "ref": "turn-1",
            "participants": ["user"],
            "topics": ["authentication"],
        }),
        json!({
            "type": "deployment",
            "occurred_at": "2026-01-11T14:30:00Z",
            "ended_at": "2026-01-11T14:30:02Z",
            "duration_ms": 2000.5,
            "place": "staging",
            "severity": "minor",
            "cause": "Release 1.4",
            "outcome": "Rolled back",
        }),
    ]
}

fn procedures() -> Vec<Value> {
    vec![json!({
        "name": "Rotate the signing key",
        "goal": "No token signed with the old key is accepted",
        "topic": "security",
        "trigger": "Every 90 days",
        "preconditions": ["Nobody deploys"],
        "steps": [
            "Announce it",
            {"action": "Make the key", "command": "make key", "expected": "key.pem"},
        ],
        "tools": ["make"],
        "verification": "An old token is refused",
        "confidence": "high",
        "source": "runbook",
        "applies_to": {"projects": ["payment-system"]},
    })]
}

fn states() -> Vec<Value> {
    vec![json!({
        "agent_id": "veritas",
        "session_id": "session-2026-01-11-abc123",
        "last_updated": "2026-01-11T16:45:00Z",
        "current_context": {
            "current_task": "verify_requirements",
            "current_phase": "PHASE_6",
            "focus_area": "authentication_requirements",
            "active_artifacts": [
                {"path": "/docs/requirements.md", "status": "reviewed", "findings_count": 3},
            ],
        },
        "working_memory": {
            "concerns_identified": ["Missing MFA specification", "Undefined session timeout"],
            "methods_applied": ["#51 Liar's Trap", "#70 Content Accuracy"],
            "verification_summary": {
                "total_concerns": 3,
                "critical": 1,
                "important": 1,
                "minor": 1,
                "all_resolved": false,
            },
        },
        "session_learnings": [
            "User prefers explicit security requirements over defaults",
            "Session management is often overlooked in initial requirements",
        ],
        "memory_refs": {
            "decisions_made": [],
            "findings_created": ["FIND-001", "FIND-002", "FIND-003"],
            "preferences_learned": ["PREF-002"],
        },
    })]
}

fn artifacts() -> Vec<Value> {
    vec![json!({
        "type": "analysis_result",
        "title": "Review of the requirements",
        "path": "artifacts/review.md",
        "uri": "https://example.org/review",
        "media_type": "text/markdown",
        "size_bytes": 18_446_744_073_709_551_615_u64,
        "sha256": "e3b0c442",
        "status": "reviewed",
        "findings_count": 3,
        "made_by": "veritas",
        "made_from": ["FIND-001"],
    })]
}
