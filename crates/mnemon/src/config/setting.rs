//! A setting with where it comes from: what `config show` prints.

use std::fmt;
use std::path::PathBuf;

use super::keys::Key;
use crate::error::{Error, shorten};

/// One key, the value that holds, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The dotted key: `storage.durability`.
    pub key: &'static str,
    /// The value, as TOML.
    pub value: String,
    /// Where the value comes from.
    pub origin: Origin,
    /// What the setting does, in one sentence.
    pub comment: &'static str,
    /// The value without any file, as TOML.
    pub default: String,
}

/// Where a value comes from; the later variants overrule the earlier ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Nobody set it.
    Default,
    /// The file in the user's configuration folder.
    UserFile {
        /// The file.
        path: PathBuf,
        /// The line; the first is 1.
        line: usize,
    },
    /// The file in the store's root.
    RootFile {
        /// The file.
        path: PathBuf,
        /// The line; the first is 1.
        line: usize,
    },
    /// An environment variable.
    Environment {
        /// Its name.
        name: String,
    },
}

impl Origin {
    /// How strong the origin is: the stronger one holds.
    pub(super) fn rank(&self) -> u8 {
        match self {
            Self::Default => 0,
            Self::UserFile { .. } => 1,
            Self::RootFile { .. } => 2,
            Self::Environment { .. } => 3,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::UserFile { path, line } | Self::RootFile { path, line } => {
                write!(f, "{}:{line}", path.display())
            }
            Self::Environment { name } => f.write_str(name),
        }
    }
}

/// A value that one source gives to a key, checked.
#[derive(Debug)]
pub(super) struct Assignment {
    pub(super) key: &'static Key,
    /// As TOML.
    pub(super) value: String,
    pub(super) origin: Origin,
}

/// The refusal of a value that the key's rule does not allow.
pub(super) fn refuse_value(key: &Key, given: &str, origin: &Origin) -> Error {
    let demand = key.rule.demand();
    Error::Setting {
        place: origin.to_string(),
        key: key.name.to_owned(),
        problem: if key.rule.may_show() {
            format!("{demand} (given: {})", shorten(given))
        } else {
            demand
        },
        suggestion: key.rule.suggestion(given),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_shown_as_people_look_for_them() {
        let file = Origin::RootFile {
            path: "/x/mnemon.toml".into(),
            line: 3,
        };
        let variable = Origin::Environment {
            name: "MNEMON_LOCK_TIMEOUT_MS".into(),
        };
        assert_eq!(Origin::Default.to_string(), "default");
        assert_eq!(file.to_string(), "/x/mnemon.toml:3");
        assert_eq!(variable.to_string(), "MNEMON_LOCK_TIMEOUT_MS");
    }
}
