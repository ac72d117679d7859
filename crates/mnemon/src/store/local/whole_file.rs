//! Small files that are read and replaced as a whole.

use std::io;
use std::path::{Path, PathBuf};

use super::disk::Disk;
use super::{folders, unique, wall_micros};
use crate::error::{Error, Result};

/// What a file says; nothing if it is not there.
pub(super) fn read(disk: &dyn Disk, path: &Path) -> Result<Option<Vec<u8>>> {
    let file = match disk.open_read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(Error::io("open", path))?,
    };
    let size = file.stat().map_err(Error::io("read", path))?.size;
    let mut bytes = vec![0; usize::try_from(size).unwrap_or(0)];
    let count = file
        .read_at(&mut bytes, 0)
        .map_err(Error::io("read", path))?;
    bytes.truncate(count);
    Ok(Some(bytes))
}

/// Puts a file in the place of another, or where none is: durably, and whole or not at all.
pub(super) fn replace(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> Result<()> {
    let next_path = write_beside(disk, path, bytes)?;
    disk.rename(&next_path, path)
        .map_err(Error::io("write", path))?;
    folders::sync_above(disk, path)
}

/// Writes what shall take a file's place, durably, under a name beside it.
pub(super) fn write_beside(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> Result<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let next_path = path.with_file_name(format!("{name}.{}", unique(wall_micros())));
    let file = disk
        .create(&next_path)
        .map_err(Error::io("create", &next_path))?;
    let written = file
        .write_at(bytes, 0)
        .map_err(Error::io("write", &next_path))
        .and_then(|()| file.sync().map_err(Error::io("sync", &next_path)));
    match written {
        Ok(()) => Ok(next_path),
        Err(error) => {
            let _ = disk.remove(&next_path);
            Err(error)
        }
    }
}

/// The name of the file whose place a file is to take that was written beside it; none if it is
/// no such file.
pub(super) fn place_of(name: &str) -> Option<&str> {
    let (place, unique) = name.rsplit_once('.')?;
    let mut letters = unique.bytes();
    let is_ulid =
        unique.len() == 26 && letters.all(|it| it.is_ascii_digit() || it.is_ascii_uppercase());
    is_ulid.then_some(place)
}
