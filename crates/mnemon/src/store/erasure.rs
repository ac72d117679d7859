//! Erasure: what is removed for good, with a receipt.

use std::path::PathBuf;

use crate::memory::{Draft, MemoryId, Space};
use crate::time::Time;

/// What to remove for good.
#[derive(Clone, Debug, PartialEq)]
pub struct Erasure {
    /// Which memories.
    pub ids: Vec<MemoryId>,
    /// Who asks.
    pub by: String,
    /// Why.
    pub reason: String,
    /// When.
    pub at: Time,
    /// Summaries that quoted any of it, and what they say from now on.
    pub renewed: Vec<Renewal>,
}

/// A memory that says something else from now on, and never said what it did.
#[derive(Clone, Debug, PartialEq)]
pub struct Renewal {
    /// Which.
    pub id: MemoryId,
    /// What it says; whatever else the draft has stays as it was.
    pub draft: Box<Draft>,
}

/// The receipt of an erasure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Erased {
    /// What is gone.
    pub ids: Vec<MemoryId>,
    /// Summaries that quoted any of it and were made anew from what is left.
    pub renewed: Vec<MemoryId>,
    /// Every place that was cleaned, relative to the root.
    pub cleaned: Vec<Cleaned>,
    /// How many files were searched afterwards for what is gone.
    pub files_searched: u64,
    /// How many bytes those have.
    pub bytes_searched: u64,
    /// Where the same words are still found: in memories that say them too.
    pub also_in: Vec<PathBuf>,
    /// What is sealed and could not be opened, and so may still hold something of it.
    pub not_cleaned: Vec<String>,
}

/// A place that holds nothing of it any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cleaned {
    /// Which file or folder.
    pub place: PathBuf,
    /// What was done there.
    pub how: &'static str,
}

/// Something that was taken away or brought back, without what it said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    /// When.
    pub at: Time,
    /// What was done.
    pub deed: Deed,
    /// Who did it.
    pub by: String,
    /// Why.
    pub reason: String,
    /// To how many memories.
    pub memories: u64,
    /// To which memories, unless it was done to a whole session.
    pub ids: Vec<String>,
    /// Where they lived.
    pub spaces: Vec<Space>,
}

/// What can be done to memories and to sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// They were hidden, and can be brought back for a while.
    Forgotten,
    /// They were brought back.
    Restored,
    /// They were removed for good.
    Erased,
    /// They were forgotten, their time was up, and a compaction removed them for good.
    Expired,
    /// They were compacted away, and brought back.
    Returned,
    /// A session was compressed, with a summary in its place.
    SessionArchived,
    /// An archived session was opened again.
    SessionRestored,
    /// A session was put into use again.
    SessionActivated,
    /// A session was put into the trash.
    SessionDeleted,
    /// A session was taken out of the trash again.
    SessionUndeleted,
    /// A session was removed from the trash for good.
    SessionPurged,
    /// The store got keys.
    KeysMade,
    /// Another master key wraps the keys.
    KeysRotated,
    /// What was clear was sealed.
    Sealed,
    /// The key of a space was destroyed: nothing that it sealed opens any more.
    KeyDestroyed,
    /// Somebody may ask over a connection.
    TokenMade,
    /// And may not any more.
    TokenRevoked,
}

impl Deed {
    /// The deed as it is written everywhere.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Forgotten => "forget",
            Self::Restored => "unforget",
            Self::Erased => "erase",
            Self::Expired => "expire",
            Self::Returned => "bring_back",
            Self::SessionArchived => "archive",
            Self::SessionRestored => "restore",
            Self::SessionActivated => "activate",
            Self::SessionDeleted => "delete",
            Self::SessionUndeleted => "undelete",
            Self::SessionPurged => "purge",
            Self::KeysMade => "key_new",
            Self::KeysRotated => "key_rotate",
            Self::Sealed => "key_seal",
            Self::KeyDestroyed => "key_destroy",
            Self::TokenMade => "token_new",
            Self::TokenRevoked => "token_revoke",
        }
    }

    /// The deed that the audit writes so.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        let deeds = [
            Self::Forgotten,
            Self::Restored,
            Self::Erased,
            Self::Expired,
            Self::Returned,
            Self::SessionArchived,
            Self::SessionRestored,
            Self::SessionActivated,
            Self::SessionDeleted,
            Self::SessionUndeleted,
            Self::SessionPurged,
            Self::KeysMade,
            Self::KeysRotated,
            Self::Sealed,
            Self::KeyDestroyed,
            Self::TokenMade,
            Self::TokenRevoked,
        ];
        deeds.into_iter().find(|deed| deed.as_str() == word)
    }

    /// Whether a session is in use again afterwards.
    pub fn opens(self) -> bool {
        matches!(
            self,
            Self::SessionRestored | Self::SessionActivated | Self::SessionUndeleted
        )
    }
}
