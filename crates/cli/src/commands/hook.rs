//! `mnemon hook`
//!
//! A client runs it in the middle of its work and waits, so it is quick and
//! never in the way: whatever goes wrong is a note on standard error, and the
//! exit code is 0. `transcript` reads what was said.

mod briefing;
mod transcript;

use std::io::{Read, Write};

use clap::{Args, ValueEnum};
use mnemon::engine::NewSession;
use mnemon::memory::{SessionId, Space};
use mnemon::session::SessionDetails;
use mnemon::store::OnFull;
use mnemon::{Caller, Error, Mnemon, Result};
use mnemon_wire::foreign::Program;
use serde_json::{Value, json};

use super::import::foreign;
use crate::arguments::Global;
use crate::context::Context;
use crate::failure::{Failure, Outcome, catch_bugs};
use crate::output::Output;

/// Answer a client's hook: what it says comes in on standard input, as JSON
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  \
    echo '{\"session_id\":\"7f3a\",\"cwd\":\"/work/shop\"}' | mnemon hook session-start\n\n\
    `mnemon connect claude-code --hooks` sets it up, and so for codex; docs/connect.md says what is kept.")]
pub(crate) struct Hook {
    /// session-start, stop, pre-compact or session-end
    #[arg(value_name = "EVENT")]
    event: String,
    /// The client that asks
    #[arg(long, value_enum, default_value_t = Client::ClaudeCode)]
    client: Client,
}

/// A client whose hooks are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Client {
    /// Claude Code
    ClaudeCode,
    /// Codex
    Codex,
}

/// More than a client has to say.
const INPUT_BYTES_MAX: u64 = 1 << 20;

impl Hook {
    /// Does what it can.
    pub(crate) fn run(&self, global: &Global) {
        let note = match catch_bugs(|| self.answer(global)) {
            Ok(Ok(()) | Err(Failure::Unsound | Failure::ClosedPipe)) => return,
            Ok(Err(Failure::Refused(error))) => format!("{}: {error}", error.code()),
            Ok(Err(Failure::Misused { message, .. })) => message,
            Err(panic) => format!("this is a bug in mnemon: {panic}"),
        };
        let _ = writeln!(std::io::stderr(), "mnemon hook: {note}");
    }

    fn answer(&self, global: &Global) -> Outcome {
        let context = Context::new(global)?;
        let said = Said::read()?;
        match self.event.as_str() {
            "session-start" | "SessionStart" => match context.reader() {
                // Nothing is remembered yet.
                Err(Error::NoStore { .. }) => Ok(()),
                engine => {
                    let text = briefing::briefing(&engine?, &context.caller()?, &said.project)?;
                    Output::raw(self.client.told(text).as_bytes())
                }
            },
            "stop" | "Stop" | "pre-compact" | "PreCompact" | "session-end" | "SessionEnd" => {
                let (engine, caller) = (context.writer()?, context.caller()?);
                match self.client {
                    Client::ClaudeCode => capture(&engine, &caller, &said)?,
                    Client::Codex => capture_whole(&context, &engine, &caller, &said)?,
                }
                if matches!(self.event.as_str(), "session-end" | "SessionEnd") {
                    close(&engine, &caller, &self.client.session_id(&said)?)?;
                }
                Ok(())
            }
            other => Err(Failure::misused(
                format!("there is no hook {}", other.escape_debug()),
                "",
            )),
        }
    }
}

impl Client {
    /// A text for the model, in the form that the client takes.
    fn told(self, text: String) -> String {
        match self {
            Self::Codex if !text.is_empty() => {
                let told = json!({ "hookEventName": "SessionStart", "additionalContext": text });
                json!({ "hookSpecificOutput": told }).to_string()
            }
            _ => text,
        }
    }

    /// The session in which a conversation is kept.
    fn session_id(self, said: &Said) -> Result<SessionId> {
        match self {
            Self::ClaudeCode => said.session_id(),
            Self::Codex => {
                let own = said.session.as_deref().unwrap_or_default();
                format!("codex-{own}").parse()
            }
        }
    }
}

/// What a client says of itself.
struct Said {
    session: Option<String>,
    transcript: Option<String>,
    /// The folder in which it works.
    project: String,
}

impl Said {
    fn read() -> Outcome<Self> {
        let mut bytes = Vec::new();
        std::io::stdin()
            .lock()
            .take(INPUT_BYTES_MAX)
            .read_to_end(&mut bytes)
            .map_err(Failure::file("read", "standard input"))?;
        let value: Value = serde_json::from_slice(&bytes).map_err(|error| Error::Unparsable {
            what: "what a hook is told",
            input: String::new(),
            problem: error.to_string(),
        })?;
        let text = |name: &str| value[name].as_str().map(str::to_owned);
        Ok(Self {
            session: text("session_id"),
            transcript: text("transcript_path"),
            project: text("cwd").unwrap_or_default(),
        })
    }

    /// The session in which a conversation is kept.
    fn session_id(&self) -> Result<SessionId> {
        let own = self.session.as_deref().unwrap_or_default();
        format!("claude-{own}").parse()
    }
}

/// Keeps what was said since the last time.
fn capture(engine: &Mnemon, caller: &Caller, said: &Said) -> Result<()> {
    let Some(path) = &said.transcript else {
        return Ok(());
    };
    let session = said.session_id()?;
    let user = &engine.config().defaults.user;
    let turns = transcript::read(path.as_ref(), user)?;
    // From the newest back to the first that is known; what is older was kept before, or erased.
    let mut fresh = Vec::new();
    for turn in turns.into_iter().rev() {
        let known = match &turn.id {
            Some(id) => engine.peek(caller, id)?.is_some(),
            None => false,
        };
        if known {
            break;
        }
        fresh.push(turn);
    }
    if fresh.is_empty() {
        return Ok(());
    }
    fresh.reverse();
    if let Err(Error::SessionNotFound { .. }) = engine.session(caller, &session) {
        let details = SessionDetails {
            agents: vec!["claude-code".into()],
            project: Some(said.project.clone()).filter(|project| !project.is_empty()),
            ..SessionDetails::default()
        };
        let new = NewSession {
            id: Some(session.clone()),
            details,
        };
        match engine.create_session(caller, new) {
            // Two hooks at once.
            Ok(_) | Err(Error::SessionExists { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    let space = Space::Session(session);
    engine.remember_all(caller, &space, fresh, OnFull::Refuse)?;
    Ok(())
}

/// Keeps all that a transcript says and is not kept yet, as an import of it would.
fn capture_whole(context: &Context, engine: &Mnemon, caller: &Caller, said: &Said) -> Outcome {
    match &said.transcript {
        Some(path) => foreign::keep(context, engine, caller, path.as_ref(), Program::Codex),
        None => Ok(()),
    }
}

/// Closes the session of a conversation that is over, if anything was kept of it.
fn close(engine: &Mnemon, caller: &Caller, session: &SessionId) -> Result<()> {
    match engine.close_session(caller, session) {
        Ok(_) | Err(Error::SessionNotFound { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}
