//! The body: the fields that only one kind of memory has.
//!
//! The main sentence of a memory is its text; the body says the rest. Every
//! field is optional, and what a kind does not know is kept in `extra`.
//!
//! Invariant: [`Body::to_map`] gives back what [`Body::from_map`] was given,
//! with two exceptions: a second name of a field comes back as the first, and
//! a known field that is null is absent. An empty list stays an empty list.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::error::{Error, Result};
use crate::memory::Kind;

pub mod agent_state;
pub mod artifact;
pub mod decision;
pub mod event;
pub mod fact;
pub mod finding;
pub mod learning;
pub mod preference;
pub mod procedure;
pub mod turn;

pub mod confidence;
pub mod resolution;
pub mod text_or;

mod merge;
mod refusal;

#[cfg(test)]
mod examples;

pub use agent_state::AgentState;
pub use artifact::Artifact;
pub use confidence::confidence_from_word;
pub use decision::Decision;
pub use event::Event;
pub use fact::Fact;
pub use finding::Finding;
pub use learning::Learning;
pub use preference::Preference;
pub use procedure::Procedure;
pub use turn::Turn;

/// The fields of one memory, in the shape of its kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// Of a [`Kind::Conversation`].
    Turn(Turn),
    /// Of a [`Kind::Decision`].
    Decision(Decision),
    /// Of a [`Kind::Finding`].
    Finding(Finding),
    /// Of a [`Kind::Preference`].
    Preference(Preference),
    /// Of a [`Kind::Learning`].
    Learning(Learning),
    /// Of a [`Kind::Fact`].
    Fact(Fact),
    /// Of an [`Kind::Event`].
    Event(Event),
    /// Of a [`Kind::Procedure`].
    Procedure(Procedure),
    /// Of a [`Kind::State`].
    State(AgentState),
    /// Of an [`Kind::Artifact`].
    Artifact(Artifact),
}

impl Body {
    /// A body in which nothing is said.
    pub fn empty(kind: Kind) -> Body {
        match kind {
            Kind::Conversation => Self::Turn(Turn::default()),
            Kind::Decision => Self::Decision(Decision::default()),
            Kind::Finding => Self::Finding(Finding::default()),
            Kind::Preference => Self::Preference(Preference::default()),
            Kind::Learning => Self::Learning(Learning::default()),
            Kind::Fact => Self::Fact(Fact::default()),
            Kind::Event => Self::Event(Event::default()),
            Kind::Procedure => Self::Procedure(Procedure::default()),
            Kind::State => Self::State(AgentState::default()),
            Kind::Artifact => Self::Artifact(Artifact::default()),
        }
    }

    /// Reads the fields of a kind and keeps those that it does not know.
    ///
    /// A known field of the wrong type is refused, and so is a field that is
    /// given under two names at once, because one of them would be lost.
    pub fn from_map(kind: Kind, map: Map<String, Value>) -> Result<Body> {
        Ok(match kind {
            Kind::Conversation => Self::Turn(read(map)?),
            Kind::Decision => Self::Decision(read(map)?),
            Kind::Finding => Self::Finding(read(map)?),
            Kind::Preference => Self::Preference(read(map)?),
            Kind::Learning => Self::Learning(read(map)?),
            Kind::Fact => Self::Fact(read(map)?),
            Kind::Event => Self::Event(read(map)?),
            Kind::Procedure => Self::Procedure(read(map)?),
            Kind::State => Self::State(read(map)?),
            Kind::Artifact => Self::Artifact(read(map)?),
        })
    }

    /// All fields under the names that mnemon writes, the unknown ones among them.
    pub fn to_map(&self) -> Map<String, Value> {
        match self {
            Self::Turn(body) => write(body),
            Self::Decision(body) => write(body),
            Self::Finding(body) => write(body),
            Self::Preference(body) => write(body),
            Self::Learning(body) => write(body),
            Self::Fact(body) => write(body),
            Self::Event(body) => write(body),
            Self::Procedure(body) => write(body),
            Self::State(body) => write(body),
            Self::Artifact(body) => write(body),
        }
    }

    /// The kind that has this shape.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Turn(_) => Kind::Conversation,
            Self::Decision(_) => Kind::Decision,
            Self::Finding(_) => Kind::Finding,
            Self::Preference(_) => Kind::Preference,
            Self::Learning(_) => Kind::Learning,
            Self::Fact(_) => Kind::Fact,
            Self::Event(_) => Kind::Event,
            Self::Procedure(_) => Kind::Procedure,
            Self::State(_) => Kind::State,
            Self::Artifact(_) => Kind::Artifact,
        }
    }

    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        *self == Self::empty(self.kind())
    }

    /// The same fields in the shape of another kind; what that kind does not
    /// know lands in its `extra`.
    pub fn into_kind(self, kind: Kind) -> Result<Body> {
        if self.kind() == kind {
            return Ok(self);
        }
        Self::from_map(kind, self.to_map())
    }

    /// Whether something is left to do; nothing for kinds of which that can't be said.
    ///
    /// A decision is open unless `resolved` or else its resolution says
    /// otherwise, a finding unless `status` or `resolution.status` does.
    pub fn is_open(&self) -> Option<bool> {
        match self {
            Self::Decision(decision) => Some(decision.is_open()),
            Self::Finding(finding) => Some(finding.is_open()),
            _ => None,
        }
    }

    /// What a preference sets, if it is one that says so.
    pub fn preference_key(&self) -> Option<&str> {
        match self {
            Self::Preference(preference) => preference.key.as_deref(),
            _ => None,
        }
    }

    /// Closes a decision or a finding: what was done, by whom, and when (in RFC 3339).
    pub fn resolve(&mut self, how: &str, by: Option<&str>, at: &str) -> Result<()> {
        match self {
            Self::Decision(decision) => decision.resolve(how, by, at),
            Self::Finding(finding) => finding.resolve(how, by, at),
            other => return Err(never_open(other.kind())),
        }
        Ok(())
    }

    /// Opens a decision or a finding again; what was tried stays in its resolution.
    pub fn reopen(&mut self) -> Result<()> {
        match self {
            Self::Decision(decision) => decision.reopen(),
            Self::Finding(finding) => finding.reopen(),
            other => return Err(never_open(other.kind())),
        }
        Ok(())
    }

    /// The body with some members changed, as in RFC 7396: a null removes a
    /// member, an object is merged into it, anything else replaces it.
    pub fn merged(&self, changes: &Map<String, Value>) -> Result<Body> {
        let kind = self.kind();
        // On their own first: two names of one field would overwrite each other below.
        Self::from_map(kind, changes.clone())?;

        let mut map = self.to_map();
        for (name, change) in changes {
            let member = map
                .keys()
                .find(|member| is_same_field(kind, member, name))
                .unwrap_or(name)
                .clone();
            merge::merge_member(&mut map, &member, change);
        }
        Self::from_map(kind, map)
    }
}

/// Whether two names mean one field. The names are known to serde alone, and
/// it refuses two of one field, even when both are null.
fn is_same_field(kind: Kind, one: &str, other: &str) -> bool {
    let both = [one, other].map(|name| (name.to_owned(), Value::Null));
    one == other || Body::from_map(kind, Map::from_iter(both)).is_err()
}

fn never_open(kind: Kind) -> Error {
    Error::rule(
        "kind",
        "decision or finding: no other kind is open or resolved",
        kind.as_str(),
    )
}

fn read<T: DeserializeOwned>(map: Map<String, Value>) -> Result<T> {
    let whole = Value::Object(map);
    T::deserialize(&whole).map_err(|error| {
        refusal::explain(&whole, &error.to_string(), &|value| {
            serde_json::from_value::<T>(value)
                .err()
                .map(|error| error.to_string())
        })
    })
}

fn write<T: Serialize>(body: &T) -> Map<String, Value> {
    match serde_json::to_value(body) {
        Ok(Value::Object(map)) => map,
        other => unreachable!("a body is an object with text keys, not {other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::examples::{body, examples, map};
    use super::*;

    #[test]
    fn every_example_of_the_sources_comes_back_unchanged() {
        for (kind, example) in examples() {
            let body = body(kind, example.clone());
            assert_eq!(body.kind(), kind);
            assert!(!body.is_empty());
            assert_eq!(
                Value::Object(body.to_map()).to_string(),
                example.to_string()
            );
        }
    }

    #[test]
    fn no_field_of_the_sources_is_unknown() {
        for (kind, example) in examples() {
            let known = format!("{:?}", body(kind, example)).replace("extra: {}", "");
            assert!(!known.contains("extra: {"), "{kind}: {known}");
        }
    }

    #[test]
    fn an_empty_body_is_an_empty_object() {
        for kind in Kind::ALL {
            let empty = Body::empty(kind);
            assert_eq!(empty.kind(), kind);
            assert!(empty.is_empty());
            assert_eq!(empty.to_map(), Map::new());
            assert_eq!(Body::from_map(kind, Map::new()).unwrap(), empty);
        }
    }

    #[test]
    fn second_names_come_back_as_the_first() {
        for (kind, given, written) in [
            (
                Kind::Decision,
                json!({
                    "alternatives_considered": [
                        {"option": "MySQL", "rejected_reason": "Licensing"},
                    ],
                    "implementation_impact": "high",
                }),
                json!({
                    "alternatives": [{"option": "MySQL", "rejected_because": "Licensing"}],
                    "impact": "high",
                }),
            ),
            (
                Kind::Conversation,
                json!({"parent_message_id": "msg-000", "memory_stored": ["DEC-001"]}),
                json!({"parent": "msg-000", "memories_stored": ["DEC-001"]}),
            ),
        ] {
            assert_eq!(Value::Object(body(kind, given).to_map()), written);
        }
    }

    #[test]
    fn unknown_fields_are_kept_at_every_level() {
        let unknown = json!({"n": null, "i": -1, "f": 1.0, "l": [1, {"x": []}]});
        for kind in Kind::ALL {
            let given = json!({"not known": unknown, "null": null});
            assert_eq!(Value::Object(body(kind, given.clone()).to_map()), given);
        }
        for (kind, given) in [
            (Kind::Finding, json!({"location": {"x": unknown}})),
            (Kind::Finding, json!({"resolution": {"x": unknown}})),
            (Kind::Decision, json!({"resolution": {"x": unknown}})),
            (Kind::Decision, json!({"alternatives": [{"x": unknown}]})),
            (Kind::Preference, json!({"applies_to": {"x": unknown}})),
            (Kind::Procedure, json!({"steps": [{"x": unknown}]})),
            (Kind::State, json!({"memory_refs": {"x": unknown}})),
            (
                Kind::State,
                json!({"current_context": {"active_artifacts": [{"x": unknown}], "y": unknown}}),
            ),
        ] {
            assert_eq!(Value::Object(body(kind, given.clone()).to_map()), given);
        }
    }

    #[test]
    fn a_known_field_that_is_null_is_absent_and_an_empty_list_stays() {
        for (kind, given, written) in [
            (
                Kind::Decision,
                json!({"agreed_by": null, "resolved": null}),
                json!({}),
            ),
            (
                Kind::Decision,
                json!({"agreed_by": []}),
                json!({"agreed_by": []}),
            ),
            (Kind::Preference, json!({"value": null}), json!({})),
            (
                Kind::Preference,
                json!({"value": [null]}),
                json!({"value": [null]}),
            ),
            (
                Kind::Finding,
                json!({"location": {"section": null}}),
                json!({"location": {}}),
            ),
        ] {
            assert_eq!(Value::Object(body(kind, given).to_map()), written);
        }
    }

    #[test]
    fn a_change_of_kind_loses_nothing() {
        for (kind, example) in examples() {
            for other in Kind::ALL {
                let before = body(kind, example.clone());
                let between = before.clone().into_kind(other).unwrap();
                assert_eq!(between.kind(), other);
                assert_eq!(between.to_map(), before.to_map(), "{kind} as {other}");
                assert_eq!(between.into_kind(kind).unwrap(), before);
            }
        }
    }

    #[test]
    fn a_change_of_kind_refuses_what_does_not_fit() {
        let fact = body(Kind::Fact, json!({"severity": 5}));
        assert_eq!(
            fact.into_kind(Kind::Finding).unwrap_err().to_string(),
            "body must be an object whose `severity` is a string (given: 5)"
        );
    }

    #[test]
    fn whatever_is_accepted_comes_back() {
        let names: Vec<String> = examples()
            .into_iter()
            .flat_map(|(_, example)| map(example).into_iter().map(|(name, _)| name))
            .chain(["unknown".to_owned()])
            .collect();
        let values: Vec<Value> = examples()
            .into_iter()
            .flat_map(|(_, example)| map(example).into_iter().map(|(_, value)| value))
            .chain([json!([]), json!({}), json!(""), json!(0), json!(0.1)])
            .collect();
        // A fixed sequence (xorshift): the same maps in every run.
        let mut state: u64 = 0x9E37_79B9_7F4A_7C15;
        let mut below = |bound: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            usize::try_from(state % 1_000_003).unwrap() % bound
        };

        let mut accepted = 0;
        for round in 0..20_000 {
            let kind = Kind::ALL[round % Kind::ALL.len()];
            let given: Map<String, Value> = (0..below(4))
                .map(|_| {
                    (
                        names[below(names.len())].clone(),
                        values[below(values.len())].clone(),
                    )
                })
                .collect();
            if let Ok(body) = Body::from_map(kind, given.clone()) {
                accepted += 1;
                assert_eq!(body.to_map(), given);
                assert_eq!(Body::from_map(kind, body.to_map()).unwrap(), body);
                assert_eq!(body.merged(&Map::new()).unwrap(), body);
            }
        }
        assert!(accepted > 5_000, "only {accepted} were accepted");
    }
}
