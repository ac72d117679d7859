//! What an agent needs for its next turn.

mod gather;
mod preferences;

use crate::caller::{Caller, Operation};
use crate::context::{ContextPack, ContextRequest, Counter, pack};
use crate::engine::Mnemon;
use crate::error::Result;
use gather::Gathering;

impl Mnemon {
    /// What the caller needs for its next turn, within a budget of tokens.
    ///
    /// An archived session is opened. Nothing is counted as asked for but what is in the pack.
    pub fn context(
        &self,
        caller: &Caller,
        request: &ContextRequest,
        count: Counter,
    ) -> Result<ContextPack> {
        caller.may(Operation::Context)?;
        let session = self.open_session(caller, &request.session)?;
        let gathering = Gathering::new(self, caller, &session, request)?;
        let candidates = if request.selectors.is_empty() {
            gathering.usual()?
        } else {
            gathering.selected(&request.selectors)?
        };
        let pack = pack(&session.id, candidates, request.budget_tokens, count);
        for item in &pack.items {
            self.count_access(&item.memory);
        }
        Ok(pack)
    }
}
