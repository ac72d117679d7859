//! The answer to a structured query as people read it.

use std::fmt::Write as _;

use mnemon::Time;
use mnemon::memory::Memory;
use mnemon::recall::structured::Counts;
use mnemon::recall::{Answer, Recalled};

use super::LABEL;
use super::hits::hit_list;
use super::memories::{memory_table, name_and_text};
use super::text::one_line;

/// The page, then what was counted, then what is linked to the page.
pub(crate) fn answer(answer: &Answer, asked: bool, room: usize, now: Time) -> String {
    let mut out = if asked {
        let recalled = Recalled {
            hits: answer.hits.clone(),
            total: answer.total,
            notes: Vec::new(),
        };
        hit_list(&recalled, None, false, room, now)
    } else {
        let memories: Vec<Memory> = answer.hits.iter().map(|hit| hit.memory.clone()).collect();
        memory_table(&memories, answer.total, None, room, now)
    };
    for (aggregation, counts) in &answer.aggregations {
        let name = aggregation.as_str();
        match counts {
            Counts::All(count) => {
                let _ = writeln!(out, "\n{LABEL}{name}{LABEL:#} {count}");
            }
            Counts::By(names) => {
                let _ = writeln!(out, "\n{LABEL}{name}{LABEL:#}");
                for (name, count) in names {
                    let _ = writeln!(out, "{count:>7}  {}", one_line(name));
                }
            }
        }
    }
    if !answer.related.is_empty() {
        let _ = writeln!(out, "\n{LABEL}related{LABEL:#}");
        for memory in &answer.related {
            let _ = writeln!(out, "  {}", name_and_text(memory, None));
        }
    }
    out
}
