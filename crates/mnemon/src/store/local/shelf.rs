//! A shelf: lines of a session's log that are kept compressed.
//!
//! `whole-….jsonl.zst` holds the log of an archived session to the last byte,
//! `part-….jsonl.zst` lines that a compaction took out of it. Both are one
//! zstd frame with its checksum, written under another name, synced, and only
//! then named, so that a shelf is whole or not there. None is changed in place.
//!
//! Start at [`Packing::create`] and [`open`]; `shelves` knows which there are.

mod unpacked;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};
use zstd::stream::write::Encoder;

use super::disk::{Disk, DiskFile, Stat};
use super::folders;
use super::index::shelves::Content;
use super::log::line::Checksum;
use super::log::scan::{self, Found, Start, Stopped};
use crate::error::{Error, Result};
pub(super) use unpacked::Unpacked;

/// How every shelf's name ends.
const ENDING: &str = ".jsonl.zst";

/// How the name of one ends that is still written.
const UNFINISHED: &str = ".jsonl.zst.next";

/// Logs are packed once and rarely read again: smaller is better than sooner, within reason.
const LEVEL: i32 = 9;

/// Nobody needs more memory than this to read one: 2 to the power of this, in bytes.
const WINDOW_LOG: u32 = 23;

/// What a shelf holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// The whole log of an archived session, byte for byte.
    Whole,
    /// Lines that a compaction took out.
    Part,
}

impl Sort {
    fn prefix(self) -> &'static str {
        match self {
            Self::Whole => "whole-",
            Self::Part => "part-",
        }
    }

    /// What a name in an `archive` folder says; none if it is no shelf.
    pub(super) fn of(name: &str) -> Option<Self> {
        let sorts = [Self::Whole, Self::Part];
        let is_shelf = name.ends_with(ENDING);
        sorts
            .into_iter()
            .find(|sort| is_shelf && name.starts_with(sort.prefix()))
    }
}

/// Whether a name is what a crash left of a shelf that was being written.
pub(super) fn is_unfinished(name: &str) -> bool {
    name.ends_with(UNFINISHED)
}

/// A shelf that is there, durably.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Packed {
    /// Its name in the folder.
    pub(super) name: String,
    /// How many bytes went in.
    pub(super) bytes: u64,
    /// The SHA-256 of what went in.
    pub(super) sum: Checksum,
}

/// A shelf while it is written.
pub(super) struct Packing<'a> {
    disk: &'a dyn Disk,
    folder: PathBuf,
    name: String,
    next_path: PathBuf,
    /// None once all of it is written.
    encoder: Option<Encoder<'static, Sink>>,
    bytes: u64,
    hasher: Sha256,
    named: bool,
}

impl<'a> Packing<'a> {
    /// Begins a shelf in this folder, which is made if there is none.
    pub(super) fn create(disk: &'a dyn Disk, folder: &Path, sort: Sort) -> Result<Self> {
        let unique = super::unique(super::wall_micros());
        let name = format!("{}{unique}{ENDING}", sort.prefix());
        Self::create_named(disk, folder, name)
    }

    /// Begins what will take the place of a shelf of that name.
    pub(super) fn replace(disk: &'a dyn Disk, folder: &Path, name: &str) -> Result<Self> {
        Self::create_named(disk, folder, name.to_owned())
    }

    fn create_named(disk: &'a dyn Disk, folder: &Path, name: String) -> Result<Self> {
        disk.create_folder(folder)
            .map_err(Error::io("create", folder))?;
        let unique = super::unique(super::wall_micros());
        let next_path = folder.join(format!("{unique}{UNFINISHED}"));
        let file = disk
            .create(&next_path)
            .map_err(Error::io("create", &next_path))?;
        let encoder = Encoder::new(Sink { file, length: 0 }, LEVEL).and_then(|mut encoder| {
            encoder.include_checksum(true)?;
            encoder.window_log(WINDOW_LOG)?;
            Ok(encoder)
        });
        Ok(Self {
            encoder: Some(encoder.map_err(Error::io("write", &next_path))?),
            disk,
            folder: folder.into(),
            name,
            next_path,
            bytes: 0,
            hasher: Sha256::new(),
            named: false,
        })
    }

    /// Puts bytes on it; lines come with their newlines.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.hasher.update(bytes);
        self.bytes += bytes.len() as u64;
        match &mut self.encoder {
            Some(encoder) => encoder.write_all(bytes),
            None => Ok(()),
        }
        .map_err(Error::io("write", &self.next_path))
    }

    /// Makes it durable and gives it its name; from then on it counts.
    pub(super) fn finish(mut self) -> Result<Packed> {
        let path = self.folder.join(&self.name);
        if let Some(encoder) = self.encoder.take() {
            let sink = encoder
                .finish()
                .map_err(Error::io("write", &self.next_path))?;
            sink.file
                .sync()
                .map_err(Error::io("sync", &self.next_path))?;
        }
        self.disk
            .rename(&self.next_path, &path)
            .map_err(Error::io("name", &path))?;
        self.named = true;
        // The folder may be new too, so its own name must be safe before a log refers to the shelf.
        for folder in [Some(&*self.folder), self.folder.parent()] {
            let Some(folder) = folder else { continue };
            folders::sync(self.disk, folder)?;
        }
        Ok(Packed {
            name: std::mem::take(&mut self.name),
            bytes: self.bytes,
            sum: std::mem::take(&mut self.hasher).finalize().into(),
        })
    }
}

/// One that is given up leaves nothing behind.
impl Drop for Packing<'_> {
    fn drop(&mut self) {
        if !self.named {
            let _ = self.disk.remove(&self.next_path);
        }
    }
}

/// Where the compressed bytes go.
struct Sink {
    file: Arc<dyn DiskFile>,
    length: u64,
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write_at(bytes, self.length)?;
        self.length += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Opens a shelf, to be read like the log that it holds.
pub(super) fn open(disk: &dyn Disk, path: &Path) -> Result<Unpacked> {
    let file = disk.open_read(path).map_err(Error::io("open", path))?;
    let size = file.stat().map_err(Error::io("read", path))?.size;
    if size == 0 {
        return Err(damaged(path, "it is empty"));
    }
    Unpacked::new(file).map_err(unreadable(path))
}

/// Opens a shelf that may be damaged, to be read as far as it can be.
pub(super) fn salvage(disk: &dyn Disk, path: &Path) -> Result<Unpacked> {
    let file = disk.open_read(path).map_err(Error::io("open", path))?;
    let unpacked = Unpacked::new(file).map_err(unreadable(path))?;
    Ok(unpacked.salvaged())
}

/// For `map_err`: why a shelf can't be read, told apart by whose fault it is.
pub(super) fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_path_buf();
    move |error| match error.raw_os_error() {
        Some(_) => Error::io("read", path)(error),
        None => damaged(&path, &error.to_string()),
    }
}

fn damaged(path: &Path, problem: &str) -> Error {
    Error::Corrupt {
        path: path.into(),
        line: None,
        problem: format!("the archive is damaged: {problem}"),
    }
}

/// What lines of a shelf (or of a log) are about.
pub(super) fn content_of(file: &dyn DiskFile, path: &Path) -> Result<Content> {
    let mut ids = std::collections::BTreeSet::new();
    let mut content = Content::default();
    scan::scan(
        file,
        Start::BEGINNING,
        |found| -> Result<(), std::convert::Infallible> {
            match found {
                Found::Record(placed) => {
                    content.lines += 1;
                    content.is_forgetful |= placed.line.op.as_deref() == Some("delete");
                    ids.extend(placed.line.id);
                }
                Found::Damage(damage) => {
                    content.is_forgetful = true;
                    ids.extend(damage.id);
                }
            }
            Ok(())
        },
    )
    .map_err(|stopped| match stopped {
        Stopped::Reading(error) => unreadable(path)(error),
        Stopped::ByCaller(never) => match never {},
    })?;
    content.ids = ids.into_iter().collect();
    Ok(content)
}

/// What a file is now, if it is there.
pub(super) fn stat(disk: &dyn Disk, path: &Path) -> Result<Option<Stat>> {
    disk.stat(path).map_err(Error::io("read", path))
}

#[cfg(test)]
mod tests;
