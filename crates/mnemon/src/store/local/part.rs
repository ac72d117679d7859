//! Parts: what compactions took out of a session's log, and how it comes back.
//!
//! Recorded times only grow within a log, and a line that stood in a
//! transaction has its place in it, so lines of a part go back to where they
//! stood. While a memory is in the log, lines about it on a shelf count for
//! nothing and are to be cleaned away.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::path::Path;

use super::LocalStore;
use super::audit::{self, AuditLine};
use super::disk::{Disk, DiskFile};
use super::folders;
use super::index::read as index_read;
use super::log::line::{Line, sign_again};
use super::log::scan::{self, Found, Start, Stopped};
use super::rewrite::{Also, Piece, Verdict, read};
use super::shelf::{self, Packing, Sort};
use super::shelves::Source;
use crate::error::{Error, Result};
use crate::memory::{MemoryId, Reference, SessionId, Space};
use crate::session::SessionDeed;
use crate::store::{Away, Deed, Return};
use crate::time::Time;

/// Where a line stood in its log: its recorded time, and its place in its transaction.
pub(super) type Order = (i64, u64);

/// The order of a line; none if it has no time.
pub(super) fn order_of(line: &Line) -> Option<Order> {
    Some((line.recorded_at?.micros(), line.place.unwrap_or(0)))
}

/// A line on a shelf.
pub(super) struct Stored {
    pub(super) order: Order,
    pub(super) line: Line,
    /// With its newline.
    pub(super) bytes: Vec<u8>,
}

impl LocalStore {
    /// The parts of a session that was not deleted.
    pub(super) fn parts_of(&self, session: &SessionId) -> Result<Vec<Source>> {
        let mut parts = self.sources_of(session)?;
        parts.retain(|source| !source.trashed && source.sort() == Some(Sort::Part));
        Ok(parts)
    }

    /// Brings lines back into the log.
    pub(super) fn bring_back_lines(&self, wanted: &Return) -> Result<Vec<MemoryId>> {
        let space = Space::Session(wanted.session.clone());
        self.clean_parts(&wanted.session)?;
        let parts = self.parts_of(&wanted.session)?;
        let ids: Option<HashSet<&str>> = wanted
            .ids
            .as_ref()
            .map(|ids| ids.iter().map(MemoryId::as_str).collect());
        let mut coming: Vec<Stored> = Vec::new();
        for part in &parts {
            each_line(&*self.disk, &part.path, &mut |stored| {
                let id = stored.line.id.as_deref().unwrap_or_default();
                if ids.as_ref().is_none_or(|ids| ids.contains(id)) {
                    coming.push(stored);
                }
                Ok(())
            })?;
        }
        coming.sort_by_key(|stored| stored.order);
        let found: BTreeSet<MemoryId> = coming
            .iter()
            .filter_map(|stored| stored.line.id.as_ref()?.parse().ok())
            .collect();
        if let Some(missing) = wanted.ids.iter().flatten().find(|id| !found.contains(*id)) {
            return Err(Reference::not_found(missing.as_str()));
        }
        if found.is_empty() && wanted.summaries.is_empty() {
            return Ok(Vec::new());
        }
        if !found.is_empty() {
            self.enter_return(wanted, &found)?;
        }
        let dropped: HashSet<&str> = wanted.summaries.iter().map(MemoryId::as_str).collect();
        let emptied = emptied(&*self.disk, &parts, &found)?;
        let coming = RefCell::new(VecDeque::from(coming));
        let next_before = |order: Option<Order>| {
            let mut coming = coming.borrow_mut();
            let mut bytes = Vec::new();
            while coming
                .front()
                .is_some_and(|next| order.is_none_or(|order| next.order < order))
            {
                bytes.extend(coming.pop_front().into_iter().flat_map(|it| it.bytes));
            }
            bytes
        };
        self.rewrite_and(
            &space,
            &mut |piece, bytes| {
                let Piece::Record(placed) = piece else {
                    return Ok(Verdict::Keep);
                };
                if placed.line.archived.is_some() {
                    // Archived meanwhile: what went into this log would be lost when it is opened.
                    let path = self.layout.log(&space);
                    return Err(Error::LogReplaced { path });
                }
                let id = placed.line.id.as_deref().unwrap_or_default();
                if dropped.contains(id) {
                    return Ok(Verdict::Drop);
                }
                let Some(order) = order_of(&placed.line) else {
                    return Ok(Verdict::Keep);
                };
                let before = next_before(Some(order));
                if placed
                    .line
                    .shelf
                    .as_ref()
                    .is_some_and(|it| emptied.contains(it))
                {
                    let path = self.layout.log(&space);
                    let line = without_shelf(&path, placed.number, bytes)?;
                    return Ok(Verdict::ReplaceBehind(before, line));
                }
                Ok(if before.is_empty() {
                    Verdict::Keep
                } else {
                    Verdict::Behind(before)
                })
            },
            Also {
                when_read: &mut || Ok(()),
                last_lines: &mut |_| {
                    for part in &parts {
                        if shelf::stat(&*self.disk, &part.path)? != Some(part.stat) {
                            let path = self.layout.log(&space);
                            return Err(Error::LogReplaced { path });
                        }
                    }
                    Ok(next_before(None))
                },
                when_replaced: &mut || {},
            },
        )?;
        self.clean_parts(&wanted.session)?;
        Ok(found.into_iter().collect())
    }

    fn enter_return(&self, wanted: &Return, found: &BTreeSet<MemoryId>) -> Result<()> {
        let deed = SessionDeed {
            session: wanted.session.clone(),
            by: wanted.by.clone(),
            reason: wanted.reason.clone(),
            at: wanted.at,
        };
        let ids = found.iter().cloned().collect();
        let line = AuditLine::compaction(Deed::Returned, &deed, ids);
        let held = self.hold_for_life("bring memories back")?;
        audit::append(&*self.disk, &self.layout, &held, &line)
    }

    /// Takes off the shelves what is in the log; a crash may have left it in both.
    pub(super) fn clean_parts(&self, session: &SessionId) -> Result<u64> {
        if self.parts_of(session)?.is_empty() {
            return Ok(0);
        }
        let space = Space::Session(session.clone());
        let mut held = self.lock.acquire("tidy an archive")?;
        self.with_sound_index(&mut held, |connection| {
            self.catch_up(connection, std::slice::from_ref(&space))?;
            let mut cleaned = 0;
            for part in self.parts_of(session)? {
                let source = self.below_root(&part.path).display().to_string();
                let twice = index_read::in_log_and_on_shelf(connection, &source)
                    .map_err(Error::index("index"))?;
                if twice.is_empty() {
                    continue;
                }
                cleaned += twice.len() as u64;
                self.take_off(&part.path, &twice.iter().map(String::as_str).collect())?;
            }
            if cleaned > 0 {
                self.catch_up(connection, std::slice::from_ref(&space))?;
            }
            Ok(cleaned)
        })
    }

    /// Writes a shelf anew without the lines about these; removes it if nothing is left.
    fn take_off(&self, path: &Path, ids: &HashSet<&str>) -> Result<()> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Ok(());
        };
        let mut packing = Packing::replace(&*self.disk, folder, &name.to_string_lossy())?;
        let mut left = 0_u64;
        let header = header(&*self.disk, path)?;
        packing.write(&header)?;
        each_line(&*self.disk, path, &mut |stored| {
            if ids.contains(stored.line.id.as_deref().unwrap_or_default()) {
                return Ok(());
            }
            left += 1;
            packing.write(&stored.bytes)
        })?;
        if left > 0 {
            return packing.finish().map(drop);
        }
        drop(packing);
        self.disk.remove(path).map_err(Error::io("remove", path))?;
        folders::sync(&*self.disk, folder)
    }

    /// Everything that was compacted away from a session, by id.
    pub(super) fn away_of(&self, session: &SessionId) -> Result<Vec<Away>> {
        let mut all: Vec<Away> = Vec::new();
        for part in self.parts_of(session)? {
            let since = made_at(&*self.disk, &part.path)?;
            each_line(&*self.disk, &part.path, &mut |stored| {
                let line = stored.line;
                if line.op.is_none()
                    && let Some(id) = line.id.and_then(|id| id.parse().ok())
                {
                    all.push(Away {
                        id,
                        handle: line.handle.and_then(|handle| handle.parse().ok()),
                        session: session.clone(),
                        since,
                    });
                }
                Ok(())
            })?;
        }
        all.sort_by(|a, b| a.id.cmp(&b.id));
        all.dedup_by(|a, b| a.id == b.id);
        Ok(all)
    }
}

/// The names of the shelves on which nothing is left once these are back.
fn emptied(
    disk: &dyn Disk,
    parts: &[Source],
    coming: &BTreeSet<MemoryId>,
) -> Result<BTreeSet<String>> {
    let mut emptied = BTreeSet::new();
    let coming: HashSet<&str> = coming.iter().map(MemoryId::as_str).collect();
    for part in parts {
        let mut left = 0_u64;
        each_line(disk, &part.path, &mut |stored| {
            let id = stored.line.id.as_deref().unwrap_or_default();
            left += u64::from(!coming.contains(id));
            Ok(())
        })?;
        if left == 0 {
            let name = part.path.file_name().unwrap_or_default();
            emptied.insert(name.to_string_lossy().into_owned());
        }
    }
    Ok(emptied)
}

/// A line that no longer refers to a shelf.
pub(super) fn without_shelf(log: &Path, line: u64, bytes: &[u8]) -> Result<Vec<u8>> {
    let signed = sign_again(bytes, |object| drop(object.remove("shelf")));
    let (signed, _) = signed.map_err(|_| Error::Corrupt {
        path: log.into(),
        line: Some(line),
        problem: "the line was sound a moment ago".into(),
    })?;
    Ok(signed)
}

/// When a part was made: what its first line says.
pub(super) fn made_at(disk: &dyn Disk, path: &Path) -> Result<Option<Time>> {
    let bytes = header(disk, path)?;
    let line = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
    let header = Line::decode(line).ok();
    Ok(header.and_then(|(line, _)| line.recorded_at))
}

/// The first line of a part, with its newline.
pub(super) fn header(disk: &dyn Disk, path: &Path) -> Result<Vec<u8>> {
    /// A header has a few members of known length.
    const HEADER_BYTES_MAX: usize = 4 << 10;
    let file = shelf::open(disk, path)?;
    let mut bytes = vec![0; HEADER_BYTES_MAX];
    let count = file
        .read_at(&mut bytes, 0)
        .map_err(shelf::unreadable(path))?;
    bytes.truncate(count);
    let end = bytes.iter().position(|byte| *byte == b'\n');
    bytes.truncate(end.map_or(0, |end| end + 1));
    Ok(bytes)
}

/// Reads the lines of a part that are about memories.
pub(super) fn each_line(
    disk: &dyn Disk,
    path: &Path,
    each: &mut dyn FnMut(Stored) -> Result<()>,
) -> Result<()> {
    let file = shelf::open(disk, path)?;
    let scanned = scan::scan(&file, Start::BEGINNING, |found| -> Result<(), Error> {
        let Found::Record(placed) = found else {
            return Ok(());
        };
        let (Some(order), Some(_)) = (order_of(&placed.line), &placed.line.id) else {
            return Ok(());
        };
        let mut bytes = read(&file, path, placed.offset, placed.length)?;
        bytes.push(b'\n');
        each(Stored {
            order,
            line: placed.line,
            bytes,
        })
    });
    scanned.map(drop).map_err(|stopped| match stopped {
        Stopped::Reading(error) => shelf::unreadable(path)(error),
        Stopped::ByCaller(error) => error,
    })
}
