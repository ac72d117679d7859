//! `mnemon session restore`

use clap::Args;
use mnemon_wire::ForgottenShape;

use crate::commands::after;
use crate::context::Context;
use crate::failure::Outcome;
use crate::human::count;

/// Bring back everything that was compacted
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mnemon session restore review")]
pub(crate) struct Restore {
    /// Which
    #[arg(value_name = "S")]
    id: String,
    /// Why
    #[arg(long, default_value = "restored by command")]
    reason: String,
}

impl Restore {
    pub(super) fn run(&self, context: &Context) -> Outcome {
        let engine = context.reader()?;
        let caller = context.caller()?;
        let ids = engine.bring_back(&caller, &self.id.parse()?, None, &self.reason)?;
        context
            .output
            .answer(&ForgottenShape::of(&ids, false), || {
                let memories = count(ids.len() as u64, "memory", "memories");
                format!("Brought back {memories}.")
            })?;
        after::a_write(&engine, &caller);
        Ok(())
    }
}
