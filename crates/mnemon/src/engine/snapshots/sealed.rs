//! Snapshots under lock and key.
//!
//! In the store a snapshot is sealed by the data key of its agent. What goes
//! elsewhere is sealed by the master key itself.

use crate::agent::snapshot::{self, Form};
use crate::agent::{Snapshot, SnapshotSummary};
use crate::engine::Mnemon;
use crate::engine::agent_key::{Sealable, is_sealed, no_key};
use crate::error::Result;
use crate::memory::{AgentId, SnapshotId};
use crate::seal::envelope::{self, Lock};

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
            self.seal_for_agent(&sealable(&snapshot.agent, &snapshot.id), content)
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
        let (snapshot, _) = snapshot::read(bytes, &|told: &SnapshotSummary, content| {
            let sealable = sealable(&told.agent, &told.id);
            if is_sealed(content) {
                return self.open_for_agent(&sealable, content);
            }
            let master = self.own_master()?.ok_or_else(|| sealable.locked())?;
            Ok(envelope::open_bytes_with(content, &master)?.to_vec())
        })?;
        Ok(snapshot)
    }
}

fn sealable<'a>(agent: &'a AgentId, id: &'a SnapshotId) -> Sealable<'a> {
    Sealable {
        agent,
        sort: "snapshot 1",
        id: id.as_str(),
    }
}
