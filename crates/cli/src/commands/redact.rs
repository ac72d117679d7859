//! `mnemon redact`

use clap::Args;
use mnemon::redact::Redactor;
use mnemon_wire::RedactedShape;

use crate::context::Context;
use crate::failure::Outcome;
use crate::human::redacted::redactions;
use crate::input;

/// Show a text as it would be kept, without secrets
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    mnemon redact \"the password is hunter2\"\n  \
    mnemon redact - --all < letter.txt")]
pub(crate) struct Redact {
    /// The text, words joined by spaces; - reads standard input
    #[arg(required = true, value_name = "TEXT", allow_negative_numbers = true)]
    text: Vec<String>,
    /// Everything that is known, also what the settings leave in
    #[arg(long)]
    all: bool,
}

impl Redact {
    pub(crate) fn run(&self, context: &Context) -> Outcome {
        let config = context.config()?;
        let text = input::words_or_stdin(&self.text, config.limits.long_term_entry_bytes_max)?;
        let everything = Redactor::of_everything(&config.privacy);
        let redactor = if self.all {
            everything.clone()
        } else {
            Redactor::new(&config.privacy)
        };
        let redacted = redactor.redact(&text);
        let kept = everything.redact(&redacted.text).redactions;
        let shape = RedactedShape::of(&redacted.text, &redacted.redactions, &kept);
        context.output.answer(&shape, || redacted.text.clone())?;
        if let Some(taken) = redactions(&redacted.redactions) {
            context.output.note(&format!("Redacted: {taken}."));
        }
        if let Some(kept) = redactions(&kept) {
            context.output.note(&format!(
                "Found and kept: {kept}; the setting privacy.redact says what is taken out."
            ));
        }
        Ok(())
    }
}
