//! The real disk, with a look at each step that changes it.
//!
//! A test puts itself between two steps of the store this way: to hold it
//! there, to change something behind its back, or to count.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mnemon::store::local::disk::{Disk, DiskFile, RealDisk, Stat};

/// What is about to be done to a file or a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The file is about to be made.
    Create,
    /// Bytes are about to be written.
    Write,
    /// The file is about to be synced.
    Sync,
    /// The file is about to be cut.
    Truncate,
    /// The names in the folder are about to be synced.
    SyncFolder,
}

/// Called before each step; an error is what the store gets instead.
pub type Hook = Arc<dyn Fn(Step, &Path) -> io::Result<()> + Send + Sync>;

/// The disk.
#[derive(Clone)]
pub struct HookedDisk(Hook);

struct HookedFile {
    inner: Arc<dyn DiskFile>,
    path: PathBuf,
    hook: Hook,
}

impl HookedDisk {
    /// The real disk with this hook.
    pub fn new(hook: impl Fn(Step, &Path) -> io::Result<()> + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self(Arc::new(hook)))
    }

    fn wrap(&self, inner: Arc<dyn DiskFile>, path: &Path) -> Arc<dyn DiskFile> {
        Arc::new(HookedFile {
            inner,
            path: path.into(),
            hook: self.0.clone(),
        })
    }
}

impl Disk for HookedDisk {
    fn open_read(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        Ok(self.wrap(RealDisk.open_read(path)?, path))
    }

    fn open_write(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        Ok(self.wrap(RealDisk.open_write(path)?, path))
    }

    fn create(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        (self.0)(Step::Create, path)?;
        Ok(self.wrap(RealDisk.create(path)?, path))
    }

    fn stat(&self, path: &Path) -> io::Result<Option<Stat>> {
        RealDisk.stat(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        RealDisk.list(folder)
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        RealDisk.create_folder(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        RealDisk.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        RealDisk.remove(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        RealDisk.remove_folder(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        (self.0)(Step::SyncFolder, path)?;
        RealDisk.sync_folder(path)
    }
}

impl DiskFile for HookedFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.inner.read_at(buffer, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        (self.hook)(Step::Write, &self.path)?;
        self.inner.write_at(bytes, offset)
    }

    fn stat(&self) -> io::Result<Stat> {
        self.inner.stat()
    }

    fn sync(&self) -> io::Result<()> {
        (self.hook)(Step::Sync, &self.path)?;
        self.inner.sync()
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        (self.hook)(Step::Truncate, &self.path)?;
        self.inner.truncate(length)
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.inner.try_lock()
    }

    fn unlock(&self) -> io::Result<()> {
        self.inner.unlock()
    }
}

impl fmt::Debug for HookedDisk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HookedDisk")
    }
}

impl fmt::Debug for HookedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("HookedFile").field(&self.path).finish()
    }
}
