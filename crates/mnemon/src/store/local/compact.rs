//! Compaction on files: lines move from a log to a shelf.
//!
//! The shelf is written and durable before the log is written anew without its
//! lines, so that a crash in between leaves them in both; then the log counts,
//! and the next compaction or repair takes them off the shelf.
//!
//! Invariant: what leaves the log is on a shelf that was there, as it was
//! written, when the new log took its name. `part` reads shelves and brings back.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use rusqlite::Connection;

use super::LocalStore;
use super::audit::{self, AuditLine};
use super::disk::Stat;
use super::index::position;
use super::log::line::Line;
use super::log::transaction;
use super::plan::{Known, Planner};
use super::rewrite::{Also, Piece, Places, Verdict, stand_alone};
use super::shelf::{self, Packing, Sort};
use crate::error::{Error, Result};
use crate::memory::{MemoryId, Space};
use crate::session::SessionDeed;
use crate::store::{Batch, Compacted, Compaction, Deed, OnFull, Write};
use crate::time::Time;

impl LocalStore {
    /// Takes memories out of a session's log.
    pub(super) fn compact_session(&self, compaction: &Compaction) -> Result<Compacted> {
        let held = self.hold_for_life("compact a session")?;
        if !compaction.purge.is_empty() {
            // Before it is done: rather a line too many than none.
            let deed = SessionDeed {
                session: compaction.session.clone(),
                by: compaction.by.clone(),
                reason: "the time to bring them back was up".into(),
                at: compaction.now,
            };
            let line = AuditLine::compaction(Deed::Expired, &deed, compaction.purge.clone());
            let is_meant = |id: &str| compaction.purge.iter().any(|own| own.as_str() == id);
            let space = Space::Session(compaction.session.clone());
            self.keep_deeds(&space, &is_meant, &held)?;
            audit::append(&*self.disk, &self.layout, &held, &line)?;
        }
        drop(held);
        self.clean_parts(&compaction.session)?;
        let space = Space::Session(compaction.session.clone());
        let path = self.layout.log(&space);
        let bytes =
            || -> Result<u64> { Ok(shelf::stat(&*self.disk, &path)?.map_or(0, |it| it.size)) };
        let bytes_before = bytes()?;
        let recorded = self.ask(|connection| {
            let known = position::get(connection, &space).map_err(Error::index("index"))?;
            Ok(known.map_or(i64::MIN, |known| known.recorded_micros))
        })?;
        let leaving = Leaving::new(self, compaction, recorded);
        let rewritten = self.rewrite_and(
            &space,
            &mut |piece, bytes| leaving.judge(piece, bytes),
            Also {
                when_read: &mut || leaving.finish_shelf(),
                last_lines: &mut |connection| leaving.last_lines(connection, &space),
                when_replaced: &mut || leaving.is_gone.set(true),
            },
        );
        match rewritten {
            Ok(_) => Ok(Compacted {
                bytes_before,
                bytes_after: bytes()?,
                archive_bytes: leaving.archive_bytes(),
            }),
            Err(error) => {
                leaving.abandon();
                Err(error)
            }
        }
    }
}

/// What leaves a log, on its way.
struct Leaving<'a> {
    store: &'a LocalStore,
    compaction: &'a Compaction,
    /// Later than all that was recorded before.
    at: Time,
    shelved: HashSet<&'a str>,
    purged: HashSet<&'a str>,
    places: RefCell<Places>,
    packing: RefCell<Option<Packing<'a>>>,
    shelf: RefCell<Option<(PathBuf, Stat)>>,
    /// The shelf is finished: nothing more can go there.
    is_read: Cell<bool>,
    /// The log does not have it any more.
    is_gone: Cell<bool>,
}

impl<'a> Leaving<'a> {
    fn new(store: &'a LocalStore, compaction: &'a Compaction, recorded_micros: i64) -> Self {
        let at = compaction
            .now
            .micros()
            .max(recorded_micros.saturating_add(1));
        Self {
            at: Time::nearest_to_micros(at),
            store,
            compaction,
            shelved: compaction.shelve.iter().map(MemoryId::as_str).collect(),
            purged: compaction.purge.iter().map(MemoryId::as_str).collect(),
            places: RefCell::default(),
            packing: RefCell::default(),
            shelf: RefCell::default(),
            is_read: Cell::new(false),
            is_gone: Cell::new(false),
        }
    }

    fn judge(&self, piece: &Piece<'_>, bytes: &[u8]) -> Result<Verdict> {
        let Piece::Record(placed) = piece else {
            return Ok(Verdict::Keep);
        };
        if placed.line.archived.is_some() {
            // Archived meanwhile: this log is not the one that was planned with.
            return Err(self.replaced());
        }
        let place = self.places.borrow_mut().of(placed);
        let id = placed.line.id.as_deref().unwrap_or_default();
        let goes_to_shelf = self.shelved.contains(id);
        if !goes_to_shelf && !self.purged.contains(id) {
            return Ok(Verdict::Keep);
        }
        if self.is_read.get() {
            // Somebody changed it meanwhile, so it may matter again.
            return Err(self.replaced());
        }
        if goes_to_shelf {
            let line = match place {
                Some(place) => stand_alone(&self.log(), placed, bytes, place)?,
                None => [bytes, b"\n"].concat(),
            };
            self.put_on_shelf(&line)?;
        }
        Ok(Verdict::Drop)
    }

    fn put_on_shelf(&self, line: &[u8]) -> Result<()> {
        let mut packing = self.packing.borrow_mut();
        if packing.is_none() {
            let session = &self.compaction.session;
            let folder = self.store.layout.archive(session);
            let mut new = Packing::create(&*self.store.disk, &folder, Sort::Part)?;
            // A part says whose it is and since when, like a log.
            let space = Space::Session(session.clone());
            let unique = super::unique(super::wall_micros());
            new.write(&Line::header(&space, &unique, &[], self.at).encode().0)?;
            *packing = Some(new);
        }
        packing
            .as_mut()
            .map_or(Ok(()), |packing| packing.write(line))
    }

    fn finish_shelf(&self) -> Result<()> {
        self.is_read.set(true);
        let Some(packing) = self.packing.borrow_mut().take() else {
            return Ok(());
        };
        let folder = self.store.layout.archive(&self.compaction.session);
        let packed = match packing.finish() {
            // Somebody who tidied up took it for what a crash had left.
            Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                return Err(self.replaced());
            }
            packed => packed?,
        };
        let path = folder.join(packed.name);
        let stat = shelf::stat(&*self.store.disk, &path)?;
        *self.shelf.borrow_mut() = stat.map(|stat| (path, stat));
        Ok(())
    }

    /// The summaries, and that it was compacted; if the shelf is still as it was written.
    fn last_lines(&self, connection: &Connection, space: &Space) -> Result<Vec<u8>> {
        if let Some((path, stat)) = &*self.shelf.borrow()
            && shelf::stat(&*self.store.disk, path)? != Some(*stat)
        {
            return Err(self.replaced());
        }
        let position = position::get(connection, space).map_err(Error::index("index"))?;
        let Some(position) = position else {
            return Err(self.replaced());
        };
        let compaction = self.compaction;
        let writes = compaction.summaries.iter().cloned();
        let batch = Batch {
            space: space.clone(),
            by: compaction.by.clone(),
            now: compaction.now,
            writes: writes.map(|(id, draft)| Write::Add { id, draft }).collect(),
            limits: compaction.limits,
            quota_bytes: None,
            on_full: OnFull::Refuse,
        };
        let pending = HashMap::new();
        let planner = Planner::new(
            connection,
            &self.store.files,
            &position,
            &pending,
            &batch,
            position.recorded_micros,
            Known::default(),
        );
        let at: Time = planner.at;
        let mut lines = planner.plan()?.lines;
        let count = (compaction.shelve.len() + compaction.purge.len()) as u64;
        let (reason, by) = (&compaction.reason, &compaction.by);
        let mut compact = Line::compact(space, count, reason, by, at);
        // Else nobody would miss a shelf that is lost.
        compact.shelf = self.shelf_name();
        lines.push(compact.into());
        let signed = transaction::sign(lines, at);
        Ok(signed.into_iter().flat_map(|line| line.bytes).collect())
    }

    fn shelf_name(&self) -> Option<String> {
        let packed = self.shelf.borrow();
        let (path, _) = packed.as_ref()?;
        Some(path.file_name()?.to_string_lossy().into_owned())
    }

    fn archive_bytes(&self) -> u64 {
        self.shelf
            .borrow()
            .as_ref()
            .map_or(0, |(_, stat)| stat.size)
    }

    /// While the log is as it was, what is on the shelf is there twice; once it is not, the shelf
    /// is all there is.
    fn abandon(self) {
        if self.is_gone.get() {
            return;
        }
        if let Some((path, _)) = self.shelf.into_inner() {
            let _ = self.store.disk.remove(&path);
        }
    }

    fn log(&self) -> PathBuf {
        let space = Space::Session(self.compaction.session.clone());
        self.store.layout.log(&space)
    }

    fn replaced(&self) -> Error {
        Error::LogReplaced { path: self.log() }
    }
}
