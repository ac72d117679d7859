//! `mnemon forget`

use clap::Args;
use mnemon::Mnemon;
use mnemon::memory::{Memory, MemoryId};
use mnemon::store::Forgottenness;
use mnemon_wire::ForgottenShape;

use super::erase;
use crate::context::Context;
use crate::failure::Outcome;
use crate::human::count;
use crate::human::memories::memory_table;
use crate::targets::Targets;

/// Forget memories; they can be brought back for a while
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mnemon forget FACT-001 --session review --reason \"no longer true\"\n  \
    mnemon forget --tag draft --until \"2 weeks\" --reason \"old drafts\" --dry-run"
)]
pub(crate) struct Forget {
    /// Why
    #[arg(long, required_unless_present = "dry_run")]
    reason: Option<String>,
    /// Only show what would be forgotten
    #[arg(long)]
    dry_run: bool,
    /// Remove for good, without a way back: the same as `mnemon erase --yes`
    #[arg(long)]
    permanent: bool,
    #[command(flatten)]
    targets: Targets,
}

impl Forget {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        self.targets.refuse_unclear("forget")?;
        let engine = context.reader()?;
        let caller = context.caller()?;
        let forgotten = self.permanent.then_some(Forgottenness::With);
        let memories = self.targets.select(context, &engine, &caller, forgotten)?;
        if self.permanent && !self.dry_run {
            let reason = self.reason.as_deref().unwrap_or_default();
            let ids = memories.iter().map(|memory| memory.id.clone()).collect();
            return erase::erase(context, &engine, ids, reason);
        }
        if self.dry_run {
            return self.show_only(context, &engine, &memories);
        }
        let reason = self.reason.as_deref().unwrap_or_default();
        let ids = engine.forget(&caller, &memories, reason)?;
        context.output.answer(&ForgottenShape::of(&ids, false), || {
            let number = count(ids.len() as u64, "memory", "memories");
            format!("Forgot {number}; `mnemon unforget` brings back what `mnemon deleted` lists.")
        })
    }

    fn show_only(&self, context: &Context, engine: &Mnemon, memories: &[Memory]) -> Outcome {
        let left: Vec<Memory> = memories
            .iter()
            .filter(|memory| self.permanent || memory.state.forgotten.is_none())
            .cloned()
            .collect();
        let ids: Vec<MemoryId> = left.iter().map(|memory| memory.id.clone()).collect();
        let session = self.targets.filters.only_session()?;
        context.output.answer(&ForgottenShape::of(&ids, true), || {
            let total = left.len() as u64;
            let columns = context.output.columns;
            let table = memory_table(&left, total, session.as_ref(), columns, engine.now());
            let deed = if self.permanent { "erase" } else { "forget" };
            format!("Would {deed}:\n{table}")
        })
    }
}
