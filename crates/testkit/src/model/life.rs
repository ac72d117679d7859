//! What becomes of whole sessions: their memories are set aside and come back as they were.

use std::collections::BTreeSet;

use mnemon::error::{Error, Result};
use mnemon::memory::{MemoryId, Reference, SessionId, Space};
use mnemon::session::{Activity, Archived, DeletedSession, Session, SessionDeed};
use mnemon::store::Place as Where;
use mnemon::store::{Archiving, AuditEntry, Batch, Change, Deed, Filter, Shelved, What, Write};
use mnemon::time::Time;

use super::state::{Kept, Place, State, memory, no_weight, utc};

/// The memories of a session that is put away, and its place.
#[derive(Clone, Debug)]
pub(super) struct Aside {
    pub(super) kept: Vec<Kept>,
    place: Place,
    /// Of an archived session that was deleted: what was archived of it.
    inner: Option<Box<(Archived, Aside)>>,
}

impl State {
    pub(super) fn archive(&mut self, archiving: &Archiving) -> Result<bool> {
        let session = self.known(&archiving.deed.session)?;
        let space = Space::Session(session.id.clone());
        if session.archived.is_some() {
            return Ok(false);
        }
        let deed = &archiving.deed;
        let at = utc(deed.at.micros().max(session.last_activity.micros() + 1));
        let archived = Archived {
            at,
            by: deed.by.clone(),
            by_kind: session.activity.by_kind.clone(),
            bytes: session.activity.log_bytes,
            created_at: session.created_at,
            detailed_at: session.detailed_at,
            last_activity: session.last_activity,
            participants: session.activity.participants.clone(),
            reason: deed.reason.clone(),
            sha256: String::new(),
            shelf: String::new(),
        };
        let aside = self.take_aside(&space);
        if let Some((id, draft)) = &archiving.summary {
            let mut draft = (**draft).clone();
            draft.check(&space, &archiving.limits)?;
            let summary = memory(draft, id.clone(), space.clone(), None, at);
            self.memories.push(Kept {
                // Gone again before anything is put back among the others.
                number: u64::MAX,
                weight: no_weight(id),
                first: summary.clone(),
                changes: vec![Change {
                    at,
                    by: summary.author.as_ref().map(ToString::to_string),
                    what: What::Kept(Box::new(summary.clone())),
                }],
                now: summary,
            });
        }
        let mut place = aside.place.clone();
        place.recorded_micros = Some(at.micros());
        self.places.insert(space, place);
        self.enter(Deed::SessionArchived, deed, &session);
        self.archived.insert(session.id, (archived, aside));
        Ok(true)
    }

    pub(super) fn restore_session(&mut self, deed: &SessionDeed) -> Result<bool> {
        let session = self.known(&deed.session)?;
        let Some((_, aside)) = self.archived.remove(&session.id) else {
            return Ok(false);
        };
        let space = Space::Session(session.id.clone());
        self.take_aside(&space);
        self.put_back(space, aside);
        self.enter(Deed::SessionRestored, deed, &session);
        Ok(true)
    }

    pub(super) fn activate(&mut self, deed: &SessionDeed) -> Result<()> {
        let session = self.known(&deed.session)?;
        self.enter(Deed::SessionActivated, deed, &session);
        Ok(())
    }

    pub(super) fn delete_session(
        &mut self,
        deed: &SessionDeed,
        recovery_deadline: Time,
    ) -> Result<DeletedSession> {
        let session = self.known(&deed.session)?;
        let deleted = DeletedSession {
            session_id: session.id.clone(),
            deleted_at: deed.at,
            deleted_by: deed.by.clone(),
            reason: deed.reason.clone(),
            recovery_deadline,
            by_kind: session.activity.by_kind.clone(),
            bytes: session.activity.log_bytes,
        };
        let mut aside = self.take_aside(&Space::Session(session.id.clone()));
        aside.inner = self.archived.remove(&session.id).map(Box::new);
        self.enter(Deed::SessionDeleted, deed, &session);
        self.deleted.push((deleted.clone(), aside));
        Ok(deleted)
    }

    pub(super) fn undelete_session(&mut self, deed: &SessionDeed) -> Result<()> {
        let (deleted, mut aside) = self.take_deleted(&deed.session)?;
        if let Some(inner) = aside.inner.take() {
            self.archived.insert(deleted.session_id.clone(), *inner);
        }
        self.put_back(Space::Session(deleted.session_id.clone()), aside);
        self.enter_deleted(Deed::SessionUndeleted, deed, &deleted);
        Ok(())
    }

    pub(super) fn purge_session(&mut self, deed: &SessionDeed) -> Result<SessionId> {
        let (deleted, aside) = self.take_deleted(&deed.session)?;
        let mut all: Vec<Kept> = aside.all().into_iter().cloned().collect();
        let away = self.away.iter();
        let away = away.filter(|it| it.session() == Some(&deleted.session_id));
        all.extend(away.map(|parked| parked.kept().clone()));
        self.keep_deeds_of(&all);
        self.away
            .retain(|parked| parked.session() != Some(&deleted.session_id));
        self.enter_deleted(Deed::SessionPurged, deed, &deleted);
        Ok(deleted.session_id)
    }

    pub(super) fn deleted_sessions(&self) -> Vec<DeletedSession> {
        let mut deleted: Vec<_> = self.deleted.iter().map(|(it, _)| it.clone()).collect();
        deleted.sort_by(|a, b| {
            let last_first = b.deleted_at.cmp(&a.deleted_at);
            last_first.then_with(|| a.session_id.cmp(&b.session_id))
        });
        deleted
    }

    /// A batch to an archived session opens it, unless it only counts or makes a session.
    pub(super) fn open_for(&mut self, batch: &Batch) -> Result<()> {
        let Some(session) = batch.space.session() else {
            return Ok(());
        };
        let only_counts = |write: &Write| matches!(write, Write::Access { .. });
        if !self.archived.contains_key(session)
            || batch.writes.iter().all(only_counts)
            || matches!(batch.writes.first(), Some(Write::CreateSession(_)))
        {
            return Ok(());
        }
        self.restore_session(&SessionDeed {
            session: session.clone(),
            by: batch.by.clone(),
            reason: "it was written to".into(),
            at: batch.now,
        })
        .map(drop)
    }

    pub(super) fn shelved(&self, id: &MemoryId) -> Option<Shelved> {
        let has = |aside: &Aside| aside.ids().contains(id);
        let archived = self.archived.iter().find(|(_, (_, aside))| has(aside));
        let deleted = self.deleted.iter().find(|(_, aside)| has(aside));
        let archived = archived.map(|(session, _)| (session.clone(), false));
        archived
            .or_else(|| deleted.map(|(it, _)| (it.session_id.clone(), true)))
            .or_else(|| self.parked(id))
            .map(|(session, deleted)| Shelved { session, deleted })
    }

    /// Where the memory of a name is.
    pub(super) fn locate(&self, reference: &Reference) -> Where {
        if let Some(memory) = self.find(reference) {
            return Where::Here(Box::new(memory));
        }
        let session = match reference {
            Reference::Id(id) => self.shelved(id).map(|found| found.session),
            Reference::Handle(session, _) => Some(session.clone()),
        };
        let Some(session) = session else {
            return Where::Nowhere;
        };
        let archived = self.archived.keys().find(|id| is_same(id, &session));
        match (archived, self.deleted_of(&session)) {
            (Some(archived), _) => Where::Archived(archived.clone()),
            (None, Some(deleted)) => Where::Deleted(deleted.session_id.clone()),
            (None, None) => self.away(reference).map_or(Where::Nowhere, Where::Away),
        }
    }

    /// Refuses a filter that wants its sessions open if one of them is archived.
    pub(super) fn refuse_archived(&self, filter: &Filter) -> Result<()> {
        let named = filter.spaces.iter().filter_map(Space::session);
        let is_archived = |id: &&SessionId| self.archived.keys().any(|own| is_same(own, id));
        match named.filter(|_| filter.only_open).find(is_archived) {
            Some(session) => Err(Error::SessionArchived {
                session: session.to_string(),
                source: None,
            }),
            None => Ok(()),
        }
    }

    /// Whether a session lay in the trash at a moment.
    pub(super) fn was_deleted(&self, id: &SessionId, moment: Time) -> bool {
        if let Some(deleted) = self.deleted_of(id)
            && deleted.deleted_at <= moment
        {
            return true;
        }
        let is_own = |it: &&AuditEntry| it.spaces.first().and_then(Space::session) == Some(id);
        let mut deleted_at = None;
        for entry in self.deeds.iter().filter(is_own) {
            match (entry.deed, deleted_at) {
                (Deed::SessionDeleted, _) => deleted_at = Some(entry.at),
                (Deed::SessionUndeleted, Some(from)) if from <= moment && moment < entry.at => {
                    return true;
                }
                _ => {}
            }
        }
        false
    }

    /// The deleted session of that id, whatever its case.
    pub(super) fn deleted_of(&self, id: &SessionId) -> Option<&DeletedSession> {
        let mut deleted = self.deleted.iter().map(|(it, _)| it);
        deleted.find(|it| is_same(&it.session_id, id))
    }

    /// Every list of memories, wherever they lie, but for what was compacted away.
    pub(super) fn lists(&mut self) -> Vec<&mut Vec<Kept>> {
        let archived = self.archived.values_mut().map(|(_, aside)| aside);
        let deleted = self.deleted.iter_mut().map(|(_, aside)| aside);
        let mut lists = vec![&mut self.memories];
        for aside in archived.chain(deleted) {
            lists.push(&mut aside.kept);
            lists.extend(aside.inner.iter_mut().map(|inner| &mut inner.1.kept));
        }
        lists
    }

    /// What archived sessions tell of themselves follows from what they hold.
    pub(super) fn count_archived_anew(&mut self) {
        let inner = self
            .deleted
            .iter_mut()
            .filter_map(|(_, aside)| aside.inner.as_deref_mut());
        for (archived, aside) in self.archived.values_mut().chain(inner) {
            let memories: Vec<_> = aside.kept.iter().map(|kept| kept.now.clone()).collect();
            let activity = Activity::of(&memories);
            archived.by_kind = activity.by_kind;
            archived.participants = activity.participants;
        }
    }

    /// When a session was last opened.
    pub(super) fn opened_at(&self, id: &SessionId) -> Option<Time> {
        let opens = |it: &&AuditEntry| {
            it.deed.opens() && it.spaces.first().and_then(Space::session) == Some(id)
        };
        self.deeds.iter().filter(opens).map(|it| it.at).max()
    }

    fn known(&self, id: &SessionId) -> Result<Session> {
        let mut sessions = self.sessions().into_iter();
        sessions.find(|it| is_same(&it.id, id)).ok_or_else(|| {
            let session = id.to_string();
            match self.deleted_of(id) {
                Some(_) => Error::SessionDeleted { session },
                None => Error::SessionNotFound { session },
            }
        })
    }

    fn take_deleted(&mut self, id: &SessionId) -> Result<(DeletedSession, Aside)> {
        let mut deleted = self.deleted.iter();
        match deleted.position(|(it, _)| is_same(&it.session_id, id)) {
            Some(place) => Ok(self.deleted.remove(place)),
            None => Err(Error::SessionNotFound {
                session: id.to_string(),
            }),
        }
    }

    fn take_aside(&mut self, space: &Space) -> Aside {
        let (kept, rest) = std::mem::take(&mut self.memories)
            .into_iter()
            .partition(|kept| kept.now.space == *space);
        self.memories = rest;
        Aside {
            kept,
            place: self.places.remove(space).unwrap_or_default(),
            inner: None,
        }
    }

    fn put_back(&mut self, space: Space, aside: Aside) {
        self.memories.extend(aside.kept);
        self.places.insert(space, aside.place);
    }

    fn enter(&mut self, deed: Deed, what: &SessionDeed, session: &Session) {
        self.deeds.push(AuditEntry {
            at: what.at,
            deed,
            by: what.by.clone(),
            reason: what.reason.clone(),
            memories: session.activity.memories(),
            ids: Vec::new(),
            spaces: vec![Space::Session(session.id.clone())],
        });
    }

    fn enter_deleted(&mut self, deed: Deed, what: &SessionDeed, deleted: &DeletedSession) {
        self.deeds.push(AuditEntry {
            at: what.at,
            deed,
            by: what.by.clone(),
            reason: what.reason.clone(),
            memories: deleted.memories(),
            ids: Vec::new(),
            spaces: vec![Space::Session(deleted.session_id.clone())],
        });
    }
}

impl Aside {
    /// Everything in it, archived or not.
    pub(super) fn all(&self) -> Vec<&Kept> {
        let inner = self.inner.iter().flat_map(|inner| inner.1.all());
        self.kept.iter().chain(inner).collect()
    }

    /// Every id in it, archived ones included.
    pub(super) fn ids(&self) -> BTreeSet<MemoryId> {
        let all = self.all().into_iter();
        all.map(|kept| kept.now.id.clone()).collect()
    }
}

fn is_same(a: &SessionId, b: &SessionId) -> bool {
    a.as_str().eq_ignore_ascii_case(b.as_str())
}
