//! `mnemon erase`

use std::fmt::Write as _;

use clap::Args;
use mnemon::memory::{Memory, MemoryId};
use mnemon::store::{Forgottenness, Located};
use mnemon::{Mnemon, Time};
use mnemon_wire::{ErasedShape, ForgottenShape};

use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::human::memories::memory_table;
use crate::human::{LABEL, count};
use crate::targets::Targets;

/// Remove memories for good; no file of the store keeps a byte of them
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mnemon erase fact_01J... --yes\n  \
        mnemon erase --author mallory --dry-run\n  \
        mnemon erase --session review --tag personal --reason \"asked to\" --yes",
    mut_arg("limit", |limit| limit.help("At most so many [default: all]"))
)]
pub(crate) struct Erase {
    /// Why
    #[arg(long, default_value = "no reason was given")]
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
        // What is only hidden is what people most want to be rid of.
        let both = Some(Forgottenness::With);
        let found = self.targets.select(context, &engine, &caller, both)?;
        if self.dry_run {
            return show(context, &found, "erase", engine.now());
        }
        let ids: Vec<_> = found.iter().map(|it| it.memory.id.clone()).collect();
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

/// Shows what would be done to which memories, and where those lie that are put away.
pub(super) fn show(context: &Context, found: &[Located], deed: &str, now: Time) -> Outcome {
    let memories: Vec<Memory> = found.iter().map(|it| it.memory.clone()).collect();
    let ids: Vec<MemoryId> = memories.iter().map(|memory| memory.id.clone()).collect();
    let shape = ForgottenShape::of(&ids, true).with_put_away(found);
    context.output.answer(&shape, || {
        let (total, room) = (memories.len() as u64, context.output.columns);
        let table = memory_table(&memories, total, None, room, now);
        let mut out = format!("Would {deed}:\n{table}");
        for Located { memory, at } in found {
            if let (Some(word), Some(session)) = (at.as_str(), memory.space.session()) {
                let _ = writeln!(out, "{} is {word}, in session {session}.", memory.id);
            }
        }
        out
    })
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
        for id in &erased.renewed {
            let _ = writeln!(
                out,
                "  {id}: a summary that quoted it, made anew from what is left"
            );
        }
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
        for place in &erased.not_cleaned {
            let _ = writeln!(
                out,
                "Not cleaned: {place} is sealed, and there is no key for it."
            );
        }
        out
    })
}
