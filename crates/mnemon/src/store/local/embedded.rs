//! Sets: the vectors of embedders outside of the program, a folder for each.
//!
//! They cost time and maybe money, so they are kept apart from the builds of
//! the index and found by what was embedded, not by a memory's number: a
//! reindex keeps them. Still derived: whoever deletes one has to embed again.
//!
//! Invariant: a set that can't be read keeps no question from being answered.
//! Start at [`Sets`]; `file` is a set on the disk, `rows` what a process keeps.

mod file;
mod rows;

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest, Sha256};

use crate::embed::{SetName, TextKey, Vector};
use crate::error::{EmbeddingFailure, Error, Result};
pub(super) use file::VectorSet;
pub(super) use rows::SetRows;

/// So much of an embedder's name is in the name of its folder, for people.
const NAME_CHARS_MAX: usize = 60;

/// The file of a set in its folder.
const FILE: &str = "vectors.sqlite";

/// The sets of a store, as this process knows them.
#[derive(Debug)]
pub(super) struct Sets {
    folder: PathBuf,
    open: Mutex<HashMap<SetName, Arc<VectorSet>>>,
}

impl Sets {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            open: Mutex::default(),
        }
    }

    /// The set, if there is one that can be read.
    pub(super) fn find(&self, name: &SetName) -> Result<Option<Arc<VectorSet>>> {
        let path = self.path(name);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(set) = open.get(name)
            && set.is_at(&path)
        {
            return Ok(Some(set.clone()));
        }
        open.remove(name);
        match VectorSet::open(&path, name) {
            Ok(Some(set)) => {
                let set = Arc::new(set);
                open.insert(name.clone(), set.clone());
                Ok(Some(set))
            }
            Ok(None) => Ok(None),
            Err(error) if file::is_damaged(&error) => {
                let _ = file::throw_away(&self.folder_of(name));
                Ok(None)
            }
            Err(error) => Err(unreadable(name, &error)),
        }
    }

    /// As [`Self::find`], and knows all that is in it now.
    pub(super) fn current(&self, name: &SetName) -> Result<Option<Arc<VectorSet>>> {
        let Some(set) = self.find(name)? else {
            return Ok(None);
        };
        match set.refresh() {
            Ok(()) => Ok(Some(set)),
            Err(error) if file::is_damaged(&error) => {
                self.forget_damaged(name, &set);
                Ok(None)
            }
            Err(error) => Err(unreadable(name, &error)),
        }
    }

    /// The keys of all that the set has.
    pub(super) fn keys(&self, name: &SetName) -> Result<HashSet<u64>> {
        let Some(set) = self.find(name)? else {
            return Ok(HashSet::new());
        };
        match set.keys() {
            Ok(keys) => Ok(keys),
            Err(error) if file::is_damaged(&error) => {
                self.forget_damaged(name, &set);
                Ok(HashSet::new())
            }
            Err(error) => Err(unreadable(name, &error)),
        }
    }

    /// Adds vectors, and makes the set first if there is none.
    pub(super) fn put(
        &self,
        name: &SetName,
        vectors: &[(TextKey, Option<Vector>)],
        complete: bool,
    ) -> Result<()> {
        let path = self.path(name);
        let once = || file::put(&path, name, vectors, complete);
        let put = match once() {
            Err(error) if file::is_damaged(&error) => {
                let _ = file::throw_away(&self.folder_of(name));
                once()
            }
            put => put,
        };
        put.map_err(|error| unreadable(name, &error))
    }

    fn forget_damaged(&self, name: &SetName, set: &VectorSet) {
        let path = self.path(name);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.remove(name);
        // Not if somebody has made it anew meanwhile.
        if set.is_at(&path) {
            let _ = file::throw_away(&self.folder_of(name));
        }
    }

    /// Removes the vectors of everything else from every set. A set of which
    /// that can't be done is removed as a whole; false if there is none at all.
    pub(super) fn keep_only(&self, keys: &HashSet<u64>) -> Result<bool> {
        // Whoever closes a file of SQLite's takes its locks away from our connections.
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.clear();
        let entries = match std::fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(Error::io("read", &self.folder)(error)),
        };
        for entry in entries.flatten() {
            let folder = entry.path();
            if file::keep_only(&folder.join(FILE), keys).is_err() {
                file::throw_away(&folder).map_err(Error::io("remove", &folder))?;
            }
        }
        Ok(true)
    }

    fn folder_of(&self, name: &SetName) -> PathBuf {
        self.folder.join(folder_name(name))
    }

    fn path(&self, name: &SetName) -> PathBuf {
        self.folder_of(name).join(FILE)
    }
}

/// `1-openai-text-embedding-3-small-1536-` and a hash that tells similar names apart.
fn folder_name(name: &SetName) -> String {
    let shown = name.embedder.chars().take(NAME_CHARS_MAX);
    let shown = shown.map(|c| if c.is_ascii_alphanumeric() { c } else { '-' });
    let mut folder = format!("{}-{}-", file::FORMAT, shown.collect::<String>());
    let whole = format!("{}\n{}", name.embedder, name.dimension);
    for byte in &Sha256::digest(whole)[..8] {
        let _ = write!(folder, "{byte:02x}");
    }
    folder
}

/// No question and no write may fail for it, so it is none of the index's errors.
fn unreadable(name: &SetName, error: &rusqlite::Error) -> Error {
    Error::Embedding {
        embedder: name.embedder.clone(),
        problem: format!("its vectors can't be used: {error}"),
        failure: EmbeddingFailure::Away,
        suggestion: "Try again; if it stays so, delete index/embedded in the store's folder and \
                     run `mnemon embed`."
            .into(),
    }
}

/// Which file it is, whatever its name.
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(test)]
mod tests;
