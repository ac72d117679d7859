//! `mnemon hook`
//!
//! A client runs it in the middle of its work and waits, so it is quick and
//! never in the way: whatever goes wrong is a note on standard error, and the
//! exit code is 0. `transcript` reads what was said.

mod briefing;
mod transcript;

use std::io::{Read, Write};

use clap::Args;
use mnemon::engine::NewSession;
use mnemon::memory::{SessionId, Space};
use mnemon::session::SessionDetails;
use mnemon::store::OnFull;
use mnemon::{Caller, Error, Mnemon, Result};
use serde_json::Value;

use crate::arguments::Global;
use crate::context::Context;
use crate::failure::{Failure, Outcome, catch_bugs};
use crate::output::Output;

/// Answer a client's hook: what it says comes in on standard input, as JSON
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  \
    echo '{\"session_id\":\"7f3a\",\"cwd\":\"/work/shop\"}' | mnemon hook session-start\n\n\
    `mnemon connect claude-code --hooks` sets it up; docs/connect.md says what is kept.")]
pub(crate) struct Hook {
    /// session-start, stop, pre-compact or session-end
    #[arg(value_name = "EVENT")]
    event: String,
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
                    Output::raw(text.as_bytes())
                }
            },
            "stop" | "Stop" | "pre-compact" | "PreCompact" | "session-end" | "SessionEnd" => {
                let (engine, caller) = (context.writer()?, context.caller()?);
                capture(&engine, &caller, &said)?;
                if matches!(self.event.as_str(), "session-end" | "SessionEnd") {
                    close(&engine, &caller, &said)?;
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

/// Closes the session of a conversation that is over, if anything was kept of it.
fn close(engine: &Mnemon, caller: &Caller, said: &Said) -> Result<()> {
    match engine.close_session(caller, &said.session_id()?) {
        Ok(_) | Err(Error::SessionNotFound { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}
