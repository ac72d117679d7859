//! `mnemon verify`

use std::fmt::Write as _;

use clap::Args;
use mnemon_wire::VerificationShape;

use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::human::text::one_line;
use crate::human::{BAD, GOOD, LABEL, count};
use crate::progress::Bar;

/// Check every line against its checksum, and the index against the lines
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mnemon verify && echo sound")]
pub(crate) struct Verify {}

impl Verify {
    pub(crate) fn run(context: &Context) -> Outcome {
        let engine = context.reader()?;
        let mut bar = Bar::new(&context.output, "Checking");
        let found = engine.verify(&context.caller()?, &mut |at| bar.draw(at))?;
        drop(bar);
        context.output.answer(&VerificationShape::of(&found), || {
            let mut out = String::new();
            for problem in &found.problems {
                let place = match problem.line {
                    Some(line) => format!("{}, line {line}", problem.space),
                    None => problem.space.clone(),
                };
                let _ = writeln!(
                    out,
                    "{BAD}{}{BAD:#} {}: {}",
                    problem.code,
                    one_line(&place),
                    one_line(&problem.message)
                );
            }
            for note in &found.notes {
                let _ = writeln!(out, "{LABEL}note:{LABEL:#} {}", one_line(note));
            }
            let checked = count(found.checked, "record", "records");
            if found.is_ok() {
                let _ = writeln!(out, "{GOOD}Sound:{GOOD:#} checked {checked}.");
            } else {
                let problems = count(found.problems.len() as u64, "problem", "problems");
                let _ = writeln!(
                    out,
                    "{BAD}{problems}{BAD:#} in {checked}; `mnemon repair` sets damage aside."
                );
            }
            out
        })?;
        if found.is_ok() {
            Ok(())
        } else {
            Err(Failure::Unsound)
        }
    }
}
