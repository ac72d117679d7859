//! The life of sessions: put into use, archived, opened, deleted, brought back.
//!
//! Whoever names an archived session gets it opened first: reading does so
//! here ([`Mnemon::open_session`]), writing in the store, under its lock.

use std::time::Instant;

use super::remember::check_reason;
use super::shown::shown_deleted;
use crate::caller::{Caller, Operation};
use crate::engine::Mnemon;
use crate::error::{Error, Result};
use crate::event::SessionChange;
use crate::memory::{Draft, Kind, Memory, MemoryId, SessionId, Space};
use crate::recall::aggregate::{self, SummaryOptions};
use crate::session::{DeletedSession, Session, SessionDeed, SessionState};
use crate::store::{Archiving, Filter, Sort};
use crate::time::Time;

mod summary;

pub(super) use summary::is_archive_summary;

impl Mnemon {
    /// Puts a session into use again, whether it is idle, decaying or archived.
    pub fn activate_session(&self, caller: &Caller, id: &SessionId) -> Result<Session> {
        caller.may(Operation::ActivateSession)?;
        let session = self.require_session(id)?;
        let deed = self.deed(caller, &session.id, "activated by command");
        match self.session_state(&session) {
            SessionState::Created | SessionState::Active => {}
            SessionState::Archived => self.restore_by(&deed)?,
            _ => {
                self.store.activate(&deed)?;
                self.publish_change(&session.id, SessionChange::Activated);
            }
        }
        self.session(caller, &session.id)
    }

    /// Puts a compressed archive and a summary in the place of a session.
    pub fn archive_session(
        &self,
        caller: &Caller,
        id: &SessionId,
        reason: Option<&str>,
    ) -> Result<Session> {
        caller.may(Operation::ArchiveSession)?;
        let reason = reason.unwrap_or("archived by command");
        check_reason(reason)?;
        let session = self.require_session(id)?;
        if session.archived.is_some() {
            return self.session(caller, &session.id);
        }
        // What was asked for in it belongs to what is archived.
        self.flush(caller)?;
        let archiving = Archiving {
            deed: self.deed(caller, &session.id, reason),
            summary: self.summary_of(caller, &session)?,
            limits: self.limits(),
        };
        if self.store.archive(&archiving)? {
            self.publish_change(&session.id, SessionChange::Archived);
        }
        self.session(caller, &session.id)
    }

    /// Opens an archived session, to the byte as it was; one that is not archived stays as it is.
    pub fn restore_session(&self, caller: &Caller, id: &SessionId) -> Result<Session> {
        caller.may(Operation::RestoreSession)?;
        let session = self.require_session(id)?;
        if session.archived.is_some() {
            self.restore_by(&self.deed(caller, &session.id, "restored by command"))?;
        }
        self.session(caller, &session.id)
    }

    /// Puts a session into the trash, from where it can be brought back for a while.
    pub fn delete_session(
        &self,
        caller: &Caller,
        id: &SessionId,
        reason: &str,
    ) -> Result<DeletedSession> {
        caller.may(Operation::DeleteSession)?;
        check_reason(reason)?;
        let session = self.require_session(id)?;
        let space = Space::Session(session.id.clone());
        // What waits to be counted there would find nothing any more.
        drop(self.take_accesses_of(&space));
        self.store.flush()?;
        let deed = self.deed(caller, &session.id, reason);
        let deleted = self
            .store
            .delete_session(&deed, self.recover_until(&space))?;
        self.publish_change(&session.id, SessionChange::Deleted);
        Ok(shown_deleted(caller, deleted))
    }

    /// Takes a session out of the trash.
    pub fn undelete_session(
        &self,
        caller: &Caller,
        id: &SessionId,
        reason: &str,
    ) -> Result<Session> {
        caller.may(Operation::UndeleteSession)?;
        check_reason(reason)?;
        self.store
            .undelete_session(&self.deed(caller, id, reason))?;
        self.publish_change(id, SessionChange::Undeleted);
        self.session(caller, id)
    }

    /// Removes a session from the trash for good, whether its time is up or not.
    pub fn purge_session(&self, caller: &Caller, id: &SessionId) -> Result<DeletedSession> {
        caller.may(Operation::PurgeSession)?;
        let purged = self.purge_session_because(caller, id, "purged by command")?;
        Ok(shown_deleted(caller, purged))
    }

    pub(super) fn purge_session_because(
        &self,
        caller: &Caller,
        id: &SessionId,
        reason: &str,
    ) -> Result<DeletedSession> {
        let is_same =
            |it: &DeletedSession| it.session_id.as_str().eq_ignore_ascii_case(id.as_str());
        let known = self.store.deleted_sessions()?.into_iter().find(is_same);
        let deed = self.deed(caller, id, reason);
        self.store.purge_session(&deed)?;
        self.publish_change(id, SessionChange::Purged);
        Ok(known.unwrap_or_else(|| DeletedSession {
            session_id: id.clone(),
            deleted_at: deed.at,
            deleted_by: deed.by,
            reason: String::new(),
            recovery_deadline: deed.at,
            by_kind: std::collections::BTreeMap::new(),
            bytes: 0,
        }))
    }

    /// The sessions in the trash, the last that was deleted first.
    pub fn deleted_sessions(&self, caller: &Caller) -> Result<Vec<DeletedSession>> {
        caller.may(Operation::DeletedSessions)?;
        let deleted = self.store.deleted_sessions()?.into_iter();
        Ok(deleted.map(|it| shown_deleted(caller, it)).collect())
    }

    /// The sessions in the trash whose time is up.
    pub fn overdue_sessions(&self, caller: &Caller) -> Result<Vec<DeletedSession>> {
        caller.may(Operation::OverdueSessions)?;
        self.sessions_overdue_at(caller, self.clock.now())
    }

    pub(super) fn sessions_overdue_at(
        &self,
        caller: &Caller,
        moment: Time,
    ) -> Result<Vec<DeletedSession>> {
        let mut deleted = self.deleted_sessions(caller)?;
        deleted.retain(|session| session.recovery_deadline <= moment);
        Ok(deleted)
    }

    /// The deleted session of that id, if there is one.
    pub fn deleted_session(
        &self,
        caller: &Caller,
        id: &SessionId,
    ) -> Result<Option<DeletedSession>> {
        caller.may(Operation::DeletedSession)?;
        let is_same =
            |it: &DeletedSession| it.session_id.as_str().eq_ignore_ascii_case(id.as_str());
        Ok(self.deleted_sessions(caller)?.into_iter().find(is_same))
    }

    /// The session, opened if it is archived, because somebody names it.
    pub(super) fn open_session(&self, caller: &Caller, id: &SessionId) -> Result<Session> {
        let session = self.require_session(id)?;
        if session.archived.is_none() {
            return Ok(session);
        }
        self.restore_by(&self.deed(caller, &session.id, "it was asked for"))?;
        self.require_session(&session.id)
    }

    fn restore_by(&self, deed: &SessionDeed) -> Result<()> {
        if self.store.restore(deed)? {
            self.publish_change(&deed.session, SessionChange::Restored);
        }
        Ok(())
    }

    /// Opens the sessions that a question names.
    fn open_spaces(&self, caller: &Caller, spaces: &[Space]) -> Result<()> {
        for session in spaces.iter().filter_map(Space::session) {
            if !self.store.is_open(session)? {
                self.open_session(caller, session)?;
            }
        }
        Ok(())
    }

    /// Asks about sessions once they are open, again if one is archived meanwhile.
    pub(super) fn with_open<T>(
        &self,
        caller: &Caller,
        spaces: &[Space],
        ask: impl Fn() -> Result<T>,
    ) -> Result<T> {
        let deadline = self.deadline();
        loop {
            self.open_spaces(caller, spaces)?;
            match ask() {
                Err(Error::SessionArchived { source: None, .. }) if Instant::now() < deadline => {}
                answer => return answer,
            }
        }
    }

    fn deed(&self, caller: &Caller, session: &SessionId, reason: &str) -> SessionDeed {
        SessionDeed {
            session: session.clone(),
            by: caller.name().to_owned(),
            reason: self.redactor.redact(reason).text,
            at: self.clock.now(),
        }
    }

    /// What is said of a session with these memories while it is archived.
    pub(super) fn archive_draft(
        session: &SessionId,
        last_activity: Time,
        mut memories: Vec<Memory>,
    ) -> Result<Option<Draft>> {
        // It is found by everybody who asks, so it quotes nothing that was to be kept close.
        memories.retain(|memory| {
            let is_for_all = memory.is_quotable() && memory.private_to().is_none();
            is_for_all && memory.state.forgotten.is_none()
        });
        if memories.is_empty() {
            return Ok(None);
        }
        let sums = aggregate::summary(&memories, Some(session), &SummaryOptions::default());
        summary::draft(session, last_activity, &sums).map(Some)
    }

    /// What is found in the place of a session while it is archived.
    fn summary_of(
        &self,
        caller: &Caller,
        session: &Session,
    ) -> Result<Option<(MemoryId, Box<Draft>)>> {
        let everything = Filter {
            sort: Sort::Oldest,
            limit: usize::MAX,
            ..self.all_of(caller, &session.id)?
        };
        let memories = self.list_within(caller, &everything, None)?.memories;
        let Some(draft) = Self::archive_draft(&session.id, session.last_activity, memories)? else {
            return Ok(None);
        };
        let millis = u64::try_from(self.clock.now_micros() / 1000).unwrap_or(0);
        let id = MemoryId::generate(Kind::Artifact, millis, (self.random)());
        Ok(Some((id, Box::new(draft))))
    }
}
