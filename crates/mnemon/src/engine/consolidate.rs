//! Finding what says the same, linking it, and taking that back.

use std::collections::{BTreeMap, HashMap};

use crate::caller::{Caller, Operation};
use crate::consolidate::group::groups;
use crate::consolidate::{Consolidated, DuplicateOptions, Group};
use crate::embed::Vector;
use crate::engine::{Action, Mnemon};
use crate::error::{Error, Result};
use crate::memory::{
    DISTINCT_FROM, DUPLICATE_OF, Kind, Link, Memory, MemoryId, Relation, Revision, Space,
};
use crate::store::{Filter, OnFull};
use crate::tier::Gate;

/// So many memories are linked in one transaction.
const AT_ONCE: usize = 200;

impl Mnemon {
    /// The memories that say what an older one says, linked or not.
    pub fn duplicates(&self, caller: &Caller, options: &DuplicateOptions) -> Result<Vec<Group>> {
        caller.may(Operation::Duplicates)?;
        self.require(caller, Gate::SemanticSearch)?;
        self.require_spaces(caller, &options.filter.spaces)?;
        let least = options.likeness_min;
        if !(0.0..=1.0).contains(&least) {
            return Err(Error::InvalidQuery {
                field: "min-similarity".into(),
                problem: format!("must be a number from 0 to 1 (given: {least})"),
            });
        }
        let mut filter = Filter {
            limit: usize::MAX,
            offset: 0,
            ..options.filter.clone()
        };
        if filter.kinds.is_empty() {
            // Who agrees twice has agreed twice, and states follow each other.
            filter.kinds = Kind::ALL.to_vec();
            let may = |kind: &Kind| !matches!(kind, Kind::Conversation | Kind::State);
            filter.kinds.retain(may);
        }
        filter.check()?;
        let spaces = &filter.spaces;
        let mut memories = self.with_open(caller, spaces, || {
            Ok(self.store.select(&self.ruled(caller, &filter)?)?.memories)
        })?;
        memories.retain(|memory| memory.closed().is_none());
        let mut vectors: HashMap<MemoryId, Option<Vector>> = HashMap::new();
        groups(memories, least, &mut |a, b| {
            let (a, b) = (
                self.vector_among(&mut vectors, a)?,
                self.vector_among(&mut vectors, b)?,
            );
            Ok(a.zip(b).map_or(0.0, |(a, b)| f64::from(a.cosine(&b))))
        })
    }

    /// Links every duplicate that is not linked yet to the memory that counts for it.
    ///
    /// Nothing else changes, and [`Self::unlink_duplicates`] takes it back.
    pub fn link_duplicates(
        &self,
        caller: &Caller,
        options: &DuplicateOptions,
    ) -> Result<Vec<Consolidated>> {
        caller.may(Operation::LinkDuplicates)?;
        let mut links: BTreeMap<Space, Vec<Consolidated>> = BTreeMap::new();
        for group in self.duplicates(caller, options)? {
            for other in group.others.iter().filter(|it| !it.is_linked) {
                let own = links.entry(other.memory.space.clone()).or_default();
                own.push(Consolidated {
                    id: other.memory.id.clone(),
                    original: group.original.id.clone(),
                });
            }
        }
        let revision = |link: Link| Revision {
            add_links: vec![link],
            ..Revision::default()
        };
        self.revise_links(caller, links, &revision)
    }

    /// Says of memories that they do not say what the one says that counts for them: the link
    /// goes, and they are not taken for duplicates of it again.
    pub fn unlink_duplicates(
        &self,
        caller: &Caller,
        memories: &[Memory],
    ) -> Result<Vec<Consolidated>> {
        caller.may(Operation::UnlinkDuplicates)?;
        let mut links: BTreeMap<Space, Vec<Consolidated>> = BTreeMap::new();
        for memory in memories {
            let own = memory.links.iter();
            let mut own = own
                .filter(|link| link.rel.as_str() == DUPLICATE_OF)
                .peekable();
            if own.peek().is_none() {
                let rule = "a memory that is linked as a duplicate of another";
                return Err(Error::rule("id", rule, memory.id.as_str()));
            }
            let all = links.entry(memory.space.clone()).or_default();
            all.extend(own.map(|link| Consolidated {
                id: memory.id.clone(),
                original: link.to.clone(),
            }));
        }
        let revision = |link: Link| Revision {
            add_links: vec![Link {
                rel: Relation::known(DISTINCT_FROM),
                to: link.to.clone(),
            }],
            remove_links: vec![link],
            ..Revision::default()
        };
        self.revise_links(caller, links, &revision)
    }

    /// Writes what is to become of links, space by space.
    fn revise_links(
        &self,
        caller: &Caller,
        links: BTreeMap<Space, Vec<Consolidated>>,
        revision: &dyn Fn(Link) -> Revision,
    ) -> Result<Vec<Consolidated>> {
        let mut done = Vec::new();
        for (space, all) in links {
            for some in all.chunks(AT_ONCE) {
                let action = |one: &Consolidated| Action::Revise {
                    id: one.id.clone(),
                    expected: None,
                    revision: Box::new(revision(Link {
                        rel: Relation::known(DUPLICATE_OF),
                        to: one.original.clone(),
                    })),
                };
                let actions = some.iter().map(action).collect();
                self.transact(caller, &space, actions, OnFull::Refuse)?;
                done.extend_from_slice(some);
            }
        }
        Ok(done)
    }

    /// The vector of a memory, made once.
    fn vector_among(
        &self,
        vectors: &mut HashMap<MemoryId, Option<Vector>>,
        memory: &Memory,
    ) -> Result<Option<Vector>> {
        if let Some(known) = vectors.get(&memory.id) {
            return Ok(known.clone());
        }
        let made = self.meaning_of(memory.text.as_str())?;
        vectors.insert(memory.id.clone(), made.clone());
        Ok(made)
    }
}
