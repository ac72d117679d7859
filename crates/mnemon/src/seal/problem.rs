//! What can be wrong with keys and with what they sealed.

use std::fmt;
use std::path::PathBuf;

use crate::memory::{MemoryId, Shut};

/// What is wrong with a key, or with what it sealed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SealProblem {
    /// Something sensitive is to be kept, and there is no key to seal it with.
    NoKey,
    /// Something sealed is needed, and its key was not given.
    Locked {
        /// The memory, or what else it is.
        what: String,
    },
    /// The store has no keys yet.
    NoRing,
    /// The store has keys already.
    RingExists,
    /// The key that was given is not the one that is needed.
    WrongKey {
        /// Where it came from.
        source: String,
        /// Whether a passphrase is what fits.
        by_passphrase: bool,
    },
    /// Others may read the key file.
    Exposed {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// There is no key file.
    NoKeyFile {
        /// Where it should be.
        path: PathBuf,
    },
    /// There is a key file already.
    KeyFileExists {
        /// The file.
        path: PathBuf,
    },
    /// What should be a key is none.
    NoKeyIn {
        /// The file or the variable.
        place: String,
    },
    /// How a passphrase is made a key makes no sense.
    BadStretch,
    /// What was sealed was altered, or belongs elsewhere.
    Altered {
        /// The memory, or what else it is.
        what: String,
    },
    /// The key that sealed it was destroyed.
    Destroyed {
        /// The memory.
        what: String,
    },
    /// The file with the keys is damaged.
    BadRing {
        /// What is wrong.
        problem: String,
    },
}

impl fmt::Display for SealProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoKey => f.write_str("this is sensitive, and there is no key to seal it with"),
            Self::Locked { what } => write!(f, "{what} is sealed, and its key was not given"),
            Self::NoRing => f.write_str("this store has no keys"),
            Self::RingExists => f.write_str("this store has keys already"),
            Self::WrongKey {
                source,
                by_passphrase: false,
            } => write!(f, "{source} is not the key that this was sealed with"),
            Self::WrongKey {
                source,
                by_passphrase: true,
            } => write!(
                f,
                "{source} is not the passphrase that this was sealed with"
            ),
            Self::Exposed { path, mode } => write!(
                f,
                "others may read the key file {} (its mode is {mode:04o})",
                path.display()
            ),
            Self::NoKeyFile { path } => write!(f, "there is no key file {}", path.display()),
            Self::KeyFileExists { path } => {
                write!(f, "there is a key file {} already", path.display())
            }
            Self::NoKeyIn { place } => write!(f, "{place} holds no key (32 bytes in base64)"),
            Self::BadStretch => f.write_str("how the passphrase is made a key makes no sense"),
            Self::Altered { what } => write!(
                f,
                "{what} can't be opened: it was altered, or sealed for another place"
            ),
            Self::Destroyed { what } => write!(f, "the key of {what} was destroyed"),
            Self::BadRing { problem } => write!(f, "the file with the keys is damaged: {problem}"),
        }
    }
}

impl SealProblem {
    /// Why a memory was not opened.
    pub(crate) fn of(why: Shut, id: &MemoryId) -> Self {
        let what = id.to_string();
        match why {
            Shut::NoKey => Self::Locked { what },
            Shut::Destroyed => Self::Destroyed { what },
            Shut::Altered => Self::Altered { what },
        }
    }

    /// What to do next.
    pub(crate) fn hint(&self) -> String {
        match self {
            Self::NoKey => {
                "Make a key with `mnemon key new`; if there is one, name it with MNEMON_KEY_FILE, \
                 MNEMON_KEY or MNEMON_PASSPHRASE, or in sealing.key_file."
            }
            Self::Locked { .. } => {
                "Give the key: MNEMON_KEY_FILE, MNEMON_KEY or MNEMON_PASSPHRASE, or \
                 sealing.key_file; `mnemon key show` tells which one is looked for."
            }
            Self::NoRing => "Make a key with `mnemon key new`.",
            Self::RingExists => "Use `mnemon key rotate` to change the key.",
            Self::WrongKey { .. } => {
                "Give the right one, or none to go on without what is sealed; `mnemon key show` \
                 tells which one is looked for."
            }
            Self::Exposed { path, .. } => {
                return format!(
                    "Run `chmod 600 {}`; if others could have read it, rotate the key too.",
                    path.display()
                );
            }
            Self::NoKeyFile { .. } => {
                "Put the key file back, or name it with MNEMON_KEY_FILE or sealing.key_file."
            }
            Self::KeyFileExists { .. } => {
                "Choose another name with --file; a key is never overwritten."
            }
            Self::NoKeyIn { .. } => {
                "Put the key back from your copy; `mnemon key new` makes key files."
            }
            Self::BadStretch => "Put the file back from a copy.",
            Self::Altered { .. } => {
                "Put it back from a copy of the store; what was altered can't be opened any more."
            }
            Self::Destroyed { .. } => "Nothing can open it any more; `mnemon erase`, `snapshot delete` or `working clear` removes it.",
            Self::BadRing { .. } => "Put keys/ring.json back from a copy of the store.",
        }
        .into()
    }
}
