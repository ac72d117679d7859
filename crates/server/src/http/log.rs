//! The log: one JSON object a line, of what happened and never of what was said.
//!
//! Names of routes, sizes, times and codes; no text, no question, no token, no
//! path with its parts. Whoever adds a field keeps to that.

use std::io::Write;
use std::sync::{Mutex, PoisonError};

use mnemon::Time;
use mnemon::config::LogLevel;
use serde_json::{Value, json};

/// Where lines go, and which.
pub(crate) struct Log {
    level: LogLevel,
    out: Mutex<Box<dyn Write + Send>>,
}

impl Log {
    pub(crate) fn new(level: LogLevel, out: Box<dyn Write + Send>) -> Self {
        Self {
            level,
            out: Mutex::new(out),
        }
    }

    /// Writes a line, if it is wanted.
    pub(crate) fn say(
        &self,
        level: LogLevel,
        at: Time,
        component: &str,
        message: &str,
        more: &Value,
    ) {
        if level > self.level || level == LogLevel::Off {
            return;
        }
        let line = json!({
            "timestamp": at,
            "level": word(level),
            "component": component,
            "message": message,
            "metadata": more,
        });
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        // Whoever closed standard error does not want to know.
        let _ = writeln!(out, "{line}");
    }
}

fn word(level: LogLevel) -> &'static str {
    match level {
        LogLevel::Off => "OFF",
        LogLevel::Error => "ERROR",
        LogLevel::Warn => "WARN",
        LogLevel::Info => "INFO",
        LogLevel::Debug => "DEBUG",
    }
}
