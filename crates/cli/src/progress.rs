//! How far a long job has come, for whoever watches.

use std::io::Write;

use mnemon::store::Progress;

use crate::output::Output;

const BAR_COLUMNS: u64 = 24;

/// A bar on standard error, drawn only on a terminal.
pub(crate) struct Bar {
    label: &'static str,
    shown: bool,
    last_percent: Option<u64>,
}

impl Bar {
    pub(crate) fn new(output: &Output, label: &'static str) -> Self {
        Self {
            label,
            shown: output.shows_progress(),
            last_percent: None,
        }
    }

    /// Draws it anew if it would look different.
    pub(crate) fn draw(&mut self, progress: Progress) {
        let percent = match progress.total {
            0 => 100,
            total => progress.done.min(total).saturating_mul(100) / total,
        };
        if !self.shown || self.last_percent == Some(percent) {
            return;
        }
        self.last_percent = Some(percent);
        let done = usize::try_from(percent * BAR_COLUMNS / 100).unwrap_or(0);
        let left = usize::try_from(BAR_COLUMNS).unwrap_or(0) - done;
        let _ = write!(
            std::io::stderr(),
            "\r{} {}{} {percent:>3} %",
            self.label,
            "█".repeat(done),
            "░".repeat(left)
        );
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if self.last_percent.is_some() {
            // The answer should stand alone.
            let _ = write!(std::io::stderr(), "\r\x1b[2K");
        }
    }
}
