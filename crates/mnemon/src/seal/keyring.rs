//! The keys that a process holds: where the master comes from, and what it unwrapped.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::aead::Key;
use super::master::{Master, Source};
use super::ring::Ring;
use crate::error::Result;

/// Where the master key comes from, and what of the ring was unwrapped with it.
///
/// Nothing is read and no passphrase is stretched before something sealed is
/// met, so that whoever has nothing sealed pays nothing for it.
#[derive(Debug, Default)]
pub struct Keyring {
    sources: Vec<Source>,
    everything: bool,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    /// With its id.
    master: Option<(String, Master)>,
    /// By their ids.
    keys: HashMap<String, Key>,
}

impl Keyring {
    /// The keys that these sources open, the first that can fit; with `everything` all memories
    /// are sealed.
    pub fn new(sources: Vec<Source>, everything: bool) -> Self {
        Self {
            sources,
            everything,
            held: Mutex::default(),
        }
    }

    /// Where the master key of a ring comes from: a passphrase if one wraps it, else a key.
    pub fn source_for(&self, ring: &Ring) -> Option<&Source> {
        let by_passphrase = ring.stretch().is_some();
        let fits = |it: &&Source| matches!(it, Source::Passphrase(_)) == by_passphrase;
        self.sources.iter().find(fits)
    }

    /// All that was given.
    pub fn into_sources(self) -> Vec<Source> {
        self.sources
    }

    /// Whether nobody gave anything.
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// Whether all memories are to be sealed, and not only sensitive ones.
    pub fn seals_everything(&self) -> bool {
        self.everything
    }

    /// The master key of a ring; none if nobody gave one.
    pub fn master(&self, ring: &Ring) -> Result<Option<Master>> {
        let Some(source) = self.source_for(ring) else {
            return Ok(None);
        };
        let mut held = self.held();
        match &held.master {
            Some((id, master)) if id == ring.master_id() => Ok(Some(master.clone())),
            _ => {
                let master = ring.unlock(source)?;
                held.master = Some((ring.master_id().to_owned(), master.clone()));
                Ok(Some(master))
            }
        }
    }

    /// A data key; none if the ring has none of that id, or if nobody gave a master key.
    pub(crate) fn key(&self, ring: &Ring, id: &str) -> Result<Option<Key>> {
        if !ring.has(id) {
            self.held().keys.remove(id);
            return Ok(None);
        }
        if let Some(key) = self.held().keys.get(id) {
            return Ok(Some(key.clone()));
        }
        let Some(master) = self.master(ring)? else {
            return Ok(None);
        };
        let key = ring.unwrap_key(&master, id)?;
        if let Some(key) = &key {
            self.held().keys.insert(id.to_owned(), key.clone());
        }
        Ok(key)
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
