//! `mnemon erase`

use std::fmt::Write as _;

use clap::Args;
use mnemon::Mnemon;
use mnemon::memory::MemoryId;
use mnemon_wire::{ErasedShape, ForgottenShape};

use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::human::memories::memory_table;
use crate::human::{LABEL, count};
use crate::targets::Targets;

/// Remove memories for good; no file of the store keeps a byte of them
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mnemon erase fact_01J... --yes\n  \
    mnemon erase --author mallory --dry-run\n  \
    mnemon erase --session review --tag personal --reason \"asked to\" --yes")]
pub(crate) struct Erase {
    /// Why
    #[arg(long, default_value = "erased by the user")]
    reason: String,
    /// Yes, without a way back
    #[arg(long)]
    yes: bool,
    /// Only show what would be erased
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    #[command(flatten)]
    targets: Targets,
}

impl Erase {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        self.targets.refuse_unclear("erase")?;
        let engine = context.reader()?;
        let caller = context.caller()?;
        let (memories, trashed) = self.targets.select_to_erase(context, &engine, &caller)?;
        let mut ids: Vec<_> = memories.iter().map(|memory| memory.id.clone()).collect();
        ids.extend(trashed.iter().cloned());
        if self.dry_run {
            return context.output.answer(&ForgottenShape::of(&ids, true), || {
                let (total, room) = (memories.len() as u64, context.output.columns);
                let table = memory_table(&memories, total, None, room, engine.now());
                let mut out = format!("Would erase:\n{table}");
                for id in &trashed {
                    let _ = writeln!(out, "{id}, in the trash");
                }
                out
            });
        }
        if !self.yes {
            let number = count(ids.len() as u64, "memory", "memories");
            return Err(Failure::misused(
                format!("{number} would be gone for good, and it is not said that this is meant"),
                "Add --yes to do it, or --dry-run to see what it is about.",
            ));
        }
        erase(context, &engine, ids, &self.reason)
    }
}

/// Erases, and shows the receipt.
pub(super) fn erase(
    context: &Context,
    engine: &Mnemon,
    ids: Vec<MemoryId>,
    reason: &str,
) -> Outcome {
    let erased = engine.erase_ids(&context.caller()?, ids, reason)?;
    context.output.answer(&ErasedShape::of(&erased), || {
        let number = count(erased.ids.len() as u64, "memory", "memories");
        let mut out = format!("Erased {number} for good.\n");
        for cleaned in &erased.cleaned {
            let _ = writeln!(out, "  {}: {}", cleaned.place.display(), cleaned.how);
        }
        if erased.ids.is_empty() {
            return out;
        }
        let files = count(erased.files_searched, "file", "files");
        let _ = writeln!(out, "{LABEL}Searched {files} afterwards.{LABEL:#}");
        for place in &erased.also_in {
            let _ = writeln!(
                out,
                "Some of the same words are still in {}, in memories that were not erased.",
                place.display()
            );
        }
        out
    })
}
