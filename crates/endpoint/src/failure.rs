//! What went wrong with a service, and what to do about it.

use std::io::ErrorKind;
use std::time::Duration;

use mnemon::{EmbeddingFailure, Error};

use crate::options::Options;

/// So much of what a service says is repeated.
const SAID_CHARS_MAX: usize = 200;

/// One try that came to nothing.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) problem: String,
    pub(crate) failure: EmbeddingFailure,
    pub(crate) suggestion: String,
    /// How long the service asks to be left alone.
    pub(crate) retry_after: Option<Duration>,
}

impl Failed {
    pub(crate) fn away(problem: impl Into<String>) -> Self {
        Self {
            problem: problem.into(),
            failure: EmbeddingFailure::Away,
            suggestion: "Check that the service runs and can be reached; what waits is embedded \
                         by `mnemon embed`."
                .into(),
            retry_after: None,
        }
    }

    pub(crate) fn settings(problem: impl Into<String>, suggestion: impl Into<String>) -> Self {
        Self {
            problem: problem.into(),
            failure: EmbeddingFailure::Settings,
            suggestion: suggestion.into(),
            retry_after: None,
        }
    }

    /// What the transport says. Whatever may be different next time counts as away.
    pub(crate) fn of_transport(error: &ureq::Error, timeout: Duration) -> Self {
        match error {
            ureq::Error::Timeout(_) => {
                Self::away(format!("no answer within {} ms", timeout.as_millis()))
            }
            ureq::Error::Io(error) if error.kind() == ErrorKind::ConnectionRefused => {
                Self::away("nothing listens there")
            }
            ureq::Error::HostNotFound => Self::away("the host is not found"),
            ureq::Error::Io(error) => Self::away(format!("the connection failed: {error}")),
            ureq::Error::ConnectionFailed => Self::away("the connection failed"),
            ureq::Error::BodyExceedsLimit(limit) => Self::settings(
                format!("its answer is longer than {limit} bytes"),
                "Check embedding.url and embedding.dimension.",
            ),
            other => Self::settings(format!("{other}"), "Check embedding.url."),
        }
    }

    /// What a status other than success means.
    pub(crate) fn of_status(status: u16, body: &[u8], options: &Options) -> Self {
        let said = said(body, options);
        let problem = match &said {
            Some(said) => format!("HTTP {status}: {said}"),
            None => format!("HTTP {status}"),
        };
        match status {
            408 | 425 | 429 | 500..=599 => Self::away(problem),
            400 | 413 | 422 => Self {
                failure: EmbeddingFailure::Texts,
                ..Self::settings(problem, "Check embedding.model and what the service takes.")
            },
            // What it says here may hold a part of the key.
            401 | 403 => Self::settings(
                format!("HTTP {status}: it does not let us in"),
                format!(
                    "Put the key of the service into the environment variable {}.",
                    options.key_variable
                ),
            ),
            300..=399 => Self::settings(
                format!("HTTP {status}: it is somewhere else"),
                "Set embedding.url to where the service really is.",
            ),
            _ => Self::settings(problem, "Check embedding.url and embedding.model."),
        }
    }

    pub(crate) fn into_error(self, options: &Options, tries: u32) -> Error {
        let problem = match tries {
            1 => self.problem,
            tries => format!("{} (tried {tries} times)", self.problem),
        };
        Error::Embedding {
            embedder: options.address(),
            problem,
            failure: self.failure,
            suggestion: self.suggestion,
        }
    }
}

/// What the service says in its own words, as far as they are words.
fn said(body: &[u8], options: &Options) -> Option<String> {
    let body: serde_json::Value = serde_json::from_slice(body).ok()?;
    let error = &body["error"];
    let text = error.as_str().or_else(|| error["message"].as_str())?;
    Some(quote(text, SAID_CHARS_MAX, options))
}

/// A text of somebody else: one line, not too long, without the key.
pub(crate) fn quote(text: &str, chars_max: usize, options: &Options) -> String {
    // Before it is cut: half a key is a secret too.
    let text = match &options.key {
        Some(key) => key.redact(text),
        None => text.to_owned(),
    };
    let mut line: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(chars_max)
        .collect();
    if text.chars().nth(chars_max).is_some() {
        line.push('…');
    }
    line
}
