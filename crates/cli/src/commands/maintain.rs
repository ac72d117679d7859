//! `mnemon maintain`, and the little of it that writing commands do.

use std::time::{Duration, Instant};

use clap::Args;
use mnemon::engine::{MaintainOptions, Maintained};
use mnemon::{Caller, Mnemon};
use mnemon_wire::MaintainedShape;

use crate::commands::retention::told;
use crate::context::Context;
use crate::failure::Outcome;
use crate::human::{bytes, count};
use crate::output::Output;

/// A writing command gives so much to what is long overdue.
const STEP_TIME: Duration = Duration::from_millis(200);

/// Do all that is due: retention, purging, archiving, care of the index, copies
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mnemon maintain\n  mnemon maintain --dry-run --ahead 30\n\n\
    Commands that keep memories do a little of what is long overdue by themselves. docs/maintenance.md \
    tells what is done when."
)]
pub(crate) struct Maintain {
    /// Only tell what would be done
    #[arg(long)]
    dry_run: bool,
    /// With --dry-run, also what will be due within so many days
    #[arg(long, value_name = "DAYS", default_value_t = 0, requires = "dry_run",
        value_parser = clap::value_parser!(u32).range(0..=3650))]
    ahead: u32,
}

impl Maintain {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let engine = if self.dry_run {
            context.reader()?
        } else {
            context.writer()?
        };
        let options = MaintainOptions {
            dry_run: self.dry_run,
            ahead_days: self.ahead,
            until: None,
        };
        let mut done = engine.maintain(&context.caller()?, &options)?;
        let shape = MaintainedShape::of(&done, self.dry_run);
        context.output.answer(&shape, || self.tell(&done))?;
        // What was done is told; that something failed is said last.
        match done.failures.pop() {
            None => Ok(()),
            Some(last) => {
                for failure in done.failures {
                    Output::say("warning", &failure.to_string());
                }
                Err(last.into())
            }
        }
    }

    fn tell(&self, done: &Maintained) -> String {
        let mut lines = Vec::new();
        let mut line = |number: usize, one: &str, many: &str, what: &str| {
            if number > 0 {
                lines.push(format!("{} {what}", count(number as u64, one, many)));
            }
        };
        let over = "whose retention is over: forgotten";
        line(done.forgotten.len(), "memory", "memories", over);
        let past = "past recovery: removed for good";
        line(done.purged.len(), "memory", "memories", past);
        line(done.purged_sessions.len(), "session", "sessions", past);
        line(
            done.archived.len(),
            "session",
            "sessions",
            "not in use: archived",
        );
        if let Some(tended) = &done.tended {
            let (before, after) = (tended.bytes_before, tended.bytes_after);
            let freed = before.saturating_sub(after);
            lines.push(match freed {
                0 => "index in order".to_owned(),
                freed => format!("index in order, {} less", bytes(freed)),
            });
            lines.extend(
                tended
                    .removed
                    .iter()
                    .map(|path| format!("removed {}, which a crash had left", path.display())),
            );
        }
        if let Some(policies) = &done.policies {
            lines.push(format!("policies of {}", told(policies).trim_end()));
        }
        for agent in &done.snapshots {
            lines.push(format!("snapshot of {agent}"));
        }
        if let Some(backup) = &done.backup {
            lines.push(match &backup.taken {
                Some(taken) => {
                    let size = bytes(taken.bytes);
                    format!("back-up of {size} in {}", taken.folder.display())
                }
                None => "back-up".to_owned(),
            });
            let dropped = backup.dropped.iter();
            lines.extend(dropped.map(|old| format!("removed the old back-up {}", old.display())));
        }
        for expired in &done.forgotten {
            let day = expired.at.to_string();
            let day = day.get(..10).unwrap_or(&day).to_owned();
            lines.push(format!("  {} {day}: {}", expired.id, expired.reason));
        }
        for session in &done.archived {
            lines.push(format!("  {session}"));
        }
        match (self.dry_run, lines.is_empty()) {
            (true, true) => "Nothing is due.".to_owned(),
            (true, false) => format!("Nothing was done yet. Due:\n{}", lines.join("\n")),
            (false, _) => lines.join("\n"),
        }
    }
}

/// A step after a write that was acknowledged: whatever fails here is only told.
pub(crate) fn step_after_write(context: &Context, engine: &Mnemon, caller: &Caller) {
    let until = Instant::now() + STEP_TIME;
    match engine.maintain_overdue(caller, &context.zone, until) {
        Ok(done) => {
            for error in done.failures {
                Output::say("warning", &format!("kept, but maintenance failed: {error}"));
            }
        }
        Err(error) => Output::say("warning", &format!("kept, but maintenance failed: {error}")),
    }
}
