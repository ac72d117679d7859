//! One call after a turn: what was said, what came of it, and where the agent stands.

use crate::caller::{Caller, Operation};
use crate::engine::{Mnemon, Remembered};
use crate::error::{Error, Result};
use crate::memory::{Draft, Kind, SessionId, Space};
use crate::store::OnFull;

/// What a turn leaves behind, all of it or nothing.
#[derive(Clone, Debug, Default)]
pub struct AfterTurn {
    /// What was said: one message, or a question and its answer.
    pub turns: Vec<Draft>,
    /// Decisions, findings, preferences, whatever came of it; each belongs to the last message
    /// unless it says otherwise.
    pub memories: Vec<Draft>,
    /// Where the agent stands now.
    pub state: Option<Draft>,
}

/// What became of it, in the same order.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptTurn {
    /// What was said.
    pub turns: Vec<Remembered>,
    /// What came of it.
    pub memories: Vec<Remembered>,
    /// Where the agent stands.
    pub state: Option<Remembered>,
}

impl Mnemon {
    /// Keeps a turn with all that came of it, and the agent's state, in one transaction.
    pub fn keep_turn(
        &self,
        caller: &Caller,
        session: &SessionId,
        after: AfterTurn,
    ) -> Result<KeptTurn> {
        caller.may(Operation::KeepTurn)?;
        let AfterTurn {
            mut turns,
            mut memories,
            mut state,
        } = after;
        for turn in &mut turns {
            refuse_other(turn, Kind::Conversation, "turn")?;
            turn.id = Some(self.id_for(turn));
        }
        if let Some(state) = &state {
            refuse_other(state, Kind::State, "state")?;
        }
        let last = turns.last().and_then(|turn| turn.id.clone());
        for draft in memories.iter_mut().chain(&mut state) {
            draft.turn = draft.turn.take().or_else(|| last.clone());
        }
        let (said, came) = (turns.len(), memories.len());
        let drafts: Vec<Draft> = turns.into_iter().chain(memories).chain(state).collect();
        if drafts.is_empty() {
            return Err(Error::rule("turn", "not empty", ""));
        }
        let space = Space::Session(session.clone());
        let mut kept = self.remember_all(caller, &space, drafts, OnFull::Refuse)?;
        let state = (kept.len() > said + came).then(|| kept.pop()).flatten();
        let memories = kept.split_off(said);
        Ok(KeptTurn {
            turns: kept,
            memories,
            state,
        })
    }
}

fn refuse_other(draft: &Draft, kind: Kind, field: &'static str) -> Result<()> {
    let own = draft.body.kind();
    if own == kind {
        return Ok(());
    }
    Err(Error::Rule {
        field,
        rule: format!("of the kind {}", kind.as_str()),
        given: own.as_str().into(),
    })
}
