//! `mnemon snapshot`

mod schedule;

use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use mnemon::agent::SnapshotSummary;
use mnemon::agent::snapshot::Form;
use mnemon::engine::{RestoreOptions, SNAPSHOTS_LISTED, SnapshotOptions};
use mnemon::memory::SnapshotId;
use mnemon_wire::{RestoredShape, SnapshotStatsShape, SnapshotsShape};
use serde::Serialize;

use super::export::{refuse_inside, write_beside};
use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::human::ago::ago;
use crate::human::table::{Column, Table};
use crate::human::{LABEL, NAME, bytes, count};
use crate::input;
use crate::output::Output;
use crate::whose::Whose;

/// Freeze what an agent holds, and go back to it
#[derive(Debug, Subcommand)]
pub(crate) enum Snapshot {
    /// Take a snapshot of working memory and window, and keep it
    Create(Create),
    /// List snapshots, the latest first, and what they take
    List(List),
    /// Show all that is in a snapshot
    Show(Show),
    /// Put working memory and window back to what a snapshot says
    Restore(Restore),
    /// Remove a snapshot for good
    Delete(Delete),
    /// Write a snapshot into a file
    Export(Export),
    /// Keep the snapshot that is in a file
    Import(Import),
    /// Say when snapshots are taken by themselves, or see it
    Schedule(schedule::Schedule),
}

/// Take a snapshot of working memory and window, and keep it
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mnemon --as dev snapshot create --name \"before the rewrite\"\n  \
    mnemon --as dev snapshot create --long-term --encrypt"
)]
pub(crate) struct Create {
    /// What it is called
    #[arg(long)]
    name: Option<String>,
    /// Note which long-term memories there are, too
    #[arg(long)]
    long_term: bool,
    /// Something to keep beside it (repeatable)
    #[arg(long, value_name = "K=V")]
    meta: Vec<String>,
    #[command(flatten)]
    sealing: Sealing,
    #[command(flatten)]
    whose: Whose,
}

/// Whether it is sealed.
#[derive(Debug, Args)]
struct Sealing {
    /// Seal it with the store's key [default: if there is one]
    #[arg(long, conflicts_with = "plain")]
    encrypt: bool,
    /// Leave it readable without a key
    #[arg(long)]
    plain: bool,
}

impl Sealing {
    fn form(&self, engine: &mnemon::Mnemon) -> Form {
        let seals = self.encrypt || (engine.has_key() && !self.plain);
        if seals { Form::Encrypted } else { Form::Binary }
    }
}

/// List snapshots, the latest first, and what they take
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mnemon snapshot list --agent dev")]
pub(crate) struct List {
    /// Only those of this agent
    #[arg(long, value_name = "A")]
    agent: Option<String>,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = SNAPSHOTS_LISTED)]
    limit: usize,
}

/// Show all that is in a snapshot
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mnemon snapshot show \"before the rewrite\"")]
pub(crate) struct Show {
    /// Its id or its name
    #[arg(value_name = "SNAPSHOT")]
    name: String,
}

/// Put working memory and window back to what a snapshot says
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mnemon --as dev snapshot restore \"before the rewrite\"\n  \
    mnemon --as dev snapshot restore snap_01J… --keep --no-window\n\n\
    --long-term brings back memories that were forgotten since and, without --keep, forgets\n\
    those that came since; both can be undone."
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct Restore {
    /// Its id or its name
    #[arg(value_name = "SNAPSHOT")]
    name: String,
    /// Leave what is there now, and put the snapshot's over it
    #[arg(long)]
    keep: bool,
    /// Leave working memory as it is
    #[arg(long)]
    no_working: bool,
    /// Leave the window as it is
    #[arg(long)]
    no_window: bool,
    /// Put long-term memory back, too
    #[arg(long)]
    long_term: bool,
    #[command(flatten)]
    whose: Whose,
}

/// Remove a snapshot for good
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mnemon snapshot delete snap_01J…")]
pub(crate) struct Delete {
    /// Its id or its name
    #[arg(value_name = "SNAPSHOT")]
    name: String,
}

/// How a snapshot is written down.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum FileForm {
    /// For people and other programs
    Json,
    /// Compressed
    Binary,
    /// Compressed and sealed with the store's key
    Encrypted,
}

/// Write a snapshot into a file
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  mnemon snapshot export snap_01J… --format binary -o dev.snapshot"
)]
pub(crate) struct Export {
    /// Its id or its name
    #[arg(value_name = "SNAPSHOT")]
    name: String,
    /// How it is written
    #[arg(long, value_name = "F", default_value = "json")]
    format: FileForm,
    /// The file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Keep the snapshot that is in a file
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mnemon snapshot import dev.snapshot")]
pub(crate) struct Import {
    /// The file, of any form; - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    sealing: Sealing,
}

#[derive(Serialize)]
struct Deleted<'a> {
    deleted: &'a SnapshotId,
}

#[derive(Serialize)]
struct Written<'a> {
    file: &'a std::path::Path,
    bytes: usize,
}

impl Snapshot {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        match self {
            Self::Create(command) => command.run(context),
            Self::List(command) => command.run(context),
            Self::Show(command) => command.run(context),
            Self::Restore(command) => command.run(context),
            Self::Delete(command) => command.run(context),
            Self::Export(command) => command.run(context),
            Self::Import(command) => command.run(context),
            Self::Schedule(command) => command.run(context),
        }
    }
}

impl Create {
    fn run(&self, context: &Context) -> Outcome {
        let agent = self.whose.agent(context)?;
        let (engine, caller) = (context.writer()?, context.caller()?);
        let options = SnapshotOptions {
            name: self.name.clone(),
            long_term: self.long_term,
            metadata: input::metadata(&self.meta)?,
        };
        let taken = engine.snapshot(&caller, &agent, &options)?;
        let kept = engine.keep_snapshot(&caller, &taken, self.sealing.form(&engine))?;
        tell_kept(context, "Kept", &kept)
    }
}

impl List {
    fn run(&self, context: &Context) -> Outcome {
        let agent = self.agent.as_ref().map(|it| it.parse()).transpose()?;
        let (engine, caller) = (context.reader()?, context.caller()?);
        let snapshots = engine.snapshots(&caller, agent.as_ref(), self.limit)?;
        let stats = engine.snapshot_stats(&caller, agent.as_ref())?;
        let shape = SnapshotsShape {
            snapshots: &snapshots,
            total: snapshots.len(),
            stats: SnapshotStatsShape::from(&stats),
        };
        context.output.answer(&shape, || {
            if snapshots.is_empty() {
                return "There are no snapshots.\n".into();
            }
            let mut table = Table::new(vec![
                Column::new("id").styled(NAME),
                Column::new("agent"),
                Column::new("name").flexible(),
                Column::new("values"),
                Column::new("items"),
                Column::new("size"),
                Column::new("sealed"),
                Column::new("taken").styled(LABEL),
            ]);
            for it in &snapshots {
                table.row(&[
                    it.id.to_string(),
                    it.agent.to_string(),
                    it.name.clone().unwrap_or_default(),
                    it.working_entries.to_string(),
                    it.window_items.to_string(),
                    bytes(it.bytes),
                    if it.encrypted { "yes" } else { "" }.into(),
                    ago(it.created_at, engine.now()),
                ]);
            }
            let total = count(stats.snapshots, "snapshot", "snapshots");
            let size = bytes(stats.bytes);
            let table = table.render(context.output.columns);
            format!("{table}{LABEL}{total}, {size} in all{LABEL:#}\n")
        })
    }
}

impl Show {
    fn run(&self, context: &Context) -> Outcome {
        let engine = context.reader()?;
        let snapshot = engine.find_snapshot(&context.caller()?, &self.name)?;
        context.output.answer(&snapshot, || {
            let mut text = serde_json::to_string_pretty(&snapshot).expect("plain fields");
            text.push('\n');
            text
        })
    }
}

impl Restore {
    fn run(&self, context: &Context) -> Outcome {
        let (engine, caller) = (context.reader()?, context.caller()?);
        let snapshot = engine.find_snapshot(&caller, &self.name)?;
        // The user need not say whose it is; an agent that names another's is refused.
        let agent = match (&context.agent, self.whose.is_named()) {
            (None, false) => snapshot.agent.clone(),
            _ => self.whose.agent(context)?,
        };
        let options = RestoreOptions {
            clear: !self.keep,
            working: !self.no_working,
            window: !self.no_window,
            long_term: self.long_term,
        };
        let restored = engine.restore_snapshot(&caller, &agent, &snapshot, options)?;
        let shape = RestoredShape::of(&snapshot.id, &agent, &restored);
        context.output.answer(&shape, || {
            use std::fmt::Write as _;
            let values = count(restored.working_entries as u64, "value", "values");
            let items = count(restored.window_items as u64, "item", "items");
            let mut text = format!("{agent} holds {values} and {items} of the window again.\n");
            for (ids, told) in [
                (&restored.unforgotten, "brought back"),
                (&restored.forgotten, "forgotten, because they came since"),
                (&restored.lost, "gone for good"),
            ] {
                if !ids.is_empty() {
                    let memories = count(ids.len() as u64, "memory", "memories");
                    let _ = writeln!(text, "Long-term: {memories} {told}.");
                }
            }
            text
        })
    }
}

impl Delete {
    fn run(&self, context: &Context) -> Outcome {
        let engine = context.reader()?;
        let deleted = engine.delete_snapshot(&context.caller()?, &self.name)?;
        let shape = Deleted { deleted: &deleted };
        context
            .output
            .answer(&shape, || format!("Removed {NAME}{deleted}{NAME:#}.\n"))
    }
}

impl Export {
    fn run(&self, context: &Context) -> Outcome {
        let form = match self.format {
            FileForm::Json => Form::Json,
            FileForm::Binary => Form::Binary,
            FileForm::Encrypted => Form::Encrypted,
        };
        let engine = context.reader()?;
        let written = engine.export_snapshot(&context.caller()?, &self.name, form)?;
        let Some(file) = &self.output else {
            return Output::raw(&written);
        };
        refuse_inside(file, &context.root.path)?;
        write_beside(file, |to| {
            to.write_all(&written).map_err(Failure::file("write", file))
        })?;
        let shape = Written {
            file,
            bytes: written.len(),
        };
        context.output.answer(&shape, || {
            let size = bytes(written.len() as u64);
            format!("Wrote {size} to {}.\n", file.display())
        })
    }
}

impl Import {
    fn run(&self, context: &Context) -> Outcome {
        let file = input::file_or_stdin(&self.file)?;
        let (engine, caller) = (context.writer()?, context.caller()?);
        let snapshot = engine.import_snapshot(&caller, &file)?;
        let kept = engine.keep_snapshot(&caller, &snapshot, self.sealing.form(&engine))?;
        tell_kept(context, "Took in", &kept)
    }
}

fn tell_kept(context: &Context, verb: &str, kept: &SnapshotSummary) -> Outcome {
    context.output.answer(kept, || {
        let values = count(kept.working_entries as u64, "value", "values");
        let items = count(kept.window_items as u64, "item", "items");
        let sealed = if kept.encrypted { ", sealed" } else { "" };
        format!(
            "{verb} {NAME}{}{NAME:#} of {}: {values}, {items} of the window, {}{sealed}.\n",
            kept.id,
            kept.agent,
            bytes(kept.bytes)
        )
    })
}
