//! `mnemon deleted`

use clap::Args;
use mnemon::store::Forgottenness;
use mnemon_wire::MemoriesShape;

use crate::context::Context;
use crate::failure::Outcome;
use crate::filters::Filters;
use crate::human::ago::{ago, days_left};
use crate::human::memories::name;
use crate::human::table::{Column, Table};
use crate::human::{LABEL, NAME, count};

/// List what is forgotten and can be brought back
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mnemon deleted --session review")]
pub(crate) struct Deleted {
    #[command(flatten)]
    filters: Filters,
}

impl Deleted {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let engine = context.reader()?;
        let mut filter = self.filters.filter(context, engine.now())?;
        filter.forgotten = Forgottenness::Only;
        let found = engine.list(&context.caller()?, &filter)?;
        let skew = context.future_skew_minutes()?;
        let session = self.filters.only_session()?;
        let shape = MemoriesShape::of(&found.memories, found.total, skew);
        context.output.answer(&shape, || {
            if found.memories.is_empty() {
                return "Nothing is forgotten.".into();
            }
            let mut table = Table::new(vec![
                Column::new("name").styled(NAME),
                Column::new("text").flexible(),
                Column::new("forgotten"),
                Column::new("by"),
                Column::new("reason"),
                Column::new("recoverable").styled(LABEL),
            ]);
            for memory in &found.memories {
                let Some(forgotten) = &memory.state.forgotten else {
                    continue;
                };
                table.row(&[
                    name(memory, session.as_ref()),
                    memory.text.as_str().chars().take(1000).collect(),
                    ago(forgotten.at, engine.now()),
                    forgotten.by.clone(),
                    forgotten.reason.clone(),
                    days_left(forgotten.recover_until, engine.now()),
                ]);
            }
            let total = count(found.total, "memory", "memories");
            let table = table.render(context.output.columns);
            format!("{table}{LABEL}{total}{LABEL:#}\n")
        })
    }
}
