//! What was taken out, in one line.

use mnemon::redact::Redaction;

use super::count;

/// `1 github_token, 2 password`; nothing if there is nothing to say.
pub(crate) fn redactions(redactions: &[Redaction]) -> Option<String> {
    let classes: Vec<String> = redactions
        .iter()
        .map(|redaction| count(redaction.count, &redaction.class, &redaction.class))
        .collect();
    (!classes.is_empty()).then(|| classes.join(", "))
}
