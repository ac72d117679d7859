//! The disk as the store uses it: real here, simulated in the crash tests.
//!
//! Everything that must survive a crash goes through [`Disk`], so that a test
//! can cut the power after any operation and look at what a real disk could
//! have kept. SQLite's files do not: they are derived.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;

/// A folder tree that can lose power.
pub trait Disk: Send + Sync + fmt::Debug {
    /// Opens a file for reading; `NotFound` if there is none.
    fn open_read(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>>;
    /// Opens a file for reading and writing; `NotFound` if there is none.
    fn open_write(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>>;
    /// Makes a file that only its owner may read; `AlreadyExists` if there is one.
    fn create(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>>;
    /// What a path names now, if anything.
    fn stat(&self, path: &Path) -> io::Result<Option<Stat>>;
    /// The names in a folder, sorted; none if there is no folder.
    fn list(&self, folder: &Path) -> io::Result<Vec<String>>;
    /// Makes a folder, and those above it, that only the owner may enter.
    fn create_folder(&self, path: &Path) -> io::Result<()>;
    /// Gives a file another name, replacing what had it; or a folder one that nothing has.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Takes a file away.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Takes an empty folder away.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;
    /// Makes the names in a folder durable.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;
}

/// An open file.
pub trait DiskFile: Send + Sync + fmt::Debug {
    /// Reads up to a buffer's length; fewer bytes only at the end.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;
    /// Writes all of it, or fails with some of it written.
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;
    /// What it is now.
    fn stat(&self) -> io::Result<Stat>;
    /// Makes its bytes and its length durable.
    fn sync(&self) -> io::Result<()>;
    /// A hint that these bytes are synced soon, so that the disk may begin with them.
    fn will_sync(&self, _offset: u64, _length: u64) {}
    /// Cuts it to a length.
    fn truncate(&self, length: u64) -> io::Result<()>;
    /// Takes the exclusive advisory lock, if nobody has it.
    fn try_lock(&self) -> io::Result<bool>;
    /// Gives the lock back; the kernel does it too when the process dies.
    fn unlock(&self) -> io::Result<()>;
}

/// Which file it is, and whether it changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// The device.
    pub device: u64,
    /// The file on that device.
    pub inode: u64,
    /// Its length in bytes.
    pub size: u64,
    /// When its bytes last changed, in nanoseconds since 1970.
    pub modified_nanos: i64,
}

impl Stat {
    /// Whether both are the same file, grown or not.
    pub fn is_same_file(&self, other: &Self) -> bool {
        self.device == other.device && self.inode == other.inode
    }
}

/// The file system of this machine.
#[derive(Debug)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn open_read(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        Ok(Arc::new(RealFile(File::open(path)?)))
    }

    fn open_write(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        Ok(Arc::new(RealFile(
            OpenOptions::new().read(true).write(true).open(path)?,
        )))
    }

    fn create(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true).mode(0o600);
        Ok(Arc::new(RealFile(options.open(path)?)))
    }

    fn stat(&self, path: &Path) -> io::Result<Option<Stat>> {
        match fs::metadata(path) {
            Ok(metadata) => Ok(Some(stat_of(&metadata))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut names = Vec::new();
        for entry in entries {
            // A name that is not UTF-8 is none of ours.
            names.extend(entry?.file_name().into_string().ok());
        }
        names.sort();
        Ok(names)
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }
}

#[derive(Debug)]
struct RealFile(File);

impl DiskFile for RealFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self
                .0
                .read_at(&mut buffer[filled..], offset + filled as u64)
            {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.0.write_all_at(bytes, offset)
    }

    fn stat(&self) -> io::Result<Stat> {
        Ok(stat_of(&self.0.metadata()?))
    }

    fn sync(&self) -> io::Result<()> {
        self.0.sync_data()
    }

    #[cfg(target_os = "linux")]
    fn will_sync(&self, offset: u64, length: u64) {
        // Linux begins to write what it is told that nobody needs. If that fails, the sync
        // fails too, which is where it is looked at.
        let length = std::num::NonZeroU64::new(length);
        let _ = rustix::fs::fadvise(&self.0, offset, length, rustix::fs::Advice::DontNeed);
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        self.0.set_len(length)
    }

    fn try_lock(&self) -> io::Result<bool> {
        match rustix::fs::flock(
            &self.0,
            rustix::fs::FlockOperation::NonBlockingLockExclusive,
        ) {
            Ok(()) => Ok(true),
            Err(rustix::io::Errno::WOULDBLOCK) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn unlock(&self) -> io::Result<()> {
        Ok(rustix::fs::flock(
            &self.0,
            rustix::fs::FlockOperation::Unlock,
        )?)
    }
}

fn stat_of(metadata: &fs::Metadata) -> Stat {
    Stat {
        device: metadata.dev(),
        inode: metadata.ino(),
        size: metadata.size(),
        modified_nanos: metadata
            .mtime()
            .saturating_mul(1_000_000_000)
            .saturating_add(metadata.mtime_nsec()),
    }
}
