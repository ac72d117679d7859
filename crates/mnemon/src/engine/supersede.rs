//! A preference with a key takes the place of the one before it.
//!
//! The newer one links the older (`supersedes`) in the same write. Nothing is changed or removed:
//! questions rank the older one behind, and context packs tell the newer one only.

use std::collections::HashSet;

use crate::caller::{Caller, Sight};
use crate::engine::Mnemon;
use crate::error::Result;
use crate::memory::body::preference::AppliesTo;
use crate::memory::{Body, Draft, Link, Memory, MemoryId, Reference, Relation, SUPERSEDES, Space};
use crate::store::{Filter, Sort};

/// What a preference sets, and where it holds.
#[derive(Clone, PartialEq)]
pub(super) struct Setting {
    key: String,
    scope: Option<AppliesTo>,
}

impl Setting {
    /// What is set, if it is a preference with a key.
    pub(super) fn of(body: &Body) -> Option<Self> {
        match body {
            Body::Preference(own) => Some(Self {
                key: own.key.clone()?,
                scope: own.applies_to.clone(),
            }),
            _ => None,
        }
    }
}

impl Mnemon {
    /// Links the preferences that a draft takes the place of: those of the same space, key and
    /// scope that no other one has replaced, and those of the same transaction.
    pub(super) fn supersede(
        &self,
        caller: &Caller,
        space: &Space,
        draft: &mut Draft,
        before: &[(Setting, MemoryId)],
    ) -> Result<()> {
        let Some(setting) = Setting::of(&draft.body) else {
            return Ok(());
        };
        let known = match &draft.id {
            Some(id) => self.seen(caller, &Reference::Id(id.clone()))?,
            None => None,
        };
        let last = before.iter().rev().find(|(own, _)| *own == setting);
        let replaced = match (known, last) {
            // It is said again, and replaces what it did then.
            (Some(known), _) => replaced_by(&known),
            (None, Some((_, id))) => vec![id.clone()],
            (None, None) => self.in_force(caller, space, &setting)?,
        };
        let relation = Relation::known(SUPERSEDES);
        for to in replaced {
            let link = Link {
                rel: relation.clone(),
                to,
            };
            if !draft.links.contains(&link) {
                draft.links.push(link);
            }
        }
        Ok(())
    }

    /// The preferences with this key that hold, the oldest first.
    fn in_force(&self, caller: &Caller, space: &Space, setting: &Setting) -> Result<Vec<MemoryId>> {
        let mut same = self
            .store
            .select(&Filter {
                spaces: vec![space.clone()],
                preference_key: Some(setting.key.clone()),
                sight: Sight::of(caller),
                sort: Sort::Oldest,
                limit: usize::MAX,
                ..Filter::all(self.clock.now_micros())
            })?
            .memories;
        same.retain(|it| Setting::of(&it.body).as_ref() == Some(setting));
        let replaced: HashSet<MemoryId> = same.iter().flat_map(replaced_by).collect();
        let in_force = same.iter().filter(|it| !replaced.contains(&it.id));
        Ok(in_force.map(|it| it.id.clone()).collect())
    }
}

/// What a memory says it takes the place of.
fn replaced_by(memory: &Memory) -> Vec<MemoryId> {
    let links = memory.links.iter();
    let links = links.filter(|link| link.rel.as_str() == SUPERSEDES);
    links.map(|link| link.to.clone()).collect()
}
