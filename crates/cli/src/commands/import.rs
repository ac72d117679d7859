//! `mnemon import`

use std::fmt::Write as _;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use mnemon::Error;
use mnemon::engine::{ErasedTexts, ImportOptions, Imported};
use mnemon::seal::envelope::{Needs, is_envelope, needs, open_bytes};
use mnemon::seal::{SealProblem, Source};
use mnemon_wire::{Format, ImportedShape, read_import};

use zeroize::Zeroizing;

use crate::commands::after;
use crate::context::{Context, session_of};
use crate::failure::{Failure, Outcome};
use crate::human::count;
use crate::human::redacted::redactions;
use crate::input;
use crate::keys::passphrase;
use crate::output::Output;
use crate::progress::Bar;

/// Take in memories from a file; everything is checked before anything is kept
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mnemon import memories.jsonl\n  \
    mnemon --root /elsewhere export --all | mnemon import - --format jsonl\n  \
    mnemon import review.md --dry-run")]
pub(crate) struct Import {
    /// The file, or - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// How it is written
    #[arg(long, value_enum, default_value_t = FormatName::Auto)]
    format: FormatName,
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

impl Import {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let session = session_of(self.session.as_ref())?;
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
        let items = read_import(&bytes, format, session.as_ref())?;
        let engine = if self.dry_run {
            context.reader()?
        } else {
            context.writer()?
        };
        let mut bar = Bar::new(&context.output, "Importing");
        let options = ImportOptions {
            erased_texts: if self.even_erased {
                ErasedTexts::ComeBack
            } else {
                ErasedTexts::StayOut
            },
            dry_run: self.dry_run,
        };
        let caller = context.caller()?;
        let imported = engine.import(&caller, items, options, &mut |at| bar.draw(at))?;
        drop(bar);
        if let Some(taken) = redactions(&imported.redacted) {
            let when = if self.dry_run {
                "To be redacted"
            } else {
                "Redacted"
            };
            context
                .output
                .note(&format!("{when} before it was kept: {taken}."));
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
