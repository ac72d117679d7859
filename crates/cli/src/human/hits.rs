//! Hits as people read them.

use std::fmt::Write as _;

use mnemon::Time;
use mnemon::memory::SessionId;
use mnemon::recall::{Hit, Recalled};

use super::ago::ago;
use super::memories::name;
use super::text::{fit, one_line};
use super::{LABEL, NAME, count};

/// Which hits were asked for, and how they are shown.
pub(crate) struct Page {
    pub(crate) limit: usize,
    pub(crate) offset: usize,
    /// Whether each says what its score is made of.
    pub(crate) explain: bool,
    /// How wide a line may be.
    pub(crate) room: usize,
    /// The moment from which ages are counted.
    pub(crate) now: Time,
}

/// The hits, the best first, each with where it comes from, and how many there are.
pub(crate) fn hit_list(recalled: &Recalled, session: Option<&SessionId>, page: &Page) -> String {
    if recalled.hits.is_empty() {
        return empty(recalled.total, page);
    }
    let mut out = String::new();
    for hit in &recalled.hits {
        card(&mut out, hit, session, page.room, page.now);
        if page.explain {
            for part in &hit.why {
                let _ = writeln!(
                    out,
                    "       {LABEL}{:>12} {:6.3}  {}{LABEL:#}",
                    part.name, part.value, part.says
                );
            }
        }
    }
    let _ = writeln!(out, "{LABEL}{}{LABEL:#}", how_many(recalled, page));
    out
}

fn empty(total: u64, page: &Page) -> String {
    match (total, page) {
        (0, Page { limit: 0, .. }) => "The page is empty: --limit is 0.\n".into(),
        (0, Page { offset: 0, .. }) => "Nothing answers that.\n".into(),
        (0, _) => "Nothing on this page; a smaller --offset may find something.\n".into(),
        (total, _) => {
            let memories = count(total, "memory", "memories");
            format!("Nothing on this page; {memories} in all.\n")
        }
    }
}

/// The total counts what has a word of the question, so more may be near in meaning.
fn how_many(recalled: &Recalled, page: &Page) -> String {
    let shown = recalled.hits.len() as u64;
    let seen = page.offset as u64 + shown;
    if seen < recalled.total {
        let total = recalled.total;
        format!("{shown} of {total} memories; --limit and --offset show others")
    } else if recalled.hits.len() < page.limit || seen == recalled.total {
        count(shown, "memory", "memories")
    } else {
        let memories = count(shown, "memory", "memories");
        format!("{memories}; --limit and --offset show others that are near in meaning")
    }
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
