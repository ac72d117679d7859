//! Hits as people read them.

use std::fmt::Write as _;

use mnemon::Time;
use mnemon::memory::SessionId;
use mnemon::recall::{Hit, Recalled};

use super::ago::ago;
use super::memories::name;
use super::text::{fit, one_line};
use super::{LABEL, NAME};

/// The hits, the best first, each with where it comes from.
pub(crate) fn hit_list(
    recalled: &Recalled,
    session: Option<&SessionId>,
    explain: bool,
    room: usize,
    now: Time,
) -> String {
    if recalled.hits.is_empty() {
        return "Nothing answers that.\n".into();
    }
    let mut out = String::new();
    for hit in &recalled.hits {
        card(&mut out, hit, session, room, now);
        if explain {
            for part in &hit.why {
                let _ = writeln!(
                    out,
                    "       {LABEL}{:>12} {:6.3}  {}{LABEL:#}",
                    part.name, part.value, part.says
                );
            }
        }
    }
    out
}

fn card(out: &mut String, hit: &Hit, session: Option<&SessionId>, room: usize, now: Time) {
    let memory = &hit.memory;
    let text: String = memory.text.as_str().chars().take(1000).collect();
    let author = memory
        .author
        .as_ref()
        .map_or_else(String::new, |author| format!(" · {author}"));
    let near = hit
        .similarity
        .map_or_else(String::new, |near| format!(" · similarity {near:.2}"));
    let _ = writeln!(
        out,
        "{:>3}. {}",
        hit.rank,
        fit(&one_line(&text), room.saturating_sub(6))
    );
    let _ = writeln!(
        out,
        "     {NAME}{}{NAME:#}{LABEL} · {}{author} · {} · score {:.3}{near}{LABEL:#}",
        name(memory, session),
        memory.kind(),
        ago(memory.created_at, now),
        hit.score,
    );
}
