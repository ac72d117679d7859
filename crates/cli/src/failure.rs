//! How a command ends when it does not end well, and what is said then.

use std::any::Any;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use mnemon::Error;
use mnemon_wire::ErrorShape;

use crate::human::text::harmless;

/// What every command returns.
pub(crate) type Outcome<T = ()> = Result<T, Failure>;

/// Why a command did not do what was asked.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The library refused.
    Refused(Box<Error>),
    /// What was typed makes no sense; with what to type instead.
    Misused { message: String, hint: String },
    /// The answer is out, and it says that something is wrong.
    Unsound,
    /// Whoever read our output has had enough of it.
    ClosedPipe,
}

const REFUSED: u8 = 1;
pub(crate) const MISUSED: u8 = 2;
const BUG: u8 = 3;

const ERROR: Style = AnsiColor::Red.on_default().bold();
const HINT: Style = AnsiColor::Cyan.on_default().bold();

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Refused(Box::new(error))
    }
}

impl Failure {
    /// What was typed makes no sense.
    pub(crate) fn misused(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Misused {
            message: message.into(),
            hint: hint.into(),
        }
    }

    /// For `map_err`: writing to standard output failed.
    pub(crate) fn output(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::ClosedPipe;
        }
        Self::file("write to", "standard output")(error)
    }

    /// For `map_err`: doing `action` to a file failed.
    pub(crate) fn file(
        action: &'static str,
        path: impl Into<std::path::PathBuf>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |error| {
            let full = matches!(
                error.kind(),
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
            );
            let source = std::sync::Arc::new(error);
            Self::from(if full {
                Error::Full { path, source }
            } else {
                Error::Io {
                    action,
                    path,
                    source,
                }
            })
        }
    }
}

/// Runs a command; a bug of ours ends as [`Err`] instead of as a crash.
pub(crate) fn catch_bugs<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    let usual = std::panic::take_hook();
    // What the usual hook prints is for us; the person gets a sentence.
    std::panic::set_hook(Box::new(|_| {}));
    let ended = catch_unwind(AssertUnwindSafe(run)).map_err(|payload| panic_text(&*payload));
    std::panic::set_hook(usual);
    ended
}

fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| payload.downcast_ref::<&str>().copied());
    text.unwrap_or("no message").to_owned()
}

/// Says how it ended, and with which number.
pub(crate) fn exit_code(ended: Result<Outcome, String>, json: bool) -> ExitCode {
    let (code, shape) = match ended {
        Ok(Ok(()) | Err(Failure::ClosedPipe)) => return ExitCode::SUCCESS,
        Ok(Err(Failure::Unsound)) => return ExitCode::from(REFUSED),
        Ok(Err(Failure::Refused(error))) => {
            if !json {
                say(
                    &format!("error[{}]", error.code()),
                    &error.to_string(),
                    &error.hint(),
                );
            }
            (REFUSED, ErrorShape::of(&error))
        }
        Ok(Err(Failure::Misused { message, hint })) => {
            if !json {
                say("error", &message, &hint);
            }
            (MISUSED, ErrorShape::new(ErrorShape::USAGE, message, hint))
        }
        Err(panic) => {
            let message = format!("this is a bug in mnemon: {panic}");
            let hint = "Please report it with the command that you ran; what was acknowledged \
                        before is safe."
                .to_owned();
            if !json {
                say("error", &message, &hint);
            }
            (BUG, ErrorShape::new(ErrorShape::INTERNAL, message, hint))
        }
    };
    if json {
        say_json(&shape);
    }
    ExitCode::from(code)
}

pub(crate) fn say_json(shape: &ErrorShape) {
    let text = serde_json::to_string(shape).unwrap_or_default();
    let _ = writeln!(io::stderr(), "{text}");
}

fn say(label: &str, message: &str, hint: &str) {
    let mut stderr = anstream::stderr();
    let _ = writeln!(stderr, "{ERROR}{label}:{ERROR:#} {}", harmless(message));
    if !hint.is_empty() {
        let _ = writeln!(stderr, "{HINT}hint:{HINT:#} {}", harmless(hint));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_our_bug_and_ends_with_3() {
        let ended = catch_bugs(|| -> Outcome { panic!("no such number: {}", 7) });
        assert_eq!(ended.as_ref().unwrap_err(), "no such number: 7");
        let code = exit_code(ended, true);
        assert_eq!(format!("{code:?}"), format!("{:?}", ExitCode::from(3)));
    }

    #[test]
    fn a_closed_pipe_is_no_error() {
        let closed = Failure::output(io::ErrorKind::BrokenPipe.into());
        let code = exit_code(Ok(Err(closed)), true);
        assert_eq!(format!("{code:?}"), format!("{:?}", ExitCode::SUCCESS));
    }
}
