//! `mnemon history`

use std::fmt::Write as _;

use clap::Args;
use mnemon_wire::HistoryShape;

use crate::as_of::AsOf;
use crate::context::{Context, session_of};
use crate::failure::Outcome;
use crate::human::ago::exact;
use crate::human::card::readable;
use crate::human::text::{fit, one_line};
use crate::human::{LABEL, NAME, STRONG};

/// Show what happened to a memory, oldest first
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mnemon history DEC-001 --session review")]
pub(crate) struct History {
    /// Its id, its handle with --session, or SESSION/HANDLE
    #[arg(value_name = "ID")]
    id: String,
    /// The session in which a bare handle is looked up
    #[arg(long, value_name = "S")]
    session: Option<String>,
    #[command(flatten)]
    as_of: AsOf,
}

impl History {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let session = session_of(self.session.as_ref())?;
        let engine = self.as_of.reader(context)?;
        let (memory, changes) = engine.history(&context.caller()?, &self.id, session.as_ref())?;
        let shape = HistoryShape::of(&memory, &changes);
        context.output.answer(&shape, || {
            let text = one_line(memory.text.as_str());
            let text = fit(&text, context.output.columns.saturating_sub(40));
            let mut out = format!("{NAME}{}{NAME:#}  {text}\n\n", memory.id);
            for change in shape.changes() {
                let by = change
                    .by
                    .map_or(String::new(), |by| format!(" by {}", one_line(by)));
                let when = exact(change.at, engine.now());
                let _ = writeln!(
                    out,
                    "{STRONG}{}{STRONG:#}{by}  {LABEL}{when}, version {}{LABEL:#}",
                    change.what, change.version
                );
                if let Some(reason) = change.reason {
                    let _ = writeln!(out, "  reason: {}", one_line(reason));
                }
                for (field, difference) in &change.fields {
                    let room = context.output.columns.saturating_sub(20) / 2;
                    let side = |value| fit(&one_line(&readable(value)), room);
                    let (from, to) = (side(&difference.from), side(&difference.to));
                    let _ = writeln!(out, "  {}: {from} → {to}", one_line(field));
                }
            }
            out
        })
    }
}
