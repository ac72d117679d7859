//! Questions: which index to ask, and whether it knows all that it should.
//!
//! A question reads two small files (which index is in use, and the lock's
//! note) and SQLite. Only if a writer died between its log and the index, or a
//! log was changed by hand, it tries for the lock and brings the index up to
//! date; if the lock is busy it answers from the index as it is, because what
//! is missing there was not acknowledged yet. If the folder can't be written,
//! an index in memory answers.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::LocalStore;
use super::disk::{Disk, RealDisk, Stat};
use super::index::generation::{self, Borrowed, Generation};
use super::index::{self, position};
use super::lock::Held;
use crate::error::{Error, Result};
use crate::memory::{Reference, Space};
use crate::store::{Progress, Reindexed};

/// Asks an index, in one consistent view of it.
pub(super) fn ask_once<T>(
    generation: &Generation,
    question: &impl Fn(&Borrowed<'_>) -> Result<T>,
) -> Result<T> {
    let connection = generation.borrow()?;
    index::run(&connection, "BEGIN").map_err(Error::index(generation.path()))?;
    let answer = question(&connection)?;
    index::run(&connection, "COMMIT").map_err(Error::index(generation.path()))?;
    Ok(answer)
}

/// How often the logs are looked at for edits by hand.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The index in use, as this process last saw it.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    /// The build in use: its name and its connections.
    on_disk: Option<(String, Arc<Generation>)>,
    /// The file that names it, as it was when it was read.
    pointer: Option<Stat>,
    /// The stand-in while there is none on the disk that could be used.
    in_memory: Option<Arc<Generation>>,
    /// When the logs were last compared with the index; none to make sure of every one.
    pub(super) looked: Option<Instant>,
}

impl LocalStore {
    /// Asks the index, in one consistent view of it.
    pub(super) fn ask<T>(&self, question: impl Fn(&Connection) -> Result<T>) -> Result<T> {
        self.ask_build(|connection| question(connection))
    }

    /// As [`Self::ask`], for questions that need more of a build than its tables.
    pub(super) fn ask_build<T>(&self, question: impl Fn(&Borrowed<'_>) -> Result<T>) -> Result<T> {
        self.refuse_after_fork()?;
        let mut last_error = None;
        for _ in 0..3 {
            let generation = self.settled_index()?;
            match ask_once(&generation, &question) {
                // A line is not where the index says.
                Err(Error::Damaged { .. }) => return self.ask_again(&generation, &question),
                Err(Error::Index { path, source }) if index::is_unusable(&source) => {
                    self.distrust(&generation);
                    last_error = Some(Error::Index { path, source });
                }
                answer => return answer,
            }
        }
        Err(last_error.expect("the loop ran"))
    }

    /// The index in use, knowing all that was acknowledged.
    pub(super) fn settled_index(&self) -> Result<Arc<Generation>> {
        if self.options.index_in_memory {
            return self.memory_index();
        }
        let Some(generation) = self.index_in_use() else {
            // Of a store that was taken away nothing is known, which is another answer than none.
            self.format
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .check_again(&*self.disk, &self.layout)?;
            // There is none: make it if we may write, else answer from memory.
            return match self.lock.try_acquire("build the index") {
                // A full disk has no room for it, but must not keep us from answering.
                Ok(Some(mut held)) => self
                    .index_for_writing(&mut held)
                    .or_else(|_| self.memory_index()),
                Ok(None) | Err(_) => self.memory_index(),
            };
        };
        match self.settle(&generation) {
            Ok(true) => Ok(generation),
            Ok(false) | Err(Error::Full { .. }) => self.memory_index(),
            Err(Error::Index { .. }) => {
                self.distrust(&generation);
                self.memory_index()
            }
            Err(error) => Err(error),
        }
    }

    /// Brings the index up to date if need be; false if that is not possible here.
    fn settle(&self, generation: &Generation) -> Result<bool> {
        let note = self.lock.read_note()?;
        let mut stale: Vec<Space> = Vec::new();
        let looking = note.is_about_any() || self.is_time_to_look();
        if looking {
            stale = self.stale_logs(&*generation.borrow()?)?;
        }
        if looking && self.loaded().looked.is_none() {
            // The first touch by this process, or a line was not where it should be.
            let connection = generation.borrow()?;
            for space in self.spaces()? {
                match self.is_cut_short(&connection, &space) {
                    Ok(true) => stale.push(space),
                    // One that can't be read keeps nobody from the others.
                    Ok(false) | Err(Error::Io { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
            stale.extend(self.stale_shelves(&connection)?);
        }
        stale.extend(note.appending.iter().filter_map(|space| space.parse().ok()));
        if stale.is_empty() {
            if looking {
                self.looked_now();
            }
            return Ok(true);
        }
        match self.lock.try_acquire("catch up") {
            Ok(Some(mut held)) => {
                let in_use = self.index_in_use();
                let is_in_use =
                    in_use.is_some_and(|in_use| std::ptr::eq(Arc::as_ptr(&in_use), generation));
                if !looking && is_in_use && held.left_behind().is_empty() {
                    // Whoever was at work is done, and others may wait for the lock.
                    return Ok(true);
                }
                let spaces = self.left_behind(&held, &*generation.borrow_at_once()?)?;
                stale.extend(spaces);
                match self.catch_up(&generation.borrow_at_once()?, &stale) {
                    Ok(()) => {
                        held.clear_note();
                        self.looked_now();
                        Ok(true)
                    }
                    // The index can't be written: a full or a read-only disk.
                    Err(Error::Index { .. } | Error::Full { .. }) => Ok(false),
                    Err(error) => Err(error),
                }
            }
            Ok(None) => self.is_only_behind_a_writer(generation, &stale),
            Err(_) => Ok(false),
        }
    }

    /// Whether the index lacks only what a writer at work has not acknowledged yet.
    ///
    /// If it lacks more, as after a power cut, it can't be asked until whoever
    /// has the lock is done.
    fn is_only_behind_a_writer(&self, generation: &Generation, stale: &[Space]) -> Result<bool> {
        let note = self.lock.read_note()?;
        if stale.iter().all(|space| note.is_about(space)) {
            return Ok(true);
        }
        // A writer may have come and gone since the logs were looked at.
        let still = self.stale_logs(&*generation.borrow()?)?;
        let note = self.lock.read_note()?;
        Ok(still.iter().all(|space| note.is_about(space)))
    }

    /// The logs that a dead writer noted, under the lock.
    pub(super) fn left_behind(
        &self,
        held: &Held<'_>,
        connection: &Connection,
    ) -> Result<Vec<Space>> {
        let noted = held.left_behind();
        if noted.iter().any(|space| space == "*") {
            return self.stale_logs(connection);
        }
        Ok(noted
            .iter()
            .filter_map(|space| space.parse().ok())
            .collect())
    }

    /// The logs whose files are not as the index knows them.
    pub(super) fn stale_logs(&self, connection: &Connection) -> Result<Vec<Space>> {
        let mut known: HashMap<String, _> = position::all(connection)
            .map_err(Error::index("index"))?
            .into_iter()
            .collect();
        let mut stale = Vec::new();
        for space in self.spaces()? {
            let path = self.layout.log(&space);
            let found = self.disk.stat(&path).map_err(Error::io("read", &path))?;
            if known.remove(&space.to_string()) != found {
                stale.push(space);
            }
        }
        stale.extend(known.keys().filter_map(|gone| gone.parse().ok()));
        Ok(stale)
    }

    /// Spaces whose log or shelves are not as the index knows them.
    pub(super) fn stale_files(&self, connection: &Connection) -> Result<Vec<Space>> {
        let mut stale = self.stale_logs(connection)?;
        for space in self.stale_shelves(connection)? {
            if !stale.contains(&space) {
                stale.push(space);
            }
        }
        Ok(stale)
    }

    /// The index on the disk, if there is one that opens.
    pub(super) fn index_in_use(&self) -> Option<Arc<Generation>> {
        let folder = self.layout.index();
        // A look at the pointer is all it costs while nobody puts another build into use.
        let pointer = RealDisk.stat(&generation::pointer(&folder)).ok().flatten();
        let mut loaded = self.loaded();
        if let Some((_, generation)) = &loaded.on_disk
            && pointer.is_some()
            && pointer == loaded.pointer
        {
            return Some(generation.clone());
        }
        let name = generation::current(&folder)?;
        loaded.pointer = pointer;
        if let Some((known, generation)) = &loaded.on_disk
            && *known == name
        {
            return Some(generation.clone());
        }
        let opened = Arc::new(generation::open(&folder, &name).ok()?);
        // Nothing that another build was compared with holds for this one.
        loaded.looked = None;
        loaded.in_memory = None;
        loaded.on_disk = Some((name, opened.clone()));
        Some(opened)
    }

    /// The index for a writer, made first if there is none, and caught up with dead writers.
    pub(super) fn index_for_writing(&self, held: &mut Held<'_>) -> Result<Arc<Generation>> {
        if self.options.index_in_memory {
            return self.memory_index();
        }
        let Some(generation) = self.index_in_use() else {
            return self.build(held);
        };
        match self.catch_up_for_writing(held, &generation) {
            Ok(()) => Ok(generation),
            Err(Error::Index { source, .. }) if index::is_unusable(&source) => {
                self.distrust(&generation);
                self.build(held)
            }
            Err(error) => Err(error),
        }
    }

    /// Works with the index; one that turns out to be damaged is built anew first.
    pub(super) fn with_sound_index<T>(
        &self,
        held: &mut Held<'_>,
        work: impl Fn(&Borrowed<'_>) -> Result<T>,
    ) -> Result<T> {
        let generation = self.index_for_writing(held)?;
        let done = generation
            .borrow_at_once()
            .and_then(|connection| work(&connection));
        match done {
            Err(Error::Index { ref source, .. }) if index::is_unusable(source) => {
                self.distrust(&generation);
                let generation = self.index_for_writing(held)?;
                let connection = generation.borrow_at_once()?;
                work(&connection)
            }
            done => done,
        }
    }

    /// Whether ids are free is asked of all spaces, so a writer needs all of them to be known.
    fn catch_up_for_writing(&self, held: &mut Held<'_>, generation: &Generation) -> Result<()> {
        let first_touch = self.loaded().looked.is_none();
        if !first_touch && held.left_behind().is_empty() {
            return Ok(());
        }
        let connection = generation.borrow_at_once()?;
        let behind = if first_touch {
            // After a power cut the index can know less than the logs that were synced.
            self.stale_files(&connection)?
        } else {
            self.left_behind(held, &connection)?
        };
        self.catch_up(&connection, &behind)?;
        if first_touch {
            self.looked_now();
        }
        if first_touch || !behind.is_empty() {
            held.clear_note();
        }
        Ok(())
    }

    /// Builds the index under the lock and puts it into use.
    fn build(&self, held: &mut Held<'_>) -> Result<Arc<Generation>> {
        held.announce()
            .map_err(Error::io("write", self.layout.lock()))?;
        let folder = self.layout.index();
        let (name, generation) = generation::create(&folder, &super::unique(super::wall_micros()))?;
        let connection = generation.borrow_at_once()?;
        self.catch_up(&connection, &self.stale_files(&connection)?)?;
        drop(connection);
        generation::put_into_use(&folder, &name)?;
        held.clear_note();
        let generation = Arc::new(generation);
        let mut loaded = self.loaded();
        loaded.on_disk = Some((name, generation.clone()));
        loaded.looked = Some(Instant::now());
        Ok(generation)
    }

    /// Builds the index anew beside the old one, which goes on answering meanwhile.
    pub(super) fn rebuild(&self, progress: &mut dyn FnMut(Progress)) -> Result<Reindexed> {
        // An index without them would have their ids given away, and nobody would miss them.
        if let Some((_, error)) = self.unreadable_logs()?.into_iter().next() {
            return Err(error);
        }
        let folder = self.layout.index();
        let before = generation::current(&folder);
        let (name, generation) = generation::create(&folder, &super::unique(super::wall_micros()))?;
        let (logs, bytes) = self.fill(&generation, progress)?;
        let mut held = self.lock.acquire("put a new index into use")?;
        if generation::current(&folder) != before && before.is_some() {
            // Somebody else was faster; two builds of the same logs are alike.
            let _ = std::fs::remove_dir_all(folder.join(&name));
        } else {
            if let Some(old) = self.index_in_use() {
                // It alone knows of logs that are gone; if it can't tell, it is the reason for a new one.
                let _ = old.borrow().and_then(|old| self.note_all_lost(&old));
            }
            let connection = generation.borrow()?;
            let stale = self.stale_files(&connection)?;
            self.catch_up(&connection, &stale)?;
            generation::put_into_use(&folder, &name)?;
            held.clear_note();
        }
        drop(held);
        let stats =
            self.ask(|connection| index::read::stats(connection).map_err(Error::index("index")))?;
        Ok(Reindexed {
            logs,
            memories: stats.memories + stats.forgotten,
            bytes,
        })
    }

    /// An index in memory, brought up to date with the logs as they are.
    pub(super) fn memory_index(&self) -> Result<Arc<Generation>> {
        /// So often files may be replaced while they are read, until what was read is taken as it is.
        const ROUNDS_MAX: usize = 20;
        let generation = {
            let mut loaded = self.loaded();
            match &loaded.in_memory {
                Some(generation) => generation.clone(),
                None => {
                    let generation = Arc::new(Generation::in_memory()?);
                    loaded.in_memory = Some(generation.clone());
                    generation
                }
            }
        };
        let connection = generation.borrow()?;
        for _ in 0..ROUNDS_MAX {
            // Nobody is kept from writing: a log may be of one moment, and its shelves of the next.
            let stale = self.stale_files(&connection)?;
            if stale.is_empty() {
                break;
            }
            self.catch_up(&connection, &stale)?;
        }
        drop(connection);
        Ok(generation)
    }

    /// Leaves the index as the next process likes to find it.
    pub(super) fn tidy_index(&self) {
        let generation = self
            .loaded()
            .on_disk
            .take()
            .map(|(_, generation)| generation);
        if let Some(Ok(connection)) = generation.as_ref().map(|generation| generation.borrow()) {
            let _ = index::tidy(&connection);
        }
    }

    /// Takes a damaged index out of use; the next question makes another.
    pub(super) fn distrust(&self, generation: &Arc<Generation>) {
        let mut loaded = self.loaded();
        if generation.is_in_memory() {
            loaded.in_memory = None;
        } else {
            if let Some((name, known)) = &loaded.on_disk
                && Arc::ptr_eq(known, generation)
            {
                let _ = std::fs::remove_dir_all(self.layout.index().join(name));
            }
            loaded.on_disk = None;
            loaded.pointer = None;
        }
        loaded.looked = None;
    }

    /// The error about a memory whose only line is damaged or was edited by hand.
    pub(super) fn damage_about(
        &self,
        connection: &Connection,
        reference: &Reference,
    ) -> Result<Option<Error>> {
        let Reference::Id(id) = reference else {
            return Ok(None);
        };
        let found = index::read::damage_about(connection, id.as_str());
        let Some((space, line)) = found.map_err(Error::index("index"))? else {
            return Ok(None);
        };
        Ok(Some(Error::Damaged {
            id: id.to_string(),
            path: self.layout.log(&space.parse()?),
            line,
        }))
    }

    fn is_time_to_look(&self) -> bool {
        self.loaded()
            .looked
            .is_none_or(|looked| looked.elapsed() >= LOOK_EVERY)
    }

    fn looked_now(&self) {
        self.loaded().looked = Some(Instant::now());
    }

    pub(super) fn loaded(&self) -> std::sync::MutexGuard<'_, Loaded> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
