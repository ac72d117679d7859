//! Prompts: what a person can ask for with one word.
//!
//! Both hand the model a session as data, and say what to do with it.

use mnemon::Result;
use mnemon::context::text::on_one_line;
use mnemon::memory::SessionId;
use rmcp::model::{GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};

use super::Opened;
use super::brief::enclosed;
use super::door::Need;
use super::fields::{self, Arguments};
use super::{Shared, view};

const RECAP: &str = "recap";
const HANDOVER: &str = "handover";

/// What is offered.
pub(super) fn list() -> Vec<Prompt> {
    let session = PromptArgument::new("session")
        .with_description("Which session; the last used one if none is named")
        .with_required(false);
    let agent = PromptArgument::new("agent")
        .with_description("Who takes over")
        .with_required(false);
    vec![
        Prompt::new(
            RECAP,
            Some("Where a session stands: decisions, open questions, next steps"),
            Some(vec![session.clone()]),
        ),
        Prompt::new(
            HANDOVER,
            Some("Hand a session over to another agent"),
            Some(vec![session, agent]),
        ),
    ]
}

/// Whether there is a prompt of this name.
pub(super) fn has(name: &str) -> bool {
    [RECAP, HANDOVER].contains(&name)
}

/// A prompt with the session in it.
pub(super) fn get(
    shared: &Shared,
    name: &str,
    mut arguments: Arguments,
) -> Result<GetPromptResult> {
    let session = fields::text(&mut arguments, "session")?.filter(|text| !text.is_empty());
    let agent = fields::text(&mut arguments, "agent")?.filter(|text| !text.is_empty());
    let opened = shared.opened(Need::There)?;
    let id = match session {
        Some(text) => text.parse()?,
        None => shared
            .session
            .clone()
            .map_or_else(|| last_used(&opened), Ok)?,
    };
    let task = match name {
        HANDOVER => handover(&id, agent.as_deref()),
        _ => recap(&id),
    };
    let lines = view::session(&opened, &id)?;
    let text = enclosed(&task, lines.lines().map(on_one_line));
    let message = PromptMessage::new_text(Role::User, text);
    Ok(GetPromptResult::new(vec![message]).with_description(format!("{name} of {id}")))
}

fn recap(id: &SessionId) -> String {
    format!(
        "Sum up where session {id} stands, in at most ten sentences: what was decided and why, \
         what is still open, what the user prefers, and what to do next. Name memories by their \
         handles; `inspect` and `recall` show more of them. Say nothing that is not in memory."
    )
}

fn handover(id: &SessionId, agent: Option<&str>) -> String {
    let agent = agent.map_or_else(|| "the next agent".to_owned(), on_one_line);
    format!(
        "Write a handover of session {id} for {agent}, who knows nothing of it: the goal, the \
         state of the work, decisions with their reasons, open findings and questions, the \
         user's preferences, and the next three steps. Name memories by their handles. Look up \
         with `recall` what is missing, then keep the handover with `remember` in the session, \
         kind `state`, tag `handover`."
    )
}

/// Nobody names a session in the middle of one.
fn last_used(opened: &Opened) -> Result<SessionId> {
    let sessions = opened.engine.sessions(&opened.caller)?;
    match sessions.into_iter().next() {
        Some(session) => Ok(session.id),
        None => Err(fields::missing("session")),
    }
}
