//! Export: memories as they go to other places.

use std::collections::{BTreeSet, HashSet};

use crate::anonymize::{Anonymized, Options};
use crate::caller::{Caller, Operation, Sight};
use crate::engine::Mnemon;
use crate::error::Result;
use crate::memory::{Memory, MemoryId, SessionId, Space};
use crate::store::Whereabouts;

impl Mnemon {
    /// Hands on every memory of the spaces (of all if none is named), forgotten and compacted
    /// ones included.
    ///
    /// Archived sessions are read without being opened.
    pub fn export(
        &self,
        caller: &Caller,
        spaces: &[Space],
        each: &mut dyn FnMut(Memory) -> Result<()>,
    ) -> Result<()> {
        caller.may(Operation::Export)?;
        let sight = Sight::of(caller);
        let each: &mut dyn FnMut(Memory) -> Result<()> = &mut |memory| {
            if sight.sees(&memory) {
                each(memory)?;
            }
            Ok(())
        };
        let mut left: BTreeSet<SessionId> = BTreeSet::new();
        for session in spaces.iter().filter_map(Space::session) {
            left.insert(self.require_session(session)?.id);
        }
        if spaces.is_empty() {
            left.extend(self.store.sessions()?.into_iter().map(|it| it.id));
        }
        let mut current: Option<SessionId> = None;
        let mut seen: HashSet<MemoryId> = HashSet::new();
        self.store.walk(spaces, &mut |memory| {
            let session = memory.space.session();
            if current.as_ref() != session {
                // What belongs together stays together.
                if let Some(before) = current.take() {
                    left.remove(&before);
                    self.export_compacted(&before, &seen, each)?;
                }
                current = session.cloned();
                seen.clear();
            }
            seen.insert(memory.id.clone());
            each(memory)
        })?;
        // The last of them, and those with nothing at hand, which were not seen at all.
        left.iter()
            .try_for_each(|session| self.export_compacted(session, &seen, each))
    }

    /// What was compacted meanwhile was handed on already.
    fn export_compacted(
        &self,
        session: &SessionId,
        seen: &HashSet<MemoryId>,
        each: &mut dyn FnMut(Memory) -> Result<()>,
    ) -> Result<()> {
        let of_it = std::slice::from_ref(session);
        self.store.put_away(of_it, &mut |located| {
            if located.at == Whereabouts::Compacted && !seen.contains(&located.memory.id) {
                each(located.memory)?;
            }
            Ok(())
        })
    }

    /// A session that can be handed on: without who and where, and without what is forgotten.
    pub fn anonymize(
        &self,
        caller: &Caller,
        session: &SessionId,
        options: Options,
    ) -> Result<Anonymized> {
        caller.may(Operation::Anonymize)?;
        let session = self.session(caller, session)?;
        let mut memories = Vec::new();
        let space = Space::Session(session.id.clone());
        self.export(caller, &[space], &mut |memory| {
            if memory.state.forgotten.is_none() {
                memories.push(memory);
            }
            Ok(())
        })?;
        Anonymized::of(&session, &memories, options)
    }
}
