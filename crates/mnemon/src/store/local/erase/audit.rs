//! The audit: what was erased, when, by whom and why; never what it said.
//!
//! Of each text a digest is kept, made with the store's own id, so that the
//! same text can be known again when somebody brings it back by an import.

use std::collections::HashSet;
use std::io;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::intent::Intent;
use crate::error::{Error, Result};
use crate::memory::{MemoryId, Space};
use crate::store::local::disk::Disk;
use crate::store::local::layout::Layout;
use crate::store::local::lock::StoreLock;
use crate::store::local::log::line::hex;
use crate::store::{AuditEntry, Deed};
use crate::time::Time;

/// One line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct AuditLine {
    at: Time,
    by: String,
    digests: Vec<String>,
    ids: Vec<MemoryId>,
    op: String,
    reason: String,
    spaces: Vec<Space>,
}

impl AuditLine {
    pub(super) fn of(intent: &Intent) -> Self {
        Self {
            at: intent.at,
            by: intent.by.clone(),
            digests: intent.digests.clone(),
            ids: intent.ids.clone(),
            op: Deed::Erased.as_str().into(),
            reason: intent.reason.clone(),
            spaces: intent.spaces.clone(),
        }
    }
}

/// What is kept of a text that is gone.
pub(super) fn digest(salt: &str, text: &str) -> String {
    let sum: [u8; 32] = Sha256::new()
        .chain_update(salt)
        .chain_update([0])
        .chain_update(text)
        .finalize()
        .into();
    String::from_utf8_lossy(&hex(&sum)).into_owned()
}

/// Enters a deed; a second time it changes nothing.
pub(super) fn append(
    disk: &dyn Disk,
    layout: &Layout,
    lock: &StoreLock,
    line: &AuditLine,
) -> Result<()> {
    let path = layout.audit();
    let _held = lock.acquire("enter an erasure in the audit")?;
    let bytes = read(disk, layout)?;
    if lines(&bytes).any(|known| known == *line) {
        return Ok(());
    }
    let file = match disk.open_write(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            disk.create(&path).map_err(Error::io("create", &path))?
        }
        opened => opened.map_err(Error::io("open", &path))?,
    };
    // What a crash left of a line is written over.
    let whole = bytes.iter().rposition(|byte| *byte == b'\n');
    let end = whole.map_or(0, |place| place as u64 + 1);
    let mut text = serde_json::to_vec(line).expect("plain fields");
    text.push(b'\n');
    file.truncate(end)
        .and_then(|()| file.write_at(&text, end))
        .and_then(|()| file.sync())
        .and_then(|()| disk.sync_folder(layout.root()))
        .map_err(Error::io("write", &path))
}

/// Every deed in the file, the oldest first.
pub(in crate::store::local) fn entries(
    disk: &dyn Disk,
    layout: &Layout,
) -> Result<Vec<AuditEntry>> {
    let bytes = read(disk, layout)?;
    let entry = |line: AuditLine| AuditEntry {
        at: line.at,
        deed: Deed::Erased,
        by: line.by,
        reason: line.reason,
        ids: line.ids.iter().map(ToString::to_string).collect(),
        spaces: line.spaces,
    };
    Ok(lines(&bytes).map(entry).collect())
}

/// Which of these texts were erased.
pub(in crate::store::local) fn were_erased(
    disk: &dyn Disk,
    layout: &Layout,
    texts: &[&str],
) -> Result<Vec<bool>> {
    let bytes = read(disk, layout)?;
    if bytes.is_empty() {
        return Ok(vec![false; texts.len()]);
    }
    let known: HashSet<String> = lines(&bytes).flat_map(|line| line.digests).collect();
    let salt = crate::store::local::format::store_id(disk, layout)?;
    let is_known = |text: &&str| known.contains(&digest(&salt, text));
    Ok(texts.iter().map(is_known).collect())
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = AuditLine> {
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    lines
        .filter(|line| line.ends_with(b"\n"))
        .filter_map(|line| serde_json::from_slice(line).ok())
}

fn read(disk: &dyn Disk, layout: &Layout) -> Result<Vec<u8>> {
    let path = layout.audit();
    let file = match disk.open_read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        opened => opened.map_err(Error::io("open", &path))?,
    };
    let size = file.stat().map_err(Error::io("read", &path))?.size;
    let mut bytes = vec![0; usize::try_from(size).unwrap_or(0)];
    let count = file
        .read_at(&mut bytes, 0)
        .map_err(Error::io("read", &path))?;
    bytes.truncate(count);
    Ok(bytes)
}
