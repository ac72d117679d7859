//! Shared syncs: writers that wait together pay for one.
//!
//! A sync covers only what was appended before it began, so each append takes
//! a ticket, and whoever finds no sync under way starts one for all tickets so
//! far. A sync that fails is never repeated: the kernel may have dropped the
//! pages and would report success for nothing.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::disk::{Disk, DiskFile, Stat};
use crate::error::{Error, Result};

/// Which file, whatever its name is by now.
pub(crate) type FileKey = (u64, u64);

/// The syncs of one process.
#[derive(Debug)]
pub(crate) struct Syncs {
    disk: Arc<dyn Disk>,
    files: Mutex<HashMap<FileKey, Pending>>,
    /// How many tickets there were: those of a file that is forgotten and used again go on growing.
    tickets: AtomicU64,
    finished: Condvar,
}

#[derive(Debug)]
struct Pending {
    file: Arc<dyn DiskFile>,
    path: PathBuf,
    /// Folders whose names must be durable before anything in the file counts.
    folders: Vec<PathBuf>,
    appended: u64,
    synced: u64,
    busy: bool,
    failed: Option<Error>,
}

/// What to wait for.
#[derive(Clone, Debug)]
pub(crate) struct Ticket {
    pub(crate) key: FileKey,
    pub(crate) number: u64,
}

impl Syncs {
    pub(crate) fn new(disk: Arc<dyn Disk>) -> Self {
        Self {
            disk,
            files: Mutex::new(HashMap::new()),
            tickets: AtomicU64::new(0),
            finished: Condvar::new(),
        }
    }

    /// Notes that bytes were appended with this descriptor.
    pub(crate) fn appended(
        &self,
        file: &Arc<dyn DiskFile>,
        stat: &Stat,
        path: PathBuf,
        folders: Vec<PathBuf>,
    ) -> Ticket {
        let key = (stat.device, stat.inode);
        let mut files = self.files();
        let pending = files.entry(key).or_insert_with(|| Pending {
            file: file.clone(),
            path,
            folders: Vec::new(),
            appended: 0,
            synced: 0,
            busy: false,
            failed: None,
        });
        pending.appended = self.tickets.fetch_add(1, Ordering::Relaxed) + 1;
        pending.folders.extend(folders);
        Ticket {
            key,
            number: pending.appended,
        }
    }

    /// Returns once everything up to the ticket is on the disk.
    pub(crate) fn wait(&self, ticket: &Ticket) -> Result<()> {
        let mut files = self.files();
        loop {
            let Some(pending) = files.get_mut(&ticket.key) else {
                return Ok(());
            };
            if let Some(error) = &pending.failed {
                return Err(error.clone());
            }
            if pending.synced >= ticket.number {
                return Ok(());
            }
            if pending.busy {
                files = self
                    .finished
                    .wait(files)
                    .unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            files = self.sync_one(files, ticket.key);
        }
    }

    /// As [`Self::wait`], for everything that this process has appended to a file.
    pub(crate) fn wait_for_file(&self, stat: &Stat) -> Result<()> {
        let key = (stat.device, stat.inode);
        let appended = self.files().get(&key).map(|pending| pending.appended);
        let ticket = appended.map(|number| Ticket { key, number });
        ticket.map_or(Ok(()), |ticket| self.wait(&ticket))
    }

    /// Syncs whatever is not synced yet.
    pub(crate) fn sync_all(&self) -> Result<()> {
        let tickets: Vec<Ticket> = self
            .files()
            .iter()
            .map(|(key, pending)| Ticket {
                key: *key,
                number: pending.appended,
            })
            .collect();
        tickets.iter().try_for_each(|ticket| self.wait(ticket))
    }

    /// The failed sync of this file, if there was one: then nothing more is written to it.
    ///
    /// The marker in the root tells everybody; this holds if even that could
    /// not be written. Once the log is written anew, it is another file.
    pub(crate) fn failure_of(&self, stat: &Stat) -> Option<Error> {
        let files = self.files();
        files.get(&(stat.device, stat.inode))?.failed.clone()
    }

    /// Forgets files that have nothing left to sync, so that replaced logs get closed.
    pub(crate) fn tidy(&self) {
        self.files().retain(|_, pending| {
            pending.busy || pending.failed.is_some() || pending.synced < pending.appended
        });
    }

    /// How many files have something left to sync.
    #[cfg(test)]
    pub(crate) fn unsynced(&self) -> usize {
        let is_left = |pending: &&Pending| pending.synced < pending.appended;
        self.files().values().filter(is_left).count()
    }

    fn sync_one<'a>(
        &'a self,
        mut files: MutexGuard<'a, HashMap<FileKey, Pending>>,
        key: FileKey,
    ) -> MutexGuard<'a, HashMap<FileKey, Pending>> {
        let Some(pending) = files.get_mut(&key) else {
            return files;
        };
        pending.busy = true;
        let target = pending.appended;
        let file = pending.file.clone();
        let path = pending.path.clone();
        let folders = std::mem::take(&mut pending.folders);
        drop(files);
        let outcome = self.sync_file_and_folders(&*file, path, folders);
        let mut files = self.files();
        if let Some(pending) = files.get_mut(&key) {
            pending.busy = false;
            match outcome {
                Ok(()) => pending.synced = target,
                Err(error) => pending.failed = Some(error),
            }
        }
        // Whoever is woken may run at once, and needs what is locked here.
        drop(files);
        self.finished.notify_all();
        self.files()
    }

    fn sync_file_and_folders(
        &self,
        file: &dyn DiskFile,
        path: PathBuf,
        mut folders: Vec<PathBuf>,
    ) -> Result<()> {
        file.sync().map_err(Error::sync(path))?;
        folders.sort();
        folders.dedup();
        for folder in folders {
            sync_folder(&*self.disk, &folder)?;
        }
        Ok(())
    }

    fn files(&self) -> MutexGuard<'_, HashMap<FileKey, Pending>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes the names in a folder durable, unless it is gone.
///
/// Whoever deletes a session, or brings one back, moves its folder and makes
/// the names in it durable first; that is no failure of the disk.
pub(crate) fn sync_folder(disk: &dyn Disk, folder: &Path) -> Result<()> {
    match disk.sync_folder(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        synced => synced.map_err(Error::sync(folder)),
    }
}

/// Syncs whatever is not synced yet, again and again, until the store is closed.
pub(crate) fn every(every_ms: u64, syncs: &Arc<Syncs>, disk: Arc<dyn Disk>, poisoned: PathBuf) {
    let syncs = Arc::downgrade(syncs);
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(std::time::Duration::from_millis(every_ms));
            let Some(syncs) = syncs.upgrade() else { return };
            if let Err(error) = syncs.sync_all() {
                super::poison::mark(&*disk, &poisoned, "a log".into(), &error);
                return;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::store::local::disk::RealDisk;

    /// A file that takes one sync, and fails from then on.
    #[derive(Debug)]
    struct Once(Arc<dyn DiskFile>, AtomicU64);

    impl DiskFile for Once {
        fn sync(&self) -> io::Result<()> {
            match self.1.fetch_add(1, Ordering::Relaxed) {
                0 => self.0.sync(),
                _ => Err(io::Error::other("it was synced before")),
            }
        }
        fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
            self.0.read_at(buffer, offset)
        }
        fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
            self.0.write_at(bytes, offset)
        }
        fn stat(&self) -> io::Result<Stat> {
            self.0.stat()
        }
        fn truncate(&self, length: u64) -> io::Result<()> {
            self.0.truncate(length)
        }
        fn try_lock(&self) -> io::Result<bool> {
            self.0.try_lock()
        }
        fn unlock(&self) -> io::Result<()> {
            self.0.unlock()
        }
    }

    #[test]
    fn a_ticket_of_a_file_that_was_forgotten_since_needs_one_sync_at_most() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let file = RealDisk.create(&path).unwrap();
        let stat = file.stat().unwrap();
        let syncs = Syncs::new(Arc::new(RealDisk));
        let appended =
            |file: &Arc<dyn DiskFile>| syncs.appended(file, &stat, path.clone(), Vec::new());
        let old: Vec<Ticket> = (0..5).map(|_| appended(&file)).collect();
        syncs.wait(&old[4]).unwrap();
        syncs.tidy();
        let once: Arc<dyn DiskFile> = Arc::new(Once(file, AtomicU64::new(0)));
        let new = appended(&once);
        for ticket in old.iter().chain([&new]) {
            syncs.wait(ticket).unwrap();
        }
    }
}
