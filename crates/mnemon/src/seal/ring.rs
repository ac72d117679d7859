//! The ring: the data keys of all spaces, wrapped by the master key.
//!
//! It is one file, replaced as a whole, so that it is wrapped by one master or
//! by another and never by both. What it shows is which spaces have a key.

use base64ct::{Base64, Encoding};
use serde::{Deserialize, Serialize};

use super::aead::{self, Key};
use super::master::{Master, Source};
use super::passphrase::Stretch;
use super::problem::SealProblem;
use crate::error::{Error, Result};
use crate::memory::{Space, ulid};
use crate::random;

/// The version of the file.
const FORMAT: u64 = 1;

/// The data keys of a store, wrapped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ring {
    format: u64,
    master: MasterMark,
    keys: Vec<Wrapped>,
}

/// Which master key wraps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct MasterMark {
    id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    argon2id: Option<Stretch>,
}

/// One data key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Wrapped {
    id: String,
    space: String,
    key: String,
}

impl Ring {
    /// An empty ring for a master key, which came of a passphrase if `stretch` says how.
    pub fn new(master: &Master, stretch: Option<Stretch>) -> Self {
        Self {
            format: FORMAT,
            master: MasterMark {
                id: master.id(),
                argon2id: stretch,
            },
            keys: Vec::new(),
        }
    }

    /// What is in the file.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let bad = |problem: String| Error::Crypto(SealProblem::BadRing { problem });
        let ring: Self = serde_json::from_slice(bytes).map_err(|error| bad(error.to_string()))?;
        if ring.format > FORMAT {
            return Err(bad(format!("its format is {}", ring.format)));
        }
        Ok(ring)
    }

    /// What goes into the file.
    #[expect(clippy::missing_panics_doc, reason = "it has only text and numbers")]
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).expect("text and numbers");
        bytes.push(b'\n');
        bytes
    }

    /// Which master key wraps, as [`Master::id`] tells it.
    pub fn master_id(&self) -> &str {
        &self.master.id
    }

    /// How its passphrase is made a key, if it is one.
    pub fn stretch(&self) -> Option<&Stretch> {
        self.master.argon2id.as_ref()
    }

    /// The spaces that have a key.
    pub fn spaces(&self) -> impl Iterator<Item = &str> {
        self.keys.iter().map(|key| key.space.as_str())
    }

    /// The master key of a source, if it is the one that wraps.
    pub fn unlock(&self, source: &Source) -> Result<Master> {
        let wrong = || {
            Error::Crypto(SealProblem::WrongKey {
                source: source.name(),
                by_passphrase: self.stretch().is_some(),
            })
        };
        let master = source.master(self.stretch())?;
        if master.id() == self.master.id {
            return Ok(master);
        }
        // A rotation that was cut short left the next key beside the file.
        if let Source::File(path) = source {
            let next = Source::File(super::rotation::next_to(path));
            if let Ok(master) = next.master(None)
                && master.id() == self.master.id
            {
                return Ok(master);
            }
        }
        Err(wrong())
    }

    /// The id of the key of a space.
    pub(crate) fn key_id(&self, space: &Space) -> Option<&str> {
        let space = space.to_string();
        let key = self.keys.iter().find(|key| key.space == space)?;
        Some(&key.id)
    }

    /// Whether there is a key of that id.
    pub(crate) fn has(&self, id: &str) -> bool {
        self.keys.iter().any(|key| key.id == id)
    }

    /// The data key of that id; none if there is none (any more).
    pub(crate) fn unwrap_key(&self, master: &Master, id: &str) -> Result<Option<Key>> {
        self.keys
            .iter()
            .find(|key| key.id == id)
            .map(|key| key.unwrap(&master.wrapping()))
            .transpose()
    }

    /// Adds a key for a space; gives its id.
    pub fn add(&mut self, master: &Master, space: &Space, now_millis: u64) -> String {
        let id = ulid(now_millis, random());
        let space = space.to_string();
        let wrapped = Wrapped::new(&master.wrapping(), id.clone(), space, &Key::random());
        self.keys.push(wrapped);
        id
    }

    /// Takes out the key of a space; false if it has none.
    pub(crate) fn destroy(&mut self, space: &Space) -> bool {
        let space = space.to_string();
        let before = self.keys.len();
        self.keys.retain(|key| key.space != space);
        self.keys.len() < before
    }

    /// The same keys, wrapped by another master.
    pub(crate) fn rewrapped(
        &self,
        old: &Master,
        new: &Master,
        stretch: Option<Stretch>,
    ) -> Result<Self> {
        let (old, wrapping) = (old.wrapping(), new.wrapping());
        let mut ring = Self::new(new, stretch);
        for key in &self.keys {
            let bare = key.unwrap(&old)?;
            let (id, space) = (key.id.clone(), key.space.clone());
            ring.keys.push(Wrapped::new(&wrapping, id, space, &bare));
        }
        Ok(ring)
    }
}

impl Wrapped {
    fn new(wrapping: &Key, id: String, space: String, key: &Key) -> Self {
        let bytes = aead::seal(wrapping, &associated(&id, &space), key.bytes());
        Self {
            key: Base64::encode_string(&bytes),
            id,
            space,
        }
    }

    fn unwrap(&self, wrapping: &Key) -> Result<Key> {
        Base64::decode_vec(&self.key)
            .ok()
            .and_then(|bytes| aead::open(wrapping, &associated(&self.id, &self.space), &bytes))
            .and_then(|bytes| Key::from_bytes(&bytes))
            .ok_or_else(|| {
                let what = format!("the key of {}", self.space);
                Error::Crypto(SealProblem::Altered { what })
            })
    }
}

/// A wrapped key is of no use in another place.
fn associated(id: &str, space: &str) -> Vec<u8> {
    format!("mnemon data key\n{id}\n{space}").into_bytes()
}
