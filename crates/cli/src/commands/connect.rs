//! `mnemon connect`

mod client;
mod diff;
mod entry;
mod file;
mod hooks;
mod jsonc;
mod toml;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use crate::context::{Context, session_of};
use crate::failure::{Failure, Outcome};
use crate::human::NAME;
use crate::root::ChosenBy;
use client::{Client, Folders, Os};
use entry::Entry;
use file::Change;

/// Add mnemon to a client of MCP, or take it out again
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    mnemon connect claude-code --hooks\n  \
    mnemon connect codex --dry-run\n  \
    mnemon connect cursor --remove\n\n\
    A back-up of each file lies beside it. docs/connect.md says which files are written.")]
pub(crate) struct Connect {
    /// Which client
    #[arg(value_enum, value_name = "CLIENT")]
    client: Client,
    /// Only show what would change
    #[arg(long)]
    dry_run: bool,
    /// Take mnemon out again
    #[arg(long)]
    remove: bool,
    /// Also keep conversations and hand out what is remembered, by the hooks of Claude Code, Codex,
    /// Cursor or Gemini
    #[arg(long, conflicts_with = "remove")]
    hooks: bool,
    /// Keep what is not said to belong anywhere in this session
    #[arg(long, value_name = "S")]
    session: Option<String>,
}

/// What was done to one file.
#[derive(Debug, Serialize)]
struct FileShape {
    path: PathBuf,
    /// `written`, `removed` or `unchanged`.
    change: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    backup: Option<PathBuf>,
    #[serde(skip_serializing_if = "String::is_empty")]
    diff: String,
}

#[derive(Debug, Serialize)]
struct ConnectedShape {
    client: &'static str,
    files: Vec<FileShape>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dry_run: bool,
}

impl Connect {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        session_of(self.session.as_ref())?;
        if self.hooks && self.client.hooks_file(&folders(context)?).is_none() {
            let message = format!("hooks are not supported for {}", self.client.name());
            return Err(Failure::misused(
                message,
                "Leave --hooks out; claude-code, codex, cursor and gemini have them.",
            ));
        }
        let mut changes = Vec::new();
        for (path, edits) in self.edits(context)? {
            changes.push(Change::plan(&path, &edits)?);
        }
        let mut files = Vec::new();
        for change in changes {
            let diff = change.diff();
            let backup = if self.dry_run {
                None
            } else {
                change.carry_out()?
            };
            files.push(FileShape {
                change: change.what(),
                backup,
                // Whoever wrote it need not read it again.
                diff: if self.dry_run { diff } else { String::new() },
                path: change.path,
            });
        }
        let shape = ConnectedShape {
            client: self.client.name(),
            files,
            dry_run: self.dry_run,
        };
        context.output.answer(&shape, || self.said(&shape))
    }

    /// Which files are edited, and how: servers first, each file once.
    fn edits(&self, context: &Context) -> Outcome<Vec<(PathBuf, Vec<file::Edit>)>> {
        let folders = folders(context)?;
        let servers = self.client.servers();
        let own = self.client.config_file(&folders);
        let hooks_file = self.client.hooks_file(&folders);
        let (first, second) = if self.remove {
            let first = file::Edit::RemoveServer(servers);
            let second = hooks_file.map(|(path, own)| (path, file::Edit::RemoveHooks(own)));
            (first, second)
        } else {
            let entry = self.entry(context)?;
            let hooks_file = hooks_file.filter(|_| self.hooks);
            let first = file::Edit::SetServer(servers, entry.clone());
            let second = hooks_file.map(|(path, own)| (path, file::Edit::SetHooks(own, entry)));
            (first, second)
        };
        Ok(match second {
            None => vec![(own, vec![first])],
            Some((path, second)) if path == own => vec![(own, vec![first, second])],
            Some((path, second)) => vec![(own, vec![first]), (path, vec![second])],
        })
    }

    fn entry(&self, context: &Context) -> Outcome<Entry> {
        let program = std::env::current_exe().map_err(Failure::file("find", "mnemon"))?;
        let mut options = Vec::new();
        // Clients start servers from wherever they like.
        if matches!(
            context.root.chosen_by,
            ChosenBy::Option | ChosenBy::Variable
        ) {
            let root = absolute(&context.here, &context.root.path);
            options.extend(["--root".to_owned(), root.display().to_string()]);
        }
        if let Some(agent) = &context.agent {
            options.extend(["--as".to_owned(), agent.clone()]);
        }
        Ok(Entry {
            program: program.display().to_string(),
            options,
            session: self.session.clone(),
        })
    }

    fn said(&self, shape: &ConnectedShape) -> String {
        let mut out = String::new();
        let would = if self.dry_run { "would be " } else { "" };
        for file in &shape.files {
            let path = file.path.display();
            let _ = match file.change {
                "unchanged" => writeln!(out, "{NAME}{path}{NAME:#} is as it should be"),
                change => writeln!(out, "{NAME}{path}{NAME:#} {would}{change}"),
            };
            if let Some(backup) = &file.backup {
                let _ = writeln!(out, "  as it was before: {}", backup.display());
            }
            out.push_str(&file.diff);
        }
        let is_changed = shape.files.iter().any(|file| file.change != "unchanged");
        if is_changed && !self.dry_run {
            let _ = writeln!(out, "Start {} again to make it count.", shape.client);
        }
        out
    }
}

fn folders(context: &Context) -> Outcome<Folders> {
    let environment = &context.environment;
    let Some(home) = environment.home.clone() else {
        return Err(Failure::misused(
            "there is no home folder to look for clients in",
            "Set HOME.",
        ));
    };
    Ok(Folders {
        os: Os::this(),
        config: environment
            .config_folder
            .clone()
            .unwrap_or_else(|| home.join(".config")),
        app_data: environment.app_data.clone(),
        claude: environment.claude_folder.clone(),
        codex: environment.codex_folder.clone(),
        home,
    })
}

fn absolute(here: &Path, path: &Path) -> PathBuf {
    let joined = here.join(path);
    joined.canonicalize().unwrap_or(joined)
}
