//! `mnemon demo`

mod story;

use std::fmt::Write as _;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use mnemon::store::local::{LocalOptions, LocalStore};
use mnemon::{Config, Mnemon};
use serde::Serialize;

use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::human::shell::quoted;
use crate::human::{LABEL, NAME, count};

/// Make a small store with a story in it, to look around in
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mnemon demo\n  mnemon demo /tmp/look-around")]
pub(crate) struct Demo {
    /// The folder; it must be new or empty
    #[arg(value_name = "DIR", default_value = "mnemon-demo")]
    folder: PathBuf,
}

#[derive(Serialize)]
struct Answer<'a> {
    root: &'a Path,
    session_id: &'a str,
    memories: u64,
    #[serde(rename = "try")]
    commands: &'a [String],
}

impl Demo {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let folder = context.here.join(&self.folder);
        refuse_full_folder(&folder)?;
        // The story is always the same, whatever the user's settings are.
        let config = Config::default();
        let store = LocalStore::create(&folder, LocalOptions::from(&config))?;
        let engine = Mnemon::new(Arc::new(store), config);
        let memories = story::tell(&engine)?;
        let commands = commands(&quoted(&self.folder.display().to_string()));
        let answer = Answer {
            root: &folder,
            session_id: story::SESSION,
            memories,
            commands: &commands.iter().map(|(c, _)| c.clone()).collect::<Vec<_>>(),
        };
        context.output.answer(&answer, || {
            let number = count(memories, "memory", "memories");
            let mut out = format!(
                "Made {NAME}{}{NAME:#} with {number}: two agents and a user review how people \
                 sign in.\n\nTry:\n",
                self.folder.display()
            );
            for (command, what) in &commands {
                let _ = writeln!(out, "  {LABEL}# {what}{LABEL:#}\n  {command}");
            }
            out.push_str("\nDelete the folder when you are done.\n");
            out
        })
    }
}

fn refuse_full_folder(folder: &Path) -> Outcome {
    let is_empty = match std::fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => true,
        Err(error) => return Err(Failure::file("read", folder)(error)),
    };
    if is_empty {
        return Ok(());
    }
    Err(Failure::misused(
        format!("{} is not empty", folder.display()),
        "Name a folder that is new: `mnemon demo another-folder`.",
    ))
}

/// What to try, each with what it shows.
fn commands(folder: &str) -> Vec<(String, &'static str)> {
    let session = story::SESSION;
    [
        (
            format!("mnemon --root {folder} list --session {session}"),
            "everything that was said, found and decided",
        ),
        (
            format!("mnemon --root {folder} list --kind decision --kind finding --open"),
            "what is still open",
        ),
        (
            format!("mnemon --root {folder} get DEC-002 --session {session}"),
            "a decision, with its reasons and what it replaced",
        ),
        (
            format!("mnemon --root {folder} history {session}/FIND-001"),
            "how a finding was settled",
        ),
        (
            format!(
                "mnemon --root {folder} remember \"Ship the limit with the next release\" \
                 --session {session} --kind decision --link resolves:FIND-002"
            ),
            "decide something yourself",
        ),
        (
            format!("mnemon --root {folder} export --session {session} --format json"),
            "take it all with you",
        ),
    ]
    .into()
}
