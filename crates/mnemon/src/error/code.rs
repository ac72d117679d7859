//! The codes that programs rely on: added to, never changed.

use std::fmt;

/// A stable error code; docs/errors.md says what each means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Code {
    /// The file system failed.
    StorageIo,
    /// The file system is full.
    StorageFull,
    /// Bytes on the disk are damaged.
    StorageCorrupt,
    /// The lock could not be had in time.
    LockTimeout,
    /// Somebody else changed it in between.
    ConcurrentMod,
    /// The input can't be parsed.
    InvalidFormat,
    /// The input breaks a rule.
    SchemaInvalid,
    /// The session's quota is used up.
    SizeLimit,
    /// There is no such session.
    SessionNotFound,
    /// The session is archived.
    SessionArchived,
    /// The session can't be read at all.
    SessionCorrupt,
    /// The question took too long.
    QueryTimeout,
    /// The question is impossible.
    InvalidQuery,
    /// Compaction could not be done.
    CompactionFailed,
    /// There is no such memory.
    NotFound,
    /// The tier does not include this.
    License,
    /// The agent's long-term memory is full.
    Quota,
    /// The caller may not do this.
    Forbidden,
    /// A key is missing or does not fit.
    Crypto,
    /// A text could not be embedded.
    Embedding,
}

impl Code {
    /// Every code, in the order of docs/errors.md.
    pub const ALL: [Code; 20] = [
        Code::StorageIo,
        Code::StorageFull,
        Code::StorageCorrupt,
        Code::LockTimeout,
        Code::ConcurrentMod,
        Code::InvalidFormat,
        Code::SchemaInvalid,
        Code::SizeLimit,
        Code::SessionNotFound,
        Code::SessionArchived,
        Code::SessionCorrupt,
        Code::QueryTimeout,
        Code::InvalidQuery,
        Code::CompactionFailed,
        Code::NotFound,
        Code::License,
        Code::Quota,
        Code::Forbidden,
        Code::Crypto,
        Code::Embedding,
    ];

    /// The code as it is printed: `E_STORAGE_IO`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::StorageIo => "E_STORAGE_IO",
            Self::StorageFull => "E_STORAGE_FULL",
            Self::StorageCorrupt => "E_STORAGE_CORRUPT",
            Self::LockTimeout => "E_LOCK_TIMEOUT",
            Self::ConcurrentMod => "E_CONCURRENT_MOD",
            Self::InvalidFormat => "E_INVALID_FORMAT",
            Self::SchemaInvalid => "E_SCHEMA_INVALID",
            Self::SizeLimit => "E_SIZE_LIMIT",
            Self::SessionNotFound => "E_SESSION_NOT_FOUND",
            Self::SessionArchived => "E_SESSION_ARCHIVED",
            Self::SessionCorrupt => "E_SESSION_CORRUPT",
            Self::QueryTimeout => "E_QUERY_TIMEOUT",
            Self::InvalidQuery => "E_INVALID_QUERY",
            Self::CompactionFailed => "E_COMPACTION_FAILED",
            Self::NotFound => "E_NOT_FOUND",
            Self::License => "E_LICENSE",
            Self::Quota => "E_QUOTA",
            Self::Forbidden => "E_FORBIDDEN",
            Self::Crypto => "E_CRYPTO",
            Self::Embedding => "E_EMBEDDING",
        }
    }

    /// The number that the BMAD sources give to the same failure.
    pub fn bmad_number(self) -> Option<&'static str> {
        match self {
            Self::SizeLimit => Some("MEM_E001"),
            Self::LockTimeout => Some("MEM_E002"),
            Self::StorageCorrupt => Some("MEM_E003"),
            Self::InvalidQuery => Some("MEM_E004"),
            Self::SessionNotFound => Some("MEM_E005"),
            Self::CompactionFailed => Some("MEM_E006"),
            _ => None,
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
