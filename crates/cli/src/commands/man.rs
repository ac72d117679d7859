//! `mnemon man`

use std::path::{Path, PathBuf};

use clap::{Args, CommandFactory};
use clap_mangen::Man as Page;
use serde::Serialize;

use crate::arguments::Arguments;
use crate::context::Context;
use crate::failure::{Failure, Outcome};
use crate::human::count;
use crate::output::Output;

/// Write the manual, a page for each command; without a folder print the first page
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mnemon man ~/.local/share/man/man1\n  \
    mnemon man | man -l -")]
pub(crate) struct Man {
    /// The folder for the pages, made if it is not there
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

#[derive(Serialize)]
struct Written<'a> {
    folder: &'a Path,
    pages: u64,
}

impl Man {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let mut command = Arguments::command();
        // Names such as `mnemon session new` are made when it is built.
        command.build();
        let Some(folder) = &self.folder else {
            return Output::raw(&page(command));
        };
        std::fs::create_dir_all(folder).map_err(Failure::file("make", folder))?;
        let mut pages = 0;
        write_all(&command, folder, &mut pages)?;
        context.output.answer(&Written { folder, pages }, || {
            let pages = count(pages, "page", "pages");
            format!("Wrote {pages} to {}.", folder.display())
        })
    }
}

fn write_all(command: &clap::Command, folder: &Path, pages: &mut u64) -> Outcome {
    let name = command.get_display_name().unwrap_or(command.get_name());
    let path = folder.join(format!("{name}.1"));
    std::fs::write(&path, page(command.clone())).map_err(Failure::file("write", &path))?;
    *pages += 1;
    let shown = command.get_subcommands().filter(|it| !it.is_hide_set());
    shown
        .into_iter()
        .try_for_each(|it| write_all(it, folder, pages))
}

fn page(command: clap::Command) -> Vec<u8> {
    let mut bytes = Vec::new();
    Page::new(command)
        .render(&mut bytes)
        .expect("writing to memory does not fail");
    bytes
}
