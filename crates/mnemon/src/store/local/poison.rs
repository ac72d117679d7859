//! The marker that stops writing after a failed sync.
//!
//! After a failed sync nobody knows what of the log is on the disk, and a
//! second sync may report success for pages that the kernel has dropped. So
//! every process turns read-only until `repair` has written that log anew.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::disk::Disk;
use super::layout::Layout;
use crate::error::{Error, Result};

/// Which sync failed, and how.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Marker {
    pub(super) log: String,
    pub(super) reason: String,
    pub(super) at: String,
}

impl fmt::Display for Marker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} at {}", self.log, self.reason, self.at)
    }
}

/// Stops writing in every process.
pub(super) fn mark(disk: &dyn Disk, path: &std::path::Path, log: String, error: &Error) {
    let marker = Marker {
        log,
        reason: error.to_string(),
        at: super::wall_text(),
    };
    let bytes = serde_json::to_vec(&marker).expect("plain fields");
    // If even this fails, the process that saw the failure still refuses to write.
    if let Ok(file) = disk.create(path) {
        let _ = file.write_at(&bytes, 0);
        let _ = file.sync();
    }
}

/// The marker, if there is one.
pub(super) fn read(disk: &dyn Disk, layout: &Layout) -> Result<Option<Marker>> {
    let path = layout.poisoned();
    let file = match disk.open_read(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(Error::io("read", &path))?,
    };
    let mut bytes = vec![0; 4096];
    let count = file
        .read_at(&mut bytes, 0)
        .map_err(Error::io("read", &path))?;
    Ok(Some(serde_json::from_slice(&bytes[..count]).unwrap_or(
        Marker {
            log: "a log".into(),
            reason: "the marker can't be read".into(),
            at: "an unknown time".into(),
        },
    )))
}

/// Refuses to write while the marker is there.
pub(super) fn refuse(disk: &dyn Disk, layout: &Layout) -> Result<()> {
    let path = layout.poisoned();
    // A look at the name is all it costs when all is well.
    if disk
        .stat(&path)
        .map_err(Error::io("read", &path))?
        .is_none()
    {
        return Ok(());
    }
    match read(disk, layout)? {
        Some(marker) => Err(Error::Poisoned {
            space: marker.log,
            reason: marker.reason,
        }),
        None => Ok(()),
    }
}
