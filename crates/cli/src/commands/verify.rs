//! `mnemon verify`

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
    pub(crate) fn run(&self, context: &Context) -> Outcome {
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
                out.push_str(&format!(
                    "{BAD}{}{BAD:#} {}: {}\n",
                    problem.code,
                    one_line(&place),
                    one_line(&problem.message)
                ));
            }
            for note in &found.notes {
                out.push_str(&format!("{LABEL}note:{LABEL:#} {}\n", one_line(note)));
            }
            let checked = count(found.checked, "record", "records");
            if found.is_ok() {
                out.push_str(&format!("{GOOD}Sound:{GOOD:#} checked {checked}.\n"));
            } else {
                let problems = count(found.problems.len() as u64, "problem", "problems");
                out.push_str(&format!(
                    "{BAD}{problems}{BAD:#} in {checked}; `mnemon repair` sets damage aside.\n"
                ));
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
