//! The trash: deleted sessions, whole, until their time is up.

use std::path::{Path, PathBuf};

use super::super::disk::Disk;
use super::super::lock::Held;
use super::super::shelf;
use super::super::{LocalStore, unique, wall_micros, whole_file};
use crate::error::{Error, Result};
use crate::memory::{SessionId, Space};
use crate::session::{DeletedSession, SessionDeed};
use crate::store::Deed;
use crate::time::Time;

/// Who deleted a session, when and why; it counts only in the trash.
pub(in crate::store::local) const RECORD: &str = "deletion.json";

/// What the folder of a purged session is called until its files are gone; no session id has a dot.
const PURGED: &str = ".purged-";

impl LocalStore {
    /// Puts a session into the trash.
    pub(in crate::store::local) fn delete_session_on_disk(
        &self,
        deed: &SessionDeed,
        recovery_deadline: Time,
    ) -> Result<DeletedSession> {
        let id = self.known_session(&deed.session)?.id;
        let space = Space::Session(id.clone());
        let mut held = self.hold_for_life("delete a session")?;
        let Some(session) = self.session_now(&space, &mut held)? else {
            return Err(self.no_session(&id));
        };
        self.tidy_session(&session, &held)?;
        let deleted = DeletedSession {
            session_id: id.clone(),
            deleted_at: deed.at,
            deleted_by: deed.by.clone(),
            reason: deed.reason.clone(),
            recovery_deadline,
            by_kind: session.activity.by_kind.clone(),
            bytes: session.activity.log_bytes,
        };
        let folder = self.layout.folder(&space);
        self.write_record(&folder, &deleted)?;
        let trash = self.layout.trash();
        self.disk
            .create_folder(&trash)
            .map_err(Error::io("create", &trash))?;
        self.sync_folder_of(&trash)?;
        self.enter(Deed::SessionDeleted, deed, &session, &held)?;
        self.move_folder(&space, &folder, &self.layout.trashed(&id), &mut held)?;
        Ok(deleted)
    }

    /// Takes a session out of the trash.
    pub(in crate::store::local) fn undelete_session_on_disk(
        &self,
        deed: &SessionDeed,
    ) -> Result<()> {
        let mut held = self.hold_for_life("bring a session back")?;
        let id = self.trashed_id(&deed.session)?;
        let space = Space::Session(id.clone());
        if self.session_now(&space, &mut held)?.is_some() {
            return Err(Error::SessionExists {
                session: id.to_string(),
            });
        }
        let (from, to) = (self.layout.trashed(&id), self.layout.folder(&space));
        if shelf::stat(&*self.disk, &to)?.is_some() {
            // An empty folder is in the way; one with something in it is somebody's.
            self.disk
                .remove_folder(&to)
                .map_err(|_| Error::SessionExists {
                    session: id.to_string(),
                })?;
        }
        let deed = &SessionDeed {
            session: id.clone(),
            ..deed.clone()
        };
        self.enter_trashed(Deed::SessionUndeleted, deed, &held)?;
        self.move_folder(&space, &from, &to, &mut held)?;
        self.remove_durably(&to.join(RECORD))
            .or_else(|error| match error {
                Error::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => Ok(()),
                other => Err(other),
            })
    }

    /// Removes a session from the trash for good.
    pub(in crate::store::local) fn purge_session_on_disk(&self, deed: &SessionDeed) -> Result<()> {
        let mut held = self.hold_for_life("purge a session")?;
        let id = self.trashed_id(&deed.session)?;
        let space = Space::Session(id.clone());
        let deed = &SessionDeed {
            session: id.clone(),
            ..deed.clone()
        };
        // What its lines tell of its memories is told by the audit from now on.
        self.keep_deeds(&space, &|_| true, &held)?;
        self.enter_trashed(Deed::SessionPurged, deed, &held)?;
        // Gone at once and as a whole; its files then follow one by one.
        let gone = format!("{id}{PURGED}{}", unique(wall_micros()));
        let gone = self.layout.trash().join(gone);
        self.move_folder(&space, &self.layout.trashed(&id), &gone, &mut held)?;
        // Copies of it elsewhere become unreadable too.
        self.destroy_key_of(&space)?;
        self.sweep_everything(&mut held)?;
        self.remove_purged().map(drop)
    }

    /// What is known of the deleted sessions, the last that was deleted first.
    pub(in crate::store::local) fn trashed_sessions(&self) -> Result<Vec<DeletedSession>> {
        let mut deleted = Vec::new();
        if self.options.as_of.is_some() {
            return Ok(deleted);
        }
        for id in self.session_folders(&self.layout.trash())? {
            // Without a record it was put there by hand; `verify` tells.
            deleted.extend(self.read_record(&id)?);
        }
        deleted.sort_by(|a, b| {
            let last_first = b.deleted_at.cmp(&a.deleted_at);
            last_first.then_with(|| a.session_id.cmp(&b.session_id))
        });
        Ok(deleted)
    }

    /// Removes what is left of purged sessions, as after a crash.
    pub(in crate::store::local) fn remove_purged(&self) -> Result<Vec<PathBuf>> {
        let trash = self.layout.trash();
        let names = self.disk.list(&trash).map_err(Error::io("read", &trash))?;
        let mut removed = Vec::new();
        for name in names.iter().filter(|name| name.contains(PURGED)) {
            let folder = trash.join(name);
            self.remove_tree(&folder)?;
            removed.push(folder);
        }
        Ok(removed)
    }

    /// The record of a session in the trash; none if it has none that can be read.
    pub(in crate::store::local) fn read_record(
        &self,
        id: &SessionId,
    ) -> Result<Option<DeletedSession>> {
        read_deletion(&*self.disk, &self.layout.trashed(id))
    }

    /// The id of a session in the trash, as it is written there.
    fn trashed_id(&self, id: &SessionId) -> Result<SessionId> {
        let trashed = self.session_folders(&self.layout.trash())?;
        let is_same = |other: &SessionId| other.as_str().eq_ignore_ascii_case(id.as_str());
        trashed
            .into_iter()
            .find(is_same)
            .ok_or_else(|| Error::SessionNotFound {
                session: id.to_string(),
            })
    }

    pub(in crate::store::local) fn write_record(
        &self,
        folder: &Path,
        deleted: &DeletedSession,
    ) -> Result<()> {
        let path = folder.join(RECORD);
        let bytes = serde_json::to_vec(deleted).expect("plain fields");
        whole_file::replace(&*self.disk, &path, &bytes)
    }

    fn enter_trashed(&self, deed: Deed, what: &SessionDeed, held: &Held<'_>) -> Result<()> {
        let record = self.read_record(&what.session)?;
        let (by_kind, bytes) = match record {
            Some(record) => (record.by_kind, record.bytes),
            None => (std::collections::BTreeMap::new(), 0),
        };
        let line = super::SessionLine::of(deed, what, &by_kind, bytes);
        super::audit::append(&*self.disk, &self.layout, held, &line)
    }

    /// One rename, and both folders that it changes are synced.
    fn move_folder(
        &self,
        space: &Space,
        from: &Path,
        to: &Path,
        held: &mut Held<'_>,
    ) -> Result<()> {
        held.note_appending(&[space])
            .map_err(Error::io("write", self.layout.lock()))?;
        self.disk
            .rename(from, to)
            .map_err(Error::io("move", from))?;
        self.sync_folder_of(to)?;
        self.sync_folder_of(from)?;
        self.index_session(space, held)
    }

    /// Removes a folder with what is in it, if it is there.
    fn remove_tree(&self, folder: &Path) -> Result<()> {
        if shelf::stat(&*self.disk, folder)?.is_none() {
            return Ok(());
        }
        let names = self.disk.list(folder).map_err(Error::io("read", folder))?;
        for name in names {
            let path = folder.join(name);
            match self.disk.remove(&path) {
                Ok(()) => {}
                // A folder, which only other means take away.
                Err(_) if !self.disk.list(&path).unwrap_or_default().is_empty() => {
                    self.remove_tree(&path)?;
                }
                Err(_) => self
                    .disk
                    .remove_folder(&path)
                    .map_err(Error::io("remove", &path))?,
            }
        }
        self.disk
            .remove_folder(folder)
            .map_err(Error::io("remove", folder))?;
        self.sync_folder_of(folder)
    }
}

/// Who deleted the session of that folder, when and why; none if nothing there can be read.
pub(in crate::store::local) fn read_deletion(
    disk: &dyn Disk,
    folder: &Path,
) -> Result<Option<DeletedSession>> {
    let bytes = whole_file::read(disk, &folder.join(RECORD))?;
    Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}
