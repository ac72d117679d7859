//! From what a caller wants to the lines that say so.
//!
//! Everything is decided here, under the lock and against the index as it is:
//! ids are free, versions are as expected, handles get their numbers. Nothing
//! is changed yet, so a refusal leaves no trace.

mod session;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::Connection;
use serde_json::Map;

use super::files::LogFiles;
use super::index::position::Position;
use super::index::read::{self, Pointer};
use super::index::{by_id, shelves};
use super::log::line::Line;
use super::log::record::Record;
use super::log::transaction;
use crate::error::{Error, Result};
use crate::memory::{Draft, Forgotten, Handle, Kind, Memory, MemoryId, Reference, Seal, Space};
use crate::session::SessionDetails;
use crate::store::{Batch, Outcome, Write};
use crate::time::Time;

/// Handles that a caller asks for have numbers up to this: one that used up
/// all the numbers would leave none for the memories after it.
const WANTED_MAX: u32 = 999_999_999;

/// What was found out about a log for one batch, and holds for the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// The highest handle number of each kind.
    counters: HashMap<Kind, u32>,
    /// The session's details, if it exists.
    session: Option<Arc<SessionDetails>>,
}

/// What a batch comes to.
pub(super) struct Planned {
    pub(super) lines: Vec<transaction::Draft>,
    pub(super) outcomes: Vec<Outcome>,
    /// Other spaces that the new lines refer to.
    pub(super) refers_to: Vec<Space>,
    /// Memories that it changed.
    pub(super) touched: HashMap<MemoryId, Touched>,
    /// What the next batch need not find out again.
    pub(super) known: Known,
}

/// A memory whose lines are not written yet.
#[derive(Clone)]
pub(super) struct Touched {
    /// As it is now.
    pub(super) now: Arc<Memory>,
    /// As it was first kept, if that was just now too.
    pub(super) first: Option<Arc<Memory>>,
}

/// The state against which a batch is planned.
pub(super) struct Planner<'a> {
    pub(super) connection: &'a Connection,
    pub(super) files: &'a LogFiles,
    pub(super) position: &'a Position,
    /// Memories that batches before this one changed, whose lines are not written yet.
    pub(super) pending: &'a HashMap<MemoryId, Touched>,
    pub(super) batch: &'a Batch,
    /// The recorded time of every line.
    pub(super) at: Time,
    /// How many memories without a time of their own are still to come.
    untimed: u32,
    pub(super) planned: Planned,
}

impl<'a> Planner<'a> {
    pub(super) fn new(
        connection: &'a Connection,
        files: &'a LogFiles,
        position: &'a Position,
        pending: &'a HashMap<MemoryId, Touched>,
        batch: &'a Batch,
        recorded_micros: i64,
        known: Known,
    ) -> Self {
        let untimed = batch.untimed();
        // Recorded times only grow, whatever the clock does; those that memories are given lie
        // behind the last one too.
        let next_micros = recorded_micros.saturating_add(i64::from(untimed.max(1)));
        let at_micros = batch.now.micros().max(next_micros);
        Self {
            connection,
            files,
            position,
            pending,
            batch,
            at: Time::nearest_to_micros(at_micros),
            untimed,
            planned: Planned {
                lines: Vec::new(),
                outcomes: Vec::new(),
                refers_to: Vec::new(),
                touched: HashMap::new(),
                known,
            },
        }
    }

    /// Plans the whole batch.
    pub(super) fn plan(mut self) -> Result<Planned> {
        self.refuse_archived()?;
        for write in &self.batch.writes {
            let outcome = match write {
                Write::CreateSession(details) => self.create_session(details)?,
                Write::ChangeSession(details) => self.change_session(details)?,
                Write::Add { id, draft } => self.add(id, draft)?,
                Write::Revise {
                    id,
                    expected,
                    revision,
                } => {
                    let memory = self.existing(id, *expected)?;
                    let new =
                        revision.apply(&memory, &self.batch.by, self.at, &self.batch.limits)?;
                    let changed = new.version != memory.version;
                    let mut new = Arc::new(new);
                    if changed {
                        let kept = self.kept(&mut new)?;
                        self.planned.lines.push(transaction::Draft {
                            line: Line::update(&kept, &self.batch.by),
                            memory: Some(kept),
                        });
                        self.note_references(&new)?;
                    }
                    self.done(new, changed)
                }
                Write::Forget {
                    id,
                    reason,
                    recover_until,
                    earlier,
                } => self.forget(
                    id,
                    Forgotten {
                        at: earlier.as_ref().map_or(self.at, |earlier| earlier.at),
                        by: earlier
                            .as_ref()
                            .map_or(&self.batch.by, |earlier| &earlier.by)
                            .clone(),
                        reason: reason.clone(),
                        recover_until: *recover_until,
                    },
                )?,
                Write::Restore { id, reason } => self.restore(id, reason)?,
                Write::Access { id, count, last } => self.access(id, *count, *last)?,
            };
            self.planned.outcomes.push(outcome);
        }
        Ok(self.planned)
    }

    fn add(&mut self, id: &MemoryId, draft: &Draft) -> Result<Outcome> {
        self.require_session()?;
        let created_at = self.created_at(draft);
        let mut checked = draft.clone();
        let body = checked.checked_body(&self.batch.space, &self.batch.limits)?;
        let is_new = self.is_new(id)?;
        if !is_new && let Some(first) = self.first_version(id)? {
            if first.space != self.batch.space || !checked.says_the_same_as(&first) {
                return Err(Error::IdTaken { id: id.to_string() });
            }
            // Told twice, kept once: a caller that retries is right to do so.
            let memory = self.memory(id)?.map_or(first, Arc::new);
            return Ok(self.done(memory, false));
        }
        if !is_new {
            self.refuse_shelved(id)?;
        }
        let handle = match self.batch.space.session() {
            Some(_) => Some(self.next_handle(checked.body.kind(), draft.handle)),
            None => None,
        };
        let space = self.batch.space.clone();
        checked.created_at = Some(created_at);
        let mut memory = Arc::new(checked.into_memory(id.clone(), space, handle, self.at));
        let kept = self.kept(&mut memory)?;
        let body = if kept.is_sealed() { Map::new() } else { body };
        self.planned.lines.push(transaction::Draft {
            line: Line::add(&kept, body),
            memory: Some(kept),
        });
        self.note_references(&memory)?;
        let first = Some(memory.clone());
        let outcome = self.done(memory, true);
        self.planned
            .touched
            .entry(id.clone())
            .and_modify(|touched| touched.first = first);
        Ok(outcome)
    }

    /// When a memory came into being. Those that don't say so get a microsecond each, so that the
    /// order in which they were handed in is that of their times; the last one is as new as its line.
    fn created_at(&mut self, draft: &Draft) -> Time {
        draft.created_at.unwrap_or_else(|| {
            self.untimed = self.untimed.saturating_sub(1);
            Time::nearest_to_micros(self.at.micros() - i64::from(self.untimed))
        })
    }

    /// The memory as its line keeps it; if that is sealed, the memory itself says so from now on.
    fn kept(&self, memory: &mut Arc<Memory>) -> Result<Arc<Memory>> {
        let kept = match self.files.keys().close(memory)? {
            Cow::Borrowed(_) => memory.clone(),
            Cow::Owned(kept) => Arc::new(kept),
        };
        if kept.is_sealed() {
            Arc::make_mut(memory).seal = Seal::Opened;
        }
        Ok(kept)
    }

    fn forget(&mut self, id: &MemoryId, forgotten: Forgotten) -> Result<Outcome> {
        let mut memory = self.existing(id, None)?;
        if memory.state.forgotten.is_some() {
            return Ok(self.done(memory.into(), false));
        }
        let line = Line::delete(id.as_str(), &forgotten, self.at);
        self.planned.lines.push(line.into());
        memory.state.forgotten = Some(forgotten);
        Ok(self.done(memory.into(), true))
    }

    fn restore(&mut self, id: &MemoryId, reason: &str) -> Result<Outcome> {
        let mut memory = self.existing(id, None)?;
        if memory.state.forgotten.is_none() {
            return Ok(self.done(memory.into(), false));
        }
        self.planned
            .lines
            .push(Line::restore(id.as_str(), &self.batch.by, reason, self.at).into());
        memory.state.forgotten = None;
        Ok(self.done(memory.into(), true))
    }

    fn access(&mut self, id: &MemoryId, count: u64, last: Time) -> Result<Outcome> {
        let mut memory = self.existing(id, None)?;
        let last = Time::nearest_to_micros(last.micros());
        memory.state.access_count = memory.state.access_count.saturating_add(count);
        memory.state.last_access = memory.state.last_access.max(Some(last));
        let last = memory.state.last_access.unwrap_or(last);
        let count = memory.state.access_count;
        self.planned
            .lines
            .push(Line::access(id.as_str(), count, last, self.at).into());
        Ok(self.done(memory.into(), true))
    }

    fn done(&mut self, memory: Arc<Memory>, changed: bool) -> Outcome {
        let outcome = Outcome {
            id: Some(memory.id.clone()),
            handle: memory.handle,
            version: memory.version,
            changed,
        };
        let first = self
            .touched(&memory.id)
            .and_then(|touched| touched.first.clone());
        self.planned
            .touched
            .insert(memory.id.clone(), Touched { now: memory, first });
        outcome
    }

    /// The memory as it is now, in this space, in the version that the caller expects.
    fn existing(&self, id: &MemoryId, expected: Option<u64>) -> Result<Memory> {
        let memory = self
            .memory(id)?
            .filter(|memory| memory.space == self.batch.space)
            .ok_or_else(|| Reference::not_found(id.as_str()))?;
        match expected {
            Some(expected) if expected != memory.version => Err(Error::VersionMismatch {
                id: id.to_string(),
                expected,
                found: memory.version,
            }),
            _ => Ok(memory),
        }
    }

    fn memory(&self, id: &MemoryId) -> Result<Option<Memory>> {
        if let Some(touched) = self.touched(id) {
            return Ok(Some((*touched.now).clone()));
        }
        self.pointer(id)?
            .map(|pointer| pointer.load(self.files))
            .transpose()
    }

    /// The memory as it was first kept, to compare a repeated write with.
    fn first_version(&self, id: &MemoryId) -> Result<Option<Arc<Memory>>> {
        if let Some(first) = self.touched(id).and_then(|touched| touched.first.clone()) {
            return Ok(Some(first));
        }
        let Some(pointer) = self.pointer(id)? else {
            return Ok(None);
        };
        let (offset, length) =
            read::first_line(self.connection, pointer.n).map_err(Error::index("index"))?;
        let space: Space = pointer.space.parse()?;
        match self
            .files
            .line(&space, pointer.inode, offset, length, None)?
            .map(Record::read)
        {
            Some(Ok(Record::Add(memory) | Record::Update { memory, .. })) => {
                Ok(Some(self.files.open(*memory)?.into()))
            }
            _ => pointer.load(self.files).map(|memory| Some(memory.into())),
        }
    }

    /// Whether the index knows nothing of this id, nor the batches before.
    fn is_new(&self, id: &MemoryId) -> Result<bool> {
        let is_new = || by_id::is_new(self.connection, id.as_str());
        Ok(self.touched(id).is_none() && is_new().map_err(Error::index("index"))?)
    }

    /// Ids are unique in the store, archives and trash included.
    fn refuse_shelved(&self, id: &MemoryId) -> Result<()> {
        match shelves::find(self.connection, id.as_str()).map_err(Error::index("index"))? {
            None => Ok(()),
            Some(found) => Err(Error::IdShelved {
                id: id.to_string(),
                session: found.session,
                deleted: found.trashed,
            }),
        }
    }

    fn touched(&self, id: &MemoryId) -> Option<&Touched> {
        self.planned
            .touched
            .get(id)
            .or_else(|| self.pending.get(id))
    }

    fn pointer(&self, id: &MemoryId) -> Result<Option<Pointer>> {
        read::find(self.connection, &Reference::Id(id.clone())).map_err(Error::index("index"))
    }

    /// The handle that was asked for if it is free, else the next of its kind.
    fn next_handle(&mut self, kind: Kind, wanted: Option<Handle>) -> Handle {
        if let Some(wanted) = wanted.filter(|wanted| (1..=WANTED_MAX).contains(&wanted.number))
            && wanted.number > self.last_number(wanted.kind)
        {
            self.planned
                .known
                .counters
                .insert(wanted.kind, wanted.number);
            return wanted;
        }
        let number = self.last_number(kind).saturating_add(1);
        self.planned.known.counters.insert(kind, number);
        Handle { kind, number }
    }

    /// The highest number that any memory of this session ever had in this kind.
    fn last_number(&mut self, kind: Kind) -> u32 {
        if let Some(number) = self.planned.known.counters.get(&kind) {
            return *number;
        }
        let in_pending = self
            .pending
            .values()
            .filter(|touched| touched.now.space == self.batch.space)
            .filter_map(|touched| touched.now.handle.filter(|handle| handle.kind == kind))
            .map(|handle| handle.number)
            .max();
        let number = self.position.counted(kind).max(in_pending).unwrap_or(0);
        self.planned.known.counters.insert(kind, number);
        number
    }

    /// A line counts only once the lines that it refers to are durable too.
    fn note_references(&mut self, memory: &Memory) -> Result<()> {
        let targets = memory.links.iter().map(|link| &link.to).chain(&memory.turn);
        for target in targets {
            let space = match self.touched(target) {
                Some(touched) => Some(touched.now.space.clone()),
                None => {
                    let log = self.position.log;
                    let elsewhere = read::space_elsewhere(self.connection, target.as_str(), log);
                    let elsewhere = elsewhere.map_err(Error::index("index"))?;
                    elsewhere.map(|space| space.parse()).transpose()?
                }
            };
            if let Some(space) = space
                && space != self.batch.space
                && !self.planned.refers_to.contains(&space)
            {
                self.planned.refers_to.push(space);
            }
        }
        Ok(())
    }
}
