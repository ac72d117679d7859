//! Archiving: the log goes onto a shelf, and a short one takes its place.

use std::path::Path;

use super::super::disk::{DiskFile, Stat};
use super::super::index::position;
use super::super::lock::Held;
use super::super::log::line::{Line, hex};
use super::super::log::transaction::{self, Draft};
use super::super::shelf::{Packed, Packing, Sort};
use super::super::{LocalStore, unique, wall_micros, whole_file};
use crate::error::{Error, Result};
use crate::memory::Space;
use crate::session::{Archived, Session};
use crate::store::{Archiving, Deed};
use crate::time::Time;

/// How much of a log is packed at a time.
const CHUNK_BYTES: usize = 1 << 20;

impl LocalStore {
    /// Archives a session; false if it is archived already.
    pub(in crate::store::local) fn archive_session(&self, archiving: &Archiving) -> Result<bool> {
        let session = self.known_session(&archiving.deed.session)?;
        let space = Space::Session(session.id.clone());
        if session.archived.is_some() {
            return Ok(false);
        }
        // What takes long is done while others go on writing.
        let (packing, seen) = self.pack(&space)?;
        let mut held = self.hold_for_life("archive a session")?;
        let session = match self.session_now(&space, &mut held)? {
            Some(session) if session.archived.is_some() => return Ok(false),
            Some(session) => session,
            None => return Err(self.no_session(&session.id)),
        };
        let path = self.layout.log(&space);
        let named = self.disk.stat(&path).map_err(Error::io("read", &path))?;
        let packing = if named == Some(seen) {
            packing
        } else {
            // Somebody wrote meanwhile, or cut a torn tail: then exactly that is kept.
            drop(packing);
            self.pack(&space)?.0
        };
        let packed = match packing.finish() {
            // Somebody who tidied up took it for what a crash had left.
            Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                self.pack(&space)?.0.finish()?
            }
            packed => packed?,
        };
        let place = self.layout.archive(&session.id).join(&packed.name);
        self.swap_for_short_log(archiving, &space, &session, &packed, &mut held)
            .inspect_err(|_| drop(self.disk.remove(&place)))?;
        // From here on the shelf is all there is, whatever fails.
        self.sync_replaced(&space)?;
        self.index_session(&space, &mut held)?;
        self.enter(Deed::SessionArchived, &archiving.deed, &session, &held)?;
        if let Some(session) = self.session_now(&space, &mut held)? {
            self.tidy_session(&session, &held)?;
        }
        Ok(true)
    }

    /// Puts the bytes of a log onto a shelf that has no name yet; with the file as it was.
    fn pack(&self, space: &Space) -> Result<(Packing<'_>, Stat)> {
        let path = self.layout.log(space);
        let folder = self.layout.folder(space).join("archive");
        let file = self
            .disk
            .open_read(&path)
            .map_err(Error::io("open", &path))?;
        let seen = file.stat().map_err(Error::io("read", &path))?;
        let mut packing = Packing::create(&*self.disk, &folder, Sort::Whole)?;
        each_chunk(&*file, &path, seen.size, |bytes| packing.write(bytes))?;
        Ok((packing, seen))
    }

    fn swap_for_short_log(
        &self,
        archiving: &Archiving,
        space: &Space,
        session: &Session,
        packed: &Packed,
        held: &mut Held<'_>,
    ) -> Result<()> {
        let bytes = self.short_log(archiving, space, session, packed, held)?;
        let path = self.layout.log(space);
        let next_path = whole_file::write_beside(&*self.disk, &path, &bytes)?;
        held.note_appending(&[space])
            .map_err(Error::io("write", self.layout.lock()))?;
        self.disk
            .rename(&next_path, &path)
            .map_err(Error::io("replace", &path))
            .inspect_err(|_| drop(self.disk.remove(&next_path)))
    }

    /// A header with the counters, what is known of the session, and its summary.
    fn short_log(
        &self,
        archiving: &Archiving,
        space: &Space,
        session: &Session,
        packed: &Packed,
        held: &mut Held<'_>,
    ) -> Result<Vec<u8>> {
        let known = self.with_sound_index(held, |connection| {
            position::get(connection, space).map_err(Error::index("index"))
        })?;
        let known = known.unwrap_or_else(position::Position::of_nothing);
        let last = session.last_activity.micros().max(known.recorded_micros);
        let deed = &archiving.deed;
        let at = Time::nearest_to_micros(deed.at.micros().max(last.saturating_add(1)));
        let archived = Archived {
            at,
            by: deed.by.clone(),
            by_kind: session.activity.by_kind.clone(),
            bytes: packed.bytes,
            created_at: session.created_at,
            detailed_at: session.detailed_at,
            last_activity: session.last_activity,
            participants: session.activity.participants.clone(),
            reason: deed.reason.clone(),
            sha256: String::from_utf8_lossy(&hex(&packed.sum)).into_owned(),
            shelf: packed.name.clone(),
        };
        let mut drafts: Vec<Draft> =
            vec![Line::archived(space, &session.details, &archived, at).into()];
        if let Some((id, draft)) = &archiving.summary {
            let mut draft = (**draft).clone();
            let body = draft.checked_body(space, &archiving.limits)?;
            // No handle: it is gone when the session is opened, and handles are never used again.
            let memory = draft.into_memory(id.clone(), space.clone(), None, at);
            drafts.push(Line::add(&memory, body).into());
        }
        let header = Line::header(
            space,
            &unique(wall_micros()),
            &known.counters,
            Time::nearest_to_micros(last),
        );
        let mut bytes = header.encode().0;
        for signed in transaction::sign(drafts, at) {
            bytes.extend(signed.bytes);
        }
        Ok(bytes)
    }
}

/// Reads a file from its beginning up to a length.
pub(super) fn each_chunk(
    file: &dyn DiskFile,
    path: &Path,
    length: u64,
    mut each: impl FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let mut buffer = vec![0; CHUNK_BYTES];
    let mut offset = 0;
    while offset < length {
        let wanted = usize::try_from(length - offset).unwrap_or(CHUNK_BYTES);
        let wanted = wanted.min(CHUNK_BYTES);
        let count = file
            .read_at(&mut buffer[..wanted], offset)
            .map_err(Error::io("read", path))?;
        if count == 0 {
            break;
        }
        each(&buffer[..count])?;
        offset += count as u64;
    }
    Ok(())
}
