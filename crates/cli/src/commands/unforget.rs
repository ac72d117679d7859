//! `mnemon unforget`

use clap::Args;
use mnemon_wire::ForgottenShape;

use crate::commands::after;
use crate::context::{Context, session_of};
use crate::failure::Outcome;
use crate::human::count;

/// Bring back memories that were forgotten or compacted
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mnemon unforget review/FACT-001 --reason \"still true\"")]
pub(crate) struct Unforget {
    /// Ids, handles with --session, or SESSION/HANDLE
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// The session in which bare handles are looked up
    #[arg(long, value_name = "S")]
    session: Option<String>,
    /// Why
    #[arg(long)]
    reason: String,
}

impl Unforget {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let session = session_of(self.session.as_ref())?;
        let engine = context.reader()?;
        let caller = context.caller()?;
        let names = &self.ids;
        let ids = engine.unforget_named(&caller, names, session.as_ref(), &self.reason)?;
        context
            .output
            .answer(&ForgottenShape::of(&ids, false), || {
                format!(
                    "Brought back {}.",
                    count(ids.len() as u64, "memory", "memories")
                )
            })?;
        after::a_write(context, &engine, &caller);
        Ok(())
    }
}
