//! Erasing in what is put away: shelves, and sessions in the trash.
//!
//! Whatever holds a line of it is written anew beside and takes the name, so
//! that a crash leaves the old file or the new one. Archived sessions stay
//! archived (`archived`), deleted ones deleted.

use std::path::Path;

use super::Intent;
use super::judge::Judge;
use super::traces::Traces;
use crate::error::{Error, Result};
use crate::memory::{Memory, MemoryId, SessionId, Space};
use crate::session::Activity;
use crate::store::local::disk::DiskFile;
use crate::store::local::index::shelves;
use crate::store::local::life;
use crate::store::local::log::record::Record;
use crate::store::local::log::scan::{self, Found, Start, Stopped};
use crate::store::local::part;
use crate::store::local::put_away;
use crate::store::local::rewrite::{self, Next, Piece, Verdict};
use crate::store::local::shelf::{self, Packing, Sort};
use crate::store::local::shelves::Source;
use crate::store::local::{LocalStore, unique, wall_micros};
use crate::store::{Cleaned, Erased};

/// What was done to most of what is cleaned.
pub(super) const WRITTEN_ANEW: &str = "written anew without its lines";

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
        let versions = versions.into_iter().map(|version| self.keys.open(version));
        let versions = versions.collect::<Result<_>>()?;
        Ok(Some((Space::Session(session), versions)))
    }

    /// Cleans the shelves of a session and what lies of it in the trash; whether its log is
    /// clean as well, so that all of it is.
    pub(super) fn clean_what_is_put_away(
        &self,
        space: &Space,
        intent: &Intent,
        traces: &Traces,
        erased: &mut Erased,
    ) -> Result<bool> {
        let Some(id) = space.session() else {
            return Ok(true);
        };
        let mut held = self.lock.acquire("erase in archives")?;
        // Under the lock: the archive of a session that was open before must not be taken
        // for what a crash had left.
        if let Some(session) = self.session_now(space, &mut held)? {
            for path in self.tidy_session(&session, &held)? {
                self.note_cleaned(&path, "removed", erased);
            }
        }
        for path in self.remove_purged()? {
            self.note_cleaned(&path, "removed", erased);
        }
        self.remove_left_in_trash(id, erased)?;
        for source in self.sources_of(id)? {
            if !self.says_any(&source, intent, traces)? {
                continue;
            }
            match source.sort() {
                Some(Sort::Whole) => self.clean_whole(&source, intent, traces, &mut held)?,
                Some(Sort::Part) => self.clean_part(&source, intent, traces)?,
                None => self.clean_trashed_log(&source, intent, traces)?,
            }
            self.note_cleaned(&source.path, WRITTEN_ANEW, erased);
        }
        self.recount_deleted(id)?;
        self.index_session(space, &mut held)?;
        let path = self.layout.log(space);
        let Some(stat) = shelf::stat(&*self.disk, &path)? else {
            return Ok(true);
        };
        let log = Source {
            session: id.clone(),
            path,
            stat,
            trashed: false,
            packed: false,
        };
        Ok(!self.says_any(&log, intent, traces)?)
    }

    /// What crashes left beside a deleted session: half of a log, shelves that were never finished.
    fn remove_left_in_trash(&self, id: &SessionId, erased: &mut Erased) -> Result<()> {
        let folder = self.layout.trashed(id);
        let archive = folder.join("archive");
        self.remove_half_written(&folder, erased)?;
        let names = self
            .disk
            .list(&archive)
            .map_err(Error::io("read", &archive))?;
        for name in names.iter().filter(|name| shelf::is_unfinished(name)) {
            self.remove(&archive.join(name), erased)?;
        }
        for source in self.sources_of(id)? {
            let is_whole = source.trashed && source.sort() == Some(Sort::Whole);
            if is_whole && self.archived_onto(&source)?.is_none() {
                self.remove(&source.path, erased)?;
            }
        }
        Ok(())
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
        let before = record.clone();
        if let Some(archived) = life::archived_in(&*log) {
            record.by_kind = archived.by_kind;
            record.bytes = archived.bytes;
        } else {
            let memories = put_away::memories(&*log, &path, &Space::Session(id.clone()))?;
            record.by_kind = Activity::of(&memories).by_kind;
            record.bytes = log.stat().map_err(Error::io("read", &path))?.size;
        }
        if record == before {
            return Ok(());
        }
        self.write_record(&self.layout.trashed(id), &record)
    }

    /// Whether anything in a file is to go or to be said anew.
    fn says_any(&self, source: &Source, intent: &Intent, traces: &Traces) -> Result<bool> {
        let path = &source.path;
        let file = self.open_source(source)?;
        let mut judge = Judge::new(intent, traces);
        let mut any = false;
        let scanned = scan::scan(&*file, Start::BEGINNING, |found| -> Result<(), Error> {
            let verdict = match &found {
                Found::Record(placed) => judge.verdict(&Piece::Record(placed), &[]),
                Found::Damage(damage) => {
                    let bytes = rewrite::read(&*file, path, damage.offset, damage.length)?;
                    judge.verdict(&Piece::Damage(damage), &bytes)
                }
            };
            any |= !matches!(verdict, Verdict::Keep);
            Ok(())
        });
        let end = scanned.map_err(|stopped| match stopped {
            Stopped::Reading(error) => shelf::unreadable(path)(error),
            Stopped::ByCaller(error) => error,
        })?;
        if let Some(tail) = end.tail {
            let bytes = rewrite::read(&*file, path, tail.offset, tail.length)?;
            any |= traces.are_in(&bytes);
        }
        Ok(any)
    }

    /// Writes a part anew without the lines; it stays if nothing is left, because the log tells of it.
    fn clean_part(&self, source: &Source, intent: &Intent, traces: &Traces) -> Result<()> {
        let path = &source.path;
        let folder = path.parent().unwrap_or(path);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let old = self.open_source(source)?;
        let mut packing = Packing::replace(&*self.disk, folder, &name)?;
        let mut onto_shelf = |bytes: &[u8]| packing.write(bytes);
        let mut next = Next::new(path, &mut onto_shelf);
        // Its first line says since when it is there, and nothing of a memory.
        next.write(&part::header(&*self.disk, path)?)?;
        let mut judge = Judge::new(intent, traces);
        copy_without(&mut next, &*old, path, &mut judge, traces)?;
        packing.finish().map(drop)
    }

    fn clean_trashed_log(&self, source: &Source, intent: &Intent, traces: &Traces) -> Result<()> {
        let space = Space::Session(source.session.clone());
        let mut judge = Judge::new(intent, traces);
        let next_path = self.log_without(&source.path, &space, &mut judge, traces)?;
        self.replace_durably(&next_path, &source.path)
    }

    /// Writes what shall take the place of a log, durably, under a name beside it.
    pub(super) fn log_without(
        &self,
        path: &Path,
        space: &Space,
        judge: &mut Judge<'_>,
        traces: &Traces,
    ) -> Result<std::path::PathBuf> {
        let old = self.disk.open_read(path).map_err(Error::io("open", path))?;
        let unique = unique(wall_micros());
        let next_path = path.with_file_name(format!("memory.jsonl.{unique}"));
        let file = self
            .disk
            .create(&next_path)
            .map_err(Error::io("create", &next_path))?;
        {
            let mut into_file = rewrite::writing_to(&*file, &next_path);
            let mut next = Next::new(&next_path, &mut into_file);
            next.begin(space, &unique, &*old)?;
            copy_without(&mut next, &*old, path, judge, traces)?;
        }
        file.sync().map_err(Error::io("sync", &next_path))?;
        Ok(next_path)
    }

    pub(super) fn replace_durably(&self, next_path: &Path, path: &Path) -> Result<()> {
        self.disk
            .rename(next_path, path)
            .map_err(Error::io("replace", path))?;
        self.sync_folder_of(path)
    }

    pub(super) fn note_cleaned(&self, path: &Path, how: &'static str, erased: &mut Erased) {
        let cleaned = Cleaned {
            place: self.below_root(path),
            how,
        };
        if !erased.cleaned.contains(&cleaned) {
            erased.cleaned.push(cleaned);
        }
    }
}

/// Copies everything but the lines, and a torn end only if it says nothing of them.
pub(super) fn copy_without(
    next: &mut Next<'_>,
    old: &dyn DiskFile,
    path: &Path,
    judge: &mut Judge<'_>,
    traces: &Traces,
) -> Result<()> {
    let end = next.copy(old, Start::BEGINNING, &mut |piece, bytes| {
        Ok(judge.verdict(piece, bytes))
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
