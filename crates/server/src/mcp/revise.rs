//! `revise`: changes a memory; what it was before stays in its history.

use std::fmt::Write as _;

use mnemon::Result;
use mnemon::memory::Memory;
use mnemon::redact::{Redaction, sum};
use serde_json::json;

use super::answer::Answer;
use super::brief::Brief;
use super::door::Need;
use super::fields::{self, Arguments};
use super::{Shared, revision};

/// What can be said.
fn known() -> Vec<&'static str> {
    let own = ["id", "session", "if_version"];
    own.into_iter().chain(revision::KNOWN).collect()
}

/// Changes what the arguments say.
pub(super) fn revise(shared: &Shared, arguments: Arguments) -> Answer {
    revised(shared, arguments).unwrap_or_else(|error| shared.refused(&error))
}

fn revised(shared: &Shared, mut arguments: Arguments) -> Result<Answer> {
    fields::only(&arguments, &known())?;
    let name = fields::needed(&mut arguments, "id")?;
    let session = shared.session_of(&mut arguments)?;
    let expected = fields::whole(&mut arguments, "if_version", 1, u64::MAX)?;
    let mut revision = revision::plain(&mut arguments)?;
    let opened = shared.opened(Need::There)?;
    let (engine, caller) = (&opened.engine, &opened.caller);
    let memory = engine.find(caller, &name, session.as_ref())?;
    revision::add_links(
        &opened,
        &memory,
        session.as_ref(),
        &mut arguments,
        &mut revision,
    )?;
    revision::refuse_empty(&revision)?;
    // Once more below, where nothing is left to be found; here to say what it was.
    let redacted = engine.redactor().redact_revision(&mut revision)?;
    let after = engine.revise(caller, &memory, expected, revision)?;
    shared.background.after_write(&opened);
    Ok(said(&memory, &after, &redacted))
}

fn said(before: &Memory, after: &Memory, redacted: &[Redaction]) -> Answer {
    let name = after.name(None);
    let mut text = if before.version == after.version {
        format!("{name} was so already (version {})", after.version)
    } else {
        format!("revised {name} to version {}", after.version)
    };
    for Redaction { class, count } in sum(redacted) {
        let _ = write!(text, "\nredacted before it was kept: {count} {class}");
    }
    let mut shape = Brief::LINE.shape(after);
    shape["version"] = json!(after.version);
    Answer::new(text, json!({ "memory": shape }))
}
