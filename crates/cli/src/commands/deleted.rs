//! `mnemon deleted`

use clap::Args;
use mnemon::Mnemon;
use mnemon::session::DeletedSession;
use mnemon_wire::DeletedShape;

use super::session::deleted_table;
use crate::context::Context;
use crate::failure::Outcome;
use crate::filters::Filters;
use crate::human::ago::{ago, days_left};
use crate::human::memories::name;
use crate::human::table::{Column, Table};
use crate::human::{LABEL, NAME, count};

/// List what is forgotten or deleted and can be brought back
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mnemon deleted --session review")]
pub(crate) struct Deleted {
    #[command(flatten)]
    filters: Filters,
}

impl Deleted {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let engine = context.reader()?;
        let filter = self.filters.filter(context, engine.now())?;
        let found = engine.list_forgotten(&context.caller()?, &filter)?;
        let skew = context.future_skew_minutes()?;
        let session = self.filters.only_session()?;
        let sessions = self.sessions(context, &engine)?;
        let shape = DeletedShape::of(&found.memories, found.total, skew, &sessions);
        context.output.answer(&shape, || {
            let trashed = || {
                let total = count(sessions.len() as u64, "session", "sessions");
                let table = deleted_table(&sessions, engine.now());
                let table = table.render(context.output.columns);
                format!("{table}{LABEL}{total}{LABEL:#}\n")
            };
            match (found.memories.is_empty(), sessions.is_empty()) {
                (true, true) => return "Nothing is forgotten.".into(),
                (true, false) => return trashed(),
                (false, _) => {}
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
            let memories = format!("{table}{LABEL}{total}{LABEL:#}\n");
            if sessions.is_empty() {
                return memories;
            }
            format!("{memories}\n{}", trashed())
        })
    }

    /// Deleted sessions are shown unless it is said which memories are meant.
    fn sessions(&self, context: &Context, engine: &Mnemon) -> Outcome<Vec<DeletedSession>> {
        if self.filters.narrows_beyond_session() || !self.filters.session.is_empty() {
            return Ok(Vec::new());
        }
        Ok(engine.deleted_sessions(&context.caller()?)?)
    }
}
