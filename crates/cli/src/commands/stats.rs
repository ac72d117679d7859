//! `mnemon stats`

use std::fmt::Write as _;

use clap::Args;
use mnemon::engine::LongTermStats;
use mnemon_wire::{LongTermShape, StatsShape};

use crate::context::Context;
use crate::failure::Outcome;
use crate::human::table::{Column, Table};
use crate::human::{BAD, NAME, bytes, count};

/// Count memories and bytes
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mnemon stats\n  mnemon stats --agent architect --json")]
pub(crate) struct Stats {
    /// Only this agent's long-term memory, with its tags and its limit
    #[arg(long, value_name = "A")]
    agent: Option<String>,
}

impl Stats {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let engine = context.reader()?;
        let caller = context.caller()?;
        if let Some(agent) = &self.agent {
            let stats = engine.long_term_stats(&caller, &agent.parse()?)?;
            let shape = LongTermShape::of(&stats);
            return context.output.answer(&shape, || long_term(context, &stats));
        }
        let stats = engine.stats(&caller)?;
        let embedding = engine.embedding(&caller)?;
        let shape = StatsShape::of(&stats, &embedding);
        context.output.answer(&shape, || {
            let memories = count(stats.memories, "memory", "memories");
            let mut out = format!(
                "{memories}, {} forgotten; logs {}, index {}\n",
                stats.forgotten,
                bytes(stats.log_bytes),
                bytes(stats.index_bytes)
            );
            if stats.damaged_lines > 0 {
                let damaged = count(stats.damaged_lines, "line is", "lines are");
                let _ = writeln!(
                    out,
                    "{BAD}{damaged} damaged{BAD:#}; `mnemon verify` shows them"
                );
            }
            for (sessions, size, what) in [
                (stats.archived_sessions, stats.archive_bytes, "archived"),
                (stats.deleted_sessions, stats.trash_bytes, "deleted"),
            ] {
                if sessions > 0 {
                    let sessions = count(sessions, "session", "sessions");
                    let _ = writeln!(out, "{sessions} {what}, {}", bytes(size));
                }
            }
            if stats.sealed > 0 {
                let _ = writeln!(out, "{} sealed", count(stats.sealed, "memory", "memories"));
            }
            if embedding.waiting > 0 {
                let _ = writeln!(
                    out,
                    "{} no vector of {} yet; {} answers questions",
                    count(embedding.waiting, "memory has", "memories have"),
                    embedding.embedder,
                    embedding.answering
                );
            }
            if !stats.by_kind.is_empty() {
                let mut kinds = Table::new(vec![
                    Column::new("kind").styled(NAME),
                    Column::new("memories").right(),
                ]);
                for (kind, number) in &stats.by_kind {
                    kinds.row(&[kind.to_string(), number.to_string()]);
                }
                let _ = write!(out, "\n{}", kinds.render(context.output.columns));
            }
            if !stats.spaces.is_empty() {
                let mut spaces = Table::new(vec![
                    Column::new("space").styled(NAME).flexible(),
                    Column::new("memories").right(),
                    Column::new("log").right(),
                ]);
                for space in &stats.spaces {
                    spaces.row(&[
                        space.space.to_string(),
                        space.memories.to_string(),
                        bytes(space.log_bytes),
                    ]);
                }
                let _ = write!(out, "\n{}", spaces.render(context.output.columns));
            }
            out
        })
    }
}

/// What an agent knows for good, in a few lines.
fn long_term(context: &Context, stats: &LongTermStats) -> String {
    let memories = count(stats.active, "memory", "memories");
    let mut out = format!("{memories}, {} forgotten; ", stats.forgotten);
    let _ = match stats.limit_bytes {
        Some(limit) => writeln!(
            out,
            "{} of {} ({:.1} %, tier {})",
            bytes(stats.used_bytes),
            bytes(limit),
            stats.percent,
            stats.tier
        ),
        None => writeln!(out, "{} (tier {})", bytes(stats.used_bytes), stats.tier),
    };
    if let (Some(oldest), Some(newest)) = (stats.oldest, stats.newest) {
        let _ = writeln!(out, "from {oldest} to {newest}");
    }
    if let Some(ms) = stats.embedding_ms {
        let _ = writeln!(out, "{} with a vector, {ms:.2} ms each", stats.embeddings);
    }
    let mut uses = Table::new(vec![
        Column::new("kind or tag").styled(NAME).flexible(),
        Column::new("memories").right(),
    ]);
    for (kind, number) in &stats.by_kind {
        uses.row(&[kind.to_string(), number.to_string()]);
    }
    for (tag, number) in &stats.top_tags {
        uses.row(&[format!("#{tag}"), number.to_string()]);
    }
    if !stats.by_kind.is_empty() {
        let _ = write!(out, "\n{}", uses.render(context.output.columns));
    }
    out
}
