//! The answer to a structured query as people read it.

use std::fmt::Write as _;

use mnemon::memory::Memory;
use mnemon::recall::structured::Aggregated;
use mnemon::recall::{Answer, Recalled};

use super::LABEL;
use super::hits::{Page, hit_list};
use super::memories::{memory_table, name_and_text};
use super::text::one_line;

/// The page, then what was counted, then what is linked to the page.
pub(crate) fn answer(answer: &Answer, asked: bool, page: &Page) -> String {
    let mut out = if asked {
        let recalled = Recalled {
            hits: answer.hits.clone(),
            total: answer.total,
            notes: Vec::new(),
        };
        hit_list(&recalled, None, page)
    } else {
        let memories: Vec<Memory> = answer.hits.iter().map(|hit| hit.memory.clone()).collect();
        memory_table(&memories, answer.total, None, page.room, page.now)
    };
    for (aggregation, aggregated) in &answer.aggregations {
        let name = aggregation.as_str();
        match aggregated {
            Aggregated::Count(count) => {
                let _ = writeln!(out, "\n{LABEL}{name}{LABEL:#} {count}");
            }
            _ => {
                let _ = writeln!(out, "\n{LABEL}{name}{LABEL:#}");
                aggregated_lines(aggregated, &mut out);
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

/// One line for each name, agent, topic or hour.
fn aggregated_lines(aggregated: &Aggregated, out: &mut String) {
    let mut line = |count: u64, name: &str| {
        let _ = writeln!(out, "{count:>7}  {}", one_line(name));
    };
    match aggregated {
        Aggregated::Count(count) => line(*count, ""),
        Aggregated::Counts(names) => names.iter().for_each(|(name, count)| line(*count, name)),
        Aggregated::Agents(agents) => {
            for agent in agents {
                line(agent.memories, agent.name.as_deref().unwrap_or("(nobody)"));
            }
        }
        Aggregated::Topics(topics) => {
            for topic in topics {
                let about = topic.subtopics.join(", ");
                let about = if about.is_empty() {
                    String::new()
                } else {
                    format!(": {about}")
                };
                line(topic.mentions, &format!("{}{about}", topic.name));
            }
        }
        Aggregated::Timeline(timeline) => {
            for bucket in &timeline.buckets {
                let hour: String = bucket.hour.to_string().chars().take(16).collect();
                line(
                    bucket.names.len() as u64,
                    &format!("{hour}  {}", bucket.names.join(" ")),
                );
            }
        }
    }
}
