//! A memory of a file meets the one of the same id that is here already.
//!
//! What the file says is here, or was here once, changes nothing. Anything
//! else is an edit of the version that the file was made of: a revision if
//! that is still the current one, and a conflict if it is not.

use serde_json::{Map, Value};

use super::plan::Planned;
use super::{Base, Conflict};
use crate::caller::{Caller, Sight, Who};
use crate::engine::Mnemon;
use crate::engine::rights::check_revised;
use crate::error::{Error, Result};
use crate::memory::{Draft, Memory, MemoryId, Reference, Revision, Space};
use crate::store::What;

/// What becomes of a memory of the file.
pub(super) enum Meeting {
    /// It is kept.
    New,
    /// It is here and says the same.
    Same,
    /// It says what it said here once.
    Older,
    /// It was compacted: the archive of its session has it.
    Archived,
    /// Somebody edited the file.
    Edited {
        /// The version that was edited.
        expected: u64,
        /// How.
        revision: Box<Revision>,
    },
    /// It was changed here as well.
    Conflict(Conflict),
}

/// What the store has under an id.
pub(super) enum Known {
    Nothing,
    Archived,
    Here(Box<Memory>),
}

impl Known {
    /// Whether the file says what is here; what it leaves out is taken from there first.
    pub(super) fn already_says(&self, draft: &mut Draft) -> bool {
        let Self::Here(memory) = self else {
            return false;
        };
        if draft.author.is_none() {
            draft.author.clone_from(&memory.author);
        }
        draft.says_the_same_as(memory)
    }
}

impl Mnemon {
    /// What is here under an id that is to be used in a space.
    pub(super) fn known(&self, caller: &Caller, space: &Space, id: &MemoryId) -> Result<Known> {
        if let Some(memory) = self.store.find(&Reference::Id(id.clone()))? {
            if memory.space != *space || !Sight::of(caller).sees(&memory) {
                return Err(Error::IdTaken { id: id.to_string() });
            }
            return Ok(Known::Here(Box::new(memory)));
        }
        match self.store.shelved(id)? {
            None => Ok(Known::Nothing),
            Some(found) if !found.deleted && Some(&found.session) == space.session() => {
                Ok(Known::Archived)
            }
            Some(found) => Err(Error::IdShelved {
                id: id.to_string(),
                session: found.session.to_string(),
                deleted: found.deleted,
            }),
        }
    }

    /// What becomes of a memory of the file that does not just say what is here.
    pub(super) fn meet(
        &self,
        caller: &Caller,
        known: Known,
        planned: &mut Planned,
    ) -> Result<Meeting> {
        let memory = match known {
            Known::Nothing => return Ok(Meeting::New),
            Known::Archived => return Ok(Meeting::Archived),
            Known::Here(memory) => memory,
        };
        let draft = &mut planned.draft;
        if draft.says_the_same_as(&memory) {
            return Ok(Meeting::Same);
        }
        if self.said_once(&memory.id, draft)? {
            return Ok(Meeting::Older);
        }
        let Some(base) = planned.base else {
            let id = memory.id.to_string();
            return Err(Error::IdTaken { id });
        };
        if !is_current(base, &memory) || memory.state.forgotten.is_some() {
            return Ok(Meeting::Conflict(Conflict {
                line: planned.line,
                id: memory.id.clone(),
                in_file: base.version,
                here: memory.version,
                forgotten: memory.state.forgotten.is_some(),
            }));
        }
        let revision = edit(&memory, draft)?;
        let after = revision.apply(&memory, caller.name(), self.clock.now(), &self.limits())?;
        if let Who::Agent(me) = &caller.who {
            check_revised(caller, me, &memory, &after)?;
        }
        if let Some(field) = first_difference(draft, &after) {
            let rule = "as it is in the store, because an import can't change it";
            return Err(Error::rule(field, rule, ""));
        }
        Ok(Meeting::Edited {
            expected: memory.version,
            revision: Box::new(revision),
        })
    }

    /// Whether an earlier version of a memory said this.
    fn said_once(&self, id: &MemoryId, draft: &Draft) -> Result<bool> {
        let history = self.store.history(id)?;
        Ok(history.iter().any(|change| match &change.what {
            What::Kept(earlier) | What::Revised(earlier) => draft.says_the_same_as(earlier),
            What::Forgotten { .. } | What::Restored { .. } => false,
        }))
    }
}

/// Whether a file was made of the version that is here: another store counts its own.
fn is_current(base: Base, memory: &Memory) -> bool {
    base.version == memory.version && base.updated_at.is_none_or(|at| at == memory.updated_at)
}

/// The change that makes a memory say what the file says.
fn edit(memory: &Memory, draft: &mut Draft) -> Result<Revision> {
    let mut revision = Revision::default();
    if draft.text != memory.text {
        revision.text = Some(draft.text.clone());
        // A vector and a count that came from here belong to the old text.
        if draft.embedding == memory.embedding {
            draft.embedding = None;
        }
        if draft.tokens == memory.tokens {
            draft.tokens = None;
        }
    }
    let kind = draft.body.kind();
    let body = if kind == memory.kind() {
        memory.body.to_map()
    } else {
        revision.kind = Some(kind);
        memory.body.clone().into_kind(kind)?.to_map()
    };
    revision.body = changes(&body, &draft.body.to_map(), Depth::Whole);
    revision.metadata = changes(&memory.metadata, &draft.metadata, Depth::Top);
    if draft.importance != memory.importance {
        revision.importance = Some(draft.importance);
    }
    if draft.confidence != memory.confidence {
        revision.confidence = draft.confidence;
    }
    if draft.tags != memory.tags {
        revision.remove_tags.clone_from(&memory.tags);
        revision.add_tags.clone_from(&draft.tags);
    }
    if draft.links != memory.links {
        revision.remove_links.clone_from(&memory.links);
        revision.add_links.clone_from(&draft.links);
    }
    if draft.embedding != memory.embedding {
        revision.embedding.clone_from(&draft.embedding);
    }
    revision.pinned = (draft.pinned != memory.pinned).then_some(draft.pinned);
    revision.sensitive = (draft.sensitive != memory.sensitive).then_some(draft.sensitive);
    Ok(revision)
}

/// How deep a change of members reaches: bodies are merged, metadata is set.
#[derive(Clone, Copy)]
enum Depth {
    Whole,
    Top,
}

/// The members that differ, and a null for each that is gone.
fn changes(from: &Map<String, Value>, to: &Map<String, Value>, depth: Depth) -> Map<String, Value> {
    let mut changes = Map::new();
    for name in from.keys().filter(|name| !to.contains_key(*name)) {
        changes.insert(name.clone(), Value::Null);
    }
    for (name, value) in to {
        let change = match (from.get(name), value, depth) {
            (Some(own), value, _) if own == value => continue,
            (Some(Value::Object(own)), Value::Object(value), Depth::Whole) => {
                Value::Object(self::changes(own, value, depth))
            }
            _ => value.clone(),
        };
        changes.insert(name.clone(), change);
    }
    changes
}

/// The first field in which a memory is not what the file says, though it was revised.
fn first_difference(draft: &Draft, memory: &Memory) -> Option<&'static str> {
    if draft.says_the_same_as(memory) {
        return None;
    }
    let created_at = draft.created_at.unwrap_or(memory.created_at);
    let differs = [
        ("author", draft.author != memory.author),
        ("turn", draft.turn != memory.turn),
        ("created_at", created_at != memory.created_at),
        ("confidence", draft.confidence != memory.confidence),
        ("tokens", draft.tokens != memory.tokens),
        ("embedding", draft.embedding != memory.embedding),
        ("metadata", draft.metadata != memory.metadata),
    ];
    let named = differs.iter().find(|(_, differs)| *differs);
    Some(named.map_or("body", |(field, _)| field))
}
