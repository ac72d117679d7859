//! `mnemon completions`

use clap::{Args, CommandFactory};

use crate::arguments::Arguments;
use crate::context::Context;
use crate::failure::Outcome;
use crate::output::Output;

/// Print completions for a shell
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    mnemon completions bash > ~/.local/share/bash-completion/completions/mnemon\n  \
    mnemon completions fish > ~/.config/fish/completions/mnemon.fish")]
pub(crate) struct Completions {
    /// Which shell
    shell: clap_complete::Shell,
}

impl Completions {
    pub(crate) fn run(&self, _context: &Context) -> Outcome {
        let mut script = Vec::new();
        let mut command = Arguments::command();
        clap_complete::generate(self.shell, &mut command, "mnemon", &mut script);
        Output::raw(&script)
    }
}
