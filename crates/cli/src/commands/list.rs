//! `mnemon list`

use clap::Args;
use mnemon_wire::MemoriesShape;

use crate::as_of::AsOf;
use crate::context::Context;
use crate::failure::Outcome;
use crate::filters::Filters;
use crate::human::memories::memory_table;

/// List memories, the newest first
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mnemon list --session review --kind decision --open\n  \
    mnemon list --tag security --since \"2 weeks\" --min-importance 0.7 --json"
)]
pub(crate) struct List {
    #[command(flatten)]
    filters: Filters,
    #[command(flatten)]
    as_of: AsOf,
}

impl List {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let engine = self.as_of.reader(context)?;
        let filter = self.filters.filter(context, engine.now())?;
        let found = engine.list(&context.caller()?, &filter)?;
        let skew = context.future_skew_minutes()?;
        let session = self.filters.only_session()?;
        let shape = MemoriesShape::of(&found.memories, found.total, skew);
        context.output.answer(&shape, || {
            memory_table(
                &found.memories,
                found.total,
                session.as_ref(),
                context.output.columns,
                engine.now(),
            )
        })
    }
}
