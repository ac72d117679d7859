//! `mnemon compact`

use std::fmt::Write as _;

use clap::Args;
use mnemon::compact::{Action, Reach, Rule};
use mnemon::engine::CompactionReport;
use mnemon_wire::CompactedShape;

use crate::context::Context;
use crate::failure::Outcome;
use crate::human::table::{Column, Table};
use crate::human::{LABEL, bytes, count};

/// Move what a session needs least to its archive
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mnemon compact review --dry-run\n  \
    mnemon compact review --aggressive\n\n\
    What goes can be brought back: `mnemon unforget ID --reason R`, or all of it with \
    `mnemon session restore S`. docs/compaction.md says what goes and what never does.")]
pub(crate) struct Compact {
    /// Which session
    #[arg(value_name = "S")]
    id: String,
    /// Say what would go, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Free a fifth instead of a tenth
    #[arg(long)]
    aggressive: bool,
}

impl Compact {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let id = self.id.parse()?;
        let reach = if self.aggressive {
            Reach::Aggressive
        } else {
            Reach::Gentle
        };
        let engine = context.reader()?;
        let caller = context.caller()?;
        let report = if self.dry_run {
            engine.plan_compaction(&caller, &id, reach)?
        } else {
            engine.compact(&caller, &id, reach)?
        };
        let shape = CompactedShape::of(&report, self.dry_run);
        context.output.answer(&shape, || {
            told(&report, self.dry_run, context.output.columns)
        })
    }
}

fn told(report: &CompactionReport, dry_run: bool, columns: usize) -> String {
    let plan = &report.plan;
    let memories = plan.actions.iter().map(|it| it.ids.len() as u64).sum();
    let memories = count(memories, "memory", "memories");
    let session = &report.session;
    let mut out = match report.done {
        Some(done) => format!(
            "Compacted {session}: {memories} moved, {} became {}; the archive took {}.\n",
            bytes(done.bytes_before),
            bytes(done.bytes_after),
            bytes(done.archive_bytes)
        ),
        None if plan.actions.is_empty() => format!("Nothing of {session} may go.\n"),
        None if dry_run => format!(
            "Would move {memories} of {session} and free about {}.\n",
            bytes(plan.freed_bytes())
        ),
        None => String::new(),
    };
    if !plan.actions.is_empty() {
        let mut table = Table::new(vec![
            Column::new("what").flexible(),
            Column::new("memories").right(),
            Column::new("summaries").right(),
            Column::new("frees").right(),
        ]);
        for rule in RULES {
            let of_rule = || plan.actions.iter().filter(|action| action.rule == rule.0);
            if of_rule().next().is_some() {
                table.row(&[
                    rule.1.into(),
                    of_rule().map(|it| it.ids.len()).sum::<usize>().to_string(),
                    of_rule()
                        .filter(|it| it.summary.is_some())
                        .count()
                        .to_string(),
                    bytes(of_rule().map(Action::freed_bytes).sum()),
                ]);
            }
        }
        out.push_str(&table.render(columns));
    }
    if !plan.is_enough() {
        let (freed, target) = (bytes(plan.freed_bytes()), bytes(plan.target_bytes));
        let _ = writeln!(
            out,
            "{LABEL}{freed} of {target} wanted; what stays:{LABEL:#}"
        );
        for spared in &plan.spared {
            let why = spared.why.map_or("in use".into(), |why| why.to_string());
            let memories = count(spared.memories, "memory", "memories");
            let _ = writeln!(out, "  {why}: {memories}, {}", bytes(spared.bytes));
        }
    }
    out
}

const RULES: [(Rule, &str); 6] = [
    (Rule::Purged, "forgotten and past recovery"),
    (Rule::Faded, "faded"),
    (Rule::Conversation, "old conversation"),
    (Rule::ResolvedFindings, "resolved findings"),
    (Rule::AgentStates, "old states of agents"),
    (Rule::Summaries, "earlier summaries"),
];
