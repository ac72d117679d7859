//! Export: memories as they go to other places.

use crate::anonymize::{Anonymized, Options};
use crate::caller::Caller;
use crate::engine::Mnemon;
use crate::error::Result;
use crate::memory::{Memory, SessionId, Space};

impl Mnemon {
    /// Hands on every memory of the spaces (of all if none is named), forgotten ones included.
    ///
    /// Archived sessions are read without being opened.
    pub fn export(
        &self,
        _caller: &Caller,
        spaces: &[Space],
        each: &mut dyn FnMut(Memory) -> Result<()>,
    ) -> Result<()> {
        for session in spaces.iter().filter_map(Space::session) {
            self.require_session(session)?;
        }
        self.store.walk(spaces, each)
    }

    /// A session that can be handed on: without who and where, and without what is forgotten.
    pub fn anonymize(
        &self,
        caller: &Caller,
        session: &SessionId,
        options: Options,
    ) -> Result<Anonymized> {
        let session = self.require_session(session)?;
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
