//! What was taken out of texts: classes and counts, never content.

use mnemon::redact::Redaction;
use serde::Serialize;

/// How much of one class was taken out.
#[derive(Debug, Serialize)]
pub struct RedactionShape<'a> {
    class: &'a str,
    count: u64,
}

impl<'a> RedactionShape<'a> {
    /// The shapes of a report.
    pub fn all(redactions: &'a [Redaction]) -> Vec<Self> {
        redactions
            .iter()
            .map(|redaction| Self {
                class: &redaction.class,
                count: redaction.count,
            })
            .collect()
    }
}

/// A text as it would be kept.
#[derive(Debug, Serialize)]
pub struct RedactedShape<'a> {
    text: &'a str,
    redacted: Vec<RedactionShape<'a>>,
    kept: Vec<RedactionShape<'a>>,
}

impl<'a> RedactedShape<'a> {
    /// The shape of a text, of what was taken out, and of what else was found in it and stays.
    pub fn of(text: &'a str, redacted: &'a [Redaction], kept: &'a [Redaction]) -> Self {
        Self {
            text,
            redacted: RedactionShape::all(redacted),
            kept: RedactionShape::all(kept),
        }
    }
}
