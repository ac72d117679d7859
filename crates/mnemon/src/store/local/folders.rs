//! Folders whose names last.

use std::path::Path;

use super::disk::Disk;
use crate::error::{Error, Result};

/// Makes a folder and what is missing above it, with names that a power cut does not take.
pub(super) fn make(disk: &dyn Disk, folder: &Path) -> Result<()> {
    let mut missing = Vec::new();
    for folder in folder.ancestors().filter(|path| *path != Path::new("")) {
        match disk.stat(folder).map_err(Error::io("read", folder))? {
            Some(_) => break,
            None => missing.push(folder),
        }
    }
    disk.create_folder(folder)
        .map_err(Error::io("create", folder))?;
    missing.into_iter().try_for_each(|it| sync_above(disk, it))
}

/// Makes the name of a file or folder durable.
pub(super) fn sync_above(disk: &dyn Disk, path: &Path) -> Result<()> {
    let above = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    sync(disk, above)
}

/// Makes the names in a folder durable.
pub(super) fn sync(disk: &dyn Disk, folder: &Path) -> Result<()> {
    disk.sync_folder(folder).map_err(Error::io("sync", folder))
}
