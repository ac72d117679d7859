//! Erasing: no file below the root holds a byte of it afterwards.
//!
//! Logs and shelves are written anew without its lines, in the trash too, the
//! quarantine loses what is about it, and the index is built anew. First it is
//! noted what is to go (`intent`), so that an erasure that a crash cuts short is
//! finished by the next one or by a repair; last the deed is entered in the
//! `audit`. `judge` decides about lines, `archived` and `put_away` reach shelves.

mod archived;
mod held;
mod intent;
mod judge;
mod put_away;
mod traces;
mod trail;

use std::path::{Path, PathBuf};

pub(super) use self::intent::Intent;
use self::judge::Judge;
use self::put_away::WRITTEN_ANEW;
use self::traces::Traces;
use super::LocalStore;
use super::again::is_replaced;
use super::audit::{self, AuditLine};
use super::folders;
use super::index::generation;
use super::lock::{Held, Wait};
use super::log::tail;
use super::search;
use super::whole_file;
use crate::error::{Error, Result};
use crate::memory::{Memory, MemoryId, Reference, Space};
use crate::store::{Cleaned, Erased, Erasure, Place, Store, What};

impl LocalStore {
    /// Removes memories for good.
    pub(super) fn erase_everywhere(&self, erasure: &Erasure) -> Result<Erased> {
        let _alone = self.erase_alone("erase")?;
        self.finish_noted()?;
        let mut spaces: Vec<Space> = Vec::new();
        let mut texts: Vec<String> = Vec::new();
        let mut traces = Traces::default();
        for id in &erasure.ids {
            let (space, versions) = self.versions_of(id)?;
            // What was not opened has no words that could be looked for.
            for version in versions.iter().filter(|it| it.closed().is_none()) {
                traces.take(version);
                texts.push(version.text.to_string());
            }
            if !spaces.contains(&space) {
                spaces.push(space);
            }
        }
        for renewal in &erasure.renewed {
            let (space, versions) = self.versions_of(&renewal.id)?;
            let readable = versions.iter().filter(|it| it.closed().is_none());
            texts.extend(readable.map(|version| version.text.to_string()));
            if !spaces.contains(&space) {
                spaces.push(space);
            }
        }
        texts.sort_unstable();
        texts.dedup();
        let salt = super::format::store_id(&*self.disk, &self.layout)?;
        let digests = texts
            .iter()
            .map(|text| audit::digest(&salt, text))
            .collect();
        let intent = Intent::new(erasure, spaces, digests);
        intent.write(&*self.disk, &self.layout)?;
        self.carry_out(&intent, &traces)
    }

    /// Where a memory lives, and everything that it ever said.
    fn versions_of(&self, id: &MemoryId) -> Result<(Space, Vec<Memory>)> {
        let wait = Wait::begin();
        loop {
            let found = match self.locate(&Reference::Id(id.clone()))? {
                Place::Nowhere => return Err(Reference::not_found(id.as_str())),
                Place::Here(memory) => {
                    let changes = self.history(id)?;
                    let earlier = changes.into_iter().filter_map(|change| match change.what {
                        What::Kept(before) | What::Revised(before) => Some(*before),
                        _ => None,
                    });
                    Some((memory.space, earlier.collect()))
                }
                _ => match self.versions_put_away(id) {
                    Err(error) if is_replaced(&error) => None,
                    found => found?,
                },
            };
            match found {
                Some((space, versions)) if !versions.is_empty() => return Ok((space, versions)),
                // Its session was archived or opened since it was found.
                _ => self.lock.pause(&wait)?,
            }
        }
    }

    /// Finishes an erasure that was cut short, if there is one.
    pub(super) fn finish_erasure(&self) -> Result<Option<Erased>> {
        if !self.has_unfinished_erasure()? {
            return Ok(None);
        }
        // Whoever is at it may be done with it by then.
        let _alone = self.erase_alone("finish an erasure")?;
        self.finish_noted()
    }

    /// Waits until nobody else erases; whoever waits then is told who does.
    fn erase_alone(&self, operation: &str) -> Result<Held<'_>> {
        let mut held = self.erasing.acquire(operation)?;
        held.announce()
            .map_err(Error::io("write", self.layout.erasing_lock()))?;
        Ok(held)
    }

    fn finish_noted(&self) -> Result<Option<Erased>> {
        match Intent::read(&*self.disk, &self.layout)? {
            Some(intent) => self.carry_out(&intent, &Traces::default()).map(Some),
            None => Ok(None),
        }
    }

    /// Whether an erasure was cut short and waits to be finished.
    pub(super) fn has_unfinished_erasure(&self) -> Result<bool> {
        Ok(Intent::read(&*self.disk, &self.layout)?.is_some())
    }

    /// Each step can be done again, so it does not matter after which one the power went.
    fn carry_out(&self, intent: &Intent, traces: &Traces) -> Result<Erased> {
        let traces = traces.with_ids(&intent.ids);
        let mut erased = Erased {
            ids: intent.ids.clone(),
            renewed: intent.renewed_ids(),
            ..Erased::default()
        };
        Intent::remove_half_written(&*self.disk, &self.layout)?;
        self.remove_half_written_papers(&mut erased)?;
        self.keep_deeds_of(intent)?;
        self.clean_quarantine(intent, &traces, &mut erased)?;
        for space in &intent.spaces {
            self.clean_space(space, intent, &traces, &mut erased)?;
        }
        // A tail that a crash had left was set aside while the log was written anew.
        self.clean_quarantine(intent, &traces, &mut erased)?;
        self.clean_index(&mut erased)?;
        self.clean_sets(&mut erased)?;
        let line = AuditLine::of(intent);
        let held = self.lock.acquire("enter an erasure in the audit")?;
        for space in &intent.spaces {
            self.destroy_key_if_idle(space)?;
        }
        audit::append_once(&*self.disk, &self.layout, &held, &line)?;
        drop(held);
        Intent::remove(&*self.disk, &self.layout)?;
        self.search_everything(&traces, &mut erased)?;
        Ok(erased)
    }

    /// What is put away first: whoever opens it then opens what is clean.
    ///
    /// Somebody may archive, open, compact or delete a session meanwhile, and so move lines to
    /// where it was clean already; it is done once all of it is clean under one hold of the lock.
    fn clean_space(
        &self,
        space: &Space,
        intent: &Intent,
        traces: &Traces,
        erased: &mut Erased,
    ) -> Result<()> {
        let wait = Wait::begin();
        loop {
            if space.session().is_some()
                && self.clean_what_is_put_away(space, intent, traces, erased)?
            {
                return Ok(());
            }
            match self.clean_log(space, intent, traces, erased) {
                Ok(()) if space.session().is_none() => return Ok(()),
                Ok(()) => {}
                Err(error) if is_replaced(&error) => self.lock.pause(&wait)?,
                Err(error) => return Err(error),
            }
        }
    }

    /// That they were forgotten and brought back is told even when their lines are gone.
    fn keep_deeds_of(&self, intent: &Intent) -> Result<()> {
        let held = self.lock.acquire("enter deeds in the audit")?;
        let is_meant = |id: &str| intent.ids.iter().any(|own| own.as_str() == id);
        for space in &intent.spaces {
            self.keep_deeds(space, &is_meant, &held)?;
        }
        Ok(())
    }

    fn clean_log(
        &self,
        space: &Space,
        intent: &Intent,
        traces: &Traces,
        erased: &mut Erased,
    ) -> Result<()> {
        let path = self.layout.log(space);
        if self
            .disk
            .stat(&path)
            .map_err(Error::io("read", &path))?
            .is_none()
        {
            return Ok(());
        }
        self.remove_half_written_logs(space, erased)?;
        let mut judge = Judge::new(intent, traces);
        self.rewrite(space, &mut |piece, bytes| Ok(judge.verdict(piece, bytes)))?;
        self.note_cleaned(&path, WRITTEN_ANEW, erased);
        Ok(())
    }

    /// What a rewrite left that a crash cut short; one that is going on notices
    /// that the log was replaced, and gives up.
    fn remove_half_written_logs(&self, space: &Space, erased: &mut Erased) -> Result<()> {
        // Not from under whoever is about to put it in the place of the log.
        let _held = self.lock.acquire("erase what was left half written")?;
        self.remove_half_written(&self.layout.folder(space), erased)
    }

    /// What a crash left of papers: they hold what an agent took from its memories.
    fn remove_half_written_papers(&self, erased: &mut Erased) -> Result<()> {
        let _held = self.lock.acquire("erase what was left half written")?;
        let left = self.half_written_papers()?;
        left.iter().try_for_each(|path| self.remove(path, erased))
    }

    fn remove_half_written(&self, folder: &Path, erased: &mut Erased) -> Result<()> {
        let names = self.disk.list(folder).map_err(Error::io("read", folder))?;
        for name in names
            .iter()
            .filter(|name| name.starts_with("memory.jsonl."))
        {
            self.remove(&folder.join(name), erased)?;
        }
        Ok(())
    }

    fn clean_quarantine(
        &self,
        intent: &Intent,
        traces: &Traces,
        erased: &mut Erased,
    ) -> Result<()> {
        let folder = self.layout.quarantine();
        let names = self
            .disk
            .list(&folder)
            .map_err(Error::io("read", &folder))?;
        let own: Vec<String> = intent
            .spaces
            .iter()
            .map(|space| tail::quarantine_name(space, "", "").replace('.', ""))
            .collect();
        for name in names {
            // Nobody can tell what a damaged archive holds.
            let path = folder.join(&name);
            let is_packed = path.extension().is_some_and(|ending| ending == "zst");
            let is_suspect = is_packed && own.iter().any(|it| name.starts_with(it));
            let bytes = whole_file::read(&*self.disk, &path)?;
            if is_suspect || bytes.is_some_and(|bytes| traces.are_in(&bytes)) {
                self.remove(&path, erased)?;
            }
        }
        Ok(())
    }

    /// A new build knows only what the logs say now; SQLite leaves what it
    /// deletes in its files.
    pub(super) fn clean_index(&self, erased: &mut Erased) -> Result<()> {
        if self.options.index_in_memory {
            return Ok(());
        }
        self.rebuild(&mut |_| {})?;
        let folder = self.layout.index();
        generation::remove_other_schemas(&folder)?;
        erased.cleaned.push(Cleaned {
            place: self.below_root(&folder),
            how: "built anew, what was there removed",
        });
        Ok(())
    }

    /// Whatever no memory says any more goes, so that a crash before need not be known of.
    pub(super) fn clean_sets(&self, erased: &mut Erased) -> Result<()> {
        let keys = self.ask(|connection| search::text_keys(connection, &self.files))?;
        if self.sets.keep_only(&keys)? {
            erased.cleaned.push(Cleaned {
                place: self.below_root(&self.layout.embedded()),
                how: "vectors of what is not there any more removed",
            });
        }
        Ok(())
    }

    fn remove(&self, path: &Path, erased: &mut Erased) -> Result<()> {
        self.disk.remove(path).map_err(Error::io("remove", path))?;
        folders::sync(&*self.disk, path.parent().unwrap_or(path))?;
        self.note_cleaned(path, "removed", erased);
        Ok(())
    }

    /// Looks through every file for what was erased.
    fn search_everything(&self, traces: &Traces, erased: &mut Erased) -> Result<()> {
        let mut folders = vec![self.layout.root().to_path_buf()];
        while let Some(folder) = folders.pop() {
            let entries = std::fs::read_dir(&folder).map_err(Error::io("read", &folder))?;
            for entry in entries.flatten() {
                let path = entry.path();
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => folders.push(path),
                    Ok(kind) if kind.is_file() => {
                        let found = traces.search(&path).map_err(Error::io("read", &path))?;
                        erased.files_searched += 1;
                        erased.bytes_searched += found.bytes;
                        if found.any {
                            erased.also_in.push(self.below_root(&path));
                        }
                    }
                    _ => {}
                }
            }
        }
        erased.also_in.sort();
        Ok(())
    }

    pub(super) fn below_root(&self, path: &Path) -> PathBuf {
        path.strip_prefix(self.layout.root())
            .unwrap_or(path)
            .to_path_buf()
    }
}
