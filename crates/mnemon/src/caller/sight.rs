//! Sight: which memories a caller sees. The one place that says so.
//!
//! The user sees everything. An agent sees what is shared, what is in
//! sessions, and its own long-term memory; of what is private to some
//! ([`Memory::private_to`]) only what is private to itself. Stores apply it as
//! part of a [`Filter`](crate::store::Filter), so that pages, totals and
//! frequencies count what is seen and nothing else.

use super::{Caller, Who};
use crate::memory::{AgentId, Author, Body, Draft, Memory, Space};

/// Which memories are seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Sight {
    /// All of them.
    #[default]
    Everything,
    /// What this agent sees.
    Agent(AgentId),
    /// What this agent does not see, for those who have to leave it out of a sum.
    HiddenFrom(AgentId),
}

impl Sight {
    /// What a caller sees.
    pub fn of(caller: &Caller) -> Self {
        match &caller.who {
            Who::User(_) => Self::Everything,
            Who::Agent(id) => Self::Agent(id.clone()),
        }
    }

    /// Whether this memory is seen.
    pub fn sees(&self, memory: &Memory) -> bool {
        match self {
            Self::Everything => true,
            Self::Agent(id) => is_seen_by(id, memory),
            Self::HiddenFrom(id) => !is_seen_by(id, memory),
        }
    }

    /// Whether anything in this space can be seen.
    pub fn reaches(&self, space: &Space) -> bool {
        match (self, space) {
            (Self::Agent(id), Space::Agent(owner)) => id == owner,
            _ => true,
        }
    }

    /// Whether nothing is hidden.
    pub fn is_everything(&self) -> bool {
        *self == Self::Everything
    }
}

fn is_seen_by(id: &AgentId, memory: &Memory) -> bool {
    let reaches = match &memory.space {
        Space::Agent(owner) => owner == id,
        Space::Session(_) | Space::Shared => true,
    };
    reaches
        && memory
            .private_to()
            .is_none_or(|names| names.contains(&id.as_str()))
}

impl Memory {
    /// The agents that alone may see it; none if it is for all who reach its space.
    ///
    /// A state is its author's, and that of the agent that it is the state of. A preference
    /// that names the agents it applies to is theirs and its author's.
    pub fn private_to(&self) -> Option<Vec<&str>> {
        if let Some(closed) = self.closed() {
            let names = closed.private_to.as_ref()?;
            return Some(names.iter().map(String::as_str).collect());
        }
        private_to(self.author.as_ref(), &self.body)
    }
}

impl Draft {
    /// As [`Memory::private_to`], of what it is going to be.
    pub fn private_to(&self) -> Option<Vec<&str>> {
        private_to(self.author.as_ref(), &self.body)
    }
}

fn private_to<'a>(author: Option<&'a Author>, body: &'a Body) -> Option<Vec<&'a str>> {
    let author = author.map(Author::as_str);
    match body {
        Body::State(state) => Some(
            author
                .into_iter()
                .chain(state.agent_id.as_deref())
                .collect(),
        ),
        Body::Preference(preference) => {
            let agents = preference.applies_to.as_ref()?.agents.as_ref()?;
            let is_for_all = agents.is_empty() || agents.iter().any(|agent| agent == "*");
            let named = agents.iter().map(String::as_str);
            (!is_for_all).then(|| author.into_iter().chain(named).collect())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Mnemon;
    use crate::memory::Kind;

    #[test]
    fn who_sees_a_memory_follows_from_its_space_its_kind_and_whom_it_applies_to() {
        let folder = tempfile::tempdir().unwrap();
        let engine = Mnemon::open(folder.path()).unwrap();
        let user = Caller::user("me");
        let session = engine
            .create_session(&user, crate::engine::NewSession::default())
            .unwrap();
        let session = Space::Session(session);
        let ada = Space::Agent("ada".parse().unwrap());
        let cases = [
            (&Space::Shared, Kind::Fact, json!({}), "ada bob"),
            (&session, Kind::Decision, json!({}), "ada bob"),
            (&ada, Kind::Fact, json!({}), "ada"),
            (&session, Kind::State, json!({}), ""),
            (&session, Kind::State, json!({"agent_id": "bob"}), "bob"),
            (
                &Space::Shared,
                Kind::State,
                json!({"agent_id": "bob"}),
                "bob",
            ),
            (&ada, Kind::State, json!({"agent_id": "bob"}), ""),
            (&session, Kind::Preference, json!({}), "ada bob"),
            (
                &session,
                Kind::Preference,
                json!({"applies_to": {"projects": ["x"]}}),
                "ada bob",
            ),
            (
                &session,
                Kind::Preference,
                json!({"applies_to": {"agents": ["ada"]}}),
                "ada",
            ),
            (
                &session,
                Kind::Preference,
                json!({"applies_to": {"agents": ["*"]}}),
                "ada bob",
            ),
            (
                &session,
                Kind::Preference,
                json!({"applies_to": {"agents": []}}),
                "ada bob",
            ),
        ];
        for (space, kind, body, seen_by) in cases {
            let mut draft = Draft::new(kind, "x".to_owned().try_into().unwrap());
            draft.body = Body::from_map(kind, body.as_object().unwrap().clone()).unwrap();
            let kept = engine.remember(&user, space, draft).unwrap();
            let memory = engine.find(&user, kept.id.as_str(), None).unwrap();
            let sees = |name: &&str| Sight::Agent(name.parse().unwrap()).sees(&memory);
            let seeing: Vec<&str> = ["ada", "bob"].into_iter().filter(sees).collect();
            assert_eq!(seeing.join(" "), seen_by, "{space} {kind} {body}");
            let hidden = |name: &str| Sight::HiddenFrom(name.parse().unwrap()).sees(&memory);
            assert_eq!(hidden("ada"), !seeing.contains(&"ada"));
        }
    }
}
