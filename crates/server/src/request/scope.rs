//! Where memories belong: `session`, `agent` or `shared`, or `space` as the wire has it.

use mnemon::memory::Space;
use mnemon::{Error, Result};

use super::fields::{Arguments, flag, text};

/// The one space that the arguments name, if they name one.
pub(crate) fn space(arguments: &mut Arguments) -> Result<Option<Space>> {
    let session = text(arguments, "session")?;
    let agent = text(arguments, "agent")?;
    let shared = flag(arguments, "shared")?;
    let space = text(arguments, "space")?;
    match (session, agent, shared, space) {
        (None, None, false, None) => Ok(None),
        (None, None, false, Some(space)) => space.parse().map(Some),
        (Some(session), None, false, None) => Ok(Some(Space::Session(session.parse()?))),
        (None, Some(agent), false, None) => Ok(Some(Space::Agent(agent.parse()?))),
        (None, None, true, None) => Ok(Some(Space::Shared)),
        _ => Err(Error::Rule {
            field: "session",
            rule: "the only one of session, agent, shared and space".into(),
            given: "more than one of them".into(),
        }),
    }
}
