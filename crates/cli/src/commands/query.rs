//! `mnemon query`

use std::path::PathBuf;

use clap::Args;
use mnemon::Error;
use mnemon_wire::{AnswerShape, parse_structured_text};

use crate::context::Context;
use crate::failure::Outcome;
use crate::human::answer::answer;
use crate::human::hits::Page;
use crate::input::{file_or_stdin, without_mark};

/// Find and count memories by conditions on their fields
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mnemon query open-decisions.json\n  \
    echo '{\"filters\":[{\"field\":\"priority\",\"operator\":\"<\",\"value\":0.3}]}' | mnemon query -\n  \
    echo '{\"text\":\"timeout\",\"aggregations\":[\"by_kind\"]}' | mnemon query - --json")]
pub(crate) struct Query {
    /// A file with the query as JSON; - is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl Query {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let bytes = file_or_stdin(&self.file)?;
        let text = str::from_utf8(without_mark(&bytes)).map_err(|error| Error::Unparsable {
            what: "a query",
            input: self.file.display().to_string(),
            problem: format!("byte {} is not UTF-8", error.valid_up_to() + 1),
        })?;
        let engine = context.reader()?;
        let query = parse_structured_text(text, engine.now(), &context.zone)?;
        let found = engine.query(&context.caller()?, &query)?;
        context.output.notes(&found.notes);
        let shape = AnswerShape::of(&found, context.future_skew_minutes()?);
        let asked = query.question.is_some();
        context.output.answer(&shape, || {
            let page = Page {
                limit: query.limit,
                offset: query.offset,
                explain: false,
                room: context.output.columns,
                now: query.now,
            };
            answer(&found, asked, &page)
        })
    }
}
