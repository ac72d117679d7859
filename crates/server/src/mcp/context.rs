//! `context`: what the model needs for its next turn, in one call.

use mnemon::context::ContextRequest;
use mnemon::memory::SessionId;
use mnemon::{Error, Result};
use mnemon_wire::ContextShape;
use serde_json::json;

use super::Shared;
use super::answer::Answer;
use super::door::Need;
use super::fields::{self, Arguments};

/// More than any model reads at once.
const BUDGET_MAX: u64 = 1_000_000;

/// Answers with a context pack.
pub(super) fn context(shared: &Shared, arguments: Arguments) -> Answer {
    answer(shared, arguments).unwrap_or_else(|error| shared.refused(&error))
}

fn answer(shared: &Shared, mut arguments: Arguments) -> Result<Answer> {
    fields::only(&arguments, &["session", "topic", "budget", "read"])?;
    let session: SessionId = shared
        .session_of(&mut arguments)?
        .ok_or_else(|| fields::missing("session"))?;
    let topic = fields::text(&mut arguments, "topic")?;
    let budget = fields::whole(&mut arguments, "budget", 1, BUDGET_MAX)?;
    let selectors = fields::texts(&mut arguments, "read")?;
    let mut request = ContextRequest::new(session.clone());
    request.topic = topic;
    if let Some(budget) = budget.and_then(|budget| usize::try_from(budget).ok()) {
        request.budget_tokens = budget;
    }
    request.selectors = selectors
        .iter()
        .map(|selector| selector.parse())
        .collect::<Result<_>>()?;
    let opened = shared.opened(Need::There)?;
    let pack = match opened
        .engine
        .context(&opened.caller, &request, mnemon_tokens::count)
    {
        // A session that nothing was kept in yet is a beginning, not a mistake.
        Err(Error::SessionNotFound { .. }) => {
            let structured = json!({ "text": "", "items": [], "tokens": 0 });
            let says = format!("Nothing is kept in session {session} yet.");
            return Ok(Answer::new(says, structured));
        }
        pack => pack?,
    };
    let shape = ContextShape::of(
        &pack,
        &session,
        request.budget_tokens,
        mnemon_tokens::TOKENIZER,
    );
    let structured = serde_json::to_value(&shape).expect("plain fields");
    if pack.items.is_empty() {
        let says = match pack.left_out {
            0 => format!("Session {session} holds nothing for this turn."),
            more => format!(
                "Nothing fits into {} tokens; {more} memories would be there.",
                request.budget_tokens
            ),
        };
        return Ok(Answer::new(says, structured));
    }
    Ok(Answer::new(pack.text.clone(), structured))
}
