//! The disk of a past moment: logs with the lines that were compacted away since.
//!
//! A question about a moment before a compaction reads the log as it was: the
//! lines of every part that was made later are merged into it, in memory.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::LocalStore;
use super::disk::{Disk, DiskFile, Stat};
use super::log::scan::{self, Found, Start, Stopped};
use super::part::{self, Stored};
use super::rewrite::read;
use crate::error::{Error, Result};
use crate::memory::Space;
use crate::time::Time;

/// A disk on which some logs are longer.
#[derive(Debug)]
pub(super) struct PastDisk {
    disk: Arc<dyn Disk>,
    /// The parts of each log that belong into it at that moment.
    parts: HashMap<PathBuf, Vec<PathBuf>>,
    merged: Mutex<HashMap<PathBuf, Arc<Merged>>>,
}

/// A log as it was.
#[derive(Debug)]
struct Merged {
    bytes: Vec<u8>,
    stat: Stat,
}

impl LocalStore {
    /// The disk as it was at a moment, so far as compactions changed it.
    pub(super) fn disk_as_of(&self, moment: Time) -> Result<Arc<dyn Disk>> {
        let mut parts: HashMap<PathBuf, Vec<PathBuf>> = HashMap::new();
        for session in self.session_folders(&self.layout.sessions())? {
            for part in self.parts_of(&session)? {
                let made = part::made_at(&*self.disk, &part.path)?;
                if made.is_some_and(|made| made.micros() > moment.micros()) {
                    let log = self.layout.log(&Space::Session(session.clone()));
                    parts.entry(log).or_default().push(part.path);
                }
            }
        }
        if parts.is_empty() {
            return Ok(self.disk.clone());
        }
        Ok(Arc::new(PastDisk {
            disk: self.disk.clone(),
            parts,
            merged: Mutex::default(),
        }))
    }
}

impl PastDisk {
    /// The log with the lines of its parts, made when it is first needed.
    fn merged(&self, path: &Path) -> io::Result<Option<Arc<Merged>>> {
        let Some(parts) = self.parts.get(path) else {
            return Ok(None);
        };
        let mut merged = self.merged.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = merged.get(path) {
            return Ok(Some(known.clone()));
        }
        let log = self.disk.open_read(path)?;
        let stat = log.stat()?;
        let bytes = merge(&*self.disk, &*log, path, parts).map_err(io::Error::other)?;
        let stat = Stat {
            size: bytes.len() as u64,
            ..stat
        };
        let made = Arc::new(Merged { bytes, stat });
        merged.insert(path.to_path_buf(), made.clone());
        Ok(Some(made))
    }
}

fn merge(disk: &dyn Disk, log: &dyn DiskFile, path: &Path, parts: &[PathBuf]) -> Result<Vec<u8>> {
    let mut coming: Vec<Stored> = Vec::new();
    for part in parts {
        part::each_line(disk, part, &mut |stored| {
            coming.push(stored);
            Ok(())
        })?;
    }
    coming.sort_by_key(|stored| stored.order);
    let mut coming = coming.into_iter().peekable();
    let mut bytes = Vec::new();
    let scanned = scan::scan(log, Start::BEGINNING, |found| -> Result<(), Error> {
        let (offset, length) = match &found {
            Found::Record(placed) => {
                let order = part::order_of(&placed.line);
                while let Some(next) =
                    coming.next_if(|next| order.is_some_and(|order| next.order < order))
                {
                    bytes.extend(next.bytes);
                }
                (placed.offset, placed.length)
            }
            Found::Damage(damage) => (damage.offset, damage.length),
        };
        bytes.extend(read(log, path, offset, length)?);
        bytes.push(b'\n');
        Ok(())
    });
    scanned.map_err(|stopped| match stopped {
        Stopped::Reading(error) => Error::io("read", path)(error),
        Stopped::ByCaller(error) => error,
    })?;
    bytes.extend(coming.flat_map(|stored| stored.bytes));
    Ok(bytes)
}

impl Disk for PastDisk {
    fn open_read(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        match self.merged(path)? {
            Some(merged) => Ok(Arc::new(MergedFile(merged))),
            None => self.disk.open_read(path),
        }
    }

    fn open_write(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        self.disk.open_write(path)
    }

    fn create(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        self.disk.create(path)
    }

    fn stat(&self, path: &Path) -> io::Result<Option<Stat>> {
        match self.merged(path)? {
            Some(merged) => Ok(Some(merged.stat)),
            None => self.disk.stat(path),
        }
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        self.disk.list(folder)
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        self.disk.create_folder(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.disk.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.disk.remove(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.disk.remove_folder(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.disk.sync_folder(path)
    }
}

/// Bytes in memory, to be read only.
#[derive(Debug)]
struct MergedFile(Arc<Merged>);

impl DiskFile for MergedFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let begin = usize::try_from(offset).unwrap_or(usize::MAX);
        let rest = self.0.bytes.get(begin..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn stat(&self) -> io::Result<Stat> {
        Ok(self.0.stat)
    }

    fn write_at(&self, _: &[u8], _: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    fn truncate(&self, _: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn try_lock(&self) -> io::Result<bool> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn unlock(&self) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
