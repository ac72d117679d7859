//! Where memories belong: `session`, `agent` or `shared`, or `space` as the wire has it.

use mnemon::memory::Space;
use mnemon::{Error, Result};

use super::fields::{Arguments, flag, text};

/// The one space that the arguments name, if they name one.
pub(crate) fn space(arguments: &mut Arguments) -> Result<Option<Space>> {
    let session = text(arguments, "session")?;
    let agent = text(arguments, "agent")?;
    let shared = flag(arguments, "shared")?;
    match (session, agent, shared) {
        (None, None, false) => text(arguments, "space")?
            .map(|space| space.parse())
            .transpose(),
        (Some(session), None, false) => Ok(Some(Space::Session(session.parse()?))),
        (None, Some(agent), false) => Ok(Some(Space::Agent(agent.parse()?))),
        (None, None, true) => Ok(Some(Space::Shared)),
        _ => Err(Error::Rule {
            field: "session",
            rule: "the only one of session, agent and shared".into(),
            given: "more than one of them".into(),
        }),
    }
}
