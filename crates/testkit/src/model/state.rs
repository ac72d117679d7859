//! What the model holds, and what each write does to it.

use std::collections::{BTreeMap, BTreeSet};

use mnemon::error::{Error, Result};
use mnemon::memory::{
    Draft, Forgotten, Handle, Kind, Memory, MemoryId, Revision, Seal, SessionId, Space,
    State as MemoryState,
};
use mnemon::session::{Archived, DeletedSession, SessionDetails};
use mnemon::store::{AuditEntry, Batch, Change, JobTimes, Outcome, Paper, Weight, What, Write};
use mnemon::time::Time;

use super::compaction::Parked;
use super::life::Aside;

/// Handles that a caller asks for are honoured up to this number.
const WANTED_HANDLE_MAX: u32 = 999_999_999;

/// Everything that is kept.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// Every memory, in the order in which they were kept.
    pub(super) memories: Vec<Kept>,
    /// Every space that something was ever written to.
    pub(super) places: BTreeMap<Space, Place>,
    /// Every text that was erased.
    pub(super) erased_texts: BTreeSet<String>,
    pub(super) erasures: Vec<AuditEntry>,
    /// What was compacted away.
    pub(super) away: Vec<Parked>,
    /// How many memories were ever kept.
    count: u64,
    /// What was done to sessions.
    pub(super) deeds: Vec<AuditEntry>,
    /// Archived sessions: how, and what they held.
    pub(super) archived: BTreeMap<SessionId, (Archived, Aside)>,
    /// Deleted sessions, and what they held.
    pub(super) deleted: Vec<(DeletedSession, Aside)>,
    /// When what was last done that is done again and again.
    pub(super) job_times: JobTimes,
    pub(super) papers: BTreeMap<Paper, Vec<u8>>,
}

/// A memory and what happened to it.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    /// As it was first kept.
    pub(super) first: Memory,
    /// As it is now.
    pub(super) now: Memory,
    pub(super) changes: Vec<Change>,
    /// How many were kept before it.
    pub(super) number: u64,
    /// What it costs, in the model's own measure.
    pub(super) weight: Weight,
}

/// A space.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    /// The latest recorded time.
    pub(super) recorded_micros: Option<i64>,
    /// The size in the model's own measure.
    pub(super) bytes: u64,
    pub(super) session: Option<Details>,
    /// When how much was written.
    pub(super) written: Vec<(i64, u64)>,
    /// When something was last compacted.
    pub(super) compacted_at: Option<Time>,
    /// The last number of each kind of handle.
    handles: BTreeMap<Kind, u32>,
}

/// What is said about a session.
#[derive(Clone, Debug)]
pub(super) struct Details {
    pub(super) content: SessionDetails,
    pub(super) created_at: Time,
    pub(super) detailed_at: Time,
}

impl State {
    /// Does all writes of a batch; after a refusal the state is good for nothing.
    pub(super) fn commit(&mut self, batch: &Batch) -> Result<Vec<Outcome>> {
        let place = self.places.get(&batch.space);
        let used_bytes = place.map_or(0, |place| place.bytes);
        let last = place.and_then(|place| place.recorded_micros);
        let mut untimed: i64 = batch.writes.iter().map(untimed).sum();
        // Recorded times grow, whatever the clock does, and so do those that memories are given.
        let now = batch.now.micros();
        let at = utc(last.map_or(now, |last| now.max(last + untimed.max(1))));
        let mut outcomes = Vec::new();
        let mut needed_bytes = 0;
        for write in &batch.writes {
            untimed -= self::untimed(write);
            let created_at = utc(at.micros() - untimed);
            let outcome = self.write(batch, write, at, created_at)?;
            if outcome.changed {
                let bytes = 1 + text_bytes(write);
                needed_bytes += bytes;
                self.weigh(write, bytes);
            }
            outcomes.push(outcome);
        }
        if needed_bytes > 0 {
            refuse_if_full(batch, used_bytes, needed_bytes)?;
            let place = self.places.entry(batch.space.clone()).or_default();
            place.bytes = used_bytes + needed_bytes;
            place.written.push((at.micros(), needed_bytes));
            place.recorded_micros = Some(at.micros());
        }
        Ok(outcomes)
    }

    /// `created_at` is for a memory that says no time of its own.
    fn write(
        &mut self,
        batch: &Batch,
        write: &Write,
        at: Time,
        created_at: Time,
    ) -> Result<Outcome> {
        match write {
            Write::CreateSession(details) => self.create_session(batch, details, at),
            Write::ChangeSession(details) => self.change_session(batch, details, at),
            Write::Add { id, draft } => self.add(batch, id, draft, at, created_at),
            Write::Revise {
                id,
                expected,
                revision,
            } => self.revise(batch, id, *expected, revision, at),
            Write::Forget {
                id,
                reason,
                recover_until,
                earlier,
            } => {
                let (when, by) = match earlier {
                    Some(earlier) => (earlier.at, &earlier.by),
                    None => (at, &batch.by),
                };
                let forgotten = Forgotten {
                    at: when,
                    by: by.clone(),
                    reason: reason.clone(),
                    recover_until: *recover_until,
                };
                self.forget(batch, id, forgotten, at)
            }
            Write::Restore { id, reason } => self.restore(batch, id, reason, at),
            Write::Access { id, count, last } => self.access(batch, id, *count, *last),
        }
    }

    fn create_session(
        &mut self,
        batch: &Batch,
        details: &SessionDetails,
        at: Time,
    ) -> Result<Outcome> {
        let Space::Session(id) = &batch.space else {
            return Err(not_a_session(&batch.space));
        };
        let same = |other: &Space| {
            let other = other.session();
            other.is_some_and(|other| other.as_str().eq_ignore_ascii_case(id.as_str()))
        };
        if let Some(existing) = self.places.keys().find(|space| same(space)) {
            let session = existing.session().unwrap_or(id).to_string();
            return Err(Error::SessionExists { session });
        }
        if let Some(deleted) = self.deleted_of(id) {
            let session = deleted.session_id.to_string();
            return Err(Error::SessionIdDeleted { session });
        }
        let place = self.places.entry(batch.space.clone()).or_default();
        place.session = Some(Details {
            content: details.clone(),
            created_at: at,
            detailed_at: at,
        });
        Ok(about_session(true))
    }

    fn change_session(
        &mut self,
        batch: &Batch,
        details: &SessionDetails,
        at: Time,
    ) -> Result<Outcome> {
        if batch.space.session().is_none() {
            return Err(not_a_session(&batch.space));
        }
        self.require_session(&batch.space)?;
        let place = self.places.entry(batch.space.clone()).or_default();
        match &mut place.session {
            Some(session) if session.content != *details => {
                session.content = details.clone();
                session.detailed_at = at;
                Ok(about_session(true))
            }
            _ => Ok(about_session(false)),
        }
    }

    fn add(
        &mut self,
        batch: &Batch,
        id: &MemoryId,
        draft: &Draft,
        at: Time,
        created_at: Time,
    ) -> Result<Outcome> {
        self.require_session(&batch.space)?;
        let mut draft = draft.clone();
        draft.check(&batch.space, &batch.limits)?;
        if let Some(kept) = self.memories.iter().find(|kept| kept.now.id == *id) {
            return if says_the_same(&draft, &batch.space, &kept.first) {
                Ok(outcome(&kept.now, false))
            } else {
                Err(Error::IdTaken { id: id.to_string() })
            };
        }
        if let Some(found) = self.shelved(id) {
            return Err(Error::IdShelved {
                id: id.to_string(),
                session: found.session.to_string(),
                deleted: found.deleted,
            });
        }
        let handle = match batch.space {
            Space::Session(_) => Some(self.next_handle(&batch.space, &draft)),
            Space::Agent(_) | Space::Shared => None,
        };
        draft.created_at.get_or_insert(created_at);
        let memory = memory(draft, id.clone(), batch.space.clone(), handle, at);
        let done = outcome(&memory, true);
        self.count += 1;
        self.memories.push(Kept {
            number: self.count,
            weight: no_weight(id),
            first: memory.clone(),
            changes: vec![Change {
                at,
                by: memory.author.as_ref().map(ToString::to_string),
                what: What::Kept(Box::new(memory.clone())),
            }],
            now: memory,
        });
        Ok(done)
    }

    fn revise(
        &mut self,
        batch: &Batch,
        id: &MemoryId,
        expected: Option<u64>,
        revision: &Revision,
        at: Time,
    ) -> Result<Outcome> {
        let kept = self.existing(batch, id)?;
        let found = kept.now.version;
        if let Some(expected) = expected.filter(|expected| *expected != found) {
            let id = id.to_string();
            return Err(Error::VersionMismatch {
                id,
                expected,
                found,
            });
        }
        let revised = revision.apply(&kept.now, &batch.by, at, &batch.limits)?;
        let changed = revised != kept.now;
        if changed {
            // A version is what the memory says, not how often it was asked for.
            let version = Memory {
                state: MemoryState::default(),
                seal: Seal::Clear,
                ..revised.clone()
            };
            kept.changes.push(Change {
                at,
                by: Some(batch.by.clone()),
                what: What::Revised(Box::new(version)),
            });
            kept.now = revised;
        }
        Ok(outcome(&kept.now, changed))
    }

    fn forget(
        &mut self,
        batch: &Batch,
        id: &MemoryId,
        forgotten: Forgotten,
        at: Time,
    ) -> Result<Outcome> {
        let kept = self.existing(batch, id)?;
        if kept.now.state.forgotten.is_some() {
            return Ok(outcome(&kept.now, false));
        }
        kept.changes.push(Change {
            at,
            by: Some(forgotten.by.clone()),
            what: What::Forgotten {
                reason: forgotten.reason.clone(),
            },
        });
        kept.now.state.forgotten = Some(forgotten);
        Ok(outcome(&kept.now, true))
    }

    fn restore(&mut self, batch: &Batch, id: &MemoryId, reason: &str, at: Time) -> Result<Outcome> {
        let kept = self.existing(batch, id)?;
        if kept.now.state.forgotten.is_none() {
            return Ok(outcome(&kept.now, false));
        }
        kept.now.state.forgotten = None;
        kept.changes.push(Change {
            at,
            by: Some(batch.by.clone()),
            what: What::Restored {
                reason: reason.to_owned(),
            },
        });
        Ok(outcome(&kept.now, true))
    }

    fn access(&mut self, batch: &Batch, id: &MemoryId, count: u64, last: Time) -> Result<Outcome> {
        let kept = self.existing(batch, id)?;
        let state = &mut kept.now.state;
        state.access_count = state.access_count.saturating_add(count);
        state.last_access = state.last_access.max(Some(utc(last.micros())));
        Ok(outcome(&kept.now, true))
    }

    /// The memory of that id, if it lives where the batch is about.
    fn existing(&mut self, batch: &Batch, id: &MemoryId) -> Result<&mut Kept> {
        self.memories
            .iter_mut()
            .find(|kept| kept.now.id == *id && kept.now.space == batch.space)
            .ok_or_else(|| Error::NotFound {
                reference: id.to_string(),
            })
    }

    /// The handle that was asked for if its number is still to come, else the next one.
    fn next_handle(&mut self, space: &Space, draft: &Draft) -> Handle {
        let kind = draft.body.kind();
        let last = &mut self.places.entry(space.clone()).or_default().handles;
        let last_of = |kind| last.get(&kind).copied().unwrap_or(0);
        let next = Handle {
            kind,
            number: last_of(kind) + 1,
        };
        let handle = draft
            .handle
            .filter(|wanted| {
                (last_of(wanted.kind) + 1..=WANTED_HANDLE_MAX).contains(&wanted.number)
            })
            .unwrap_or(next);
        last.insert(handle.kind, handle.number);
        handle
    }

    /// Only a session that was made takes memories; other spaces are always there.
    fn require_session(&self, space: &Space) -> Result<()> {
        match space {
            Space::Session(id) if !self.places.contains_key(space) => Err(Error::SessionNotFound {
                session: id.to_string(),
            }),
            _ => Ok(()),
        }
    }
}

/// 1 for a memory that says no time of its own.
fn untimed(write: &Write) -> i64 {
    match write {
        Write::Add { draft, .. } if draft.created_at.is_none() => 1,
        _ => 0,
    }
}

pub(super) fn no_weight(id: &MemoryId) -> Weight {
    Weight {
        id: id.clone(),
        kept: 0,
        versions: 0,
        accesses: 0,
        forgetting: 0,
    }
}

/// Whether a draft would have made this memory; one without a created time did so at any time.
fn says_the_same(draft: &Draft, space: &Space, first: &Memory) -> bool {
    let mut draft = draft.clone();
    draft.created_at.get_or_insert(first.created_at);
    let would_be = memory(
        draft,
        first.id.clone(),
        space.clone(),
        first.handle,
        first.recorded_at,
    );
    would_be == *first
}

pub(super) fn memory(
    draft: Draft,
    id: MemoryId,
    space: Space,
    handle: Option<Handle>,
    at: Time,
) -> Memory {
    Memory {
        id,
        space,
        handle,
        version: 1,
        author: draft.author,
        turn: draft.turn,
        text: draft.text,
        importance: draft.importance,
        confidence: draft.confidence,
        tags: draft.tags,
        links: draft.links,
        pinned: draft.pinned,
        sensitive: draft.sensitive,
        body: draft.body,
        metadata: draft.metadata,
        embedding: draft.embedding,
        tokens: draft.tokens,
        created_at: draft.created_at.unwrap_or(at),
        recorded_at: at,
        updated_at: at,
        state: MemoryState::default(),
        seal: Seal::Clear,
    }
}

fn outcome(memory: &Memory, changed: bool) -> Outcome {
    Outcome {
        id: Some(memory.id.clone()),
        handle: memory.handle,
        version: memory.version,
        changed,
    }
}

fn about_session(changed: bool) -> Outcome {
    Outcome {
        id: None,
        handle: None,
        version: 0,
        changed,
    }
}

fn not_a_session(space: &Space) -> Error {
    Error::Rule {
        field: "space",
        rule: "a session".into(),
        given: space.to_string(),
    }
}

fn refuse_if_full(batch: &Batch, used_bytes: u64, needed_bytes: u64) -> Result<()> {
    match batch.quota_bytes {
        Some(limit_bytes)
            if batch.writes.iter().any(Write::grows) && used_bytes + needed_bytes > limit_bytes =>
        {
            Err(Error::full(
                &batch.space,
                used_bytes,
                needed_bytes,
                limit_bytes,
            ))
        }
        _ => Ok(()),
    }
}

fn text_bytes(write: &Write) -> u64 {
    match write {
        Write::Add { draft, .. } => draft.text.as_str().len() as u64,
        Write::Revise { revision, .. } => {
            let text = revision.text.as_ref();
            text.map_or(0, |text| text.as_str().len() as u64)
        }
        _ => 0,
    }
}

/// That moment in UTC and whole microseconds; the edge of the years 0000 to 9999 beyond them.
pub(super) fn utc(micros: i64) -> Time {
    Time::from_micros(micros).unwrap_or_else(|_| {
        let edge = if micros < 0 {
            "0000-01-01T00:00:00Z"
        } else {
            "9999-12-31T23:59:59.999999Z"
        };
        edge.parse().expect("the edges are times")
    })
}
