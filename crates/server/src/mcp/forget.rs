//! `forget`: hides memories, so that it can be undone; `restore` undoes it.

use mnemon::memory::{Memory, MemoryId};
use mnemon::{Error, Result};
use serde_json::json;

use super::Shared;
use super::answer::Answer;
use super::door::Need;
use super::fields::{self, Arguments};

/// The most memories of one call.
const IDS_MAX: usize = 100;

/// Forgets what the arguments name, or brings it back.
pub(super) fn forget(shared: &Shared, arguments: Arguments) -> Answer {
    forgotten(shared, arguments).unwrap_or_else(|error| shared.refused(&error))
}

fn forgotten(shared: &Shared, mut arguments: Arguments) -> Result<Answer> {
    fields::only(&arguments, &["ids", "id", "session", "reason", "restore"])?;
    let mut names = fields::texts(&mut arguments, "ids")?;
    names.extend(fields::texts(&mut arguments, "id")?);
    if names.is_empty() || names.len() > IDS_MAX {
        return Err(Error::Rule {
            field: "ids",
            rule: format!("a list of 1 to {IDS_MAX} ids or handles"),
            given: names.len().to_string(),
        });
    }
    let reason = fields::needed(&mut arguments, "reason")?;
    let restore = fields::flag(&mut arguments, "restore")?;
    let session = shared.session_of(&mut arguments)?;
    let opened = shared.opened(Need::There)?;
    let (engine, caller) = (&opened.engine, &opened.caller);
    // All are looked up before any is touched.
    let find = |name: &String| engine.find(caller, name, session.as_ref());
    let memories: Vec<Memory> = names.iter().map(find).collect::<Result<_>>()?;
    let changed = if restore {
        engine.unforget(caller, &memories, &reason)?
    } else {
        engine.forget(caller, &memories, &reason)?
    };
    Ok(said(&memories, &changed, restore))
}

fn said(memories: &[Memory], changed: &[MemoryId], restore: bool) -> Answer {
    let names = |is_wanted: &dyn Fn(&Memory) -> bool| {
        let wanted = memories.iter().filter(|memory| is_wanted(memory));
        wanted
            .map(|it| it.name(None))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let is_changed = |memory: &Memory| changed.contains(&memory.id);
    let (now, before) = (names(&is_changed), names(&|memory| !is_changed(memory)));
    let mut lines = Vec::new();
    if !now.is_empty() {
        lines.push(if restore {
            format!("brought back {now}")
        } else {
            format!("forgot {now}; restore: true brings them back")
        });
    }
    if !before.is_empty() {
        let state = if restore {
            "not forgotten"
        } else {
            "forgotten already"
        };
        lines.push(format!("{state}: {before}"));
    }
    Answer::new(
        lines.join("\n"),
        json!({ "count": changed.len(), "ids": changed }),
    )
}
