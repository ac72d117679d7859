//! Where a memory is: in a log, in an archive, in the trash, or compacted away.

use rusqlite::Connection;

use super::LocalStore;
use super::again::is_replaced;
use super::index::{position, read, shelves};
use super::lock::Wait;
use crate::error::{Error, Result};
use crate::memory::{Memory, Reference, SessionId, Space};
use crate::store::{Away, Place};

/// What one look at the index tells.
enum Seen {
    /// That is all there is to say.
    At(Place),
    /// The only line about it can't be believed, or what it lies in can't be read.
    Damaged(Error),
    /// If it is anywhere, it was compacted away from this session.
    MaybeAway(SessionId),
}

impl LocalStore {
    /// Where the memory of a name is.
    pub(super) fn locate_on_disk(&self, reference: &Reference) -> Result<Place> {
        let wait = Wait::begin();
        loop {
            let (seen, log) = self.ask(|connection| {
                let seen = self.see(connection, reference)?;
                let log = match &seen {
                    Seen::MaybeAway(session) => log_of(connection, session)?,
                    _ => None,
                };
                Ok((seen, log))
            })?;
            let session = match seen {
                Seen::At(place) => return Ok(place),
                Seen::Damaged(error) => return Err(error),
                Seen::MaybeAway(session) => session,
            };
            // Parts are no part of the index, so it must be the same before and after.
            let found = self.find_in_parts(&session, reference);
            let now = self.ask(|connection| log_of(connection, &session))?;
            let is_gone = found.as_ref().is_err_and(is_replaced);
            if now == log && !is_gone {
                return Ok(found?.map_or(Place::Nowhere, Place::Away));
            }
            self.lock.pause(&wait)?;
        }
    }

    fn see(&self, connection: &Connection, reference: &Reference) -> Result<Seen> {
        if let Some(memory) = self.find_in(connection, reference)? {
            return Ok(Seen::At(Place::Here(Box::new(memory))));
        }
        if let Some(error) = self.damage_about(connection, reference)? {
            return Ok(Seen::Damaged(error));
        }
        let in_index = || Error::index("index");
        let mut broken = None;
        let (session, is_deleted) = match reference {
            Reference::Id(id) => {
                let found = shelves::find(connection, id.as_str()).map_err(in_index())?;
                let Some(found) = found else {
                    return Ok(Seen::At(Place::Nowhere));
                };
                if let Some(problem) = found.broken.filter(|_| !found.trashed) {
                    broken = Some(Error::Corrupt {
                        path: self.layout.root().join(&found.source),
                        line: None,
                        problem: format!("{id} lies there, and {problem}"),
                    });
                }
                (found.session, found.trashed)
            }
            Reference::Handle(session, _) => {
                let name = session.as_str();
                let known = read::sessions(connection, Some(session)).map_err(in_index())?;
                let deleted = shelves::trashed(connection, name).map_err(in_index())?;
                match (known.first(), deleted) {
                    (Some(known), _) => (known.id.to_string(), false),
                    (None, Some(deleted)) => (deleted, true),
                    (None, None) => return Ok(Seen::At(Place::Nowhere)),
                }
            }
        };
        let session: SessionId = session.parse()?;
        if is_deleted {
            return Ok(Seen::At(Place::Deleted(session)));
        }
        let space = Space::Session(session.clone());
        if read::is_archived(connection, &space).map_err(in_index())? {
            return Ok(Seen::At(Place::Archived(session)));
        }
        Ok(broken.map_or(Seen::MaybeAway(session), Seen::Damaged))
    }

    /// The memory of a name, if it is in a log.
    pub(super) fn find_in(
        &self,
        connection: &Connection,
        reference: &Reference,
    ) -> Result<Option<Memory>> {
        let pointer = read::find(connection, reference).map_err(Error::index("index"))?;
        pointer.map(|pointer| pointer.load(&self.files)).transpose()
    }

    fn find_in_parts(&self, session: &SessionId, reference: &Reference) -> Result<Option<Away>> {
        let is_meant = |away: &Away| match reference {
            Reference::Id(id) => away.id == *id,
            Reference::Handle(_, handle) => away.handle == Some(*handle),
        };
        Ok(self.away_of(session)?.into_iter().find(is_meant))
    }
}

/// Which file a session's log is; another one whenever anything came or went.
fn log_of(connection: &Connection, session: &SessionId) -> Result<Option<(u64, i64)>> {
    let space = Space::Session(session.clone());
    let known = position::get(connection, &space).map_err(Error::index("index"))?;
    Ok(known.map(|known| (known.stat.inode, known.stat.modified_nanos)))
}
