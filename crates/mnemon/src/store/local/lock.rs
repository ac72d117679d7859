//! The store's one lock, and the file that says who has it.
//!
//! The kernel's advisory lock decides, and is gone with the process that held
//! it. What the file says is for people (`mnemon doctor`) and for readers: a
//! writer notes there which logs it is about to append to, and clears the note
//! once the index knows. A note without a living writer tells the next one to
//! catch up.
//!
//! Invariant: whoever holds a [`Held`] is the only writer of the store.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::disk::{Disk, DiskFile, Stat};
use crate::error::{Error, Result};
use crate::memory::Space;

/// The file is always written in one piece of this length, so that what a
/// shorter note leaves of a longer one is never read.
const NOTE_BYTES: usize = 1024;

/// More logs than this in one go are noted as "any".
const NOTED_LOGS_MAX: usize = 6;

/// The shortest pause between two tries; many holders are done by then.
const PAUSE_MIN: Duration = Duration::from_micros(30);

/// A pause is this part of the time waited so far.
const PAUSE_PART: u32 = 8;

/// The lock file's content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Note {
    /// The process, or none if the lock is free.
    pub pid: Option<u32>,
    /// What it does.
    pub operation: String,
    /// Since when.
    pub since: String,
    /// The logs that it appends to: their spaces, or `*` for any.
    pub appending: Vec<String>,
}

impl Note {
    /// Whether the log of a space may be growing.
    pub(crate) fn is_about(&self, space: &Space) -> bool {
        let space = space.to_string();
        self.is_about_any() || self.appending.contains(&space)
    }

    /// Whether any log may be growing.
    pub(crate) fn is_about_any(&self) -> bool {
        self.appending.iter().any(|noted| noted == "*")
    }

    /// Who holds the lock, in words.
    pub fn holder(&self) -> Option<String> {
        let pid = self.pid?;
        Some(format!(
            "process {pid} ({} since {})",
            self.operation, self.since
        ))
    }
}

/// The lock of a store, as one process sees it.
#[derive(Debug)]
pub(crate) struct StoreLock {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    slot: Mutex<Slot>,
    /// Told when a thread of this process is done with the lock.
    freed: Condvar,
    timeout: Duration,
    pause_max: Duration,
}

/// What the threads of this process share; the kernel sees to other processes.
#[derive(Debug, Default)]
struct Slot {
    /// Whether one of them has the lock.
    is_taken: bool,
    /// The file that is locked, and which one it is; kept open between two holds.
    file: Option<(Arc<dyn DiskFile>, Stat)>,
}

/// The lock, held until it is dropped.
pub(crate) struct Held<'a> {
    lock: &'a StoreLock,
    file: Arc<dyn DiskFile>,
    note: Note,
    noted: bool,
    /// Whether another process had it when it was first asked for.
    pub(crate) others_had_it: bool,
}

/// What came of one try for the lock.
enum Tried<'a> {
    Held(Held<'a>),
    OtherThread(MutexGuard<'a, Slot>),
    OtherProcess,
}

/// Since when somebody waits.
pub(crate) struct Wait(Instant);

impl Wait {
    /// From now on.
    pub(crate) fn begin() -> Self {
        Self(Instant::now())
    }
}

impl StoreLock {
    pub(crate) fn new(
        disk: Arc<dyn Disk>,
        path: PathBuf,
        timeout_ms: u64,
        pause_ms_max: u64,
    ) -> Self {
        Self {
            disk,
            path,
            slot: Mutex::default(),
            freed: Condvar::new(),
            timeout: Duration::from_millis(timeout_ms),
            pause_max: Duration::from_millis(pause_ms_max),
        }
    }

    /// Waits for the lock, but not for ever.
    pub(crate) fn acquire(&self, operation: &str) -> Result<Held<'_>> {
        let wait = Wait::begin();
        let mut others_had_it = false;
        loop {
            match self.try_for(operation)? {
                Tried::Held(mut held) => {
                    held.others_had_it = others_had_it;
                    return Ok(held);
                }
                // It is told when the lock is free; whoever else was told may have given up.
                Tried::OtherThread(slot) => {
                    let long = self.left(&wait)?.min(self.pause_max.max(PAUSE_MIN));
                    drop(self.freed.wait_timeout(slot, long));
                }
                Tried::OtherProcess => {
                    others_had_it = true;
                    self.pause(&wait)?;
                }
            }
        }
    }

    /// Waits a moment; refused once it was long enough.
    pub(crate) fn pause(&self, wait: &Wait) -> Result<()> {
        let left = self.left(wait)?;
        let waited = wait.0.elapsed();
        // In proportion to the wait so far: who waits behind many short
        // holds is there when the lock is free, who waits long polls little.
        let pause = (waited / PAUSE_PART).clamp(PAUSE_MIN, self.pause_max.max(PAUSE_MIN));
        std::thread::sleep(pause.min(left));
        Ok(())
    }

    /// How long it may still wait; refused once it was long enough.
    fn left(&self, wait: &Wait) -> Result<Duration> {
        let waited = wait.0.elapsed();
        let left = self.timeout.saturating_sub(waited);
        if left.is_zero() {
            return Err(Error::LockTimeout {
                waited_ms: u64::try_from(waited.as_millis()).unwrap_or(u64::MAX),
                holder: self.read_note().ok().and_then(|note| note.holder()),
            });
        }
        Ok(left)
    }

    /// Takes the lock if nobody in this or another process has it.
    pub(crate) fn try_acquire(&self, operation: &str) -> Result<Option<Held<'_>>> {
        Ok(match self.try_for(operation)? {
            Tried::Held(held) => Some(held),
            Tried::OtherThread(_) | Tried::OtherProcess => None,
        })
    }

    fn try_for(&self, operation: &str) -> Result<Tried<'_>> {
        let mut slot = self.slot();
        if slot.is_taken {
            return Ok(Tried::OtherThread(slot));
        }
        let Some(file) = self.try_take(&mut slot.file)? else {
            return Ok(Tried::OtherProcess);
        };
        slot.is_taken = true;
        Ok(Tried::Held(Held::new(self, file, operation)))
    }

    fn slot(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the file says now; readers use it without the lock.
    pub(crate) fn read_note(&self) -> Result<Note> {
        match self.disk.open_read(&self.path) {
            Ok(file) => read_note(&*file).map_err(Error::io("read", &self.path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Note::default()),
            Err(error) => Err(Error::io("read", &self.path)(error)),
        }
    }

    /// The file, if it is locked now.
    fn try_take(
        &self,
        slot: &mut Option<(Arc<dyn DiskFile>, Stat)>,
    ) -> Result<Option<Arc<dyn DiskFile>>> {
        let failed = || Error::io("lock", &self.path);
        if slot.is_none()
            && let Some(file) = self.open().map_err(failed())?
        {
            let own = file.stat().map_err(failed())?;
            *slot = Some((file, own));
        }
        let Some((file, own)) = slot else {
            return Ok(None);
        };
        if !file.try_lock().map_err(failed())? {
            return Ok(None);
        }
        // If somebody removed the file, others lock another one than we hold.
        let named = self.disk.stat(&self.path);
        if let Ok(Some(named)) = &named
            && named.is_same_file(own)
        {
            return Ok(Some(file.clone()));
        }
        // Closing it gives the lock back, of which nobody else would know.
        *slot = None;
        named.map(|_| None).map_err(failed())
    }

    /// The file; none if somebody makes it and removes it again while we look.
    fn open(&self) -> io::Result<Option<Arc<dyn DiskFile>>> {
        match self.disk.open_write(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                match self.disk.create(&self.path) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(None),
                    created => created.map(Some),
                }
            }
            opened => opened.map(Some),
        }
    }
}

impl<'a> Held<'a> {
    fn new(lock: &'a StoreLock, file: Arc<dyn DiskFile>, operation: &str) -> Self {
        let note = Note {
            pid: Some(std::process::id()),
            operation: operation.into(),
            since: super::wall_text(),
            appending: Vec::new(),
        };
        Self {
            lock,
            file,
            note,
            noted: false,
            others_had_it: false,
        }
    }

    /// The note of the holder before us, if it died before it was done.
    pub(crate) fn left_behind(&self) -> Vec<String> {
        match read_note(&*self.file) {
            Ok(note) => note.appending,
            Err(_) => vec!["*".into()],
        }
    }

    /// Says who holds the lock, for operations that take long.
    pub(crate) fn announce(&mut self) -> io::Result<()> {
        self.noted = true;
        write_note(&*self.file, &self.note)
    }

    /// Says which logs are about to grow.
    pub(crate) fn note_appending(&mut self, spaces: &[&Space]) -> io::Result<()> {
        self.note.appending = if spaces.len() > NOTED_LOGS_MAX {
            vec!["*".into()]
        } else {
            spaces.iter().map(ToString::to_string).collect()
        };
        self.noted = true;
        write_note(&*self.file, &self.note)
    }

    /// The index knows everything again.
    pub(crate) fn clear_note(&mut self) {
        if self.noted || !self.left_behind().is_empty() {
            self.noted = false;
            self.note.appending.clear();
            // If it can't be cleared, readers check the logs once more than needed.
            let _ = write_note(&*self.file, &Note::default());
        }
    }

    /// Leaves the note as it is, because the index could not be brought up to date.
    pub(crate) fn keep_note(mut self) {
        self.noted = false;
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if self.noted && self.note.appending.is_empty() {
            let _ = write_note(&*self.file, &Note::default());
        }
        let mut slot = self.lock.slot();
        // Closing the file gives the lock back in any case.
        if self.file.unlock().is_err() {
            slot.file = None;
        }
        slot.is_taken = false;
        drop(slot);
        self.lock.freed.notify_one();
    }
}

fn read_note(file: &dyn DiskFile) -> io::Result<Note> {
    let mut bytes = [0; NOTE_BYTES];
    let count = file.read_at(&mut bytes, 0)?;
    if count == 0 {
        return Ok(Note::default());
    }
    // A note that is being written, or was torn, may be about any log.
    Ok(
        serde_json::from_slice(&bytes[..count]).unwrap_or_else(|_| Note {
            appending: vec!["*".into()],
            ..Note::default()
        }),
    )
}

fn write_note(file: &dyn DiskFile, note: &Note) -> io::Result<()> {
    let mut bytes = serde_json::to_vec(note)?;
    bytes.resize(NOTE_BYTES - 1, b' ');
    bytes.push(b'\n');
    file.write_at(&bytes, 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::local::disk::RealDisk;

    fn lock(root: &std::path::Path, timeout_ms: u64) -> StoreLock {
        // Pauses that are longer than the wait: whoever is not told comes too late.
        StoreLock::new(Arc::new(RealDisk), root.join("lock"), timeout_ms, 60_000)
    }

    #[test]
    fn threads_have_it_one_after_the_other_and_all_are_told() {
        const THREADS: u64 = 8;
        const TURNS: u64 = 200;
        let folder = tempfile::tempdir().unwrap();
        let lock = lock(folder.path(), 20_000);
        let counter = std::sync::atomic::AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    for _ in 0..TURNS {
                        let held = lock.acquire("count").unwrap();
                        // Not one step: who came in between would be lost.
                        let before = counter.load(std::sync::atomic::Ordering::Relaxed);
                        std::thread::yield_now();
                        counter.store(before + 1, std::sync::atomic::Ordering::Relaxed);
                        drop(held);
                    }
                });
            }
        });
        assert_eq!(counter.into_inner(), THREADS * TURNS);
    }

    #[test]
    fn who_waits_for_a_thread_too_long_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let lock = lock(folder.path(), 10);
        let mut held = lock.acquire("take long").unwrap();
        held.announce().unwrap();
        let refused = lock.acquire("wait").map(drop);
        let Err(Error::LockTimeout { holder, .. }) = refused else {
            panic!("{refused:?}");
        };
        assert!(holder.unwrap().contains("take long"));
        drop(held);
        lock.acquire("go on").unwrap();
    }
}
