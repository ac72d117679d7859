//! `mnemon import`
//!
//! Exports of ours are read here, whole or not at all. What other programs
//! kept goes through `foreign`, which takes what it can and says the rest.

pub(crate) mod foreign;
mod taker;
mod walk;

use std::fmt::Write as _;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use mnemon::Error;
use mnemon::engine::{ErasedTexts, ImportOptions, Imported};
use mnemon::memory::Space;
use mnemon::seal::envelope::{Needs, is_envelope, needs, open_bytes};
use mnemon::seal::{SealProblem, Source};
use mnemon_wire::foreign::{PREFIX_BYTES, Program, recognise};
use mnemon_wire::{Format, ImportedShape, read_import};

use zeroize::Zeroizing;

use crate::commands::after;
use crate::context::{Context, session_of};
use crate::failure::{Failure, Outcome};
use crate::human::count;
use crate::input;
use crate::keys::passphrase;
use crate::output::Output;
use crate::progress::Bar;

/// Take in memories from a file, or what another program kept
///
/// An export of mnemon is checked as a whole before anything of it is kept. Of
/// what other programs kept everything is taken that can be read, and told
/// what can't; done again, it takes only what is new.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mnemon import memories.jsonl\n  \
    mnemon --root /elsewhere export --all | mnemon import - --format jsonl\n  \
    mnemon import review.md --dry-run\n  \
    mnemon import ~/.claude/projects\n  \
    mnemon import chatgpt-export.zip\n  \
    mnemon import memory.jsonl --from mcp-memory\n\n\
    docs/import.md says what is understood of each program.")]
pub(crate) struct Import {
    /// A file, a ZIP file or a folder, or - for standard input
    #[arg(value_name = "PATH")]
    file: PathBuf,
    /// How an export of mnemon is written
    #[arg(long, value_enum, default_value_t = FormatName::Auto)]
    format: FormatName,
    /// The program that wrote it, if it is not recognised
    #[arg(long, value_enum, value_name = "PROGRAM", conflicts_with = "format")]
    from: Option<ProgramName>,
    /// Put everything into this session, whatever the file says
    #[arg(long, value_name = "S")]
    session: Option<String>,
    /// Take texts too that were erased from this store once
    #[arg(long)]
    even_erased: bool,
    /// Only tell what would be done
    #[arg(long)]
    dry_run: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormatName {
    /// Whatever it looks like
    Auto,
    /// One JSON object a line
    Jsonl,
    /// One JSON document
    Json,
    /// YAML with the same members
    Yaml,
    /// An export in Markdown
    Markdown,
    /// An export in the compact form
    Binary,
    /// The same, sealed by the key of a store or by a passphrase
    Encrypted,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ProgramName {
    /// Transcripts of Claude Code
    ClaudeCode,
    /// The export of ChatGPT
    Chatgpt,
    /// The export of Claude.ai
    Claude,
    /// Rollouts of Codex CLI
    Codex,
    /// Chats of Gemini CLI
    Gemini,
    /// The file of the MCP reference memory server
    McpMemory,
    /// Memories of mem0
    Mem0,
    /// A conversation in Markdown or plain text
    Chat,
    /// A conversation log of BMAD
    Bmad,
}

impl From<ProgramName> for Program {
    fn from(name: ProgramName) -> Self {
        match name {
            ProgramName::ClaudeCode => Self::ClaudeCode,
            ProgramName::Chatgpt => Self::ChatGpt,
            ProgramName::Claude => Self::ClaudeAi,
            ProgramName::Codex => Self::Codex,
            ProgramName::Gemini => Self::Gemini,
            ProgramName::McpMemory => Self::McpMemory,
            ProgramName::Mem0 => Self::Mem0,
            ProgramName::Chat => Self::Chat,
            ProgramName::Bmad => Self::Bmad,
        }
    }
}

/// What an encrypted export holds; everything is refused before anything is opened.
fn unsealed(context: &Context, bytes: &[u8]) -> Outcome<Zeroizing<Vec<u8>>> {
    match needs(bytes)? {
        Needs::Passphrase => Ok(open_bytes(bytes, &Source::Passphrase(passphrase()?))?),
        Needs::Master(_) => {
            let sources = context.keyring()?.into_sources();
            let mut refusal = Error::Crypto(SealProblem::Locked {
                what: "the file".into(),
            });
            for source in sources {
                match open_bytes(bytes, &source) {
                    Ok(opened) => return Ok(opened),
                    Err(error) if matches!(source, Source::Passphrase(_)) => drop(error),
                    Err(error) => refusal = error,
                }
            }
            Err(refusal.into())
        }
    }
}

/// Whether it is text that is no data.
fn is_prose(bytes: &[u8]) -> bool {
    let begins = bytes.trim_ascii_start().first();
    std::str::from_utf8(bytes).is_ok() && !matches!(begins, None | Some(b'{' | b'['))
}

/// Whether there is neither a file nor a folder at a path: `/dev/stdin`, or what a shell gives for `<(…)`.
fn is_stream(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir())
}

/// Whether another program made what lies at a path.
fn is_foreign(path: &Path) -> Outcome<bool> {
    if path.is_dir() {
        return Ok(true);
    }
    let file = File::open(path).map_err(Failure::file("read", path))?;
    let mut prefix = Vec::new();
    file.take(PREFIX_BYTES as u64)
        .read_to_end(&mut prefix)
        .map_err(Failure::file("read", path))?;
    Ok(prefix.starts_with(b"PK\x03\x04") || recognise(&prefix).is_some())
}

impl Import {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let session = session_of(self.session.as_ref())?;
        let wish = foreign::Wish {
            from: self.from.map(Program::from),
            only: &[],
            space: session.clone().map(Space::Session),
            project: None,
            options: self.options(),
            extract: false,
        };
        // What comes through a pipe can be read once only.
        let is_stdin = self.file.as_os_str() == "-" || is_stream(&self.file);
        let may_be_foreign = matches!(self.format, FormatName::Auto);
        if may_be_foreign && !is_stdin && (self.from.is_some() || is_foreign(&self.file)?) {
            return foreign::take_path(context, &self.file, wish);
        }
        let format = match self.format {
            FormatName::Auto => Format::Auto,
            FormatName::Jsonl => Format::Jsonl,
            FormatName::Json => Format::Json,
            FormatName::Yaml => Format::Yaml,
            FormatName::Markdown => Format::Markdown,
            FormatName::Binary | FormatName::Encrypted => Format::Binary,
        };
        let bytes = Zeroizing::new(input::file_or_stdin(&self.file)?);
        let is_sealed = matches!(self.format, FormatName::Encrypted)
            || (format == Format::Auto && is_envelope(&bytes));
        let bytes = if is_sealed {
            unsealed(context, &bytes)?
        } else {
            bytes
        };
        if may_be_foreign && !is_sealed && is_stdin {
            let prefix = &bytes[..bytes.len().min(PREFIX_BYTES)];
            if self.from.is_some() || recognise(prefix).is_some() {
                return foreign::take_bytes(context, &bytes, wish);
            }
        }
        let items = read_import(&bytes, format, session.as_ref());
        if items.is_err() && may_be_foreign && is_prose(&bytes) {
            let note = "Nobody's file was recognised in it; --from PROGRAM says whose it is.";
            context.output.note(note);
        }
        let items = items?;
        let engine = if self.dry_run {
            context.reader()?
        } else {
            context.writer()?
        };
        let mut bar = Bar::new(&context.output, "Importing");
        let caller = context.caller()?;
        let imported = engine.import(&caller, items, self.options(), &mut |at| bar.draw(at))?;
        drop(bar);
        if self.dry_run {
            context.output.to_be_redacted(&imported.redacted);
        } else {
            context.output.redacted(&imported.redacted);
        }
        if !context.output.is_json() {
            for filling in &imported.filling {
                Output::say("warning", &filling.to_string());
            }
            for conflict in &imported.conflicts {
                Output::say("conflict", &conflict.to_string());
                Output::say("hint", &conflict.hint());
            }
        }
        let shape = ImportedShape::of(&imported, self.dry_run);
        context.output.answer(&shape, || self.told(&imported))?;
        if !self.dry_run {
            after::a_write(context, &engine, &caller);
        }
        // What was asked for is not all done, and the answer says what is missing.
        if imported.conflicts.is_empty() {
            Ok(())
        } else {
            Err(Failure::Unsound)
        }
    }

    fn options(&self) -> ImportOptions {
        ImportOptions {
            erased_texts: if self.even_erased {
                ErasedTexts::ComeBack
            } else {
                ErasedTexts::StayOut
            },
            dry_run: self.dry_run,
        }
    }

    fn told(&self, imported: &Imported) -> String {
        let would = if self.dry_run {
            "Would have imported"
        } else {
            "Imported"
        };
        let number = count(imported.imported, "memory", "memories");
        let mut out = format!("{would} {number}");
        if imported.revised > 0 {
            let _ = write!(out, ", revised {}", imported.revised);
        }
        let same = imported.skipped - imported.older - imported.archived;
        for (number, what) in [
            (same, "already there"),
            (imported.older, "newer here"),
            (imported.archived, "in the archive of the session"),
        ] {
            if number > 0 {
                let _ = write!(out, ", {number} {what}");
            }
        }
        if !imported.conflicts.is_empty() {
            let _ = write!(
                out,
                ", left {} that changed here and there",
                imported.conflicts.len()
            );
        }
        if !imported.sessions.is_empty() {
            let names: Vec<_> = imported.sessions.iter().map(ToString::to_string).collect();
            let _ = write!(out, ", made session {}", names.join(", "));
        }
        if imported.erased > 0 {
            let _ = write!(
                out,
                ", left out {} that had been erased (--even-erased takes them)",
                imported.erased
            );
        }
        if imported.dangling > 0 {
            let links = count(imported.dangling, "link leads", "links lead");
            let _ = write!(out, "; {links} nowhere");
        }
        out + "."
    }
}
