//! What follows a write that was acknowledged, once its answer is printed:
//! whatever fails here is only told.

use mnemon::{Caller, Mnemon};

use super::{embed, maintain};
use crate::context::Context;
use crate::human::{bytes, count};
use crate::output::Output;

/// Takes the steps that every write brings nearer.
pub(crate) fn a_write(context: &Context, engine: &Mnemon, caller: &Caller) {
    engine.flush_accesses_if_free(caller);
    embed::step_after_write(engine, caller);
    maintain::step_after_write(context, engine, caller);
    for report in engine.compact_what_is_due(caller) {
        match report {
            Ok(report) => {
                if let Some(done) = report.done {
                    let memories = report.plan.actions.iter().map(|it| it.ids.len() as u64);
                    let memories = count(memories.sum(), "memory", "memories");
                    Output::say(
                        "note",
                        &format!(
                            "compacted session {}: {memories} went to its archive, {} became {}",
                            report.session,
                            bytes(done.bytes_before),
                            bytes(done.bytes_after)
                        ),
                    );
                }
            }
            Err(error) => Output::say("warning", &format!("kept, but {error}")),
        }
    }
}
