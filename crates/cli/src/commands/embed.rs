//! `mnemon embed`, and the step that every write takes towards it.

use std::time::{Duration, Instant};

use clap::Args;
use mnemon::{Caller, Mnemon};
use mnemon_wire::EmbeddedShape;

use crate::context::Context;
use crate::failure::Outcome;
use crate::human::count;
use crate::output::Output;
use crate::progress::Bar;

/// So much is embedded after a write, so that a command still ends soon.
const STEP_TEXTS: usize = 64;
const STEP_TIME: Duration = Duration::from_secs(5);

/// Embed what waits for the service that the settings name
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mnemon embed\n  mnemon embed --json\n\n\
    Without such a service nothing waits: the built-in model embeds as it keeps. \
    docs/embedding.md shows how to set one up.")]
pub(crate) struct Embed {}

impl Embed {
    pub(crate) fn run(context: &Context) -> Outcome {
        let engine = context.reader()?;
        let mut bar = Bar::new(&context.output, "Embedding");
        let caller = context.caller()?;
        let done = engine.embed_pending(&caller, usize::MAX, None, &mut |at| bar.draw(at))?;
        drop(bar);
        let report = engine.embedding(&caller)?;
        context.output.answer(&EmbeddedShape::of(done), || {
            let texts = count(done.embedded, "text", "texts");
            let left = match done.left {
                0 => "nothing waits".to_owned(),
                left => format!("{} more came meanwhile", count(left, "text", "texts")),
            };
            let answering = report.answering;
            format!("Embedded {texts}, {left}. Questions are answered by {answering}.")
        })
    }
}

/// A step after a write that was acknowledged: whatever fails here is only told.
pub(crate) fn step_after_write(engine: &Mnemon, caller: &Caller) {
    let until = Instant::now() + STEP_TIME;
    match engine.embed_pending(caller, STEP_TEXTS, Some(until), &mut |_| ()) {
        Ok(done) if done.left > 0 => {
            let wait = count(done.left, "text waits", "texts wait");
            Output::say(
                "note",
                &format!("{wait} for vectors; `mnemon embed` makes them"),
            );
        }
        Ok(_) => {}
        Err(error) => Output::say("warning", &format!("kept, but not embedded yet: {error}")),
    }
}
