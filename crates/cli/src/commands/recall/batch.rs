//! `mnemon recall --batch`: every line of a file is a question.

use std::collections::HashSet;
use std::io::Write;
use std::path::Path;

use mnemon::memory::{SessionId, Space};
use mnemon::recall::Query;
use mnemon::store::Filter;
use mnemon::{Caller, Error, Mnemon, Result, Time};
use mnemon_wire::request::parse_json;
use mnemon_wire::{BatchLine, RecallRequest};
use serde_json::Value;

use super::Recall;
use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::filters::of_an_option;
use crate::input::{file_or_stdin, without_mark};
use crate::output::Output;

/// One line: its name, and what it asks.
struct Asked {
    line: u64,
    qid: Value,
    query: Query,
    as_of: Option<Time>,
}

impl Recall {
    /// Answers in the order of the lines; a file with a bad one is not answered at all.
    pub(super) fn answer_all(&self, context: &Context, engine: &Mnemon, file: &Path) -> Outcome {
        let caller = context.caller()?;
        let bytes = file_or_stdin(file)?;
        let questions = self.questions(context, without_mark(&bytes), engine.now())?;
        require_sessions(engine, &caller, &questions)?;
        let mut out = std::io::BufWriter::new(std::io::stdout().lock());
        let mut told = Vec::new();
        for asked in questions {
            let then = match asked.as_of {
                Some(moment) => Some(engine.as_of(moment)?),
                None => None,
            };
            let engine = then.as_ref().unwrap_or(engine);
            let recalled = engine.recall(&caller, &asked.query);
            let recalled = recalled.map_err(on_line(asked.line))?;
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
            .map_err(Failure::file("write", "standard output"))?;
        engine.flush_accesses_if_free(&caller);
        Ok(())
    }

    fn questions(&self, context: &Context, bytes: &[u8], now: Time) -> Outcome<Vec<Asked>> {
        let options = self.options()?;
        let zone = &context.zone;
        let mut questions = Vec::new();
        for (line, text) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
            if text.trim_ascii().is_empty() {
                continue;
            }
            let (qid, request) = read(text).map_err(on_line(line))?;
            let question = request.question().map_err(on_line(line))?;
            let as_of = request.as_of(now, zone).map_err(on_line(line))?;
            // Whoever asks about the past means the times and the fading of then.
            let now = as_of.unwrap_or(now);
            let plain = Query::new(question.clone(), Filter::all(now.micros()));
            let query = options.over(plain, now, zone).map_err(of_an_option)?;
            questions.push(Asked {
                line,
                qid,
                as_of,
                query: request.over(query, now, zone).map_err(on_line(line))?,
            });
        }
        Ok(questions)
    }
}

/// Refuses a session that is not there before anything is answered; what was there once only the
/// answer can tell.
fn require_sessions(engine: &Mnemon, caller: &Caller, questions: &[Asked]) -> Result<()> {
    let mut known: HashSet<&SessionId> = HashSet::new();
    for asked in questions.iter().filter(|asked| asked.as_of.is_none()) {
        for session in asked.query.filter.spaces.iter().filter_map(Space::session) {
            if known.insert(session) {
                engine
                    .session(caller, session)
                    .map_err(on_line(asked.line))?;
            }
        }
    }
    Ok(())
}

fn read(line: &[u8]) -> Result<(Value, RecallRequest)> {
    let text = str::from_utf8(line).map_err(|error| Error::Unparsable {
        what: "a question",
        input: String::from_utf8_lossy(line).chars().take(60).collect(),
        problem: format!("byte {} is not UTF-8", error.valid_up_to() + 1),
    })?;
    let mut value = parse_json("a question", text)?;
    let qid = value
        .as_object_mut()
        .and_then(|members| members.remove("qid"))
        .unwrap_or_default();
    let request = RecallRequest::parse(value)?;
    Ok((qid, request))
}

/// For `map_err`: it is this line that is wrong.
fn on_line(line: u64) -> impl FnOnce(Error) -> Error {
    move |error| Error::UnparsableLine {
        line,
        source: Box::new(error),
    }
}
