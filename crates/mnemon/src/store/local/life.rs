//! The life of a session beyond its log: archived, deleted, and back again.
//!
//! Every step is one rename under the lock, after what it needs is durable, so
//! a crash leaves the state before or the one after; what it leaves beside is
//! known by its name and removed later ([`LocalStore::tidy_session`]). A step
//! that opens or takes away is entered in the audit before it is done: rather
//! a line too many than none.

mod archive;
mod restore;
mod trash;

use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use super::LocalStore;
use super::audit::{self, SessionLine};
use super::folders;
use super::index::read;
use super::lock::Held;
use super::shelf;
use crate::error::{Error, Result};
use crate::memory::{SessionId, Space};
use crate::session::{Session, SessionDeed};
use crate::store::Deed;

pub(super) use restore::{archived_in, checked, open_archive};
pub(super) use trash::{RECORD as DELETION_RECORD, read_deletion};

impl LocalStore {
    /// Enters that a session is in use again.
    pub(super) fn enter_activation(&self, deed: &SessionDeed) -> Result<()> {
        let session = self.known_session(&deed.session)?;
        let held = self.hold_for_life("activate a session")?;
        self.enter(Deed::SessionActivated, deed, &session, &held)
    }

    /// The session, with when it was last opened.
    pub(super) fn with_opening(&self, mut session: Session) -> Result<Session> {
        session.opened_at =
            self.openings
                .last(&*self.disk, &self.layout, &session.id, self.options.as_of)?;
        Ok(session)
    }

    /// The lock, unless nothing may be written.
    pub(super) fn hold_for_life(&self, what: &str) -> Result<Held<'_>> {
        self.refuse_after_fork()?;
        if let Some(moment) = self.options.as_of {
            return Err(Error::Past { moment });
        }
        let held = self.lock.acquire(what)?;
        super::poison::refuse(&*self.disk, &self.layout)?;
        self.format
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .check_again(&*self.disk, &self.layout)?;
        Ok(held)
    }

    fn enter(
        &self,
        deed: Deed,
        what: &SessionDeed,
        session: &Session,
        held: &Held<'_>,
    ) -> Result<()> {
        let activity = &session.activity;
        let what = &SessionDeed {
            session: session.id.clone(),
            ..what.clone()
        };
        let line = SessionLine::of(deed, what, &activity.by_kind, activity.log_bytes);
        audit::append(&*self.disk, &self.layout, held, &line)
    }

    /// The session as the index knows it; whatever its case.
    fn known_session(&self, id: &SessionId) -> Result<Session> {
        let found = self.ask(|connection| {
            read::sessions(connection, Some(id)).map_err(Error::index("index"))
        })?;
        found.into_iter().next().ok_or_else(|| self.no_session(id))
    }

    /// The session as its log is now, caught up under the lock.
    pub(super) fn session_now(
        &self,
        space: &Space,
        held: &mut Held<'_>,
    ) -> Result<Option<Session>> {
        self.with_sound_index(held, |connection| {
            self.catch_up(connection, std::slice::from_ref(space))?;
            let found =
                read::sessions(connection, space.session()).map_err(Error::index("index"))?;
            Ok(found.into_iter().next())
        })
    }

    /// The index learns what became of a session; the note stays until it has.
    pub(super) fn index_session(&self, space: &Space, held: &mut Held<'_>) -> Result<()> {
        self.with_sound_index(held, |connection| {
            self.catch_up(connection, std::slice::from_ref(space))
        })?;
        held.clear_note();
        Ok(())
    }

    /// Why there is no session of that id.
    fn no_session(&self, id: &SessionId) -> Error {
        let is_same = |other: &SessionId| other.as_str().eq_ignore_ascii_case(id.as_str());
        let trashed = self.session_folders(&self.layout.trash());
        let deleted = trashed.into_iter().flatten().find(is_same);
        let session = deleted.as_ref().unwrap_or(id).to_string();
        match deleted {
            Some(_) => Error::SessionDeleted { session },
            None => Error::SessionNotFound { session },
        }
    }

    /// Removes what crashes left of archives, deletions and purges; gives what went.
    pub(super) fn tidy_everything(&self) -> Result<Vec<PathBuf>> {
        let sessions =
            self.ask(|connection| read::sessions(connection, None).map_err(Error::index("index")))?;
        let mut removed = Vec::new();
        for session in sessions {
            let mut held = self.lock.acquire("tidy up")?;
            let space = Space::Session(session.id);
            if let Some(session) = self.session_now(&space, &mut held)? {
                removed.extend(self.tidy_session(&session, &held)?);
            }
        }
        let _held = self.lock.acquire("tidy up")?;
        removed.extend(self.remove_purged()?);
        for path in self.half_written_papers()? {
            self.remove_durably(&path)?;
            removed.push(path);
        }
        self.destroy_keys_of_gone_sessions()?;
        Ok(removed)
    }

    /// Removes what crashes left beside a session's log: half of another log,
    /// shelves that are not finished or that no log refers to, and a record of
    /// a deletion that did not happen. Gives what went; the caller holds the lock.
    pub(super) fn tidy_session(&self, session: &Session, _held: &Held<'_>) -> Result<Vec<PathBuf>> {
        let folder = self.layout.sessions().join(session.id.as_str());
        let archive = self.layout.archive(&session.id);
        let referred = session.archived.as_ref().map(|archived| &*archived.shelf);
        let is_left = |name: &&String| {
            shelf::is_unfinished(name)
                || (shelf::Sort::of(name) == Some(shelf::Sort::Whole) && Some(&***name) != referred)
        };
        let is_half_written =
            |name: &&String| name.starts_with("memory.jsonl.") || name.starts_with(DELETION_RECORD);
        let names = |folder: &Path| self.disk.list(folder).map_err(Error::io("read", folder));
        let mut left: Vec<_> = names(&archive)?
            .iter()
            .filter(is_left)
            .map(|name| archive.join(name))
            .collect();
        let beside = names(&folder)?;
        left.extend(
            beside
                .iter()
                .filter(is_half_written)
                .map(|name| folder.join(name)),
        );
        for path in &left {
            self.remove_durably(path)?;
        }
        Ok(left)
    }

    pub(super) fn remove_durably(&self, path: &Path) -> Result<()> {
        self.disk.remove(path).map_err(Error::io("remove", path))?;
        self.sync_folder_of(path)
    }

    pub(super) fn sync_folder_of(&self, path: &Path) -> Result<()> {
        folders::sync_above(&*self.disk, path)
    }
}
