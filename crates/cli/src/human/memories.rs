//! A list of memories as a table.

use std::fmt::Write as _;

use mnemon::Time;
use mnemon::memory::{Memory, SessionId};

use super::ago::ago;
use super::table::{Column, Table};
use super::text::{fit, one_line};
use super::{LABEL, NAME, count};

/// How wide names may be in a table.
const NAME_COLUMNS: usize = 32;
/// How much of a text reminds of all of it.
const TEXT_COLUMNS: usize = 48;

/// The table, and below it how many there are.
pub(crate) fn memory_table(
    memories: &[Memory],
    total: u64,
    session: Option<&SessionId>,
    room: usize,
    now: Time,
) -> String {
    if memories.is_empty() {
        return match total {
            0 => "Nothing fits.\n".into(),
            total => format!(
                "Nothing on this page; {} fit.\n",
                count(total, "memory", "memories")
            ),
        };
    }
    let mut table = Table::new(vec![
        Column::new("name").styled(NAME),
        Column::new("kind"),
        Column::new("author"),
        Column::new("text").flexible(),
        Column::new("when").styled(LABEL),
    ]);
    for memory in memories {
        table.row(&[
            short_name(memory, session),
            kind(memory),
            memory
                .author
                .as_ref()
                .map_or_else(String::new, ToString::to_string),
            // Long texts are cut anyway, and measuring them takes time.
            memory.text.as_str().chars().take(1000).collect(),
            ago(memory.created_at, now),
        ]);
    }
    let mut out = table.render(room);
    let shown = memories.len() as u64;
    let line = if shown == total {
        count(total, "memory", "memories")
    } else {
        format!("{shown} of {total} memories; --limit and --offset show others")
    };
    let _ = writeln!(out, "{LABEL}{line}{LABEL:#}");
    out
}

/// What can be typed to get it: a bare handle if the session is clear.
pub(crate) fn name(memory: &Memory, session: Option<&SessionId>) -> String {
    memory.name(session)
}

/// The same if it is not long; or so much of its session as leaves room for the handle.
fn short_name(memory: &Memory, session: Option<&SessionId>) -> String {
    let name = name(memory, session);
    let Some((own, handle)) = name.rsplit_once('/') else {
        return name;
    };
    if name.chars().count() <= NAME_COLUMNS {
        return name;
    }
    let room = NAME_COLUMNS.saturating_sub(handle.len() + 2);
    let own: String = own.chars().take(room).collect();
    format!("{own}…/{handle}")
}

/// A memory in one line: its name as seen from a session, and how it begins.
pub(crate) fn name_and_text(memory: &Memory, session: Option<&SessionId>) -> String {
    let begin: String = memory.text.as_str().chars().take(200).collect();
    let text = fit(&one_line(&begin), TEXT_COLUMNS);
    format!("{} “{text}”", name(memory, session))
}

fn kind(memory: &Memory) -> String {
    let mut kind = memory.kind().to_string();
    if memory.body.is_open() == Some(false) {
        kind.push_str(" ✓");
    }
    if memory.pinned {
        kind.push_str(" *");
    }
    if memory.state.forgotten.is_some() {
        kind.push_str(" (forgotten)");
    }
    kind
}
