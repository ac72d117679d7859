//! The audit: what was erased, and what became of sessions; when, by whom and why, never what they said.
//!
//! Of each erased text a digest is kept, made with the store's own id, so that
//! the same text can be known again when somebody brings it back by an import.
//! When a session was last opened is known from here alone: an archive gives
//! back every byte of a log, and so can't add a line to it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::disk::{Disk, Stat};
use super::erase::Intent;
use super::layout::Layout;
use super::lock::Held;
use super::log::line::hex;
use super::whole_file;
use crate::error::{Error, Result};
use crate::memory::{Kind, MemoryId, SessionId, Space};
use crate::session::SessionDeed;
use crate::store::{AuditEntry, Deed};
use crate::time::Time;

/// One line of the file, whatever it is about.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
enum Entered {
    Memories(AuditLine),
    Session(SessionLine),
}

/// What became of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct SessionLine {
    at: Time,
    by: String,
    by_kind: BTreeMap<Kind, u64>,
    bytes: u64,
    op: String,
    reason: String,
    session: SessionId,
}

impl SessionLine {
    pub(super) fn of(
        deed: Deed,
        what: &SessionDeed,
        by_kind: &BTreeMap<Kind, u64>,
        bytes: u64,
    ) -> Self {
        Self {
            at: what.at,
            by: what.by.clone(),
            by_kind: by_kind.clone(),
            bytes,
            op: deed.as_str().into(),
            reason: what.reason.clone(),
            session: what.session.clone(),
        }
    }
}

/// Memories that were erased, expired or brought back.
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

    /// What a line of a log tells, once that is gone.
    pub(super) fn deed(entry: &AuditEntry) -> Result<Self> {
        let ids: Result<Vec<MemoryId>> = entry.ids.iter().map(|id| id.parse()).collect();
        Ok(Self {
            at: entry.at,
            by: entry.by.clone(),
            digests: Vec::new(),
            ids: ids?,
            op: entry.deed.as_str().into(),
            reason: entry.reason.clone(),
            spaces: entry.spaces.clone(),
        })
    }

    /// What a compaction, or undoing one, does to memories of a session.
    pub(super) fn compaction(deed: Deed, what: &SessionDeed, ids: Vec<MemoryId>) -> Self {
        Self {
            at: what.at,
            by: what.by.clone(),
            digests: Vec::new(),
            ids,
            op: deed.as_str().into(),
            reason: what.reason.clone(),
            spaces: vec![Space::Session(what.session.clone())],
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

/// Enters an erasure; a second time it changes nothing.
pub(super) fn append_once(
    disk: &dyn Disk,
    layout: &Layout,
    held: &Held<'_>,
    line: &AuditLine,
) -> Result<()> {
    append_missing(disk, layout, held, std::slice::from_ref(line))
}

/// Enters what is not there yet.
pub(super) fn append_missing(
    disk: &dyn Disk,
    layout: &Layout,
    held: &Held<'_>,
    wanted: &[AuditLine],
) -> Result<()> {
    if wanted.is_empty() {
        return Ok(());
    }
    let known: Vec<Entered> = lines(&read(disk, layout)?).collect();
    let is_known = |line: &AuditLine| {
        let mut known = known.iter();
        known.any(|known| matches!(known, Entered::Memories(known) if known == line))
    };
    let missing: Vec<&AuditLine> = wanted.iter().filter(|line| !is_known(line)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    append_all(disk, layout, held, &missing)
}

/// Enters a deed; whoever does so holds the lock.
pub(super) fn append(
    disk: &dyn Disk,
    layout: &Layout,
    held: &Held<'_>,
    line: &impl Serialize,
) -> Result<()> {
    append_all(disk, layout, held, &[line])
}

fn append_all(
    disk: &dyn Disk,
    layout: &Layout,
    _held: &Held<'_>,
    wanted: &[&impl Serialize],
) -> Result<()> {
    let path = layout.audit();
    let bytes = read(disk, layout)?;
    let file = match disk.open_write(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            disk.create(&path).map_err(Error::io("create", &path))?
        }
        opened => opened.map_err(Error::io("open", &path))?,
    };
    // What a crash left of a line is written over.
    let whole = bytes.iter().rposition(|byte| *byte == b'\n');
    let end = whole.map_or(0, |place| place as u64 + 1);
    let mut text = Vec::new();
    for line in wanted {
        text.extend(serde_json::to_vec(line).expect("plain fields"));
        text.push(b'\n');
    }
    file.truncate(end)
        .and_then(|()| file.write_at(&text, end))
        .and_then(|()| file.sync())
        .and_then(|()| disk.sync_folder(layout.root()))
        .map_err(Error::io("write", &path))
}

/// Every deed in the file, the oldest first.
pub(super) fn entries(disk: &dyn Disk, layout: &Layout) -> Result<Vec<AuditEntry>> {
    let bytes = read(disk, layout)?;
    let entry = |line: Entered| match line {
        Entered::Memories(line) => Some(AuditEntry {
            at: line.at,
            deed: Deed::from_word(&line.op)?,
            by: line.by,
            reason: line.reason,
            memories: line.ids.len() as u64,
            ids: line.ids.iter().map(ToString::to_string).collect(),
            spaces: line.spaces,
        }),
        Entered::Session(line) => Some(AuditEntry {
            at: line.at,
            deed: Deed::from_word(&line.op)?,
            by: line.by,
            reason: line.reason,
            memories: line.by_kind.values().sum(),
            ids: Vec::new(),
            spaces: vec![Space::Session(line.session)],
        }),
    };
    Ok(lines(&bytes).filter_map(entry).collect())
}

/// Which of these texts were erased.
pub(super) fn were_erased(disk: &dyn Disk, layout: &Layout, texts: &[&str]) -> Result<Vec<bool>> {
    let bytes = read(disk, layout)?;
    if bytes.is_empty() {
        return Ok(vec![false; texts.len()]);
    }
    let digests = |line: Entered| match line {
        Entered::Memories(line) => line.digests,
        Entered::Session(_) => Vec::new(),
    };
    let known: HashSet<String> = lines(&bytes).flat_map(digests).collect();
    let salt = super::format::store_id(disk, layout)?;
    let is_known = |text: &&str| known.contains(&digest(&salt, text));
    Ok(texts.iter().map(is_known).collect())
}

/// When sessions were last opened, as far as this process has read the audit.
#[derive(Debug, Default)]
pub(super) struct Openings(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// The file as it was when it was read.
    file: Option<Stat>,
    times: HashMap<SessionId, Vec<Time>>,
}

impl Openings {
    /// When a session was last opened, up to a moment if one is given.
    pub(super) fn last(
        &self,
        disk: &dyn Disk,
        layout: &Layout,
        session: &SessionId,
        until: Option<Time>,
    ) -> Result<Option<Time>> {
        let path = layout.audit();
        let named = disk.stat(&path).map_err(Error::io("read", &path))?;
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.file != named {
            known.times.clear();
            for entry in entries(disk, layout)? {
                if let ([Space::Session(session)], true) = (&*entry.spaces, entry.deed.opens()) {
                    known
                        .times
                        .entry(session.clone())
                        .or_default()
                        .push(entry.at);
                }
            }
            known.file = named;
        }
        let opened = known.times.get(session).into_iter().flatten().copied();
        Ok(opened
            .filter(|at| until.is_none_or(|until| *at <= until))
            .max())
    }
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = Entered> {
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    lines
        .filter(|line| line.ends_with(b"\n"))
        .filter_map(|line| serde_json::from_slice(line).ok())
}

fn read(disk: &dyn Disk, layout: &Layout) -> Result<Vec<u8>> {
    Ok(whole_file::read(disk, &layout.audit())?.unwrap_or_default())
}
