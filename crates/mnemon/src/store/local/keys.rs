//! The ring on the disk, and what it does to memories on their way there and back.
//!
//! `keys/ring.json` is replaced as a whole, under the lock: after a crash it is
//! the old one or the new one. Whoever reads looks whether it was replaced.
//!
//! Invariant: a line that is sealed is written only after its key is durable.

mod life;
mod sweep;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::disk::{Disk, Stat};
use super::layout::Layout;
use super::{folders, wall_micros, whole_file};
use crate::error::{Error, Result};
use crate::memory::{Closed, Memory, Seal, Shut, Space};
use crate::seal::{Keyring, Ring, SealProblem, content};

/// The keys of a store, for whoever holds the master key.
#[derive(Debug)]
pub(crate) struct Keys {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    keyring: Arc<Keyring>,
    /// The ring as it was last read.
    read: Mutex<Option<(Stat, Arc<Ring>)>>,
}

impl Keys {
    pub(super) fn new(disk: Arc<dyn Disk>, layout: &Layout, keyring: Arc<Keyring>) -> Self {
        Self {
            disk,
            path: layout.ring(),
            keyring,
            read: Mutex::default(),
        }
    }

    pub(super) fn keyring(&self) -> &Keyring {
        &self.keyring
    }

    /// The ring as it is now; none if the store has no keys.
    pub(super) fn ring(&self) -> Result<Option<Arc<Ring>>> {
        let stat = self.disk.stat(&self.path);
        let Some(stat) = stat.map_err(Error::io("read", &self.path))? else {
            return Ok(None);
        };
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((seen, ring)) = &*read
            && *seen == stat
        {
            return Ok(Some(ring.clone()));
        }
        let Some(bytes) = whole_file::read(&*self.disk, &self.path)? else {
            return Ok(None);
        };
        let ring = Arc::new(Ring::read(&bytes)?);
        *read = Some((stat, ring.clone()));
        Ok(Some(ring))
    }

    /// Puts another ring in its place; the caller holds the lock.
    fn replace(&self, ring: &Ring) -> Result<()> {
        let folder = self.path.parent().unwrap_or(&self.path);
        folders::make(&*self.disk, folder)?;
        self.remove_half_written(folder)?;
        whole_file::replace(&*self.disk, &self.path, &ring.write())
    }

    /// What a crash left of a ring could hold a key that is destroyed.
    fn remove_half_written(&self, folder: &Path) -> Result<()> {
        let names = self.disk.list(folder);
        for name in names.map_err(Error::io("read", folder))? {
            if name.starts_with("ring.json.") {
                let path = folder.join(name);
                self.disk
                    .remove(&path)
                    .map_err(Error::io("remove", &path))?;
            }
        }
        Ok(())
    }

    /// The memory as it may be read here: opened if the key is at hand, else as it is.
    ///
    /// An error only if the key that was given is not the right one.
    pub(crate) fn open(&self, memory: Memory) -> Result<Memory> {
        let Seal::Closed(closed) = &memory.seal else {
            return Ok(memory);
        };
        if self.keyring.is_empty() {
            return Ok(memory);
        }
        let key = match self.ring()? {
            Some(ring) if self.keyring.source_for(&ring).is_none() => return Ok(memory),
            Some(ring) => self.keyring.key(&ring, &closed.key)?,
            None => None,
        };
        let why = match key {
            Some(key) => match content::open(&memory, closed, &key) {
                Some(opened) => return Ok(opened),
                None => Shut::Altered,
            },
            None => Shut::Destroyed,
        };
        let closed = Closed {
            why,
            ..closed.clone()
        };
        Ok(Memory {
            seal: Seal::Closed(closed),
            ..memory
        })
    }

    /// The memory as it is to be written; the caller holds the lock.
    ///
    /// A store without keys has nothing to seal with: whether it may keep what is
    /// sensitive is decided above.
    pub(super) fn close<'m>(&self, memory: &'m Memory) -> Result<Cow<'m, Memory>> {
        let wanted = memory.sensitive || memory.is_sealed() || self.keyring.seals_everything();
        if !wanted || self.ring()?.is_none() {
            return Ok(Cow::Borrowed(memory));
        }
        self.make_key(&memory.space)?;
        self.close_anyway(memory).map(Cow::Owned)
    }

    /// The memory sealed by the key that its space has.
    fn close_anyway(&self, memory: &Memory) -> Result<Memory> {
        let no_key = || Error::Crypto(SealProblem::NoKey);
        let ring = self.ring()?.ok_or_else(no_key)?;
        let id = ring.key_id(&memory.space).ok_or_else(no_key)?;
        let key = self.keyring.key(&ring, id)?.ok_or_else(no_key)?;
        Ok(content::close(memory, id, &key))
    }

    /// Makes the key of a space if it has none; the caller holds the lock.
    fn make_key(&self, space: &Space) -> Result<()> {
        let no_key = || Error::Crypto(SealProblem::NoKey);
        let ring = self.ring()?.ok_or_else(no_key)?;
        if ring.key_id(space).is_some() {
            return Ok(());
        }
        let master = self.keyring.master(&ring)?.ok_or_else(no_key)?;
        let mut ring = (*ring).clone();
        let millis = u64::try_from(wall_micros() / 1000).unwrap_or(0);
        ring.add(&master, space, millis);
        self.replace(&ring)
    }
}
