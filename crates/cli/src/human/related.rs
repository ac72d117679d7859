//! Related memories as people read them.

use std::fmt::Write as _;

use mnemon::Time;
use mnemon::memory::{Memory, MemoryId, SessionId};
use mnemon::recall::related::{Direction, Related, RelatedHit};

use super::ago::ago;
use super::text::{fit, one_line};
use super::{LABEL, NAME, count};

/// The hits, the nearest first, each with the way to it.
pub(crate) fn related_list(related: &Related, offset: usize, room: usize, now: Time) -> String {
    let session = related.origin.space.session();
    let origin = related.origin.name(session);
    if related.hits.is_empty() {
        return match related.total {
            0 => format!("Nothing that fits is related to {origin}.\n"),
            total => format!("Nothing on this page; {total} are related to {origin}.\n"),
        };
    }
    let mut out = String::new();
    for (rank, hit) in (offset + 1..).zip(&related.hits) {
        let memory = &hit.memory;
        let begin: String = memory.text.as_str().chars().take(1000).collect();
        let text = fit(&one_line(&begin), room.saturating_sub(6));
        let author = memory
            .author
            .as_ref()
            .map_or_else(String::new, |author| format!(" · {author}"));
        let _ = writeln!(out, "{rank:>3}. {text}");
        let _ = writeln!(
            out,
            "     {NAME}{}{NAME:#}{LABEL} · {}{author} · {}{LABEL:#}",
            memory.name(session),
            memory.kind(),
            ago(memory.created_at, now),
        );
        let _ = writeln!(out, "     {LABEL}{}{LABEL:#}", way(related, hit, session));
    }
    let shown = related.hits.len() as u64;
    if shown < related.total {
        let _ = writeln!(
            out,
            "{LABEL}{shown} of {} memories; --limit and --offset show others{LABEL:#}",
            related.total
        );
    } else {
        let _ = writeln!(
            out,
            "{LABEL}{}{LABEL:#}",
            count(related.total, "memory", "memories")
        );
    }
    out
}

/// `FIND-001 ─influenced→ DEC-001 ←supersedes─ DEC-002`.
fn way(related: &Related, hit: &RelatedHit, session: Option<&SessionId>) -> String {
    let mut way = String::new();
    for step in &hit.via {
        let from = name_of(related, &step.from, session);
        let rel = step.rel.as_str().replace('_', " ");
        let _ = match step.direction {
            Direction::Out => write!(way, "{from} ─{rel}→ "),
            Direction::In => write!(way, "{from} ←{rel}─ "),
        };
    }
    way.push_str(&hit.memory.name(session));
    way
}

/// The name of a memory on the way; its id if it is not on this page.
fn name_of(related: &Related, id: &MemoryId, session: Option<&SessionId>) -> String {
    let shown = related.hits.iter().map(|hit| &hit.memory);
    let mut known = std::iter::once(&related.origin).chain(shown);
    let found: Option<&Memory> = known.find(|memory| memory.id == *id);
    found.map_or_else(|| id.to_string(), |memory| memory.name(session))
}
