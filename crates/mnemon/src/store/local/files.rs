//! The logs as readers use them: kept open, and checked to be the file that the index means.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::disk::{Disk, DiskFile};
use super::keys::Keys;
use super::layout::Layout;
use super::log::line::{Checksum, Line};
use crate::error::{Error, Result};
use crate::memory::{Memory, Space};

/// More logs than this are not kept open at a time: a quarter of what most systems let a process have.
const OPEN_MAX: usize = 256;

type OpenFiles = HashMap<Space, (u64, Arc<dyn DiskFile>)>;

/// Open logs, for reading.
#[derive(Debug)]
pub(crate) struct LogFiles {
    disk: Arc<dyn Disk>,
    layout: Layout,
    keys: Arc<Keys>,
    /// With the inode that the file had when it was opened.
    open: Mutex<OpenFiles>,
}

impl LogFiles {
    pub(crate) fn new(disk: Arc<dyn Disk>, layout: Layout, keys: Arc<Keys>) -> Self {
        Self {
            disk,
            layout,
            keys,
            open: Mutex::new(HashMap::new()),
        }
    }

    /// What was read of a log, opened if it is sealed and the key is at hand.
    pub(crate) fn open(&self, memory: Memory) -> Result<Memory> {
        self.keys.open(memory)
    }

    /// Whether anybody gave a key.
    pub(crate) fn can_open(&self) -> bool {
        !self.keys.keyring().is_empty()
    }

    /// The keys.
    pub(super) fn keys(&self) -> &Keys {
        &self.keys
    }

    /// Keeps a log open that an index in memory was made from: what it points
    /// to is there even if the log is replaced.
    pub(crate) fn keep(&self, space: &Space, inode: u64, file: Arc<dyn DiskFile>) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        Self::put(&mut open, space, inode, file);
    }

    /// The log of a space.
    pub(crate) fn path(&self, space: &Space) -> PathBuf {
        self.layout.log(space)
    }

    /// A sound line of the log that has this inode; none if it is not there (any more).
    pub(crate) fn line(
        &self,
        space: &Space,
        inode: u64,
        offset: u64,
        length: u64,
        checksum: Option<&Checksum>,
    ) -> Result<Option<Line>> {
        let Some(file) = self.file(space, inode)? else {
            return Ok(None);
        };
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
        let count = file
            .read_at(&mut bytes, offset)
            .map_err(|error| Error::io("read", self.path(space))(error))?;
        match Line::decode(&bytes[..count]) {
            Ok((line, found)) if checksum.is_none_or(|wanted| *wanted == found) => Ok(Some(line)),
            _ => Ok(None),
        }
    }

    fn file(&self, space: &Space, inode: u64) -> Result<Option<Arc<dyn DiskFile>>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, file)) = open.get(space)
            && *known == inode
        {
            return Ok(Some(file.clone()));
        }
        let path = self.path(space);
        let file = match self.disk.open_read(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(Error::io("open", &path))?,
        };
        let found = file.stat().map_err(Error::io("read", &path))?.inode;
        if found != inode {
            return Ok(None);
        }
        Self::put(&mut open, space, inode, file.clone());
        Ok(Some(file))
    }

    fn put(open: &mut OpenFiles, space: &Space, inode: u64, file: Arc<dyn DiskFile>) {
        if open.len() >= OPEN_MAX {
            open.clear();
        }
        open.insert(space.clone(), (inode, file));
    }
}
