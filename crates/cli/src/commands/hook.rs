//! `mnemon hook`
//!
//! A client runs it in the middle of its work and waits, so it is quick and
//! never in the way: whatever goes wrong is a note on standard error, what
//! comes out is what the client understands, and the exit code is 0. `said` is
//! what the client tells, `capture` keeps what was said in the conversation.

mod briefing;
mod capture;
mod said;
mod transcript;

use std::io::Write;

use clap::{Args, ValueEnum};
use mnemon::Error;
use mnemon_wire::foreign::Program;
use mnemon_wire::foreign::live::Speaker;
use serde_json::json;

use crate::arguments::Global;
use crate::context::Context;
use crate::failure::{Failure, Outcome, catch_bugs};
use crate::output::Output;
use said::Said;

/// Answer a client's hook: what it says comes in on standard input, as JSON
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  \
    echo '{\"session_id\":\"7f3a\",\"cwd\":\"/work/shop\"}' | mnemon hook session-start\n\n\
    `mnemon connect claude-code --hooks` sets it up, and so for codex, cursor and gemini; \
    docs/connect.md says what is kept.")]
pub(crate) struct Hook {
    /// session-start, prompt, response, stop, pre-compact or session-end
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
    /// Cursor
    Cursor,
    /// Gemini CLI
    Gemini,
}

/// When a hook runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    /// A conversation begins.
    Start,
    /// The person has asked.
    Prompt,
    /// The model has said something.
    Response,
    /// The model is done for now, or what was said is about to be shortened.
    Pause,
    /// The conversation is over.
    End,
}

impl Hook {
    /// Does what it can.
    pub(crate) fn run(&self, global: &Global) {
        let event = Event::of(&self.event);
        let (answer, note) = match catch_bugs(|| self.answer(global, event)) {
            Ok(Ok(answer)) => (answer, None),
            Ok(Err(Failure::Unsound | Failure::ClosedPipe)) => (String::new(), None),
            Ok(Err(Failure::Refused(error))) => {
                (String::new(), Some(format!("{}: {error}", error.code())))
            }
            Ok(Err(Failure::Misused { message, .. })) => (String::new(), Some(message)),
            Err(panic) => {
                let note = format!("this is a bug in mnemon: {panic}");
                (String::new(), Some(note))
            }
        };
        if let Some(note) = note {
            let _ = writeln!(std::io::stderr(), "mnemon hook: {note}");
        }
        let answer = match answer.as_str() {
            "" => self.client.nothing(event),
            answer => answer,
        };
        // Nobody is there to be told that nobody listens.
        let _ = Output::raw(answer.as_bytes());
    }

    /// What the client is told; empty if nothing.
    fn answer(&self, global: &Global, event: Option<Event>) -> Outcome<String> {
        let said = Said::read(self.client)?;
        if said.is_cursor && self.client != Client::Cursor {
            // It runs the hooks of Claude Code too, and has its own.
            return Ok(String::new());
        }
        let context = match (self.client, said.folder()) {
            // It runs them in its own folder, where nobody keeps a store.
            (Client::Cursor, Some(folder)) => Context::at(global, folder)?,
            _ => Context::new(global)?,
        };
        match event {
            Some(Event::Start) => self.brief(&context, &said),
            Some(event) => {
                let (engine, caller) = (context.writer()?, context.caller()?);
                capture::capture(&context, &engine, &caller, self.client, event, &said)?;
                Ok(String::new())
            }
            None => Err(Failure::misused(
                format!("there is no hook {}", self.event.escape_debug()),
                "",
            )),
        }
    }

    fn brief(&self, context: &Context, said: &Said) -> Outcome<String> {
        let engine = match context.reader() {
            // Nothing is remembered yet.
            Err(Error::NoStore { .. }) => return Ok(String::new()),
            engine => engine?,
        };
        let text = briefing::briefing(&engine, &context.caller()?, &said.project)?;
        Ok(self.client.told(text))
    }
}

impl Event {
    /// By our name for it, or by that of a client.
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "session-start" | "SessionStart" | "sessionStart" => Self::Start,
            "prompt" | "beforeSubmitPrompt" => Self::Prompt,
            "response" | "afterAgentResponse" => Self::Response,
            "stop" | "Stop" | "AfterAgent" | "pre-compact" | "PreCompact" | "preCompact"
            | "PreCompress" => Self::Pause,
            "session-end" | "SessionEnd" | "sessionEnd" => Self::End,
            _ => return None,
        })
    }
}

impl Client {
    /// A text for the model, in the form that the client takes; empty if there is none.
    fn told(self, text: String) -> String {
        if text.is_empty() {
            return text;
        }
        match self {
            Self::ClaudeCode => text,
            Self::Codex | Self::Gemini => {
                let told = json!({ "hookEventName": "SessionStart", "additionalContext": text });
                json!({ "hookSpecificOutput": told }).to_string()
            }
            Self::Cursor => json!({ "additional_context": text }).to_string(),
        }
    }

    /// What is said where there is nothing to say.
    fn nothing(self, event: Option<Event>) -> &'static str {
        match (self, event) {
            // It waits for leave to send what the person asked.
            (Self::Cursor, Some(Event::Prompt)) => r#"{"continue":true}"#,
            (Self::Cursor, _) => "{}",
            _ => "",
        }
    }

    /// Where what was said is to be found.
    fn source(self) -> Source {
        match self {
            Self::ClaudeCode => Source::Tail,
            Self::Codex => Source::Whole(Program::Codex),
            Self::Gemini => Source::WholeOrHanded(Program::Gemini, Speaker::Gemini),
            Self::Cursor => Source::Handed(Speaker::Cursor),
        }
    }
}

/// Where what was said is to be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// At the end of the transcript of Claude Code.
    Tail,
    /// In a transcript that is read as an import reads it.
    Whole(Program),
    /// There, or in what the hook is told if the client writes none.
    WholeOrHanded(Program, Speaker),
    /// In what the hook is told: nobody says what its transcript looks like.
    Handed(Speaker),
}
