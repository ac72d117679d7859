//! Which files a store has at a moment; whoever makes one holds the lock.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::store::local::papers::{REQUESTS_FOLDER, TOKENS_FILE};
use crate::store::local::{shelf, whole_file};

/// Below the root: what is derived, and notes of who writes now.
///
/// Tokens stay where they were given: a back-up must not let anybody in again who was shut out
/// since. What became of requests is of use for a day, to those who sent them here.
const LEFT_OUT: [&str; 6] = [
    "index",
    "lock",
    "erasing.lock",
    "poisoned",
    TOKENS_FILE,
    REQUESTS_FOLDER,
];

/// Files by their path below the root.
pub(super) struct Catalogue(pub(super) BTreeMap<PathBuf, Seen>);

/// Which file it was, and how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    device: u64,
    inode: u64,
    pub(super) size: u64,
}

impl Seen {
    pub(super) fn of(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.len(),
        }
    }

    pub(super) fn is_same_file(&self, other: &Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

impl Catalogue {
    pub(super) fn of(root: &Path) -> Result<Self> {
        let mut files = BTreeMap::new();
        look(root, Path::new(""), &mut files)?;
        Ok(Self(files))
    }
}

fn look(root: &Path, below: &Path, files: &mut BTreeMap<PathBuf, Seen>) -> Result<()> {
    let folder = root.join(below);
    for entry in fs::read_dir(&folder).map_err(Error::io("read", &folder))? {
        let entry = entry.map_err(Error::io("read", &folder))?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_derived = below == Path::new("") && LEFT_OUT.contains(&&*name);
        if is_derived || is_half_written(&name) {
            continue;
        }
        let path = below.join(&*name);
        let metadata = match entry.metadata() {
            // What is built outside the lock can go at any time, and is not ours to copy.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            metadata => metadata.map_err(Error::io("read", &root.join(&path)))?,
        };
        if metadata.is_dir() {
            look(root, &path, files)?;
        } else if metadata.is_file() {
            files.insert(path, Seen::of(&metadata));
        }
    }
    Ok(())
}

/// Whether a file is still to get its name, or was left by a crash before it got one.
pub(super) fn is_half_written(name: &str) -> bool {
    shelf::is_unfinished(name) || whole_file::place_of(name).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_finished_is_left_out() {
        for (name, is) in [
            ("memory.jsonl", false),
            ("memory.jsonl.01KEM4NC0ET8FXM40337SBR2GA", true),
            ("working.json.01KEM4NC0ET8FXM40337SBR2GA", true),
            ("snap_01KEM4NC0ET8FXM40337SBR2GA.snapshot", false),
            ("session.review.01KEM4NC0ET8FXM40337SBR2GA.jsonl", false),
        ] {
            assert_eq!(is_half_written(name), is, "{name}");
        }
    }
}
