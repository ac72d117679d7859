//! Opening an archive: the log comes back to the byte.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::super::disk::{Disk, DiskFile};
use super::super::log::line::hex;
use super::super::log::scan::{self, Found, Start};
use super::super::shelf;
use super::super::{LocalOptions, LocalStore, unique, wall_micros};
use crate::error::{Error, Result};
use crate::memory::{SessionId, Space};
use crate::session::{Archived, SessionDeed};
use crate::store::Deed;

/// How much is unpacked at a time.
const CHUNK_BYTES: usize = 1 << 20;

/// So often somebody else may archive a session while it is opened.
const TRIES_MAX: usize = 10;

impl LocalStore {
    /// Opens a session if it is archived; false if it is not.
    pub(in crate::store::local) fn restore_session(&self, deed: &SessionDeed) -> Result<bool> {
        let mut last = Err(self.no_session(&deed.session));
        for _ in 0..TRIES_MAX {
            let session = self.known_session(&deed.session)?;
            let Some(archived) = session.archived else {
                return Ok(false);
            };
            let space = Space::Session(session.id.clone());
            last = self.restore_once(deed, &space, &archived);
            match last {
                Ok(true) => return Ok(true),
                // It was opened and maybe archived again meanwhile.
                Ok(false) => {}
                Err(error) => {
                    return Err(Error::SessionArchived {
                        session: session.id.to_string(),
                        source: Some(Box::new(error)),
                    });
                }
            }
        }
        last
    }

    /// False if the session is not archived in this way any more.
    fn restore_once(&self, deed: &SessionDeed, space: &Space, archived: &Archived) -> Result<bool> {
        let path = self.layout.log(space);
        let folder = self.layout.folder(space);
        if let Some(moment) = self.options.as_of {
            return Err(Error::Past { moment });
        }
        let next_path = match self.unpack(&folder, archived) {
            // Whoever opened it took the shelf away.
            Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                return self.explain_missing(space, archived);
            }
            unpacked => unpacked?,
        };
        let swapped = (|| {
            let mut held = self.hold_for_life("open an archived session")?;
            let Some(session) = self.session_now(space, &mut held)? else {
                return Ok(false);
            };
            if session.archived.as_ref() != Some(archived) {
                return Ok(false);
            }
            self.enter(Deed::SessionRestored, deed, &session, &held)?;
            held.note_appending(&[space])
                .map_err(Error::io("write", self.layout.lock()))?;
            match self.disk.rename(&next_path, &path) {
                // Somebody who tidied up took it for what a crash had left.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
                renamed => renamed.map_err(Error::io("replace", &path))?,
            }
            self.sync_replaced(space)?;
            // The log is back; what is left of the archive only wastes room.
            let _ = self.remove_durably(&folder.join("archive").join(&archived.shelf));
            self.index_session(space, &mut held)?;
            Ok(true)
        })();
        if !matches!(swapped, Ok(true)) {
            let _ = self.disk.remove(&next_path);
        }
        swapped
    }

    /// Whether the shelf is not there because somebody opened the session; else it is lost.
    fn explain_missing(&self, space: &Space, archived: &Archived) -> Result<bool> {
        let mut held = self.hold_for_life("look for an archive")?;
        match self.session_now(space, &mut held)? {
            Some(session) if session.archived.as_ref() == Some(archived) => {
                let folder = self.layout.folder(space);
                Err(lost(&folder.join("archive").join(&archived.shelf)))
            }
            _ => Ok(false),
        }
    }

    /// A store with nothing but one session, as if it were open.
    pub(in crate::store::local) fn look_into(&self, session: &SessionId) -> Result<LocalStore> {
        let disk = self
            .disk_with_log_of(session)
            .map_err(|error| Error::SessionArchived {
                session: session.to_string(),
                source: Some(Box::new(error)),
            })?;
        let options = LocalOptions {
            index_in_memory: true,
            ..self.options.clone()
        };
        let mut store = Self::open_on(disk, self.layout.root(), options)?;
        store.looks_into = Some(vec![Space::Session(session.clone())]);
        Ok(store)
    }

    /// Writes the log that a shelf holds beside the short one, and checks every byte of it.
    pub(in crate::store::local) fn unpack(
        &self,
        folder: &Path,
        archived: &Archived,
    ) -> Result<PathBuf> {
        let next_path = folder.join(format!("memory.jsonl.{}", unique(wall_micros())));
        let place = folder.join("archive").join(&archived.shelf);
        let unpacked = shelf::open(&*self.disk, &place)?;
        let file = self
            .disk
            .create(&next_path)
            .map_err(Error::io("create", &next_path))?;
        let mut length = 0;
        let written = checked(&unpacked, &place, archived, |bytes| {
            file.write_at(bytes, length)
                .map_err(Error::io("write", &next_path))?;
            length += bytes.len() as u64;
            Ok(())
        })
        .and_then(|()| file.sync().map_err(Error::io("sync", &next_path)));
        match written {
            Ok(()) => Ok(next_path),
            Err(error) => {
                let _ = self.disk.remove(&next_path);
                Err(error)
            }
        }
    }
}

/// How a session was archived, if this is the short log of one.
pub(in crate::store::local) fn archived_in(log: &dyn DiskFile) -> Option<Archived> {
    let mut archived = None;
    let mut seen = 0;
    // Such a log says so in its second line.
    let _ = scan::scan(log, Start::BEGINNING, |found| {
        if let Found::Record(placed) = found {
            archived = archived.take().or(placed.line.archived);
        }
        seen += 1;
        if seen < 2 { Ok(()) } else { Err(()) }
    });
    archived.map(|archived| *archived)
}

/// Opens a shelf that a log refers to.
pub(in crate::store::local) fn open_archive(
    disk: &dyn Disk,
    place: &Path,
) -> Result<shelf::Unpacked> {
    shelf::open(disk, place).map_err(|error| match error {
        Error::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => lost(place),
        other => other,
    })
}

fn lost(place: &Path) -> Error {
    Error::Corrupt {
        path: place.into(),
        line: None,
        problem: "the archive is not there".into(),
    }
}

/// Hands on what a shelf holds; an error at the end if it is not what was put there.
pub(in crate::store::local) fn checked(
    unpacked: &shelf::Unpacked,
    path: &Path,
    archived: &Archived,
    mut each: impl FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let mut buffer = vec![0; CHUNK_BYTES];
    let mut hasher = Sha256::new();
    let mut offset = 0;
    loop {
        let count = unpacked
            .read_at(&mut buffer, offset)
            .map_err(shelf::unreadable(path))?;
        hasher.update(&buffer[..count]);
        each(&buffer[..count])?;
        offset += count as u64;
        if count < buffer.len() {
            break;
        }
    }
    let sum = hex(&hasher.finalize().into());
    if sum.as_slice() == archived.sha256.as_bytes() && offset == archived.bytes {
        return Ok(());
    }
    Err(Error::Corrupt {
        path: path.into(),
        line: None,
        problem: "the archive holds other bytes than the session had".into(),
    })
}
