//! Copying files that others go on writing.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::catalogue::{Catalogue, Seen};
use crate::error::{Error, Result};
use crate::store::local::disk::{Disk, RealDisk};
use crate::store::local::folders;
use crate::store::local::log::scan::{self, Found, Start, Stopped};

/// What was copied so far, from one folder into another.
pub(super) struct Copies<'a> {
    from: &'a Path,
    to: &'a Path,
    done: BTreeMap<PathBuf, Seen>,
}

/// What was read again of the copies.
#[derive(Default)]
pub(super) struct Checked {
    pub(super) lines: u64,
    pub(super) damage: Vec<String>,
}

impl<'a> Copies<'a> {
    pub(super) fn new(from: &'a Path, to: &'a Path) -> Self {
        Self {
            from,
            to,
            done: BTreeMap::new(),
        }
    }

    /// Makes the copies be what a catalogue says; false if something was replaced meanwhile.
    pub(super) fn follow(&mut self, catalogue: &Catalogue) -> Result<bool> {
        for (path, seen) in &catalogue.0 {
            let done = self.done.get(path).copied();
            if done == Some(*seen) {
                continue;
            }
            self.done.remove(path);
            if !self.copy(path, seen, done)? {
                return Ok(false);
            }
            self.done.insert(path.clone(), *seen);
        }
        let gone: Vec<PathBuf> = self
            .done
            .keys()
            .filter(|path| !catalogue.0.contains_key(*path))
            .cloned()
            .collect();
        for path in gone {
            let copy = self.to.join(&path);
            fs::remove_file(&copy).map_err(Error::io("remove", &copy))?;
            self.done.remove(&path);
        }
        Ok(true)
    }

    /// Copies a file as long as it was; false if it is another by now. What a log had before is
    /// there already.
    fn copy(&self, path: &Path, seen: &Seen, before: Option<Seen>) -> Result<bool> {
        let from = self.from.join(path);
        let mut source = match File::open(&from) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            opened => opened.map_err(Error::io("open", &from))?,
        };
        let now = Seen::of(&source.metadata().map_err(Error::io("read", &from))?);
        if !now.is_same_file(seen) || now.size < seen.size {
            return Ok(false);
        }
        let to = self.to.join(path);
        folders::make(&RealDisk, to.parent().unwrap_or(self.to))?;
        let is_log = path.extension().is_some_and(|it| it == "jsonl");
        let there = before
            .filter(|it| is_log && it.is_same_file(seen) && it.size <= seen.size)
            .map_or(0, |it| it.size);
        let mut target = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&to)
            .map_err(Error::io("create", &to))?;
        let copied = target
            .set_len(there)
            .and_then(|()| target.seek(SeekFrom::Start(there)))
            .and_then(|_| source.seek(SeekFrom::Start(there)))
            .and_then(|_| io::copy(&mut source.take(seen.size - there), &mut target))
            .and_then(|copied| target.sync_all().map(|()| copied))
            .map_err(Error::io("write", &to))?;
        // A tail that a crash had left may have been cut off meanwhile.
        Ok(copied == seen.size - there)
    }

    /// Reads every line of every log again; one that is not sound is copied once more.
    pub(super) fn check_lines(&self) -> Result<Checked> {
        let mut checked = Checked::default();
        for (path, seen) in &self.done {
            if path.extension().is_none_or(|it| it != "jsonl") || is_set_aside(path) {
                continue;
            }
            let (mut lines, mut damage) = self.lines_of(path)?;
            if !damage.is_empty() && self.copy(path, seen, None)? {
                (lines, damage) = self.lines_of(path)?;
            }
            checked.lines += lines;
            checked.damage.extend(damage);
        }
        Ok(checked)
    }

    fn lines_of(&self, path: &Path) -> Result<(u64, Vec<String>)> {
        let copy = self.to.join(path);
        let disk: Arc<dyn Disk> = Arc::new(RealDisk);
        let file = disk.open_read(&copy).map_err(Error::io("open", &copy))?;
        let (mut lines, mut damage) = (0, Vec::new());
        let scanned = scan::scan(
            &*file,
            Start::BEGINNING,
            |found| -> Result<(), std::convert::Infallible> {
                match found {
                    Found::Record(_) => lines += 1,
                    Found::Damage(it) => {
                        damage.push(format!("{}, line {}", path.display(), it.number));
                    }
                }
                Ok(())
            },
        );
        match scanned {
            Ok(_) => Ok((lines, damage)),
            Err(Stopped::Reading(error)) => Err(Error::io("read", &copy)(error)),
            Err(Stopped::ByCaller(never)) => match never {},
        }
    }
}

/// What was set aside is no log, although its name says so.
fn is_set_aside(path: &Path) -> bool {
    path.starts_with("quarantine") || path == Path::new("audit.jsonl")
}

/// Copies a whole file, durably.
pub(super) fn copy_file(from: &Path, to: &Path) -> Result<()> {
    folders::make(&RealDisk, to.parent().unwrap_or(to))?;
    let mut source = File::open(from).map_err(Error::io("open", from))?;
    let mut target = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(to)
        .map_err(Error::io("create", to))?;
    io::copy(&mut source, &mut target)
        .and_then(|_| target.sync_all())
        .map_err(Error::io("write", to))
}

/// Hands on a file piece by piece.
pub(super) fn read_all(path: &Path, mut each: impl FnMut(&[u8])) -> Result<u64> {
    let mut file = File::open(path).map_err(Error::io("open", path))?;
    let mut buffer = vec![0; 1 << 16];
    let mut bytes = 0;
    loop {
        match file.read(&mut buffer).map_err(Error::io("read", path))? {
            0 => return Ok(bytes),
            count => {
                each(&buffer[..count]);
                bytes += count as u64;
            }
        }
    }
}
