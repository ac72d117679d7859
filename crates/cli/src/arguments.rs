//! What can be typed: the options that every command has, and the commands.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::commands;

/// Memory for AI agents: plain files, found again in a millisecond
#[derive(Debug, Parser)]
#[command(
    name = "mnemon",
    version,
    disable_help_subcommand = true,
    after_help = "Examples:\n  \
        mnemon init\n  \
        mnemon session new --id review --agent architect\n  \
        mnemon remember \"Use PostgreSQL\" --session review --kind decision\n  \
        mnemon list --session review\n\n\
        New here? `mnemon demo` makes a small store to look around in."
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// `mnemon help remember` is what some people type for `mnemon remember --help`.
pub(crate) fn with_help_at_the_end(mut typed: Vec<OsString>) -> Vec<OsString> {
    if typed.get(1).is_some_and(|word| word == "help") {
        typed.remove(1);
        typed.push("--help".into());
    }
    typed
}

/// Options that every command has.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// The store's folder
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        help_heading = "Everywhere",
        help = "The store's folder [default: MNEMON_ROOT, the nearest .mnemon, or the user's data folder]"
    )]
    pub(crate) root: Option<PathBuf>,
    /// Print JSON, for programs
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub(crate) json: bool,
    /// Print long answers at once, instead of in PAGER
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub(crate) no_pager: bool,
    // Not called `agent`: clap would take it for the commands' own --agent.
    /// Ask as this agent instead of as the user
    #[arg(
        long = "as",
        global = true,
        value_name = "AGENT",
        help_heading = "Everywhere"
    )]
    pub(crate) asked_as: Option<String>,
    /// A store elsewhere, such as postgres://… (not available yet)
    #[arg(long, global = true, value_name = "URL", hide = true)]
    pub(crate) store: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make a store
    Init(commands::init::Init),
    /// Make, list, show, sum up, archive and delete sessions
    #[command(subcommand)]
    Session(commands::session::Session),
    /// Keep a memory
    Remember(Box<commands::remember::Remember>),
    /// Keep a turn, what came of it, and the agent's state, all of it or nothing
    Turn(commands::turn::Turn),
    /// Show one memory
    Get(commands::get::Get),
    /// List memories
    List(Box<commands::list::List>),
    /// Find memories by what they say and mean
    Recall(Box<commands::recall::Recall>),
    /// Find and count memories by conditions on their fields
    Query(commands::query::Query),
    /// Assemble what an agent needs for its next turn, within a token budget
    Context(commands::context::ContextPackCommand),
    /// Hold values by name while a task goes on
    #[command(subcommand)]
    Working(commands::working::Working),
    /// Keep what an agent has before its eyes within a token budget
    #[command(subcommand)]
    Window(commands::window::Window),
    /// Freeze what an agent holds, and go back to it
    #[command(subcommand)]
    Snapshot(commands::snapshot::Snapshot),
    /// Follow what a memory names, and what names it
    Related(Box<commands::related::Related>),
    /// Find memories that mean nearly the same as one
    Similar(Box<commands::similar::Similar>),
    /// Find memories that say what an older one says, and link them
    Duplicates(Box<commands::duplicates::Duplicates>),
    /// Show what happened to a memory
    History(commands::history::History),
    /// Change a memory
    Revise(Box<commands::revise::Revise>),
    /// Forget memories; they can be brought back for a while
    Forget(Box<commands::forget::Forget>),
    /// Bring back memories that were forgotten or compacted
    Unforget(commands::unforget::Unforget),
    /// List what is forgotten or deleted and can be brought back
    Deleted(Box<commands::deleted::Deleted>),
    /// Remove memories for good; no file of the store keeps a byte of them
    Erase(Box<commands::erase::Erase>),
    /// Show what was forgotten, erased, archived and deleted, by whom and why
    Audit(commands::audit::Audit),
    // These two say more than a line, at the top of their files.
    Import(commands::import::Import),
    Migrate(commands::migrate::Migrate),
    /// Hand out memories, to a file or to the terminal
    Export(commands::export::Export),
    /// Show a text as it would be kept, without secrets
    Redact(commands::redact::Redact),
    /// Hand out a session without who and where
    Anonymize(commands::anonymize::Anonymize),
    /// Move what a session needs least to its archive
    Compact(commands::compact::Compact),
    /// Copy the whole store, as it is at one moment, while others use it
    Backup(commands::backup::Backup),
    /// Make a store from a back-up
    RestoreBackup(commands::backup::RestoreBackup),
    /// Check every line and the index
    Verify(commands::verify::Verify),
    /// Do all that is due: retention, purging, archiving, care of the index, copies
    Maintain(commands::maintain::Maintain),
    /// Say how long what an agent has is kept, and carry it out
    Retention(commands::retention::Retention),
    /// Set damage aside and make the index anew
    Repair(commands::repair::Repair),
    /// Embed what waits for the service that the settings name
    Embed(commands::embed::Embed),
    /// Make the index anew
    Reindex(commands::reindex::Reindex),
    /// Count memories and bytes
    Stats(commands::stats::Stats),
    /// Look for what could be wrong with the store's surroundings
    Doctor(commands::doctor::Doctor),
    /// Serve agents over MCP, on standard input and output
    Mcp(commands::mcp::Mcp),
    /// Serve programs over HTTP
    Serve(commands::serve::Serve),
    /// Make, list and revoke the tokens with which programs ask over HTTP
    #[command(subcommand)]
    Token(commands::token::Token),
    /// Add mnemon to a client of MCP, or take it out again
    Connect(commands::connect::Connect),
    /// Answer a client's hook
    #[command(hide = true)]
    Hook(commands::hook::Hook),
    /// Make, show, change and destroy the keys of what is sealed
    #[command(subcommand)]
    Key(commands::key::Key),
    /// Show, check and write settings
    #[command(subcommand)]
    Config(commands::config::Config),
    /// Make a small store with a story in it, to look around in
    Demo(commands::demo::Demo),
    /// Print completions for a shell
    Completions(commands::completions::Completions),
    /// Write the manual, a page for each command
    Man(commands::man::Man),
}
