//! Where writing goes on: the end of a log, cleaned of what a crash left there.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::scan::Tail;
use crate::error::{Error, Result};
use crate::memory::Space;
use crate::store::local::disk::{Disk, DiskFile};
use crate::store::local::folders;

/// Sets the bytes that a crash left aside in the quarantine, then cuts them off.
///
/// A writer does this before it appends, so it can neither adopt the lines of
/// a dead writer's transaction nor glue its own line onto a torn one.
pub(crate) fn cut(
    disk: &dyn Disk,
    file: &dyn DiskFile,
    path: &Path,
    quarantine: &Path,
    name: &str,
    tail: &Tail,
) -> Result<PathBuf> {
    let length = usize::try_from(tail.length).unwrap_or(usize::MAX);
    let mut bytes = vec![0; length];
    let count = file
        .read_at(&mut bytes, tail.offset)
        .map_err(Error::io("read", path))?;
    bytes.truncate(count);
    let aside = set_aside(disk, quarantine, name, &bytes)?;
    file.truncate(tail.offset).map_err(Error::io("cut", path))?;
    Ok(aside)
}

/// Writes bytes into a file of their own in the quarantine, durably.
pub(crate) fn set_aside(
    disk: &dyn Disk,
    quarantine: &Path,
    name: &str,
    bytes: &[u8],
) -> Result<PathBuf> {
    disk.create_folder(quarantine)
        .map_err(Error::io("create", quarantine))?;
    let path = quarantine.join(name);
    let file = disk.create(&path).map_err(Error::io("create", &path))?;
    file.write_at(bytes, 0).map_err(Error::io("write", &path))?;
    file.sync().map_err(Error::io("sync", &path))?;
    folders::sync(disk, quarantine)?;
    Ok(path)
}

/// A name in the quarantine that tells where its bytes come from.
pub(crate) fn quarantine_name(space: &Space, unique: &str, ending: &str) -> String {
    format!("{}-{unique}.{ending}", space.to_string().replace('/', "-"))
}

/// Opens a log for writing, making it and its folder if there is none.
pub(crate) fn open_or_create(
    disk: &dyn Disk,
    folder: &Path,
    path: &Path,
) -> Result<Arc<dyn DiskFile>> {
    match disk.open_write(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            disk.create_folder(folder)
                .map_err(Error::io("create", folder))?;
            disk.create(path).map_err(Error::io("create", path))
        }
        opened => opened.map_err(Error::io("open", path)),
    }
}
