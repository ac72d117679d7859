//! `mnemon audit`

use clap::Args;
use mnemon::store::AuditEntry;
use mnemon_wire::AuditShape;

use crate::context::Context;
use crate::failure::Outcome;
use crate::human::ago::ago;
use crate::human::table::{Column, Table};
use crate::human::{LABEL, NAME, count};

/// Show what was forgotten, erased, archived and deleted, by whom and why
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mnemon audit --json")]
pub(crate) struct Audit {
    /// At most so many, the latest
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: usize,
}

/// The memories, or the session as a whole.
fn what(entry: &AuditEntry) -> String {
    if !entry.ids.is_empty() {
        return entry.ids.join(" ");
    }
    let spaces: Vec<_> = entry.spaces.iter().map(ToString::to_string).collect();
    spaces.join(" ")
}

impl Audit {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let engine = context.reader()?;
        let all = engine.audit(&context.caller()?)?;
        let shown = &all[all.len().saturating_sub(self.limit)..];
        context
            .output
            .answer(&AuditShape::of(shown, all.len()), || {
                if all.is_empty() {
                    return "Nothing was ever forgotten, erased or put away.".into();
                }
                let mut table = Table::new(vec![
                    Column::new("when"),
                    Column::new("what").styled(NAME),
                    Column::new("by"),
                    Column::new("memories").flexible(),
                    Column::new("reason").flexible(),
                ]);
                for entry in shown {
                    table.row(&[
                        ago(entry.at, engine.now()),
                        entry.deed.as_str().into(),
                        entry.by.clone(),
                        what(entry),
                        entry.reason.clone(),
                    ]);
                }
                let total = count(all.len() as u64, "deed", "deeds");
                let table = table.render(context.output.columns);
                format!("{table}{LABEL}{total}{LABEL:#}\n")
            })
    }
}
