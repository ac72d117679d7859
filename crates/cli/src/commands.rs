//! One file for each command.

pub(crate) mod after;
pub(crate) mod anonymize;
pub(crate) mod audit;
pub(crate) mod backup;
pub(crate) mod compact;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod connect;
pub(crate) mod context;
pub(crate) mod deleted;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod duplicates;
pub(crate) mod embed;
pub(crate) mod erase;
pub(crate) mod export;
pub(crate) mod forget;
pub(crate) mod get;
pub(crate) mod history;
pub(crate) mod hook;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod key;
pub(crate) mod list;
pub(crate) mod maintain;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod migrate;
pub(crate) mod query;
pub(crate) mod recall;
pub(crate) mod redact;
pub(crate) mod reindex;
pub(crate) mod related;
pub(crate) mod remember;
pub(crate) mod repair;
pub(crate) mod retention;
pub(crate) mod revise;
pub(crate) mod serve;
pub(crate) mod session;
pub(crate) mod similar;
pub(crate) mod snapshot;
pub(crate) mod stats;
pub(crate) mod token;
pub(crate) mod turn;
pub(crate) mod unforget;
pub(crate) mod verify;
pub(crate) mod window;
pub(crate) mod working;

use crate::arguments::{Arguments, Command};
use crate::context::Context;
use crate::failure::Outcome;

/// Runs what was typed.
pub(crate) fn run(arguments: Arguments) -> Outcome {
    if let Command::Hook(command) = &arguments.command {
        // Whatever is wrong, the client that calls it goes on.
        command.run(&arguments.global);
        return Ok(());
    }
    let context = Context::new(&arguments.global)?;
    match arguments.command {
        Command::Init(_) => init::Init::run(&context),
        Command::Session(command) => command.run(&context),
        Command::Remember(command) => command.run(&context),
        Command::Turn(command) => command.run(&context),
        Command::Get(command) => command.run(&context),
        Command::List(command) => command.run(&context),
        Command::Recall(command) => command.run(&context),
        Command::Query(command) => command.run(&context),
        Command::Related(command) => command.run(&context),
        Command::Similar(command) => command.run(&context),
        Command::Duplicates(command) => command.run(&context),
        Command::History(command) => command.run(&context),
        Command::Revise(command) => command.run(&context),
        Command::Forget(command) => command.run(&context),
        Command::Unforget(command) => command.run(&context),
        Command::Deleted(command) => command.run(&context),
        Command::Erase(command) => command.run(&context),
        Command::Audit(command) => command.run(&context),
        Command::Import(command) => command.run(&context),
        Command::Migrate(command) => command.run(&context),
        Command::Export(command) => command.run(&context),
        Command::Redact(command) => command.run(&context),
        Command::Anonymize(command) => command.run(&context),
        Command::Context(command) => command.run(&context),
        Command::Working(command) => command.run(&context),
        Command::Window(command) => command.run(&context),
        Command::Snapshot(command) => command.run(&context),
        Command::Compact(command) => command.run(&context),
        Command::Backup(command) => command.run(&context),
        Command::RestoreBackup(command) => command.run(&context),
        Command::Verify(_) => verify::Verify::run(&context),
        Command::Repair(command) => command.run(&context),
        Command::Embed(_) => embed::Embed::run(&context),
        Command::Maintain(command) => command.run(&context),
        Command::Retention(command) => command.run(&context),
        Command::Reindex(_) => reindex::Reindex::run(&context),
        Command::Stats(command) => command.run(&context),
        Command::Doctor(_) => doctor::Doctor::run(&context),
        Command::Key(command) => command.run(&context),
        Command::Config(command) => command.run(&context),
        Command::Demo(command) => command.run(&context),
        Command::Mcp(command) => command.run(context),
        Command::Serve(command) => command.run(&context),
        Command::Token(command) => command.run(&context),
        Command::Connect(command) => command.run(&context),
        Command::Hook(_) => Ok(()),
        Command::Completions(command) => command.run(&context),
        Command::Man(command) => command.run(&context),
    }
}
