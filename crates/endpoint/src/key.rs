//! The key of a service: goes into one header and nowhere else.

use std::fmt;

/// A secret that proves who asks.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// The key in this text; white space around it comes from how it was set.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Self(text.to_owned()))
    }

    /// The header's value.
    pub(crate) fn bearer(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// A text of somebody else without the key in it.
    pub(crate) fn redact(&self, text: &str) -> String {
        text.replace(&self.0, "[key]")
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}
