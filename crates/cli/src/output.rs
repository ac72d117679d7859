//! Where answers go: data on standard output, talk on standard error.

use std::io::{IsTerminal, Write};

use mnemon::recall::Note;
use mnemon::redact::Redaction;
use serde::Serialize;

use crate::failure::{Failure, Outcome};
use crate::human::WARN;
use crate::human::redacted::redactions;
use crate::human::text::harmless;
use crate::pager::Pager;

/// Columns when nothing tells how many there are.
const COLUMNS_DEFAULT: usize = 100;
/// Narrower than this no table is readable anyway.
const COLUMNS_MIN: usize = 40;

/// How answers are printed.
#[derive(Debug)]
pub(crate) struct Output {
    json: bool,
    pager: Option<Pager>,
    /// How wide a table may be.
    pub(crate) columns: usize,
}

impl Output {
    pub(crate) fn new(json: bool, columns: Option<usize>, pager: Option<Pager>) -> Self {
        let terminal = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        let columns = columns.or_else(terminal).unwrap_or(COLUMNS_DEFAULT);
        Self {
            json,
            pager,
            columns: columns.max(COLUMNS_MIN),
        }
    }

    /// Whether a program asks.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Whether somebody watches who should see how far a long job has come.
    pub(crate) fn shows_progress(&self) -> bool {
        !self.json && std::io::stderr().is_terminal()
    }

    /// Prints an answer: its JSON, or what `human` makes of it.
    pub(crate) fn answer(&self, shape: &impl Serialize, human: impl FnOnce() -> String) -> Outcome {
        if self.json {
            let mut text = serde_json::to_string(shape).expect("answers have text keys");
            text.push('\n');
            Self::raw(text.as_bytes())
        } else {
            let text = human();
            let is_shown = self.pager.as_ref().is_some_and(|pager| pager.show(&text));
            if is_shown { Ok(()) } else { Self::human(&text) }
        }
    }

    /// Says something beside the answer, to people only: a program has it in its JSON.
    pub(crate) fn note(&self, text: &str) {
        if !self.json {
            // Whoever closed standard error does not want to know.
            let _ = writeln!(anstream::stderr(), "{text}");
        }
    }

    /// Says what was taken out of something before it was kept.
    pub(crate) fn redacted(&self, redacted: &[Redaction]) {
        self.taken_out("Redacted", redacted);
    }

    /// Says what will be taken out of something once it is kept.
    pub(crate) fn to_be_redacted(&self, redacted: &[Redaction]) {
        self.taken_out("To be redacted", redacted);
    }

    fn taken_out(&self, when: &str, redacted: &[Redaction]) {
        if let Some(taken) = redactions(redacted) {
            self.note(&format!("{when} before it was kept: {taken}."));
        }
    }

    /// Says something beside the answer: `note: …` or `warning: …`.
    pub(crate) fn say(label: &str, text: &str) {
        let text = harmless(text);
        let _ = writeln!(anstream::stderr(), "{WARN}{label}:{WARN:#} {text}");
    }

    /// Says what is to be known about an answer; with `--json` the answer itself has it.
    pub(crate) fn notes(&self, notes: &[Note]) {
        if !self.json {
            for note in notes {
                Self::say("note", &note.to_string());
            }
        }
    }

    /// Prints text for people; colour is left out where it would be noise.
    pub(crate) fn human(text: &str) -> Outcome {
        let mut stdout = anstream::stdout();
        let newline = if text.is_empty() || text.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        write!(stdout, "{text}{newline}")
            .and_then(|()| stdout.flush())
            .map_err(Failure::output)
    }

    /// Prints data as it is.
    pub(crate) fn raw(bytes: &[u8]) -> Outcome {
        let mut stdout = std::io::stdout().lock();
        stdout
            .write_all(bytes)
            .and_then(|()| stdout.flush())
            .map_err(Failure::output)
    }
}
