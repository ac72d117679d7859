//! `mnemon migrate`

use std::path::{Path, PathBuf};

use clap::Args;
use mnemon::engine::ImportOptions;
use mnemon_wire::foreign::Program;

use super::import::foreign::{Wish, take_path};
use crate::context::Context;
use crate::failure::{Failure, Outcome};

/// Take over what a project of BMAD kept: sessions, conversation logs, decisions
///
/// Conversations are kept turn by turn. What was decided, found out and wished
/// for is read from the files that say it; where there are none it is taken out
/// of what was said, by rules, each with its rule and its turn. Nothing of the
/// project is changed, and done again it takes only what is new.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mnemon migrate\n  \
    mnemon migrate ~/work/shop --dry-run\n  \
    mnemon migrate logs/2026-01-11.md\n\n\
    docs/import.md says which folders and files are understood.")]
pub(crate) struct Migrate {
    /// The project, its .bmad folder, or a log [default: the nearest project upwards]
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
    /// Only tell what would be done
    #[arg(long)]
    dry_run: bool,
}

/// Where a project keeps it, the usual place first.
const FOLDERS: [&str; 3] = [".bmad", "memory/sessions", "_bmad"];

impl Migrate {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let path = match &self.path {
            Some(path) => inner(path).unwrap_or_else(|| path.clone()),
            None => nearest(&context.here).ok_or_else(|| {
                Failure::misused(
                    "there is no project of BMAD here or above",
                    "Name it: mnemon migrate PATH",
                )
            })?,
        };
        let wish = Wish {
            from: None,
            only: &[Program::Bmad, Program::Chat],
            space: None,
            project: None,
            options: ImportOptions {
                dry_run: self.dry_run,
                ..ImportOptions::default()
            },
            extract: true,
        };
        take_path(context, &path, wish)
    }
}

/// What a project keeps.
fn inner(project: &Path) -> Option<PathBuf> {
    let folders = FOLDERS.iter().map(|folder| project.join(folder));
    folders.into_iter().find(|folder| folder.is_dir())
}

fn nearest(here: &Path) -> Option<PathBuf> {
    here.ancestors().find_map(inner)
}
