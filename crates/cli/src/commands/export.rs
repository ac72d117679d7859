//! `mnemon export`

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use mnemon::memory::Space;
use mnemon::seal::SealProblem;
use mnemon::seal::envelope::{Lock, seal_bytes};
use mnemon::session::Session;
use mnemon::{Caller, Error, Mnemon};
use mnemon_wire::{ExportFormat, ExportWriter};
use serde::Serialize;
use zeroize::Zeroizing;

use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::human::count;
use crate::keys::passphrase;

/// Hand out memories with all that is known about them, forgotten ones included
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mnemon export --session review > review.jsonl\n  \
    mnemon export --session review --format markdown -o review.md\n  \
    mnemon export --all --format binary -o everything.mnemon"
)]
pub(crate) struct Export {
    /// This session (repeatable)
    #[arg(long, value_name = "S")]
    session: Vec<String>,
    /// This agent's long-term memory (repeatable)
    #[arg(long, value_name = "A")]
    agent: Vec<String>,
    /// The shared memory
    #[arg(long)]
    shared: bool,
    /// Everything, which is also what no choice means
    #[arg(long, conflicts_with_all = ["session", "agent", "shared"])]
    all: bool,
    /// How to write it
    #[arg(long, value_enum, default_value_t = FormatName::Jsonl)]
    format: FormatName,
    /// Seal it by a passphrase instead of by the store's key
    #[arg(
        long,
        help = "With --format encrypted: seal it by a passphrase (MNEMON_PASSPHRASE, or a line of \
            standard input) instead of by the store's key"
    )]
    passphrase: bool,
    /// Write to this file instead of to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormatName {
    /// One JSON object a line
    Jsonl,
    /// One JSON document
    Json,
    /// One YAML document
    Yaml,
    /// To be read by people
    Markdown,
    /// Compressed, with a checksum
    Binary,
    /// The same, sealed by the store's key or by a passphrase
    Encrypted,
}

#[derive(Serialize)]
struct Answer<'a> {
    exported: u64,
    sessions: u64,
    /// Memories that are sealed and were not opened, so that nothing of them could be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_sealed: Option<u64>,
    /// Lines that can't be read, so that what they say could not be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    damaged_lines: Option<u64>,
    file: &'a Path,
}

/// How much was written.
struct Written {
    memories: u64,
    sessions: u64,
    left_sealed: u64,
}

impl Export {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let spaces = self.spaces()?;
        let engine = context.reader()?;
        let caller = context.caller()?;
        let skew = context.future_skew_minutes()?;
        // Before the first byte: half an answer looks like a whole one.
        for session in spaces.iter().filter_map(Space::session) {
            engine.session(&caller, session)?;
        }
        let Some(path) = &self.output else {
            self.refuse_terminal()?;
            let mut stdout = BufWriter::new(io::stdout().lock());
            let written = self.write_out(&mut stdout, &engine, &caller, &spaces, skew)?;
            tell_left_sealed(context, &written);
            tell_damage(context, &engine, &caller, &spaces);
            return stdout.flush().map_err(Failure::output);
        };
        refuse_inside(path, &context.root.path)?;
        let written = write_beside(path, |file| {
            self.write_out(file, &engine, &caller, &spaces, skew)
        })?;
        tell_left_sealed(context, &written);
        let damaged = tell_damage(context, &engine, &caller, &spaces);
        let answer = Answer {
            exported: written.memories,
            sessions: written.sessions,
            left_sealed: (written.left_sealed > 0).then_some(written.left_sealed),
            damaged_lines: (damaged > 0).then_some(damaged),
            file: path,
        };
        context.output.answer(&answer, || {
            let memories = count(written.memories, "memory", "memories");
            format!("Exported {memories} to {}.", path.display())
        })
    }

    /// Bytes that are no text would leave a terminal in disorder.
    fn refuse_terminal(&self) -> Outcome {
        if matches!(self.format, FormatName::Binary | FormatName::Encrypted)
            && io::stdout().is_terminal()
        {
            return Err(mnemon::Error::Rule {
                field: "output",
                rule: "a file (-o FILE) or a pipe: this form is not for people".into(),
                given: "a terminal".into(),
            }
            .into());
        }
        Ok(())
    }

    fn spaces(&self) -> Outcome<Vec<Space>> {
        let mut spaces = Vec::new();
        for session in &self.session {
            spaces.push(Space::Session(session.parse()?));
        }
        for agent in &self.agent {
            spaces.push(Space::Agent(agent.parse()?));
        }
        if self.shared {
            spaces.push(Space::Shared);
        }
        Ok(spaces)
    }

    /// Sealed if that is what was asked for.
    fn write_out(
        &self,
        out: &mut impl Write,
        engine: &Mnemon,
        caller: &Caller,
        spaces: &[Space],
        skew: u64,
    ) -> Outcome<Written> {
        if !matches!(self.format, FormatName::Encrypted) {
            return self.write(out, engine, caller, spaces, skew);
        }
        let mut plain = Zeroizing::new(Vec::new());
        let written = self.write(&mut *plain, engine, caller, spaces, skew)?;
        let sealed = if self.passphrase {
            seal_bytes(&plain, &Lock::Passphrase(&passphrase()?))?
        } else {
            let master = engine.master(caller)?;
            let master = master.ok_or(Error::Crypto(SealProblem::NoKey))?;
            seal_bytes(&plain, &Lock::Master(&master))?
        };
        out.write_all(&sealed).map_err(Failure::output)?;
        Ok(written)
    }

    fn write(
        &self,
        out: &mut impl Write,
        engine: &Mnemon,
        caller: &Caller,
        spaces: &[Space],
        skew: u64,
    ) -> Outcome<Written> {
        let mut sessions = engine.sessions(caller)?;
        sessions.retain(|session| is_in(session, spaces));
        sessions.sort_by(|a, b| a.id.cmp(&b.id));
        let format = self.format.format();
        let mut writer =
            ExportWriter::new(out, format, &sessions, skew).map_err(Failure::output)?;
        let (memories, left_sealed) = write_memories(&mut writer, engine, caller, spaces)?;
        writer.finish().map_err(Failure::output)?;
        Ok(Written {
            memories,
            sessions: sessions.len() as u64,
            left_sealed,
        })
    }
}

impl FormatName {
    fn format(self) -> ExportFormat {
        match self {
            Self::Jsonl => ExportFormat::Jsonl,
            Self::Json => ExportFormat::Json,
            Self::Yaml => ExportFormat::Yaml,
            Self::Markdown => ExportFormat::Markdown,
            Self::Binary | Self::Encrypted => ExportFormat::Binary,
        }
    }
}

fn tell_left_sealed(context: &Context, written: &Written) {
    if written.left_sealed > 0 {
        let sealed = count(written.left_sealed, "memory is", "memories are");
        context.output.note(&format!(
            "{sealed} sealed and left out; give the key to have them too."
        ));
    }
}

/// How many lines can't be read, and so are in no export: nobody should believe that they are.
fn tell_damage(context: &Context, engine: &Mnemon, caller: &Caller, spaces: &[Space]) -> u64 {
    // Whoever may not ask for the counts is not told.
    let Ok(stats) = engine.stats(caller) else {
        return 0;
    };
    let asked_for = |space: &Space| spaces.is_empty() || spaces.contains(space);
    let damaged: u64 = stats
        .spaces
        .iter()
        .filter(|it| asked_for(&it.space))
        .map(|it| it.damaged_lines)
        .sum();
    if damaged > 0 {
        let lines = count(damaged, "line is", "lines are");
        context.output.note(&format!(
            "{lines} damaged and left out; `mnemon verify` shows what is wrong."
        ));
    }
    damaged
}

fn is_in(session: &Session, spaces: &[Space]) -> bool {
    spaces.is_empty()
        || spaces
            .iter()
            .any(|space| space.session() == Some(&session.id))
}

/// One after another, so that a large store needs no large memory.
fn write_memories(
    writer: &mut ExportWriter<'_, impl Write>,
    engine: &Mnemon,
    caller: &Caller,
    spaces: &[Space],
) -> Outcome<(u64, u64)> {
    let (mut written, mut left_sealed) = (0, 0);
    let mut failed = None;
    let ended = engine.export(caller, spaces, &mut |memory| {
        if memory.closed().is_some() {
            left_sealed += 1;
            return Ok(());
        }
        writer.add(&memory).map_err(|error| {
            let kind = error.kind();
            failed = Some(error);
            // The library's error only ends the walk; ours says what happened.
            Error::Io {
                action: "write to",
                path: "the output".into(),
                source: std::sync::Arc::new(kind.into()),
            }
        })?;
        written += 1;
        Ok(())
    });
    match failed {
        Some(error) => Err(Failure::output(error)),
        None => Ok(ended.map(|()| (written, left_sealed))?),
    }
}

/// The store's own files are written by the store alone.
pub(super) fn refuse_inside(path: &Path, root: &Path) -> Outcome {
    let parent = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let inside = match (parent.canonicalize(), root.canonicalize()) {
        (Ok(parent), Ok(root)) => parent.starts_with(root),
        // A folder that is not there gives its own error when it is written to.
        _ => false,
    };
    if inside {
        return Err(mnemon::Error::Rule {
            field: "output",
            rule: "a file outside the store's own folder".into(),
            given: path.display().to_string(),
        }
        .into());
    }
    Ok(())
}

/// Writes a file that only its owner may read, under its name only once it is whole.
pub(super) fn write_beside<T>(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> Outcome<T>,
) -> Outcome<T> {
    if path.exists() && !path.is_file() {
        // A pipe or a device is written to, not replaced.
        let file = OpenOptions::new()
            .write(true)
            .open(path)
            .map_err(Failure::file("open", path))?;
        let mut file = BufWriter::new(file);
        let written = write(&mut file)?;
        file.flush().map_err(Failure::file("write", path))?;
        return Ok(written);
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let beside = path.with_file_name(name);
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&beside)
        .map_err(Failure::file("create", &beside))?;
    let mut file = BufWriter::new(file);
    let written = write(&mut file).and_then(|written| {
        file.flush()
            .and_then(|()| file.get_ref().sync_all())
            .and_then(|()| std::fs::rename(&beside, path))
            .map_err(Failure::file("write", path))?;
        Ok(written)
    });
    if written.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    written
}
