//! Removing back-ups that newer ones have replaced.

use std::path::{Path, PathBuf};

use super::manifest::{MANIFEST, Manifest};
use crate::error::{Error, Result};

/// Removes the oldest back-ups of a store among the folders in a folder, until only so many are
/// left. What is no back-up, or one of another store, is not touched.
pub fn drop_old_backups(folder: &Path, store_id: &str, keep: usize) -> Result<Vec<PathBuf>> {
    let mut own = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(Error::io("read", folder))? {
        let path = entry.map_err(Error::io("read", folder))?.path();
        // A link leads to what somebody else put elsewhere.
        let is_folder = path
            .symlink_metadata()
            .is_ok_and(|metadata| metadata.is_dir());
        if let Some(manifest) = is_folder.then(|| Manifest::read(&path).ok()).flatten()
            && manifest.store_id == store_id
        {
            own.push((manifest.taken_at, path));
        }
    }
    own.sort();
    let many = own.len().saturating_sub(keep);
    let old: Vec<PathBuf> = own.into_iter().take(many).map(|(_, path)| path).collect();
    for path in &old {
        // Without its list it is no back-up any more, should the rest be cut short.
        let list = path.join(MANIFEST);
        std::fs::remove_file(&list).map_err(Error::io("remove", &list))?;
        std::fs::remove_dir_all(path).map_err(Error::io("remove", path))?;
    }
    Ok(old)
}
