//! `mnemon backup` and `mnemon restore-backup`

use std::path::PathBuf;

use clap::Args;
use mnemon::engine::bring_back;
use mnemon_wire::{BackedUpShape, BroughtBackShape};

use crate::context::Context;
use crate::failure::Outcome;
use crate::human::{NAME, bytes, count};
use crate::output::Output;

/// Copy the whole store, as it is at one moment, while others use it
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mnemon backup ~/backups/mnemon-monday\n  \
    mnemon --root ~/elsewhere restore-backup ~/backups/mnemon-monday\n\n\
    What is erased later stays in back-ups that were taken before: remove those too.")]
pub(crate) struct Backup {
    /// A folder that is not there yet, or is empty
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Make a store from a back-up
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mnemon --root ~/elsewhere restore-backup ~/backups/mnemon-monday\n  \
    mnemon restore-backup ~/backups/mnemon-monday --replace\n\n\
    With --replace the store that is there is kept beside, and what was erased from it since\n\
    is erased from the one that comes back."
)]
pub(crate) struct RestoreBackup {
    /// The folder of the back-up
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Put it in the place of the store that is there
    #[arg(long)]
    replace: bool,
}

impl Backup {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let engine = context.reader()?;
        let done = engine.back_up(&context.caller()?, &self.folder)?;
        if !context.output.is_json() {
            for place in &done.damage {
                Output::say("warning", &format!("damaged in the store itself: {place}"));
            }
        }
        context.output.answer(&BackedUpShape::of(&done), || {
            let files = count(done.files, "file", "files");
            let lines = count(done.lines, "line", "lines");
            format!(
                "Backed up {files}, {} to {NAME}{}{NAME:#}; read again and checked {lines}.\n",
                bytes(done.bytes),
                done.folder.display()
            )
        })
    }
}

impl RestoreBackup {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let (caller, config) = (context.caller()?, context.config()?);
        let root = &context.root.path;
        let done = bring_back(&caller, &self.folder, root, self.replace, config)?;
        context.output.answer(&BroughtBackShape::of(&done), || {
            use std::fmt::Write as _;
            let files = count(done.files, "file", "files");
            let mut text = format!(
                "Brought back {files}, {} as of {} to {NAME}{}{NAME:#}.\n",
                bytes(done.bytes),
                done.taken_at,
                done.root.display()
            );
            if let Some(replaced) = &done.replaced {
                let _ = writeln!(
                    text,
                    "The store that was there is in {}.",
                    replaced.display()
                );
            }
            if done.erased_again > 0 {
                let memories = count(done.erased_again, "memory", "memories");
                let _ = writeln!(text, "Erased again: {memories}, gone since the back-up.");
            }
            text
        })
    }
}
