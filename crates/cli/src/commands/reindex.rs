//! `mnemon reindex`

use clap::Args;
use mnemon_wire::ReindexedShape;

use crate::context::Context;
use crate::failure::Outcome;
use crate::human::{bytes, count};
use crate::progress::Bar;

/// Make the index anew from the logs
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mnemon reindex")]
pub(crate) struct Reindex {}

impl Reindex {
    pub(crate) fn run(context: &Context) -> Outcome {
        let engine = context.reader()?;
        let mut bar = Bar::new(&context.output, "Indexing");
        let done = engine.reindex(&context.caller()?, &mut |at| bar.draw(at))?;
        drop(bar);
        context.output.answer(&ReindexedShape::of(&done), || {
            format!(
                "Indexed {} from {} ({}).",
                count(done.memories, "memory", "memories"),
                count(done.logs, "log", "logs"),
                bytes(done.bytes)
            )
        })
    }
}
