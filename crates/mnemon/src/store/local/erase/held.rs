//! Reading SQLite's files beside SQLite.
//!
//! Its locks belong to a process and a file: when this process closes any
//! descriptor of one, they are gone, and another process takes the file for
//! its own. So a descriptor that was opened to look into such a file stays
//! open until nobody can open the file any more.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// What was opened, for the whole process: others of its stores have their locks on these files too.
static HELD: Mutex<Vec<File>> = Mutex::new(Vec::new());

/// Whether a file belongs to SQLite.
pub(super) fn is_of_sqlite(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    ["", "-wal", "-shm", "-journal"]
        .iter()
        .any(|ending| name.ends_with(&format!(".sqlite{ending}")))
}

/// Reads a file of SQLite, and leaves its descriptor open.
pub(super) fn read<T>(path: &Path, reading: impl FnOnce(&File) -> io::Result<T>) -> io::Result<T> {
    let named = std::fs::metadata(path)?;
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    // An index that was replaced has no names left, and nobody asks it for much longer.
    held.retain(|file| file.metadata().is_ok_and(|known| known.nlink() > 0));
    let is_named = |file: &File| {
        let known = file.metadata();
        known.is_ok_and(|known| (known.dev(), known.ino()) == (named.dev(), named.ino()))
    };
    let place = match held.iter().position(is_named) {
        Some(place) => place,
        None => {
            held.push(File::open(path)?);
            held.len() - 1
        }
    };
    reading(&held[place])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_sqlite_are_held() {
        for (name, is) in [
            ("index/12-01ABC/index.sqlite", true),
            ("index/12-01ABC/index.sqlite-wal", true),
            ("index/12-01ABC/index.sqlite-shm", true),
            ("index/12-01ABC/vectors", false),
            ("sessions/one/memory.jsonl", false),
        ] {
            assert_eq!(is_of_sqlite(Path::new(name)), is, "{name}");
        }
    }

    #[test]
    fn a_file_is_opened_once_until_it_has_no_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index.sqlite");
        std::fs::write(&path, "bytes").unwrap();
        let descriptor = || {
            use std::os::fd::AsRawFd;
            read(&path, |file| Ok(file.as_raw_fd())).unwrap()
        };
        let first = descriptor();
        assert_eq!(descriptor(), first);
        std::fs::remove_file(&path).unwrap();
        assert!(read(&path, |_| Ok(())).is_err());
    }
}
