//! The one error: a code, a sentence, whether a retry can help, a next step.
//!
//! [`Code`] is the promise (docs/errors.md is its table); the words may
//! improve. Variants carry facts, and the sentence is made from them when it
//! is shown. The command line, HTTP and MCP print the same parts.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

mod code;
mod make;
mod words;

pub use code::Code;
pub(crate) use make::shorten;

use crate::tier::Tier;

/// What every fallible function of the library returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why something was refused or failed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The file system failed while `action` was done to `path`.
    Io {
        /// What was being done, as a verb: `read`, `append to`, `sync`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: Arc<std::io::Error>,
    },
    /// The file system, or the user's quota on it, has no space left.
    Full {
        /// The file that could not grow.
        path: PathBuf,
        /// What the system said.
        source: Arc<std::io::Error>,
    },
    /// A sync failed before: nobody knows what of that log is on the disk.
    Poisoned {
        /// The log whose sync failed.
        space: String,
        /// What the marker says about it.
        reason: String,
    },
    /// Bytes on the disk are not what was written.
    Corrupt {
        /// The damaged file.
        path: PathBuf,
        /// The line, where the file has lines; the first is 1.
        line: Option<u64>,
        /// What is wrong with it.
        problem: String,
    },
    /// A paper of an agent does not say what a paper of its sort says.
    Paper {
        /// Which.
        paper: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Somebody put another file in a log's place while it was being rewritten.
    LogReplaced {
        /// The log.
        path: PathBuf,
    },
    /// The derived index failed; the log is untouched.
    Index {
        /// The index file.
        path: PathBuf,
        /// What SQLite said.
        source: Arc<rusqlite::Error>,
    },
    /// The store was written by a newer mnemon.
    NewerFormat {
        /// The file that says so.
        path: PathBuf,
        /// The version found.
        found: u64,
        /// The newest version that this program knows.
        known: u64,
    },
    /// The folder holds no store.
    NoStore {
        /// The folder that was looked at.
        root: PathBuf,
    },
    /// There is no back-up in the folder.
    NoBackup {
        /// The folder that was looked at.
        folder: PathBuf,
    },
    /// The folder lies where several machines could write without a common lock.
    NetworkFileSystem {
        /// The folder.
        root: PathBuf,
        /// The file system's name.
        kind: &'static str,
    },
    /// Another writer held the lock for the whole waiting time.
    LockTimeout {
        /// How long we waited.
        waited_ms: u64,
        /// Who holds it, as far as the lock file tells.
        holder: Option<String>,
    },
    /// What is to be changed was changed by somebody else in between.
    VersionMismatch {
        /// The memory.
        id: String,
        /// The version that the caller had read.
        expected: u64,
        /// The version that it has now.
        found: u64,
    },
    /// The id is in use for other content.
    IdTaken {
        /// The id.
        id: String,
    },
    /// The id belongs to a memory of a session that is archived or deleted.
    IdShelved {
        /// The id.
        id: String,
        /// The session.
        session: String,
        /// Whether the session was deleted.
        deleted: bool,
    },
    /// The input is not in the format it should be in.
    Unparsable {
        /// What it should have been: `a time`, `JSON`, `a memory`.
        what: &'static str,
        /// The part of the input, shortened.
        input: String,
        /// What is wrong.
        problem: String,
    },
    /// A line of an input file is not in the format it should be in.
    UnparsableLine {
        /// The line; the first is 1.
        line: u64,
        /// What is wrong with it.
        source: Box<Error>,
    },
    /// Lines of an input file can't be taken, so none was.
    BadLines {
        /// What is wrong with the first of them.
        first: Box<Error>,
        /// What is wrong with those behind it, up to [`Error::LINES_TOLD_MAX`] in all.
        more: Vec<Error>,
        /// How many there are beside.
        untold: usize,
    },
    /// One of several things that were handed in together is wrong.
    At {
        /// Where it stands: `memories[17]`.
        place: String,
        /// What is wrong with it.
        source: Box<Error>,
    },
    /// A memory has a member that is not known.
    UnknownMember {
        /// Its name, shortened.
        name: String,
        /// The known one that was probably meant.
        nearest: Option<String>,
    },
    /// A rule about a field is broken.
    Rule {
        /// The field: `text`, `importance`, `tags`.
        field: &'static str,
        /// The rule, as in "must be …".
        rule: String,
        /// What was given, shortened.
        given: String,
    },
    /// A setting is unknown, of the wrong type or impossible.
    Setting {
        /// Where it was set: a file with its line, or an environment variable.
        place: String,
        /// The key.
        key: String,
        /// What is wrong with it.
        problem: String,
        /// The nearest right key or the values that are possible.
        suggestion: String,
    },
    /// The session's log would grow past its quota.
    SessionFull {
        /// The session.
        session: String,
        /// The bytes that it has now.
        used_bytes: u64,
        /// The bytes that the write would add.
        needed_bytes: u64,
        /// The bytes that it may have.
        limit_bytes: u64,
    },
    /// Something does not fit into a context window, whatever else falls out of it.
    WindowFull {
        /// The tokens that it has.
        needed_tokens: usize,
        /// The tokens of what is pinned, and so stays.
        pinned_tokens: usize,
        /// The tokens that the window may hold.
        budget_tokens: usize,
    },
    /// Something other than a memory is not there.
    Missing {
        /// What was asked for.
        what: String,
        /// What to do next.
        suggestion: &'static str,
    },
    /// An agent's long-term memory would grow past what its tier includes.
    LongTermFull {
        /// The agent.
        agent: String,
        /// The bytes that it has now.
        used_bytes: u64,
        /// The bytes that the write would add.
        needed_bytes: u64,
        /// The bytes that it may have.
        limit_bytes: u64,
    },
    /// The tier does not include this.
    License {
        /// What was asked for.
        feature: &'static str,
        /// The least tier that includes it.
        needed: Tier,
        /// The tier of the caller.
        had: Tier,
    },
    /// No session has this id.
    SessionNotFound {
        /// The id that was asked for.
        session: String,
    },
    /// A session with this id (or one that differs in case only) exists.
    SessionExists {
        /// The id that exists.
        session: String,
    },
    /// The session of this id was deleted and can still be brought back.
    SessionDeleted {
        /// The session.
        session: String,
    },
    /// A session can't be made under the id of one that was deleted.
    SessionIdDeleted {
        /// The deleted session.
        session: String,
    },
    /// The session is archived.
    SessionArchived {
        /// The session.
        session: String,
        /// Why it does not open, if that was tried.
        source: Option<Box<Error>>,
    },
    /// The memory was compacted away, and can be brought back.
    Compacted {
        /// Its id.
        id: String,
        /// The session in whose archive it is.
        session: String,
        /// Since when, if that is known.
        since: Option<crate::time::Time>,
    },
    /// A session could not be compacted; it is as it was.
    CompactionFailed {
        /// The session.
        session: String,
        /// Why.
        source: Box<Error>,
    },
    /// No memory has this id or handle.
    NotFound {
        /// What was asked for.
        reference: String,
    },
    /// The memory is there, but was forgotten.
    Forgotten {
        /// The memory.
        id: String,
    },
    /// The memory's only line in the log is damaged or was edited by hand.
    Damaged {
        /// The memory.
        id: String,
        /// The log.
        path: PathBuf,
        /// The line; the first is 1.
        line: u64,
    },
    /// The question itself is impossible.
    InvalidQuery {
        /// The part of the question: `limit`, `filters[2].operator`.
        field: Cow<'static, str>,
        /// What is wrong with it.
        problem: String,
    },
    /// The question took longer than it may.
    QueryTimeout,
    /// A text could not be embedded.
    Embedding {
        /// Who was asked: the address of a service, or a model's id; never with a key.
        embedder: String,
        /// What went wrong.
        problem: String,
        /// Whose fault it is.
        failure: EmbeddingFailure,
        /// What to do next.
        suggestion: String,
    },
    /// A memory brings a vector that can't be compared with others.
    Dimension {
        /// The dimension that it has.
        given: usize,
        /// The dimension that vectors have here.
        expected: usize,
        /// The model that the others are of.
        embedder: String,
    },
    /// What was can't be changed.
    Past {
        /// The moment that was looked at.
        moment: crate::time::Time,
    },
    /// A key is missing or does not fit, or what was sealed was altered.
    Crypto(crate::seal::SealProblem),
    /// The caller may not do this.
    Forbidden {
        /// Who asked.
        caller: String,
        /// What was refused.
        action: String,
    },
}

/// Why an embedder did not embed, as far as it matters for what to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmbeddingFailure {
    /// It can't be reached or is busy: later it may do it.
    Away,
    /// It refuses these texts; others it may take.
    Texts,
    /// It is not what the settings say, or does not let us in.
    Settings,
}

impl Error {
    /// Of so many bad lines it is told what is wrong; the others are counted.
    pub const LINES_TOLD_MAX: usize = 20;

    /// The refusal of a file for its bad lines, if it has any.
    pub fn bad_lines(all: Vec<Self>) -> Option<Self> {
        let untold = all.len().saturating_sub(Self::LINES_TOLD_MAX);
        let mut told = all.into_iter().take(Self::LINES_TOLD_MAX);
        Some(Self::BadLines {
            first: Box::new(told.next()?),
            more: told.collect(),
            untold,
        })
    }

    /// The stable code, for programs.
    pub fn code(&self) -> Code {
        match self {
            Self::Io { .. }
            | Self::Poisoned { .. }
            | Self::NoStore { .. }
            | Self::NoBackup { .. }
            | Self::NetworkFileSystem { .. } => Code::StorageIo,
            Self::Full { .. } => Code::StorageFull,
            Self::Corrupt { .. }
            | Self::Paper { .. }
            | Self::Damaged { .. }
            | Self::Index { .. } => Code::StorageCorrupt,
            Self::LockTimeout { .. } => Code::LockTimeout,
            Self::VersionMismatch { .. }
            | Self::IdTaken { .. }
            | Self::IdShelved { .. }
            | Self::LogReplaced { .. } => Code::ConcurrentMod,
            Self::Unparsable { .. } | Self::NewerFormat { .. } | Self::Setting { .. } => {
                Code::InvalidFormat
            }
            Self::UnparsableLine { source, .. }
            | Self::At { source, .. }
            | Self::BadLines { first: source, .. } => source.code(),
            Self::Rule { .. }
            | Self::UnknownMember { .. }
            | Self::SessionExists { .. }
            | Self::SessionIdDeleted { .. } => Code::SchemaInvalid,
            Self::SessionFull { .. } | Self::WindowFull { .. } => Code::SizeLimit,
            Self::LongTermFull { .. } => Code::Quota,
            Self::License { .. } => Code::License,
            Self::SessionNotFound { .. } | Self::SessionDeleted { .. } => Code::SessionNotFound,
            Self::SessionArchived { .. } => Code::SessionArchived,
            Self::NotFound { .. }
            | Self::Forgotten { .. }
            | Self::Missing { .. }
            | Self::Compacted { .. } => Code::NotFound,
            Self::CompactionFailed { .. } => Code::CompactionFailed,
            Self::InvalidQuery { .. } => Code::InvalidQuery,
            Self::QueryTimeout => Code::QueryTimeout,
            Self::Embedding { .. } | Self::Dimension { .. } => Code::Embedding,
            Self::Past { .. } | Self::Forbidden { .. } => Code::Forbidden,
            Self::Crypto(_) => Code::Crypto,
        }
    }

    /// Whether the same call can succeed later without anything being changed.
    pub fn retryable(&self) -> bool {
        matches!(
            self,
            Self::LockTimeout { .. }
                | Self::Full { .. }
                | Self::LogReplaced { .. }
                | Self::QueryTimeout
                | Self::Embedding {
                    failure: EmbeddingFailure::Away,
                    ..
                }
        ) || matches!(
            self,
            Self::SessionArchived { source: Some(source), .. } | Self::CompactionFailed { source, .. }
                if source.retryable()
        ) || matches!(self, Self::Io { source, .. } if source.kind() == std::io::ErrorKind::Interrupted)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } | Self::Full { source, .. } => Some(source.as_ref()),
            Self::Index { source, .. } => Some(source.as_ref()),
            Self::UnparsableLine { source, .. }
            | Self::At { source, .. }
            | Self::CompactionFailed { source, .. }
            | Self::SessionArchived {
                source: Some(source),
                ..
            } => Some(source.as_ref()),
            _ => None,
        }
    }
}
