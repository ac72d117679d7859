//! What a body says that decides how its memory fades.

use crate::compact::CONVERSATION_SUMMARY;
use crate::memory::Body;
use crate::memory::body::confidence::Confidence;

/// The cases that the special rules tell apart; all but the last are those of `priority`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Class {
    /// None of them.
    #[default]
    Ordinary = 0,
    /// A decision that is not settled.
    OpenDecision = 1,
    /// A decision with high impact, settled or not.
    HighImpactDecision = 2,
    /// A critical finding that is open.
    CriticalFinding = 3,
    /// A critical finding that is resolved.
    CriticalResolvedFinding = 4,
    /// Another finding that is resolved.
    ResolvedFinding = 5,
    /// A preference that the user stated.
    ExplicitPreference = 6,
    /// A preference that was concluded from what the user did.
    InferredPreference = 7,
    /// A summary that we made, which has the date of what it stands for.
    Summary = 8,
}

/// What the body of an archived session's summary calls it.
pub(crate) const SESSION_SUMMARY: &str = "session_summary";

impl Class {
    const ALL: [Self; 9] = [
        Self::Ordinary,
        Self::OpenDecision,
        Self::HighImpactDecision,
        Self::CriticalFinding,
        Self::CriticalResolvedFinding,
        Self::ResolvedFinding,
        Self::ExplicitPreference,
        Self::InferredPreference,
        Self::Summary,
    ];

    /// The class of a body.
    pub fn of(body: &Body) -> Self {
        let is = |own: Option<&str>, words: &[&str]| {
            own.is_some_and(|own| {
                let own = own.trim();
                words.iter().any(|word| own.eq_ignore_ascii_case(word))
            })
        };
        match body {
            Body::Decision(decision) if is(decision.impact.as_deref(), &["high", "critical"]) => {
                Self::HighImpactDecision
            }
            Body::Decision(_) if body.is_open() == Some(true) => Self::OpenDecision,
            Body::Finding(finding) => {
                let critical = is(finding.severity.as_deref(), &["critical"]);
                match (critical, body.is_open() == Some(true)) {
                    (true, true) => Self::CriticalFinding,
                    (true, false) => Self::CriticalResolvedFinding,
                    (false, false) => Self::ResolvedFinding,
                    (false, true) => Self::Ordinary,
                }
            }
            Body::Preference(preference) => match &preference.confidence {
                Some(Confidence::Word(word)) if is(Some(word), &["explicit"]) => {
                    Self::ExplicitPreference
                }
                Some(Confidence::Word(word)) if is(Some(word), &["inferred"]) => {
                    Self::InferredPreference
                }
                _ => Self::Ordinary,
            },
            Body::Artifact(artifact)
                if is(
                    artifact.artifact_type.as_deref(),
                    &[CONVERSATION_SUMMARY, SESSION_SUMMARY],
                ) =>
            {
                Self::Summary
            }
            _ => Self::Ordinary,
        }
    }

    /// The class of this number; [`Self::Ordinary`] if there is none.
    pub fn from_number(number: u8) -> Self {
        Self::ALL
            .get(usize::from(number))
            .copied()
            .unwrap_or_default()
    }

    /// Its number, which stays the same from version to version.
    pub fn number(self) -> u8 {
        self as u8
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::memory::Kind;

    #[test]
    fn the_body_decides() {
        use Class::*;
        let cases = [
            (Kind::Decision, json!({}), OpenDecision),
            (Kind::Decision, json!({"resolved": true}), Ordinary),
            (
                Kind::Decision,
                json!({"impact": "High"}),
                HighImpactDecision,
            ),
            (
                Kind::Decision,
                json!({"implementation_impact": "high", "resolved": true}),
                HighImpactDecision,
            ),
            (Kind::Decision, json!({"impact": "low"}), OpenDecision),
            (Kind::Finding, json!({}), Ordinary),
            (
                Kind::Finding,
                json!({"severity": "critical"}),
                CriticalFinding,
            ),
            (
                Kind::Finding,
                json!({"severity": "critical", "status": "resolved"}),
                CriticalResolvedFinding,
            ),
            (Kind::Finding, json!({"status": "fixed"}), ResolvedFinding),
            (
                Kind::Preference,
                json!({"confidence": "explicit"}),
                ExplicitPreference,
            ),
            (
                Kind::Preference,
                json!({"confidence": "Inferred"}),
                InferredPreference,
            ),
            (
                Kind::Preference,
                json!({"confidence": "uncertain"}),
                Ordinary,
            ),
            (Kind::Preference, json!({"confidence": 1.0}), Ordinary),
            (
                Kind::Fact,
                json!({"severity": "critical", "impact": "high"}),
                Ordinary,
            ),
        ];
        for (kind, given, class) in cases {
            let Value::Object(map) = given.clone() else {
                panic!("{given}")
            };
            let body = Body::from_map(kind, map).unwrap();
            assert_eq!(Class::of(&body), class, "{kind} {given}");
        }
    }

    #[test]
    fn numbers_stay_what_they_are() {
        for (number, class) in (0..).zip(Class::ALL) {
            assert_eq!(class.number(), number);
            assert_eq!(Class::from_number(number), class);
        }
        assert_eq!(Class::from_number(200), Class::Ordinary);
    }
}
