//! Long answers, a screen at a time: on a terminal, and nowhere else.

use std::io::{IsTerminal, Write};
use std::process::{Command, Stdio};

/// How somebody wants to see long answers.
#[derive(Debug)]
pub(crate) struct Pager {
    /// What `PAGER` says; empty or `cat` for no pager.
    pub(crate) program: Option<String>,
    /// Whether `less` was told how to behave.
    pub(crate) has_less: bool,
}

impl Pager {
    /// Shows a text a screen at a time if it is long; says whether it did.
    pub(crate) fn show(&self, text: &str) -> bool {
        let stdout = std::io::stdout();
        let rows = terminal_size::terminal_size().map(|(_, height)| usize::from(height.0));
        if !stdout.is_terminal() || !is_long(text, rows) {
            return false;
        }
        let Some((program, arguments)) = chosen(self.program.as_deref()) else {
            return false;
        };
        let text = match anstream::AutoStream::choice(&stdout) {
            anstream::ColorChoice::Never => anstream::adapter::strip_str(text).to_string(),
            _ => text.to_owned(),
        };
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped());
        if !self.has_less {
            // Colours as they are, and the text stays on the screen afterwards.
            command.env("LESS", "FRX");
        }
        let Ok(mut child) = command.spawn() else {
            // A pager that is not there is no reason to say nothing.
            return false;
        };
        if let Some(mut input) = child.stdin.take() {
            // Whoever leaves it early has seen enough.
            let _ = input.write_all(text.as_bytes());
        }
        let _ = child.wait();
        true
    }
}

fn is_long(text: &str, rows: Option<usize>) -> bool {
    // The prompt needs a line as well.
    rows.is_some_and(|rows| text.lines().count() + 1 > rows)
}

/// The program and its arguments; none if nobody wants one.
fn chosen(pager: Option<&str>) -> Option<(&str, Vec<&str>)> {
    let mut words = pager.unwrap_or("less").split_whitespace();
    let program = words.next().filter(|program| *program != "cat")?;
    Some((program, words.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_does_not_fit_is_paged_and_only_by_a_pager() {
        assert!(!is_long("a\nb\n", Some(3)));
        assert!(is_long("a\nb\nc\n", Some(3)));
        assert!(!is_long(&"a\n".repeat(1000), None));
        assert_eq!(chosen(None), Some(("less", vec![])));
        assert_eq!(chosen(Some("most -s")), Some(("most", vec!["-s"])));
        assert_eq!(chosen(Some("cat")), None);
        assert_eq!(chosen(Some("")), None);
    }
}
