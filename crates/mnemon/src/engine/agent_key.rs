//! What an agent's own key seals beside its memories: its desk and its snapshots.
//!
//! A new master key leaves it readable, destroying the agent's key does not.

use crate::engine::Mnemon;
use crate::error::{Error, Result};
use crate::memory::{AgentId, Space};
use crate::seal::{Key, SealProblem, open, seal};

/// What content that a data key sealed begins with; the id of the key and a newline follow.
const BY_DATA_KEY: &[u8] = b"mnkey ";

/// Something that an agent's key seals: of no use under another name, or as another agent's.
pub(super) struct Sealable<'a> {
    pub(super) agent: &'a AgentId,
    /// What sort of thing it is, and which version of its form.
    pub(super) sort: &'static str,
    /// Its id, if the agent has several.
    pub(super) id: &'a str,
}

/// Whether these bytes were sealed by a data key.
pub(super) fn is_sealed(bytes: &[u8]) -> bool {
    bytes.starts_with(BY_DATA_KEY)
}

impl Sealable<'_> {
    /// For people.
    fn what(&self) -> String {
        let Self { agent, sort, id } = self;
        let sort = sort.trim_end_matches(|c: char| c.is_ascii_digit() || c == ' ');
        if id.is_empty() {
            format!("the {sort} of {agent}")
        } else {
            format!("the {sort} {id}")
        }
    }

    fn associated(&self, key_id: &str) -> Vec<u8> {
        let Self { agent, sort, id } = self;
        format!("mnemon {sort}\n{key_id}\n{agent}\n{id}").into_bytes()
    }

    fn altered(&self) -> Error {
        Error::Crypto(SealProblem::Altered { what: self.what() })
    }

    pub(super) fn locked(&self) -> Error {
        Error::Crypto(SealProblem::Locked { what: self.what() })
    }
}

impl Mnemon {
    /// Seals it with the key of its agent, which is made if there is none.
    pub(super) fn seal_for_agent(&self, what: &Sealable<'_>, content: &[u8]) -> Result<Vec<u8>> {
        let (id, key) = self.key_of(what.agent)?;
        let sealed = seal(&key, &what.associated(&id), content);
        Ok([BY_DATA_KEY, id.as_bytes(), b"\n", &sealed].concat())
    }

    /// Opens what [`Self::seal_for_agent`] sealed.
    pub(super) fn open_for_agent(&self, what: &Sealable<'_>, content: &[u8]) -> Result<Vec<u8>> {
        let content = content
            .strip_prefix(BY_DATA_KEY)
            .ok_or_else(|| what.altered())?;
        let end = content.iter().position(|it| *it == b'\n');
        let end = end.ok_or_else(|| what.altered())?;
        let id = std::str::from_utf8(&content[..end]).map_err(|_| what.altered())?;
        let (Some(keyring), Some(ring)) = (self.store.keyring(), self.store.ring()?) else {
            return Err(what.locked());
        };
        let Some(key) = keyring.key(&ring, id)? else {
            return Err(if ring.has(id) {
                what.locked()
            } else {
                Error::Crypto(SealProblem::Destroyed { what: what.what() })
            });
        };
        let opened = open(&key, &what.associated(id), &content[end + 1..]);
        Ok(opened.ok_or_else(|| what.altered())?.to_vec())
    }

    /// The data key of an agent, made if there is none.
    pub(super) fn key_of(&self, agent: &AgentId) -> Result<(String, Key)> {
        let keyring = self.store.keyring().ok_or_else(no_key)?;
        let space = Space::Agent(agent.clone());
        let mut ring = self.store.ring()?.ok_or_else(no_key)?;
        if ring.key_id(&space).is_none() {
            let millis = u64::try_from(self.clock.now_micros() / 1000).unwrap_or(0);
            self.store.change_ring(&mut |ring| {
                let mut ring = ring.ok_or_else(no_key)?.clone();
                if ring.key_id(&space).is_none() {
                    let master = keyring.master(&ring)?.ok_or_else(no_key)?;
                    ring.add(&master, &space, millis);
                }
                Ok(ring)
            })?;
            ring = self.store.ring()?.ok_or_else(no_key)?;
        }
        let id = ring.key_id(&space).ok_or_else(no_key)?.to_owned();
        let key = keyring.key(&ring, &id)?.ok_or_else(no_key)?;
        Ok((id, key))
    }
}

/// Nobody gave the key that is needed to seal.
pub(super) fn no_key() -> Error {
    Error::Crypto(SealProblem::NoKey)
}
