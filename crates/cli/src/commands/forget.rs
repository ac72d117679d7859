//! `mnemon forget`

use clap::Args;
use mnemon::store::Forgottenness;
use mnemon_wire::ForgottenShape;

use super::erase;
use crate::context::Context;
use crate::failure::Outcome;
use crate::human::count;
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
        if self.permanent {
            let both = Some(Forgottenness::With);
            let found = self.targets.select(context, &engine, &caller, both)?;
            if self.dry_run {
                return erase::show(context, &found, "erase", engine.now());
            }
            let reason = self.reason.as_deref().unwrap_or_default();
            let ids = found.into_iter().map(|it| it.memory.id).collect();
            return erase::erase(context, &engine, ids, reason);
        }
        let mut found = self.targets.select_to_forget(context, &engine, &caller)?;
        if self.dry_run {
            found.retain(|it| it.memory.state.forgotten.is_none());
            return erase::show(context, &found, "forget", engine.now());
        }
        let reason = self.reason.as_deref().unwrap_or_default();
        let ids = engine.forget_located(&caller, &found, reason)?;
        context.output.answer(&ForgottenShape::of(&ids, false), || {
            let number = count(ids.len() as u64, "memory", "memories");
            format!("Forgot {number}; `mnemon unforget` brings back what `mnemon deleted` lists.")
        })
    }
}
