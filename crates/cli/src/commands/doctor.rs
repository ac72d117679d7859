//! `mnemon doctor`

mod checks;

use std::fmt::Write as _;

use std::path::Path;

use clap::Args;
use serde::Serialize;

use crate::context::Context;
use crate::failure::Outcome;
use crate::human::text::one_line;
use crate::human::{BAD, GOOD, LABEL, WARN};

/// Look for what could be wrong with the store's surroundings
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mnemon doctor\n  mnemon doctor --json")]
pub(crate) struct Doctor {}

/// What a look at one thing found.
#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    status: Status,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Ok,
    Note,
    Problem,
}

#[derive(Serialize)]
struct Answer<'a> {
    ok: bool,
    root: &'a Path,
    checks: &'a [Check],
}

impl Check {
    fn ok(name: &'static str, message: impl Into<String>) -> Self {
        Self {
            name,
            status: Status::Ok,
            message: message.into(),
            hint: None,
        }
    }

    fn note(name: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            status: Status::Note,
            hint: Some(hint.into()),
            ..Self::ok(name, message)
        }
    }

    fn problem(name: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            status: Status::Problem,
            hint: Some(hint.into()),
            ..Self::ok(name, message)
        }
    }
}

impl Doctor {
    pub(crate) fn run(context: &Context) -> Outcome {
        let checks = checks::all(context);
        let answer = Answer {
            ok: checks.iter().all(|check| check.status != Status::Problem),
            root: &context.root.path,
            checks: &checks,
        };
        context.output.answer(&answer, || {
            let mut out = String::new();
            for check in &checks {
                let (style, mark) = match check.status {
                    Status::Ok => (GOOD, "✓"),
                    Status::Note => (WARN, "!"),
                    Status::Problem => (BAD, "✗"),
                };
                let _ = writeln!(
                    out,
                    "{style}{mark}{style:#} {:<12} {}",
                    check.name,
                    one_line(&check.message)
                );
                if let Some(hint) = &check.hint {
                    let _ = writeln!(out, "{:15}{LABEL}hint:{LABEL:#} {}", "", one_line(hint));
                }
            }
            out
        })
    }
}
