//! Whether what a memory says is sealed on the disk, and whether it is readable here.

use super::Text;

/// What stands in the place of a text that is sealed and was not opened.
pub const SEALED_TEXT: &str = "[sealed]";

/// Whether a memory is sealed on the disk.
#[derive(Clone, Debug, Default)]
pub enum Seal {
    /// It is not.
    #[default]
    Clear,
    /// It was opened: what it says is all here.
    Opened,
    /// It was not: all that it says is in here.
    Closed(Closed),
}

/// What can be read is the same, however it lies on the disk.
impl PartialEq for Seal {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Closed(own), Self::Closed(other)) => own == other,
            (Self::Closed(_), _) | (_, Self::Closed(_)) => false,
            _ => true,
        }
    }
}

/// What a memory says, unreadable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closed {
    /// The id of the data key.
    pub key: String,
    /// Nonce and ciphertext.
    pub content: Vec<u8>,
    /// The agents that it is private to, if it is: without the key, too, nobody else sees it.
    pub private_to: Option<Vec<String>>,
    /// Why it was not opened.
    pub why: Shut,
}

/// Why something sealed was not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shut {
    /// Nobody gave the key.
    NoKey,
    /// The key is not there any more.
    Destroyed,
    /// It was altered, or belongs elsewhere.
    Altered,
}

/// The text of what was not opened.
pub(crate) fn sealed_text() -> Text {
    SEALED_TEXT.parse().expect("more than white space")
}
