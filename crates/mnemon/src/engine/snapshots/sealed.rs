//! Snapshots under lock and key.
//!
//! In the store a snapshot is sealed by the data key of its agent, so that a
//! new master key leaves it readable, and destroying the agent's key does not.
//! What goes elsewhere is sealed by the master key itself.

use crate::agent::snapshot::{self, Form};
use crate::agent::{Snapshot, SnapshotSummary};
use crate::engine::Mnemon;
use crate::error::{Error, Result};
use crate::memory::{AgentId, SnapshotId, Space};
use crate::seal::envelope::{self, Lock};
use crate::seal::{Key, SealProblem, open, seal};

/// What content that a data key sealed begins with; the id of the key and a newline follow.
const BY_DATA_KEY: &[u8] = b"mnkey ";

impl Mnemon {
    /// Whether there is a key to seal with.
    pub fn has_key(&self) -> bool {
        matches!(self.own_master(), Ok(Some(_)))
    }

    /// A snapshot as it is kept in the store.
    pub(in crate::engine) fn snapshot_kept(
        &self,
        snapshot: &Snapshot,
        form: Form,
    ) -> Result<Vec<u8>> {
        snapshot::write(snapshot, form, &|content| {
            let (id, key) = self.key_of(&snapshot.agent)?;
            let bound = associated(&id, &snapshot.agent, &snapshot.id);
            let sealed = seal(&key, &bound, content);
            Ok([BY_DATA_KEY, id.as_bytes(), b"\n", &sealed].concat())
        })
    }

    /// A snapshot as it goes elsewhere.
    pub(super) fn snapshot_for_elsewhere(
        &self,
        snapshot: &Snapshot,
        form: Form,
    ) -> Result<Vec<u8>> {
        snapshot::write(snapshot, form, &|content| {
            let master = self.own_master()?.ok_or_else(no_key)?;
            envelope::seal_bytes(content, &Lock::Master(&master))
        })
    }

    /// The snapshot in these bytes, wherever they come from.
    pub(in crate::engine) fn read_snapshot(&self, bytes: &[u8]) -> Result<Snapshot> {
        let (snapshot, _) = snapshot::read(bytes, &|told, content| {
            if let Some(rest) = content.strip_prefix(BY_DATA_KEY) {
                return self.open_kept(told, rest);
            }
            let locked = || locked(told);
            let master = self.own_master()?.ok_or_else(locked)?;
            Ok(envelope::open_bytes_with(content, &master)?.to_vec())
        })?;
        Ok(snapshot)
    }

    fn open_kept(&self, told: &SnapshotSummary, content: &[u8]) -> Result<Vec<u8>> {
        let what = || format!("the snapshot {}", told.id);
        let altered = || Error::Crypto(SealProblem::Altered { what: what() });
        let end = content
            .iter()
            .position(|it| *it == b'\n')
            .ok_or_else(altered)?;
        let id = std::str::from_utf8(&content[..end]).map_err(|_| altered())?;
        let (Some(keyring), Some(ring)) = (self.store.keyring(), self.store.ring()?) else {
            return Err(locked(told));
        };
        let Some(key) = keyring.key(&ring, id)? else {
            return Err(if ring.has(id) {
                locked(told)
            } else {
                Error::Crypto(SealProblem::Destroyed { what: what() })
            });
        };
        let bound = associated(id, &told.agent, &told.id);
        let opened = open(&key, &bound, &content[end + 1..]).ok_or_else(altered)?;
        Ok(opened.to_vec())
    }

    /// The data key of an agent, made if there is none.
    fn key_of(&self, agent: &AgentId) -> Result<(String, Key)> {
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

/// A sealed snapshot is of no use under another name, or as another agent's.
fn associated(key_id: &str, agent: &AgentId, id: &SnapshotId) -> Vec<u8> {
    format!("mnemon snapshot 1\n{key_id}\n{agent}\n{id}").into_bytes()
}

fn no_key() -> Error {
    Error::Crypto(SealProblem::NoKey)
}

fn locked(told: &SnapshotSummary) -> Error {
    let what = format!("the snapshot {}", told.id);
    Error::Crypto(SealProblem::Locked { what })
}
