//! What is put away, read as memories: nothing is opened or changed for it.
//!
//! A memory is handed on once, from where it counts: lines that a crash left on
//! a shelf beside those in the log say nothing.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::path::{Path, PathBuf};

use super::LocalStore;
use super::again::is_replaced;
use super::disk::{DiskFile, Stat};
use super::index::{position, shelves};
use super::life;
use super::lock::Wait;
use super::log::record::Record;
use super::log::scan::{self, Found, Start, Stopped};
use super::shelf::{self, Sort};
use super::shelves::Source;
use crate::error::{Error, Result};
use crate::memory::{Memory, MemoryId, Reference, SessionId, Space, State};
use crate::session::Archived;
use crate::store::{Located, Store, Whereabouts};

/// The files of a session at a moment.
#[derive(PartialEq)]
struct Files {
    /// The log is another file whenever anything came or went.
    log: Option<u64>,
    shelves: Vec<(PathBuf, Stat)>,
}

impl LocalStore {
    /// Hands on what is put away of these sessions, or of all if none is named.
    pub(super) fn each_put_away(
        &self,
        sessions: &[SessionId],
        each: &mut dyn FnMut(Located) -> Result<()>,
    ) -> Result<()> {
        if !self.knows_shelves() {
            return Ok(());
        }
        let mut all = Vec::new();
        if sessions.is_empty() {
            all = self.session_folders(&self.layout.sessions())?;
            all.extend(self.session_folders(&self.layout.trash())?);
            all.sort();
            all.dedup();
        }
        for session in sessions.iter().chain(&all) {
            self.put_away_of(session)?
                .into_iter()
                .try_for_each(&mut *each)?;
        }
        Ok(())
    }

    /// The sessions of shelves on which something may be forgotten.
    pub(super) fn forgetful_sessions(&self) -> Result<Vec<SessionId>> {
        if !self.knows_shelves() {
            return Ok(Vec::new());
        }
        let ids =
            self.ask(|connection| shelves::forgetful(connection).map_err(Error::index("index")))?;
        Ok(ids.iter().filter_map(|id| id.parse().ok()).collect())
    }

    /// Reads again until nobody moved anything meanwhile, so that nothing is missed.
    fn put_away_of(&self, session: &SessionId) -> Result<Vec<Located>> {
        let wait = Wait::begin();
        loop {
            let before = self.files_now(session)?;
            let found = self.read_put_away(session);
            let after = self.files_now(session)?;
            match found {
                Err(error) if is_replaced(&error) => {}
                found if before.is_some() && before == after => return found,
                _ => {}
            }
            self.lock.pause(&wait)?;
        }
    }

    /// Which files a session is made of; none while the index does not know its log.
    fn files_now(&self, session: &SessionId) -> Result<Option<Files>> {
        let space = Space::Session(session.clone());
        let known = self
            .ask(|connection| position::get(connection, &space).map_err(Error::index("index")))?;
        let named = shelf::stat(&*self.disk, &self.layout.log(&space))?;
        let log = named.map(|stat| stat.inode);
        if known.map(|known| known.stat.inode) != log {
            return Ok(None);
        }
        let sources = self.sources_of(session)?.into_iter();
        let shelves = sources.map(|source| (source.path, source.stat)).collect();
        Ok(Some(Files { log, shelves }))
    }

    fn read_put_away(&self, session: &SessionId) -> Result<Vec<Located>> {
        let space = Space::Session(session.clone());
        let mut sources = self.sources_of(session)?;
        // A whole log counts before what a compaction left beside it.
        sources.sort_by_key(|source| source.sort() == Some(Sort::Part));
        let mut seen: HashSet<MemoryId> = HashSet::new();
        let mut all = Vec::new();
        for source in &sources {
            if source.sort() == Some(Sort::Whole) && self.archived_onto(source)?.is_none() {
                continue;
            }
            let at = match source.sort() {
                _ if source.trashed => Whereabouts::Deleted,
                Some(Sort::Part) => Whereabouts::Compacted,
                _ => Whereabouts::Archived,
            };
            let file = self.open_source(source)?;
            for memory in memories(&*file, &source.path, &space)? {
                let mut memory = self.keys.open(memory)?;
                memory.state.compacted = source.sort() == Some(Sort::Part);
                let is_in_log = at == Whereabouts::Compacted
                    && self.find(&Reference::Id(memory.id.clone()))?.is_some();
                if !is_in_log && seen.insert(memory.id.clone()) {
                    all.push(Located { memory, at });
                }
            }
        }
        Ok(all)
    }

    /// How a session was archived onto this shelf; none if its log does not refer to it.
    pub(super) fn archived_onto(&self, source: &Source) -> Result<Option<Archived>> {
        if source.sort() != Some(Sort::Whole) {
            return Ok(None);
        }
        let folder = source.path.parent().and_then(Path::parent);
        let log = folder.unwrap_or(&source.path).join("memory.jsonl");
        let archived = match self.disk.open_read(&log) {
            Ok(log) => life::archived_in(&*log),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(Error::io("open", &log)(error)),
        };
        let name = source.path.file_name();
        Ok(archived.filter(|archived| name == Some(archived.shelf.as_ref())))
    }
}

/// The memories that lines of a log or a shelf come to, in the order in which they were kept.
pub(super) fn memories(file: &dyn DiskFile, path: &Path, space: &Space) -> Result<Vec<Memory>> {
    let mut known = Known::default();
    let scanned = scan::scan(file, Start::BEGINNING, |found| -> Result<(), Infallible> {
        if let Found::Record(placed) = found
            && let Ok(record) = Record::read(placed.line)
        {
            known.take(record, space);
        }
        Ok(())
    });
    match scanned {
        Ok(_) => Ok(known.memories),
        Err(Stopped::Reading(error)) => Err(shelf::unreadable(path)(error)),
        Err(Stopped::ByCaller(never)) => match never {},
    }
}

/// What lines said so far.
#[derive(Default)]
struct Known {
    memories: Vec<Memory>,
    places: HashMap<String, usize>,
}

impl Known {
    fn take(&mut self, record: Record, space: &Space) {
        match record {
            Record::Add(memory) | Record::Update { memory, .. } if memory.space == *space => {
                self.put(*memory);
            }
            Record::Delete { id, forgotten } => {
                self.change(&id, |state| state.forgotten = Some(forgotten));
            }
            Record::Restore { id, .. } => self.change(&id, |state| state.forgotten = None),
            Record::Access { id, count, last } => self.change(&id, |state| {
                state.access_count = count;
                state.last_access = Some(last);
            }),
            _ => {}
        }
    }

    fn put(&mut self, memory: Memory) {
        match self.places.get(memory.id.as_str()) {
            Some(place) => {
                let before = &mut self.memories[*place];
                // The same line twice, as after a log was put together again, changes nothing.
                if memory.version > before.version {
                    let state = before.state.clone();
                    *before = Memory { state, ..memory };
                }
            }
            None => {
                let place = self.memories.len();
                self.places.insert(memory.id.to_string(), place);
                self.memories.push(memory);
            }
        }
    }

    fn change(&mut self, id: &str, change: impl FnOnce(&mut State)) {
        if let Some(place) = self.places.get(id) {
            change(&mut self.memories[*place].state);
        }
    }
}
