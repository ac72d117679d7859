//! `mnemon recall --batch`: every line of a file is a question.

use std::io::Write;
use std::path::Path;

use mnemon::recall::Query;
use mnemon::{Error, Mnemon, Result, Time};
use mnemon_wire::{BatchLine, RecallRequest};
use serde_json::Value;

use super::Recall;
use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::input::file_or_stdin;
use crate::output::Output;

/// One line: its name, and what it asks.
struct Asked {
    qid: Value,
    query: Query,
    as_of: Option<Time>,
}

impl Recall {
    /// Answers in the order of the lines; a file with a bad one is not answered at all.
    pub(super) fn answer_all(&self, context: &Context, engine: &Mnemon, file: &Path) -> Outcome {
        let caller = context.caller()?;
        let questions = self.questions(context, &file_or_stdin(file)?, engine.now())?;
        let mut out = std::io::BufWriter::new(std::io::stdout().lock());
        let mut told = Vec::new();
        for asked in questions {
            let then = match asked.as_of {
                Some(moment) => Some(engine.as_of(moment)?),
                None => None,
            };
            let engine = then.as_ref().unwrap_or(engine);
            let recalled = engine.recall(&caller, &asked.query)?;
            for note in &recalled.notes {
                // The lines have no place for it, and once is enough.
                if !told.contains(note) {
                    Output::say("note", &note.to_string());
                    told.push(note.clone());
                }
            }
            serde_json::to_writer(&mut out, &BatchLine::of(&asked.qid, &recalled))
                .map_err(std::io::Error::from)
                .and_then(|()| out.write_all(b"\n"))
                .map_err(Failure::file("write", "standard output"))?;
        }
        out.flush()
            .map_err(Failure::file("write", "standard output"))
    }

    fn questions(&self, context: &Context, bytes: &[u8], now: Time) -> Outcome<Vec<Asked>> {
        let mut questions = Vec::new();
        for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let on_this_line = |error: Error| Error::UnparsableLine {
                line: number,
                source: Box::new(error),
            };
            let (qid, request) = read(line).map_err(on_this_line)?;
            let question = request.question().map_err(on_this_line)?;
            let defaults = self.query(context, question.clone(), now)?;
            let query = request.over(defaults, now, &context.zone);
            let as_of = request.as_of(now, &context.zone);
            questions.push(Asked {
                qid,
                as_of: as_of.map_err(on_this_line)?,
                query: query.map_err(on_this_line)?,
            });
        }
        Ok(questions)
    }
}

fn read(line: &[u8]) -> Result<(Value, RecallRequest)> {
    let mut value: Value = serde_json::from_slice(line).map_err(|error| Error::Unparsable {
        what: "a question",
        input: String::from_utf8_lossy(line).chars().take(60).collect(),
        problem: error.to_string(),
    })?;
    let qid = value
        .as_object_mut()
        .and_then(|members| members.remove("qid"))
        .unwrap_or_default();
    let request = RecallRequest::parse(value)?;
    Ok((qid, request))
}
