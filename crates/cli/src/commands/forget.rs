//! `mnemon forget`

use clap::Args;
use mnemon::memory::{Memory, MemoryId};
use mnemon::{Caller, Mnemon};
use mnemon_wire::ForgottenShape;

use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::filters::{Filters, no_limit};
use crate::human::count;
use crate::human::memories::memory_table;
use crate::input::Names;

/// Forget memories; they can be brought back for a while
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mnemon forget FACT-001 --session review --reason \"no longer true\"\n  \
    mnemon forget --tag draft --until \"2 weeks\" --reason \"old drafts\" --dry-run"
)]
pub(crate) struct Forget {
    /// Ids, handles with --session, or SESSION/HANDLE; else filters say which
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Why
    #[arg(long, required_unless_present = "dry_run")]
    reason: Option<String>,
    /// Only show what would be forgotten
    #[arg(long)]
    dry_run: bool,
    /// Remove for good, without a way back (not available yet)
    #[arg(long, hide = true)]
    permanent: bool,
    #[command(flatten)]
    filters: Filters,
}

impl Forget {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        if self.permanent {
            return Err(Failure::misused(
                "--permanent is not available yet",
                "Without it the memory is hidden at once and can be brought back for a while.",
            ));
        }
        self.refuse_unclear()?;
        let engine = context.reader()?;
        let caller = context.caller()?;
        let memories = self.select(context, &engine, &caller)?;
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

    fn refuse_unclear(&self) -> Outcome {
        let filtered = self.filters.narrows_beyond_session();
        if !self.ids.is_empty() && (filtered || self.filters.session.len() > 1) {
            return Err(Failure::misused(
                "ids and filters can't be mixed",
                "Name the memories, or say by filters which they are.",
            ));
        }
        if self.ids.is_empty() && !filtered && self.filters.session.is_empty() {
            return Err(Failure::misused(
                "it is not said what to forget",
                "Give ids, filters such as --session S or --tag T, or --all for everything.",
            ));
        }
        Ok(())
    }

    fn select(&self, context: &Context, engine: &Mnemon, caller: &Caller) -> Outcome<Vec<Memory>> {
        if self.ids.is_empty() {
            let mut filter = self.filters.filter(context, engine.now())?;
            if !self.filters.has_limit() {
                filter.limit = no_limit();
            }
            return Ok(engine.list(caller, &filter)?.memories);
        }
        let session = self.filters.only_session()?;
        let names = Names {
            engine,
            caller,
            session: session.as_ref(),
        };
        // All are looked up before any is touched.
        self.ids.iter().map(|id| names.find(id)).collect()
    }

    fn show_only(&self, context: &Context, engine: &Mnemon, memories: &[Memory]) -> Outcome {
        let left: Vec<Memory> = memories
            .iter()
            .filter(|memory| memory.state.forgotten.is_none())
            .cloned()
            .collect();
        let ids: Vec<MemoryId> = left.iter().map(|memory| memory.id.clone()).collect();
        let session = self.filters.only_session()?;
        context.output.answer(&ForgottenShape::of(&ids, true), || {
            let total = left.len() as u64;
            let columns = context.output.columns;
            let table = memory_table(&left, total, session.as_ref(), columns, engine.now());
            format!("Would forget:\n{table}")
        })
    }
}
