//! Mentions: where a memory names others, in its links, its turn and its body.
//!
//! Fields of a body are free text, written by whoever made the memory: a text
//! that could be an id and a handle of the same session is taken for both,
//! and one that names nothing does no harm.

use crate::memory::body::Body;
use crate::memory::{Memory, Reference, Relation};

/// The relation of a memory to the turn that it belongs to.
pub const TURN: &str = "turn";

/// One place in which a memory names another, which need not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// The relation of the link, [`TURN`], or the name of the field.
    pub rel: Relation,
    /// What is named.
    pub to: Reference,
}

impl Memory {
    /// Every place in which it names another memory, or itself.
    pub fn mentions(&self) -> Vec<Mention> {
        let links = self.links.iter().map(|link| Mention {
            rel: link.rel.clone(),
            to: Reference::Id(link.to.clone()),
        });
        let turn = self.turn.iter().map(|turn| Mention {
            rel: Relation::known(TURN),
            to: Reference::Id(turn.clone()),
        });
        let mut mentions: Vec<Mention> = links.chain(turn).collect();
        each_named(&self.body, &mut |field, text| {
            let meanings = Reference::parse(text, self.space.session()).unwrap_or_default();
            mentions.extend(meanings.into_iter().map(|to| Mention {
                rel: Relation::known(field),
                to,
            }));
        });
        mentions
    }

    /// What it can be named by.
    pub fn references(&self) -> Vec<Reference> {
        let handle = self.handle.zip(self.space.session());
        let handle = handle.map(|(handle, session)| Reference::Handle(session.clone(), handle));
        let id = Reference::Id(self.id.clone());
        std::iter::once(id).chain(handle).collect()
    }
}

/// Hands over the fields of a body that are made to name memories.
fn each_named(body: &Body, each: &mut dyn FnMut(&'static str, &str)) {
    let mut take = |field, texts: Option<&[String]>| {
        for text in texts.unwrap_or_default() {
            each(field, text);
        }
    };
    match body {
        Body::Turn(turn) => {
            take("parent", turn.parent.as_ref().map(std::slice::from_ref));
            take("memories_stored", turn.memories_stored.as_deref());
        }
        Body::Preference(preference) => {
            take("learned_from", preference.learned_from.as_deref());
        }
        Body::Learning(learning) => take("learned_from", learning.learned_from.as_deref()),
        Body::Event(event) => take("ref", event.reference.as_ref().map(std::slice::from_ref)),
        Body::Artifact(artifact) => take("made_from", artifact.made_from.as_deref()),
        Body::State(state) => {
            if let Some(refs) = &state.memory_refs {
                take("decisions_made", refs.decisions_made.as_deref());
                take("findings_created", refs.findings_created.as_deref());
                take("preferences_learned", refs.preferences_learned.as_deref());
            }
        }
        Body::Decision(_) | Body::Finding(_) | Body::Fact(_) | Body::Procedure(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::memory::{Draft, Kind, Link, Space};

    fn memory(kind: Kind, space: &str, body: serde_json::Value) -> Memory {
        let mut draft = Draft::new(kind, "x".parse().unwrap());
        let serde_json::Value::Object(fields) = body else {
            unreachable!("a body is an object")
        };
        draft.body = Body::from_map(kind, fields).unwrap();
        let space: Space = space.parse().unwrap();
        let now = crate::Time::from_micros(0).unwrap();
        draft.into_memory("own".parse().unwrap(), space, None, now)
    }

    fn told(memory: &Memory) -> Vec<String> {
        let mentions = memory.mentions();
        let told = mentions
            .iter()
            .map(|mention| format!("{} {}", mention.rel, mention.to.key()));
        told.collect()
    }

    #[test]
    fn links_turn_and_fields_of_the_body_name_memories() {
        let body =
            json!({"parent": "turn-1", "memories_stored": ["dec-2", "t/FIND-003", "no id!"]});
        let mut turn = memory(Kind::Conversation, "session/S", body);
        turn.links = vec![Link::related("a".parse().unwrap())];
        turn.turn = Some("b".parse().unwrap());
        assert_eq!(
            told(&turn),
            [
                "related a",
                "turn b",
                "parent s/TURN-1",
                "parent turn-1",
                "memories_stored s/DEC-002",
                "memories_stored dec-2",
                "memories_stored t/FIND-003",
            ]
        );
    }

    #[test]
    fn outside_of_sessions_there_are_no_bare_handles() {
        let body = json!({"learned_from": ["DEC-001", "s/DEC-001"]});
        let learning = memory(Kind::Learning, "agent/x", body);
        assert_eq!(
            told(&learning),
            ["learned_from DEC-001", "learned_from s/DEC-001"]
        );
    }

    #[test]
    fn the_state_of_an_agent_names_what_it_made() {
        let body = json!({"memory_refs": {
            "decisions_made": ["a"], "findings_created": ["b"], "preferences_learned": ["c"],
        }});
        let state = memory(Kind::State, "shared", body);
        assert_eq!(
            told(&state),
            [
                "decisions_made a",
                "findings_created b",
                "preferences_learned c"
            ]
        );
    }
}
