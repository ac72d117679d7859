//! `mnemon turn`

use std::path::PathBuf;

use clap::Args;
use mnemon_wire::{KeptTurnShape, parse_turn};

use crate::commands::after;
use crate::context::{Context, session_of};
use crate::failure::{Failure, Outcome};
use crate::human::{NAME, count};
use crate::input::{file_or_stdin, without_mark};

/// Keep a turn, what came of it, and the agent's state, all of it or nothing
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mnemon --as dev turn --session review - <<'END'\n  \
    {\"turn\": [{\"text\": \"Which database?\", \"author\": \"ann\"}, \"PostgreSQL: we need transactions.\"],\n   \
    \"memories\": [{\"kind\": \"decision\", \"text\": \"Use PostgreSQL\", \"rationale\": \"transactions\"}],\n   \
    \"state\": \"schema next\"}\n  END\n\n\
    A text stands for a memory of its kind; every field of a memory may be given."
)]
pub(crate) struct Turn {
    /// A JSON file with turn, memories and state; - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The session that it belongs to
    #[arg(long, value_name = "S")]
    session: String,
}

impl Turn {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let session = session_of(Some(&self.session))?.expect("one was given");
        let bytes = file_or_stdin(&self.file)?;
        let value = serde_json::from_slice(without_mark(&bytes)).map_err(|error| {
            Failure::misused(
                format!("{} is not JSON: {error}", self.file.display()),
                "Give an object with turn, memories and state; `mnemon turn --help` shows one.",
            )
        })?;
        let (engine, caller) = (context.writer()?, context.caller()?);
        let kept = engine.keep_turn(&caller, &session, parse_turn(value)?)?;
        let all = kept.turns.iter().chain(&kept.memories).chain(&kept.state);
        for one in all.clone() {
            context.output.redacted(&one.redacted);
        }
        context.output.answer(&KeptTurnShape::of(&kept), || {
            let names: Vec<String> = all
                .map(|one| one.handle.map_or(one.id.to_string(), |it| it.to_string()))
                .collect();
            let total = count(names.len() as u64, "memory", "memories");
            let names = names.join(", ");
            format!("Kept {total} in session/{session}: {NAME}{names}{NAME:#}.\n")
        })?;
        after::a_write(context, &engine, &caller);
        Ok(())
    }
}
