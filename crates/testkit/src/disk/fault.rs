//! A disk whose calls fail where a test wants them to.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mnemon::store::local::disk::{Disk, DiskFile, Stat};
use rustix::io::Errno;

/// Which call of a disk or of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "they are called as the methods are")]
pub enum Call {
    OpenRead,
    OpenWrite,
    Create,
    CreateFolder,
    Rename,
    Remove,
    SyncFolder,
    Read,
    Write,
    Sync,
    Truncate,
}

impl Call {
    /// The calls that change something or make it durable.
    pub const CHANGES: [Call; 8] = [
        Call::Create,
        Call::CreateFolder,
        Call::Rename,
        Call::Remove,
        Call::SyncFolder,
        Call::Write,
        Call::Sync,
        Call::Truncate,
    ];

    /// Whether it makes something durable.
    pub fn is_sync(self) -> bool {
        matches!(self, Self::Sync | Self::SyncFolder)
    }
}

/// How long a fault goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lasting {
    /// One call fails.
    Once,
    /// So does every such call after it, until the disk is healed.
    UntilHealed,
}

/// A call that is to fail.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// Which call.
    pub call: Call,
    /// The how manieth from now on; the first is 1.
    pub nth: u64,
    /// With what.
    pub error: Errno,
    /// Once, or from then on.
    pub lasting: Lasting,
    /// For a write: so many bytes are written before it fails.
    pub written: usize,
}

/// Another disk, with faults.
#[derive(Clone, Debug)]
pub struct FaultDisk {
    inner: Arc<dyn Disk>,
    plan: Arc<Mutex<Plan>>,
}

#[derive(Debug, Default)]
struct Plan {
    faults: Vec<Fault>,
    /// Calls since the faults were planned.
    counts: BTreeMap<Call, u64>,
    struck: u64,
}

impl FaultDisk {
    /// A disk without faults so far.
    pub fn new(inner: Arc<dyn Disk>) -> Self {
        Self {
            inner,
            plan: Arc::default(),
        }
    }

    /// Plans faults instead of those planned before, and counts anew.
    pub fn fail(&self, faults: &[Fault]) {
        *self.plan() = Plan {
            faults: faults.to_vec(),
            ..Plan::default()
        };
    }

    /// Makes every change fail from now on, and opening a file for it.
    pub fn fail_every_change(&self, error: Errno) {
        let calls = Call::CHANGES.into_iter().chain([Call::OpenWrite]);
        let faults: Vec<Fault> = calls
            .map(|call| Fault {
                call,
                nth: 1,
                error,
                lasting: Lasting::UntilHealed,
                written: 0,
            })
            .collect();
        self.fail(&faults);
    }

    /// No call fails any more.
    pub fn heal(&self) {
        self.plan().faults.clear();
    }

    /// How many calls of this sort were made since the faults were planned.
    pub fn count(&self, call: Call) -> u64 {
        self.plan().counts.get(&call).copied().unwrap_or(0)
    }

    /// How many calls failed since the faults were planned.
    pub fn struck(&self) -> u64 {
        self.plan().struck
    }

    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a call; the fault, if this one is to fail.
    fn strike(&self, call: Call) -> Option<Fault> {
        let mut plan = self.plan();
        let count = plan.counts.entry(call).or_default();
        *count += 1;
        let count = *count;
        let fault = plan.faults.iter().copied().find(|fault| {
            fault.call == call
                && match fault.lasting {
                    Lasting::Once => count == fault.nth,
                    Lasting::UntilHealed => count >= fault.nth,
                }
        });
        plan.struck += u64::from(fault.is_some());
        fault
    }

    fn allow(&self, call: Call) -> io::Result<()> {
        match self.strike(call) {
            Some(fault) => Err(fault.error.into()),
            None => Ok(()),
        }
    }

    fn wrap(&self, file: Arc<dyn DiskFile>) -> Arc<dyn DiskFile> {
        Arc::new(FaultFile {
            disk: self.clone(),
            inner: file,
        })
    }
}

impl Disk for FaultDisk {
    fn open_read(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        self.allow(Call::OpenRead)?;
        Ok(self.wrap(self.inner.open_read(path)?))
    }

    fn open_write(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        self.allow(Call::OpenWrite)?;
        Ok(self.wrap(self.inner.open_write(path)?))
    }

    fn create(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        self.allow(Call::Create)?;
        Ok(self.wrap(self.inner.create(path)?))
    }

    fn stat(&self, path: &Path) -> io::Result<Option<Stat>> {
        self.inner.stat(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        self.inner.list(folder)
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        self.allow(Call::CreateFolder)?;
        self.inner.create_folder(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.allow(Call::Rename)?;
        self.inner.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.allow(Call::Remove)?;
        self.inner.remove(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.allow(Call::Remove)?;
        self.inner.remove_folder(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.allow(Call::SyncFolder)?;
        self.inner.sync_folder(path)
    }
}

/// A file of a [`FaultDisk`].
#[derive(Debug)]
struct FaultFile {
    disk: FaultDisk,
    inner: Arc<dyn DiskFile>,
}

impl DiskFile for FaultFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.disk.allow(Call::Read)?;
        self.inner.read_at(buffer, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        match self.disk.strike(Call::Write) {
            None => self.inner.write_at(bytes, offset),
            Some(fault) => {
                let written = fault.written.min(bytes.len());
                self.inner.write_at(&bytes[..written], offset)?;
                Err(fault.error.into())
            }
        }
    }

    fn stat(&self) -> io::Result<Stat> {
        self.inner.stat()
    }

    fn sync(&self) -> io::Result<()> {
        self.disk.allow(Call::Sync)?;
        self.inner.sync()
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        self.disk.allow(Call::Truncate)?;
        self.inner.truncate(length)
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.inner.try_lock()
    }

    fn unlock(&self) -> io::Result<()> {
        self.inner.unlock()
    }
}
