//! `mnemon`, the command line.
//!
//! [`arguments`] is what can be typed, `commands` has one file for each
//! command, [`context`] what they share, [`failure`] how they end. Only this
//! crate reads the environment.

mod arguments;
mod as_of;
mod commands;
mod context;
mod environment;
mod failure;
mod filters;
mod human;
mod input;
mod keys;
mod misuse;
mod output;
mod pager;
mod progress;
mod root;
mod targets;
mod whose;

use std::process::ExitCode;

use clap::Parser;

/// Memories are made by one thread and thrown away by another.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let typed = arguments::with_help_at_the_end(std::env::args_os().collect());
    let arguments = match arguments::Arguments::try_parse_from(typed) {
        Ok(arguments) => arguments,
        Err(error) => return misuse::explain(&error),
    };
    let json = arguments.global.json;
    let ended = failure::catch_bugs(|| commands::run(arguments));
    failure::exit_code(ended, json)
}
