//! `mnemon repair`

use std::fmt::Write as _;

use clap::Args;
use mnemon::store::RepairOptions;
use mnemon_wire::RepairShape;

use crate::context::Context;
use crate::failure::Outcome;
use crate::human::text::one_line;
use crate::human::{bytes, count};
use crate::progress::Bar;

/// Set damage aside and make the index anew; nothing is thrown away
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mnemon repair\n  mnemon repair --accept-edits")]
pub(crate) struct Repair {
    /// Take lines that were edited by hand as the new truth
    #[arg(long)]
    accept_edits: bool,
}

impl Repair {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let engine = context.reader()?;
        let options = RepairOptions {
            accept_edits: self.accept_edits,
        };
        let mut bar = Bar::new(&context.output, "Repairing");
        let done = engine.repair(&context.caller()?, options, &mut |at| bar.draw(at))?;
        drop(bar);
        context.output.answer(&RepairShape::of(&done), || {
            let mut out = String::new();
            for piece in &done.quarantined {
                let _ = writeln!(
                    out,
                    "Set aside {} of {}, line {}: {}\n  {}",
                    bytes(piece.bytes),
                    piece.space,
                    piece.line,
                    one_line(&piece.problem),
                    piece.file.display()
                );
            }
            for place in &done.accepted {
                let _ = writeln!(out, "Accepted the edit of {}", one_line(place));
            }
            for space in &done.rewritten {
                let _ = writeln!(out, "Wrote the log of {space} anew");
            }
            for log in &done.gone {
                let memories = count(log.memories, "memory", "memories");
                let _ = writeln!(
                    out,
                    "Went on without the log of {}, which is gone with {memories}",
                    log.space
                );
            }
            for path in &done.removed {
                let _ = writeln!(out, "Removed {}, which a crash had left", path.display());
            }
            if done.unpoisoned {
                out.push_str("Writing is possible again\n");
            }
            let checked = count(done.checked, "record is", "records are");
            let _ = writeln!(out, "{checked} sound; the index is new.");
            out
        })
    }
}
