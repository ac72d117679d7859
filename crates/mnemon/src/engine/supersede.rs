//! A preference with a key takes the place of the one before it.
//!
//! The newer one links the older (`supersedes`) in the same write. Nothing is changed or removed:
//! questions rank the older one behind, and context packs tell the newer one only.

use std::collections::HashSet;

use crate::caller::{Caller, Sight};
use crate::engine::Mnemon;
use crate::error::Result;
use crate::memory::body::preference::AppliesTo;
use crate::memory::{Body, Draft, Kind, Link, Memory, MemoryId, Reference, Relation, Space};
use crate::store::{Filter, Sort};

const SUPERSEDES: &str = "supersedes";

/// So many preferences are looked at in one go.
const PAGE: usize = 64;

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

    /// The preference with this key that holds, if there is one.
    ///
    /// Each took the place of the one before it, so from any of them the way leads to the last;
    /// not all of a space's preferences are read for every new one.
    fn in_force(&self, caller: &Caller, space: &Space, setting: &Setting) -> Result<Vec<MemoryId>> {
        let Some(mut last) = self.any_with(caller, space, setting)? else {
            return Ok(Vec::new());
        };
        let sight = Sight::of(caller);
        let mut seen = HashSet::new();
        while seen.insert(last.id.clone()) {
            let near = self.store.neighbours(std::slice::from_ref(&last))?;
            let newer = near.into_iter().find(|it| {
                let is_alike =
                    it.space == *space && Setting::of(&it.body).as_ref() == Some(setting);
                let is_there = it.state.forgotten.is_none() && sight.sees(it);
                is_alike && is_there && replaced_by(it).contains(&last.id)
            });
            match newer {
                Some(newer) => last = newer,
                None => break,
            }
        }
        Ok(vec![last.id])
    }

    /// One of the preferences with this key, most likely the newest.
    fn any_with(
        &self,
        caller: &Caller,
        space: &Space,
        setting: &Setting,
    ) -> Result<Option<Memory>> {
        let mut offset = 0;
        loop {
            let page = self.store.select(&Filter {
                spaces: vec![space.clone()],
                kinds: vec![Kind::Preference],
                sight: Sight::of(caller),
                sort: Sort::Newest,
                limit: PAGE,
                offset,
                ..Filter::all(self.clock.now_micros())
            })?;
            let is_last = page.memories.len() < PAGE;
            let mut memories = page.memories.into_iter();
            let found = memories.find(|it| Setting::of(&it.body).as_ref() == Some(setting));
            if found.is_some() || is_last {
                return Ok(found);
            }
            offset += PAGE;
        }
    }
}

/// What a memory says it takes the place of.
fn replaced_by(memory: &Memory) -> Vec<MemoryId> {
    let links = memory.links.iter();
    let links = links.filter(|link| link.rel.as_str() == SUPERSEDES);
    links.map(|link| link.to.clone()).collect()
}
