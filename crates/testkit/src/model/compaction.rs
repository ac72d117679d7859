//! Compaction as plainly as it can be said: memories move from one list to another.

use std::collections::{BTreeMap, BTreeSet};

use mnemon::error::Result;
use mnemon::memory::{MemoryId, Reference, SessionId, Space};
use mnemon::store::{
    AuditEntry, Away, Batch, Compacted, Compaction, Deed, Measure, OnFull, Return, Weight, Write,
};
use mnemon::time::Time;

use super::state::{Kept, State, utc};

/// A memory that was compacted away.
#[derive(Clone, Debug)]
pub(super) struct Parked {
    kept: Kept,
    since: Time,
}

impl Parked {
    pub(super) fn id(&self) -> &MemoryId {
        &self.kept.now.id
    }

    pub(super) fn kept(&self) -> &Kept {
        &self.kept
    }

    pub(super) fn session(&self) -> Option<&SessionId> {
        self.kept.now.space.session()
    }

    fn tell(&self) -> Option<Away> {
        Some(Away {
            id: self.id().clone(),
            handle: self.kept.now.handle,
            session: self.session()?.clone(),
            since: Some(self.since),
        })
    }
}

impl State {
    /// The bytes of a session in the model's own measure.
    pub(super) fn measure(&self, session: &SessionId) -> Measure {
        let space = Space::Session(session.clone());
        let in_archive = self.archived.get(session).map(|(_, aside)| &aside.kept);
        let own = in_archive.unwrap_or(&self.memories).iter();
        let own = own.filter(|kept| kept.now.space == space);
        let mut by_day: BTreeMap<i64, u64> = BTreeMap::new();
        let place = self.places.get(&space);
        for (at, bytes) in place.into_iter().flat_map(|place| &place.written) {
            let day = at.div_euclid(86_400_000_000);
            *by_day.entry(day).or_default() += bytes;
        }
        let away = self.away.iter().filter(|it| it.session() == Some(session));
        Measure {
            log_bytes: place.map_or(0, |place| place.bytes),
            weights: own.map(|kept| kept.weight.clone()).collect(),
            by_day,
            archive_bytes: away.map(|it| it.kept.weight.bytes()).sum(),
            compacted_at: place.and_then(|place| place.compacted_at),
        }
    }

    /// Takes memories out, and brings their summaries in.
    pub(super) fn compact(&mut self, compaction: &Compaction) -> Result<Compacted> {
        let space = Space::Session(compaction.session.clone());
        let place = self.places.get(&space);
        let bytes_before = place.map_or(0, |place| place.bytes);
        let last = place.and_then(|place| place.recorded_micros);
        let now = compaction.now.micros();
        let at = utc(last.map_or(now, |last| now.max(last + 1)));
        let summaries = compaction.summaries.iter().cloned();
        let batch = Batch {
            space: space.clone(),
            by: compaction.by.clone(),
            now: at,
            writes: summaries
                .map(|(id, draft)| Write::Add { id, draft })
                .collect(),
            limits: compaction.limits,
            quota_bytes: None,
            on_full: OnFull::Refuse,
        };
        self.commit(&batch)?;
        let mut left_bytes = 0;
        let mut archive_bytes = 0;
        for kept in std::mem::take(&mut self.memories) {
            if compaction.shelve.contains(&kept.now.id) {
                left_bytes += kept.weight.bytes();
                archive_bytes += kept.weight.bytes();
                self.away.push(Parked { kept, since: at });
            } else if compaction.purge.contains(&kept.now.id) {
                left_bytes += kept.weight.bytes();
                self.keep_deeds_of(&[kept]);
            } else {
                self.memories.push(kept);
            }
        }
        if !compaction.purge.is_empty() {
            self.deeds.push(AuditEntry {
                at: compaction.now,
                deed: Deed::Expired,
                by: compaction.by.clone(),
                reason: "the time to bring them back was up".into(),
                memories: compaction.purge.len() as u64,
                ids: compaction.purge.iter().map(ToString::to_string).collect(),
                spaces: vec![space.clone()],
            });
        }
        let place = self.places.entry(space).or_default();
        // One for the note that it was compacted.
        place.bytes = (place.bytes + 1).saturating_sub(left_bytes);
        place.recorded_micros = Some(at.micros());
        place.compacted_at = Some(at);
        Ok(Compacted {
            bytes_before,
            bytes_after: place.bytes,
            archive_bytes,
        })
    }

    /// Puts memories back to where they were.
    pub(super) fn bring_back(&mut self, wanted: &Return) -> Result<Vec<MemoryId>> {
        let mut found = BTreeSet::new();
        let is_meant = |away: &Parked| {
            away.session() == Some(&wanted.session)
                && wanted
                    .ids
                    .as_ref()
                    .is_none_or(|ids| ids.contains(away.id()))
        };
        for id in wanted.ids.iter().flatten() {
            if !self
                .away
                .iter()
                .any(|away| away.id() == id && is_meant(away))
            {
                return Err(Reference::not_found(id.as_str()));
            }
        }
        let (mut bytes, mut gone) = (0, 0);
        for away in std::mem::take(&mut self.away) {
            if is_meant(&away) {
                found.insert(away.id().clone());
                bytes += away.kept.weight.bytes();
                self.memories.push(away.kept);
            } else {
                self.away.push(away);
            }
        }
        for kept in std::mem::take(&mut self.memories) {
            if wanted.summaries.contains(&kept.now.id) {
                gone += kept.weight.bytes();
            } else {
                self.memories.push(kept);
            }
        }
        self.memories.sort_by_key(|kept| kept.number);
        let space = Space::Session(wanted.session.clone());
        if !found.is_empty() {
            self.deeds.push(AuditEntry {
                at: wanted.at,
                deed: Deed::Returned,
                by: wanted.by.clone(),
                reason: wanted.reason.clone(),
                memories: found.len() as u64,
                ids: found.iter().map(ToString::to_string).collect(),
                spaces: vec![space.clone()],
            });
        }
        let own = &mut self.places.entry(space).or_default().bytes;
        *own = own.saturating_add(bytes).saturating_sub(gone);
        Ok(found.into_iter().collect())
    }

    pub(super) fn away(&self, reference: &Reference) -> Option<Away> {
        let all = self.away.iter().filter_map(Parked::tell);
        let mut all = all.filter(|away| self.deleted_of(&away.session).is_none());
        all.find(|away| match reference {
            Reference::Id(id) => away.id == *id,
            Reference::Handle(session, handle) => {
                away.session.as_str().eq_ignore_ascii_case(session.as_str())
                    && away.handle == Some(*handle)
            }
        })
    }

    pub(super) fn away_in(&self, session: &SessionId) -> Vec<Away> {
        let all = self.away.iter().filter_map(Parked::tell);
        let mut all: Vec<Away> = all.filter(|away| away.session == *session).collect();
        all.sort_by(|a, b| a.id.cmp(&b.id));
        all
    }

    /// In which session a memory was compacted away, and whether that was deleted.
    pub(super) fn parked(&self, id: &MemoryId) -> Option<(SessionId, bool)> {
        let parked = self.away.iter().find(|parked| parked.id() == id)?;
        let session = parked.session()?;
        Some((session.clone(), self.deleted_of(session).is_some()))
    }

    /// Takes note of what a write cost.
    pub(super) fn weigh(&mut self, write: &Write, bytes: u64) {
        let part: fn(&mut Weight) -> &mut u64 = match write {
            Write::Add { .. } => |weight| &mut weight.kept,
            Write::Revise { .. } => |weight| &mut weight.versions,
            Write::Access { .. } => |weight| &mut weight.accesses,
            Write::Forget { .. } | Write::Restore { .. } => |weight| &mut weight.forgetting,
            Write::CreateSession(_) | Write::ChangeSession(_) => return,
        };
        let (Write::Add { id, .. }
        | Write::Revise { id, .. }
        | Write::Access { id, .. }
        | Write::Forget { id, .. }
        | Write::Restore { id, .. }) = write
        else {
            return;
        };
        if let Some(kept) = self.memories.iter_mut().find(|kept| kept.now.id == *id) {
            *part(&mut kept.weight) += bytes;
        }
    }
}
