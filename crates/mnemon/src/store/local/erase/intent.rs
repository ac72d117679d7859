//! What is being erased, noted before anything is touched: ids, never content.
//!
//! What summaries say from now on is noted too: it quotes only what stays.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::memory::{MemoryId, Space};
use crate::store::Erasure;
use crate::store::local::disk::Disk;
use crate::store::local::layout::Layout;
use crate::store::local::log::line::Line;
use crate::store::local::whole_file;
use crate::time::Time;

/// An erasure that may be under way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in crate::store::local) struct Intent {
    pub(in crate::store::local) at: Time,
    pub(in crate::store::local) by: String,
    pub(in crate::store::local) reason: String,
    pub(in crate::store::local) ids: Vec<MemoryId>,
    /// Where they live.
    pub(in crate::store::local) spaces: Vec<Space>,
    /// Of every text that any of them had.
    pub(in crate::store::local) digests: Vec<String>,
    /// What stands in the place of lines of summaries that quoted any of it.
    #[serde(default)]
    pub(in crate::store::local) renewed: Vec<Line>,
}

impl Intent {
    pub(super) fn new(erasure: &Erasure, spaces: Vec<Space>, digests: Vec<String>) -> Self {
        Self {
            at: erasure.at,
            by: erasure.by.clone(),
            reason: erasure.reason.clone(),
            ids: erasure.ids.clone(),
            spaces,
            digests,
            renewed: erasure.renewed.iter().map(Line::renewal).collect(),
        }
    }

    pub(super) fn read(disk: &dyn Disk, layout: &Layout) -> Result<Option<Self>> {
        let path = layout.erasing();
        let Some(bytes) = whole_file::read(disk, &path)? else {
            return Ok(None);
        };
        serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|error| Error::Corrupt {
                path,
                line: None,
                problem: format!("it does not say what is being erased: {error}"),
            })
    }

    /// Whole or not at all, under a name that counts only then.
    pub(super) fn write(&self, disk: &dyn Disk, layout: &Layout) -> Result<()> {
        let bytes = serde_json::to_vec(self).expect("plain fields");
        whole_file::replace(disk, &layout.erasing(), &bytes)
    }

    pub(super) fn renewed_ids(&self) -> Vec<MemoryId> {
        let ids = self.renewed.iter().filter_map(|line| line.id.as_deref());
        ids.filter_map(|id| id.parse().ok()).collect()
    }

    /// What a crash left of an intent that was never written quotes what stays, which may go later.
    pub(super) fn remove_half_written(disk: &dyn Disk, layout: &Layout) -> Result<()> {
        let root = layout.root();
        let names = disk.list(root).map_err(Error::io("read", root))?;
        for name in names
            .iter()
            .filter(|name| name.starts_with("erasing.json."))
        {
            let path = root.join(name);
            disk.remove(&path).map_err(Error::io("remove", &path))?;
        }
        Ok(())
    }

    pub(super) fn remove(disk: &dyn Disk, layout: &Layout) -> Result<()> {
        let path = layout.erasing();
        disk.remove(&path)
            .and_then(|()| disk.sync_folder(layout.root()))
            .map_err(Error::io("remove", &path))
    }
}
