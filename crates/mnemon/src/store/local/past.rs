//! The disk of a past moment: every session as it was then.
//!
//! A log holds what happened, so reading it up to a moment is enough; but
//! lines were compacted away since, sessions were archived, and some lie in
//! the trash. Here such a session has its log again: the one that was archived,
//! with the lines of every part that was made later merged into it, in memory.
//! Nobody is kept from writing, so files are looked at until they stay the same.

mod hidden;

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::LocalStore;
use super::disk::{Disk, DiskFile, Stat};
use super::layout::Layout;
use super::life;
use super::log::scan::{self, Found, Start, Stopped};
use super::part::{self, Stored};
use super::rewrite::read;
use super::shelf::{self, Sort};
use crate::error::{Error, Result};
use crate::memory::{SessionId, Space};
use crate::time::Time;
use hidden::Hidden;

/// So often a session may change while it is looked at.
const LOOKS_MAX: usize = 100;

/// So many logs are kept, because they are looked at more than once.
const KEPT_MAX: usize = 16;

/// A disk on which some sessions have other logs.
#[derive(Debug)]
pub(super) struct PastDisk {
    disk: Arc<dyn Disk>,
    layout: Layout,
    moment: Time,
    hidden: Hidden,
    made: Mutex<Made>,
}

/// Logs, and what they were made of.
type Made = HashMap<SessionId, (Files, Arc<dyn DiskFile>)>;

/// The files that a session is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Files {
    log: PathBuf,
    stat: Stat,
    /// Its archive, whole or in parts.
    shelves: Vec<(PathBuf, Stat)>,
    trashed: bool,
}

impl Files {
    /// Whether its log is what it was.
    fn is_plain(&self) -> bool {
        self.shelves.is_empty() && !self.trashed
    }

    /// What its log is taken for: another file whenever any of them is another.
    fn identity(&self) -> Stat {
        let mut hasher = DefaultHasher::new();
        let stats = self.shelves.iter().map(|(_, stat)| stat);
        for stat in stats.chain([&self.stat]) {
            (stat.device, stat.inode, stat.size, stat.modified_nanos).hash(&mut hasher);
        }
        (&self.log, &self.shelves.len()).hash(&mut hasher);
        Stat {
            inode: hasher.finish(),
            ..self.stat
        }
    }
}

impl LocalStore {
    /// The disk as it was at a moment; an error if an archive that it needs is damaged.
    pub(super) fn disk_as_of(&self, moment: Time) -> Result<Arc<dyn Disk>> {
        let past = self.past_disk(moment);
        let mut sessions = self.session_folders(&self.layout.sessions())?;
        sessions.extend(self.session_folders(&self.layout.trash())?);
        for session in sessions {
            past.log_of(&session)?;
        }
        Ok(Arc::new(past))
    }

    /// The disk as it is, but with the log of this session even if it is archived.
    pub(super) fn disk_with_log_of(&self, session: &SessionId) -> Result<Arc<dyn Disk>> {
        let past = self.past_disk(Time::nearest_to_micros(i64::MAX));
        past.log_of(session)?;
        Ok(Arc::new(past))
    }

    fn past_disk(&self, moment: Time) -> PastDisk {
        PastDisk {
            disk: self.disk.clone(),
            layout: self.layout.clone(),
            moment,
            hidden: Hidden::default(),
            made: Mutex::default(),
        }
    }
}

impl PastDisk {
    /// The log of a session at the moment; none if there was none.
    fn log_of(&self, session: &SessionId) -> Result<Option<Arc<dyn DiskFile>>> {
        let mut last = Ok(None);
        for _ in 0..LOOKS_MAX {
            let Some(files) = self.files_of(session)? else {
                return Ok(None);
            };
            let known = self.made().get(session).cloned();
            if let Some((seen, log)) = known
                && seen == files
            {
                return Ok(Some(log));
            }
            last = self.make(&files).map(Some);
            if self.files_of(session)?.as_ref() != Some(&files) {
                continue;
            }
            let Some(log) = last? else { return Ok(None) };
            let mut made = self.made();
            if made.len() >= KEPT_MAX {
                made.clear();
            }
            made.insert(session.clone(), (files, log.clone()));
            return Ok(Some(log));
        }
        last
    }

    /// What a session is made of now; none if it is hidden at the moment, or if there is none.
    fn files_of(&self, session: &SessionId) -> Result<Option<Files>> {
        let space = Space::Session(session.clone());
        let places = [
            (self.layout.folder(&space), false),
            (self.layout.trashed(session), true),
        ];
        // Twice: it may move behind our back, into the trash or out of it.
        for (folder, trashed) in places.iter().chain(&places) {
            let log = folder.join("memory.jsonl");
            let Some(stat) = shelf::stat(&*self.disk, &log)? else {
                continue;
            };
            if self
                .hidden
                .is_hidden(&*self.disk, &self.layout, session, *trashed, self.moment)?
            {
                return Ok(None);
            }
            let archive = folder.join("archive");
            let names = self.disk.list(&archive);
            let mut shelves = Vec::new();
            for name in names.map_err(Error::io("read", &archive))? {
                let path = archive.join(&name);
                if Sort::of(&name).is_some()
                    && let Some(stat) = shelf::stat(&*self.disk, &path)?
                {
                    shelves.push((path, stat));
                }
            }
            return Ok(Some(Files {
                log,
                stat,
                shelves,
                trashed: *trashed,
            }));
        }
        Ok(None)
    }

    fn make(&self, files: &Files) -> Result<Arc<dyn DiskFile>> {
        let log = self
            .disk
            .open_read(&files.log)
            .map_err(Error::io("open", &files.log))?;
        let archived = life::archived_in(&*log);
        if files.is_plain() && archived.is_none() {
            return Ok(log);
        }
        let log = match archived {
            Some(archived) => {
                let place = files.log.with_file_name("archive").join(&archived.shelf);
                let unpacked = life::open_archive(&*self.disk, &place)?;
                // Half of a session would look like all of it, so all of it is checked first.
                life::checked(&unpacked, &place, &archived, |_| Ok(()))?;
                Arc::new(unpacked) as Arc<dyn DiskFile>
            }
            None => log,
        };
        let mut later = Vec::new();
        for (path, _) in &files.shelves {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if Sort::of(&name) == Some(Sort::Part)
                && part::made_at(&*self.disk, path)?
                    .is_some_and(|made| made.micros() > self.moment.micros())
            {
                later.push(path.clone());
            }
        }
        let content = if later.is_empty() {
            Content::File(log)
        } else {
            Content::Bytes(merge(&*self.disk, &*log, &files.log, &later)?)
        };
        Ok(Arc::new(PastFile {
            content,
            stat: files.identity(),
        }))
    }

    /// The session whose log has that path.
    fn session_at(&self, path: &Path) -> Option<SessionId> {
        let folder = path.parent()?;
        let is_log = path.file_name()? == "memory.jsonl";
        if !is_log || folder.parent()? != self.layout.sessions() {
            return None;
        }
        folder.file_name()?.to_str()?.parse().ok()
    }

    fn made(&self) -> MutexGuard<'_, Made> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A log with lines that were taken out of it; what is in the log itself counts there.
fn merge(disk: &dyn Disk, log: &dyn DiskFile, path: &Path, parts: &[PathBuf]) -> Result<Vec<u8>> {
    let in_log: HashSet<String> = shelf::content_of(log, path)?.ids.into_iter().collect();
    let mut coming: Vec<Stored> = Vec::new();
    for part in parts {
        part::each_line(disk, part, &mut |stored| {
            if !in_log.contains(stored.line.id.as_deref().unwrap_or_default()) {
                coming.push(stored);
            }
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

/// For answers of a disk, which knows only its own errors.
fn as_io(error: Error) -> io::Error {
    match error {
        Error::Io { source, .. } => io::Error::new(source.kind(), source),
        other => io::Error::other(other),
    }
}

impl Disk for PastDisk {
    fn open_read(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        match self.session_at(path) {
            Some(session) => {
                let log = self.log_of(&session).map_err(as_io)?;
                log.ok_or_else(|| io::ErrorKind::NotFound.into())
            }
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
        let Some(session) = self.session_at(path) else {
            return self.disk.stat(path);
        };
        let files = self.files_of(&session).map_err(as_io)?;
        Ok(files.map(|files| {
            if files.is_plain() {
                files.stat
            } else {
                files.identity()
            }
        }))
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        let mut names = self.disk.list(folder)?;
        if folder == self.layout.sessions() {
            names.extend(self.disk.list(&self.layout.trash())?);
            names.sort();
            names.dedup();
        }
        Ok(names)
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

/// A log as it was, to be read only.
#[derive(Debug)]
struct PastFile {
    content: Content,
    stat: Stat,
}

#[derive(Debug)]
enum Content {
    File(Arc<dyn DiskFile>),
    Bytes(Vec<u8>),
}

impl DiskFile for PastFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let bytes = match &self.content {
            Content::File(file) => return file.read_at(buffer, offset),
            Content::Bytes(bytes) => bytes,
        };
        let begin = usize::try_from(offset).unwrap_or(usize::MAX);
        let rest = bytes.get(begin..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn stat(&self) -> io::Result<Stat> {
        Ok(self.stat)
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
