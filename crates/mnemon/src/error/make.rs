//! Making errors: from what the system, SQLite or a caller did.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use super::Error;
use crate::memory::Space;

impl Error {
    /// A space that would grow past its quota.
    pub fn full(space: &Space, used_bytes: u64, needed_bytes: u64, limit_bytes: u64) -> Self {
        match space {
            Space::Agent(agent) => Self::LongTermFull {
                agent: agent.to_string(),
                used_bytes,
                needed_bytes,
                limit_bytes,
            },
            Space::Session(_) | Space::Shared => Self::SessionFull {
                session: space
                    .session()
                    .map_or_else(String::new, ToString::to_string),
                used_bytes,
                needed_bytes,
                limit_bytes,
            },
        }
    }

    /// For `map_err`: the I/O error of doing `action` to `path`, told apart by what it means.
    pub(crate) fn io(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| match source.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Self::Full {
                path,
                source: Arc::new(source),
            },
            _ => Self::Io {
                action,
                path,
                source: Arc::new(source),
            },
        }
    }

    /// For `map_err`: the error of syncing a log. Never "full", even if the
    /// system says so, because what is full may be tried again.
    pub(crate) fn sync(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io {
            action: "sync",
            path,
            source: Arc::new(source),
        }
    }

    /// For `map_err`: what SQLite said about the index, told apart by what it means.
    pub(crate) fn index(path: impl Into<PathBuf>) -> impl FnOnce(rusqlite::Error) -> Self {
        let path = path.into();
        move |source| match source.sqlite_error_code() {
            // The index has no room to grow, which is no damage.
            Some(rusqlite::ErrorCode::DiskFull) => Self::Full {
                path,
                source: Arc::new(std::io::ErrorKind::StorageFull.into()),
            },
            _ => Self::Index {
                path,
                source: Arc::new(source),
            },
        }
    }

    /// A broken rule, with the input shortened so that the message stays readable.
    pub(crate) fn rule(field: &'static str, rule: impl Into<String>, given: &str) -> Self {
        Self::Rule {
            field,
            rule: rule.into(),
            given: shorten(given),
        }
    }

    pub(crate) fn unparsable(what: &'static str, input: &str, problem: impl fmt::Display) -> Self {
        Self::Unparsable {
            what,
            input: shorten(input),
            problem: problem.to_string(),
        }
    }
}

/// At most 60 characters of the input, with control characters made visible.
pub(crate) fn shorten(input: &str) -> String {
    let mut short = String::new();
    for c in input.chars().take(60) {
        match c {
            // Escaped quotes would only make the input harder to recognise.
            '"' | '\'' => short.push(c),
            _ => short.extend(c.escape_debug()),
        }
    }
    if input.chars().nth(60).is_some() {
        short.push('…');
    }
    short
}
