//! `mnemon anonymize`

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use mnemon::anonymize::{Anonymized, Options};
use mnemon_wire::{AnonymizedShape, memory_line, session_line};

use super::export::{refuse_inside, write_beside};
use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::human::count;
use crate::output::Output;

/// Hand out a session without who and where; the session itself stays as it is
#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of its own on the command line"
)]
#[command(
    after_help = "Examples:\n  mnemon anonymize --session review > review.jsonl\n  \
    mnemon anonymize --session review --name \"Grace Hopper\" -o review.jsonl --map key.json"
)]
pub(crate) struct Anonymize {
    /// Which session
    #[arg(long, value_name = "S")]
    session: String,
    /// Somebody who is spoken of and takes no part (repeatable)
    #[arg(long, value_name = "NAME")]
    name: Vec<String>,
    /// Keep names of users
    #[arg(long)]
    keep_users: bool,
    /// Keep names of projects
    #[arg(long)]
    keep_projects: bool,
    /// Keep paths
    #[arg(long)]
    keep_paths: bool,
    /// Keep e-mail addresses, phone numbers, IBANs and card numbers
    #[arg(long)]
    keep_contacts: bool,
    /// Write to this file instead of to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write what stands for what to this file; without it nobody can tell
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
}

impl Anonymize {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let options = Options {
            users: !self.keep_users,
            projects: !self.keep_projects,
            paths: !self.keep_paths,
            contacts: !self.keep_contacts,
            names: self.name.clone(),
        };
        for path in self.output.iter().chain(&self.map) {
            refuse_inside(path, &context.root.path)?;
        }
        let engine = context.reader()?;
        let session = self.session.parse()?;
        let anonymized = engine.anonymize(&context.caller()?, &session, options)?;
        if let Some(path) = &self.map {
            write_key(path, &anonymized)?;
        }
        let skew = context.future_skew_minutes()?;
        let mut lines = session_line(&anonymized.session);
        for memory in &anonymized.memories {
            lines.push_str(&memory_line(memory, skew));
        }
        if let Some(path) = &self.output {
            write_beside(path, |file| {
                file.write_all(lines.as_bytes()).map_err(Failure::output)
            })?;
        }
        let shape = AnonymizedShape::of(&anonymized, skew, self.output.as_deref());
        if self.output.is_none() && !context.output.is_json() {
            return Output::raw(lines.as_bytes());
        }
        context.output.answer(&shape, || {
            let memories = count(anonymized.memories.len() as u64, "memory", "memories");
            let names = count(anonymized.key.len() as u64, "placeholder", "placeholders");
            format!("Wrote {memories} with {names}.")
        })
    }
}

/// The key is as private as the session was.
fn write_key(path: &Path, anonymized: &Anonymized) -> Outcome {
    write_beside(path, |file: &mut BufWriter<_>| {
        serde_json::to_writer_pretty(&mut *file, &anonymized.key)
            .map_err(std::io::Error::from)
            .and_then(|()| file.write_all(b"\n"))
            .map_err(Failure::output)
    })
}
