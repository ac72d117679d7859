//! Erasing in what is put away: shelves, and sessions in the trash.
//!
//! A session that is archived is opened first, so that its checksum stays
//! true; one in the trash is opened where it lies. What is left are logs and
//! shelves with single lines, and those are written anew.

use std::collections::HashMap;
use std::path::Path;

use super::Intent;
use super::traces::Traces;
use super::verdict;
use crate::error::{Error, Result};
use crate::memory::{Kind, Memory, MemoryId, SessionId, Space};
use crate::session::SessionDeed;
use crate::store::local::disk::DiskFile;
use crate::store::local::index::shelves;
use crate::store::local::life;
use crate::store::local::log::record::Record;
use crate::store::local::log::scan::{self, Found, Start, Stopped};
use crate::store::local::part;
use crate::store::local::rewrite::{self, Next};
use crate::store::local::shelf::{self, Packing};
use crate::store::local::shelves::Source;
use crate::store::local::{LocalStore, unique, wall_micros};
use crate::store::{Cleaned, Erased, Store};
use crate::time::Time;

impl LocalStore {
    /// Where a memory lies that is put away, and everything that it ever said.
    pub(super) fn versions_put_away(&self, id: &MemoryId) -> Result<Option<(Space, Vec<Memory>)>> {
        let found = self.ask(|connection| {
            shelves::find(connection, id.as_str()).map_err(Error::index("index"))
        })?;
        let Some(found) = found else {
            return Ok(None);
        };
        let session: SessionId = found.session.parse()?;
        let mut versions = Vec::new();
        for source in self.sources_of(&session)? {
            let file = self.open_source(&source)?;
            each_record(&*file, &source.path, |record| {
                if let Record::Add(memory) | Record::Update { memory, .. } = record
                    && memory.id == *id
                {
                    versions.push(*memory);
                }
            })?;
        }
        Ok(Some((Space::Session(session), versions)))
    }

    /// Opens a session of which something is erased, if it is archived.
    pub(super) fn open_for_erasure(&self, space: &Space, by: &str, at: Time) -> Result<()> {
        let Some(session) = space.session() else {
            return Ok(());
        };
        if self.session(session)?.is_none() {
            return Ok(());
        }
        self.restore_session(&SessionDeed {
            session: session.clone(),
            by: by.to_owned(),
            reason: "something in it is erased".into(),
            at,
        })?;
        Ok(())
    }

    /// Cleans the shelves of a session and what lies of it in the trash.
    pub(super) fn clean_what_is_put_away(
        &self,
        space: &Space,
        intent: &Intent,
        traces: &Traces,
        erased: &mut Erased,
    ) -> Result<()> {
        let Some(id) = space.session() else {
            return Ok(());
        };
        let mut held = self.lock.acquire("erase in archives")?;
        // Under the lock: the archive of a session that was open before must not be taken
        // for what a crash had left.
        if let Some(session) = self.session_now(space, &mut held)? {
            for path in self.tidy_session(&session, &held)? {
                self.note_removed(&path, erased);
            }
        }
        for path in self.remove_purged()? {
            self.note_removed(&path, erased);
        }
        self.open_in_trash(id)?;
        for source in self.sources_of(id)? {
            if !source.trashed && source.sort() == Some(shelf::Sort::Whole) {
                // Archived since its log was cleaned; its checksum holds as it is.
                continue;
            }
            self.clean_source(&source, intent, traces, erased)?;
        }
        self.recount_deleted(id)
    }

    /// What the deletion record of a session says of its contents is true again.
    fn recount_deleted(&self, id: &SessionId) -> Result<()> {
        let Some(mut record) = self.read_record(id)? else {
            return Ok(());
        };
        let path = self.layout.trashed(id).join("memory.jsonl");
        let log = self
            .disk
            .open_read(&path)
            .map_err(Error::io("open", &path))?;
        let mut left: HashMap<String, (Kind, bool)> = HashMap::new();
        each_record(&*log, &path, |record| match record {
            Record::Add(memory) | Record::Update { memory, .. } => {
                let own = left
                    .entry(memory.id.to_string())
                    .or_insert((memory.kind(), true));
                own.0 = memory.kind();
            }
            Record::Delete { id, .. } => {
                left.entry(id).and_modify(|own| own.1 = false);
            }
            Record::Restore { id, .. } => {
                left.entry(id).and_modify(|own| own.1 = true);
            }
            _ => {}
        })?;
        record.by_kind.clear();
        for (kind, is_there) in left.into_values() {
            *record.by_kind.entry(kind).or_default() += u64::from(is_there);
        }
        record.by_kind.retain(|_, count| *count > 0);
        let stat = log.stat().map_err(Error::io("read", &path))?;
        record.bytes = stat.size;
        self.write_record(&self.layout.trashed(id), &record)
    }

    /// Opens a deleted session that was archived, where it lies.
    fn open_in_trash(&self, id: &SessionId) -> Result<()> {
        let folder = self.layout.trashed(id);
        let path = folder.join("memory.jsonl");
        if shelf::stat(&*self.disk, &path)?.is_none() {
            return Ok(());
        }
        let log = self
            .disk
            .open_read(&path)
            .map_err(Error::io("open", &path))?;
        let Some(archived) = life::archived_in(&*log) else {
            return Ok(());
        };
        let next_path = self.unpack(&folder, &archived)?;
        self.replace_durably(&next_path, &path)?;
        let place = folder.join("archive").join(&archived.shelf);
        self.disk
            .remove(&place)
            .map_err(Error::io("remove", &place))
    }

    /// Writes a log in the trash, or a shelf, anew without the lines.
    fn clean_source(
        &self,
        source: &Source,
        intent: &Intent,
        traces: &Traces,
        erased: &mut Erased,
    ) -> Result<()> {
        let path = &source.path;
        let folder = path.parent().unwrap_or(path);
        let old = self.open_source(source)?;
        if source.packed {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let mut packing = Packing::replace(&*self.disk, folder, &name)?;
            let mut onto_shelf = |bytes: &[u8]| packing.write(bytes);
            let mut next = Next::new(path, &mut onto_shelf);
            if source.sort() == Some(shelf::Sort::Part) {
                // Its first line says since when it is there, and nothing of a memory.
                next.write(&part::header(&*self.disk, path)?)?;
            }
            copy_without(&mut next, &*old, path, intent, traces)?;
            packing.finish()?;
        } else {
            let unique = unique(wall_micros());
            let next_path = folder.join(format!("memory.jsonl.{unique}"));
            let file = self
                .disk
                .create(&next_path)
                .map_err(Error::io("create", &next_path))?;
            let mut into_file = rewrite::writing_to(&*file, &next_path);
            let mut next = Next::new(&next_path, &mut into_file);
            next.begin(&Space::Session(source.session.clone()), &unique, &*old)?;
            copy_without(&mut next, &*old, path, intent, traces)?;
            file.sync().map_err(Error::io("sync", &next_path))?;
            self.replace_durably(&next_path, path)?;
            // What a crash left of an earlier try says what was to go.
            self.remove_half_written(folder, erased)?;
        }
        erased.cleaned.push(Cleaned {
            place: self.below_root(path),
            how: "written anew without its lines",
        });
        Ok(())
    }

    fn replace_durably(&self, next_path: &Path, path: &Path) -> Result<()> {
        let folder = path.parent().unwrap_or(path);
        self.disk
            .rename(next_path, path)
            .map_err(Error::io("replace", path))?;
        self.disk
            .sync_folder(folder)
            .map_err(Error::io("sync", folder))
    }

    fn note_removed(&self, path: &Path, erased: &mut Erased) {
        erased.cleaned.push(Cleaned {
            place: self.below_root(path),
            how: "removed",
        });
    }
}

/// Copies everything but the lines, and a torn end only if it says nothing of them.
fn copy_without(
    next: &mut Next<'_>,
    old: &dyn DiskFile,
    path: &Path,
    intent: &Intent,
    traces: &Traces,
) -> Result<()> {
    let end = next.copy(old, Start::BEGINNING, &mut |piece, bytes| {
        Ok(verdict(piece, bytes, intent, traces))
    })?;
    if let Some(tail) = end.tail {
        let bytes = rewrite::read(old, path, tail.offset, tail.length)?;
        if !traces.are_in(&bytes) {
            next.write(&bytes)?;
        }
    }
    Ok(())
}

fn each_record(file: &dyn DiskFile, path: &Path, mut each: impl FnMut(Record)) -> Result<()> {
    let scanned = scan::scan(
        file,
        Start::BEGINNING,
        |found| -> Result<(), std::convert::Infallible> {
            if let Found::Record(placed) = found
                && let Ok(record) = Record::read(placed.line)
            {
                each(record);
            }
            Ok(())
        },
    );
    match scanned {
        Ok(_) => Ok(()),
        Err(Stopped::Reading(error)) => Err(shelf::unreadable(path)(error)),
        Err(Stopped::ByCaller(never)) => match never {},
    }
}
