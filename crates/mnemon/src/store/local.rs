//! The store on files: a log for each space, and one index over all of them.
//!
//! A write goes through `commit`: lock, append to the log, put into the
//! index, unlock, sync, answer. A question goes through `current`, which
//! sees to it that the index knows all that was acknowledged, without writing
//! anything on the way unless a writer died or a person edited a log.
//!
//! Invariant: the logs are the truth. Everything else below the root can be
//! deleted and comes back the same.

mod audit;
mod buffer;
mod catch_up;
mod commit;
mod compact;
mod current;
pub mod disk;
mod embedded;
mod erase;
mod files;
mod format;
mod fresh;
mod index;
mod layout;
mod life;
mod lock;
pub mod log;
mod measure;
mod network;
mod part;
mod past;
mod plan;
mod poison;
mod post;
mod repair;
mod rewrite;
mod search;
mod shelf;
mod shelves;
mod sync;
mod verify;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use crate::config::{Config, Durability};
use crate::embed::{BuiltIn, Embedder, SetName, TextKey, Vector};
use crate::error::{Error, Result};
use crate::memory::{Memory, MemoryId, Reference, SessionId, Space, ulid};
use crate::random;
use crate::session::{DeletedSession, Session, SessionDeed};
use crate::store::{
    Archiving, AuditEntry, Away, Batch, Change, Compacted, Compaction, Erased, Erasure, Filter,
    Measure, Progress, Receipt, Reindexed, Repair, RepairOptions, Return, Selection, Shelved,
    Stats, Store, Verification, View, Waiting,
};
use crate::time::Time;
use disk::{Disk, RealDisk};
use files::LogFiles;
use layout::Layout;
pub use lock::Note as LockNote;
use lock::StoreLock;
use sync::Syncs;

/// How a store on files behaves.
#[derive(Clone, Debug)]
pub struct LocalOptions {
    /// When a write is acknowledged.
    pub durability: Durability,
    /// How long to wait for the lock.
    pub lock_timeout_ms: u64,
    /// The longest pause between two tries for the lock.
    pub lock_pause_ms_max: u64,
    /// How often a failing write is tried in all.
    pub write_attempts: u32,
    /// The pause before the second try; it doubles from there.
    pub retry_backoff_ms: u64,
    /// How much may wait in memory while the disk is full.
    pub buffer_bytes_max: u64,
    /// Keep the index in memory, even if the folder could hold it.
    pub index_in_memory: bool,
    /// Read no line that was recorded after this moment, and write nothing.
    pub as_of: Option<Time>,
    /// So many memories are made searchable together; until then questions look at each.
    pub pending_max: u32,
    /// What makes vectors of texts.
    pub embedder: Arc<dyn Embedder>,
    /// Take it from the start that other processes write at the same time.
    pub expects_others: bool,
}

impl From<&Config> for LocalOptions {
    fn from(config: &Config) -> Self {
        Self {
            durability: config.storage.durability,
            lock_timeout_ms: config.lock.timeout_ms,
            lock_pause_ms_max: config.lock.retry_backoff_ms_max,
            write_attempts: config.storage.write_attempts,
            retry_backoff_ms: config.storage.retry_backoff_ms,
            buffer_bytes_max: config.storage.buffer_bytes_max,
            index_in_memory: false,
            as_of: None,
            pending_max: 128,
            embedder: Arc::new(BuiltIn::new()),
            expects_others: false,
        }
    }
}

impl Default for LocalOptions {
    fn default() -> Self {
        Self::from(&Config::default())
    }
}

/// A store in a folder; any number of them, in any number of processes, share it.
#[derive(Debug)]
pub struct LocalStore {
    disk: Arc<dyn Disk>,
    layout: Layout,
    options: LocalOptions,
    lock: StoreLock,
    files: LogFiles,
    syncs: Arc<Syncs>,
    /// The vectors of embedders outside of the program.
    sets: Arc<embedded::Sets>,
    /// The index in use, as this process last saw it.
    loaded: Mutex<current::Loaded>,
    queue: commit::Queue,
    preparer: Arc<search::Preparer>,
    post: post::Post,
    waiting: buffer::Buffer,
    /// When sessions were last opened.
    openings: audit::Openings,
    /// Look into the archives of these sessions, and at nothing else.
    looks_into: Option<Vec<Space>>,
    format: Mutex<format::Known>,
    /// Whether anything was written, so that there is something to tidy up.
    wrote: AtomicBool,
    /// A forked child shares descriptors, and so locks, with its parent.
    process: u32,
}

impl LocalStore {
    /// Makes a store in a folder, or opens the one that is there.
    pub fn create(root: &Path, options: LocalOptions) -> Result<Self> {
        Self::create_on(Arc::new(RealDisk), root, options)
    }

    /// Opens the store in a folder.
    pub fn open(root: &Path, options: LocalOptions) -> Result<Self> {
        Self::open_on(Arc::new(RealDisk), root, options)
    }

    /// As [`create`](Self::create), on another disk.
    pub fn create_on(disk: Arc<dyn Disk>, root: &Path, options: LocalOptions) -> Result<Self> {
        let layout = Layout::new(root);
        format::create(&*disk, &layout)?;
        Self::open_on(disk, root, options)
    }

    /// As [`open`](Self::open), on another disk.
    pub fn open_on(disk: Arc<dyn Disk>, root: &Path, options: LocalOptions) -> Result<Self> {
        let layout = Layout::new(root);
        network::refuse(root)?;
        let format = format::check(&*disk, &layout)?;
        let syncs = Arc::new(Syncs::new(disk.clone()));
        if let Durability::Interval { every_ms } = options.durability {
            sync::every(every_ms, &syncs, disk.clone(), layout.poisoned());
        }
        Ok(Self {
            lock: StoreLock::new(
                disk.clone(),
                layout.lock(),
                options.lock_timeout_ms,
                options.lock_pause_ms_max,
            ),
            files: LogFiles::new(disk.clone(), layout.clone()),
            syncs,
            sets: Arc::new(embedded::Sets::new(layout.embedded())),
            loaded: Mutex::default(),
            queue: commit::Queue::default(),
            post: post::Post::new(&layout.index()),
            preparer: Arc::new(search::Preparer::new(options.embedder.clone())),
            waiting: buffer::Buffer::default(),
            openings: audit::Openings::default(),
            looks_into: None,
            format: Mutex::new(format),
            wrote: AtomicBool::new(false),
            process: std::process::id(),
            disk,
            layout,
            options,
        })
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        self.layout.root()
    }

    /// The log of a space, whether there is one or not.
    pub fn log_path(&self, space: &Space) -> PathBuf {
        self.layout.log(space)
    }

    /// Who holds the lock, as far as its file tells.
    pub fn lock_note(&self) -> Result<LockNote> {
        self.lock.read_note()
    }

    /// Why writing is stopped, if it is.
    pub fn poisoned(&self) -> Result<Option<String>> {
        Ok(poison::read(&*self.disk, &self.layout)?.map(|marker| marker.to_string()))
    }

    /// The spaces that have a log, in the order of their names.
    fn spaces(&self) -> Result<Vec<Space>> {
        if let Some(only) = &self.looks_into {
            return Ok(only.clone());
        }
        let mut spaces = Vec::new();
        for (folder, prefix) in [
            (self.layout.agents(), "agent"),
            (self.layout.sessions(), "session"),
        ] {
            let names = self
                .disk
                .list(&folder)
                .map_err(Error::io("read", &folder))?;
            // A folder whose name is no id is none of ours.
            spaces.extend(
                names
                    .iter()
                    .filter_map(|name| format!("{prefix}/{name}").parse::<Space>().ok()),
            );
        }
        spaces.push(Space::Shared);
        let mut with_log = Vec::with_capacity(spaces.len());
        for space in spaces {
            let path = self.layout.log(&space);
            if self
                .disk
                .stat(&path)
                .map_err(Error::io("read", &path))?
                .is_some()
            {
                with_log.push(space);
            }
        }
        Ok(with_log)
    }

    fn refuse_after_fork(&self) -> Result<()> {
        if self.process == std::process::id() {
            return Ok(());
        }
        let source = std::io::Error::other("this process was forked; open the store anew");
        Err(Error::Io {
            action: "use",
            path: self.layout.root().into(),
            source: Arc::new(source),
        })
    }
}

impl LocalStore {
    /// Refuses what a forked child or a look at the past may not do.
    fn refuse_writing(&self) -> Result<()> {
        self.refuse_after_fork()?;
        match self.options.as_of {
            Some(moment) => Err(Error::Past { moment }),
            None => Ok(()),
        }
    }
}

impl Drop for LocalStore {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            return;
        }
        self.post.close();
        // What is not durable yet was never said to be; this is the last chance to make it so.
        if self.options.durability != Durability::Os {
            let _ = self.flush();
        }
        if self.wrote.load(Ordering::Relaxed) {
            self.tidy_index();
        }
    }
}

impl Store for LocalStore {
    fn commit(&self, batch: Batch) -> Result<Receipt> {
        self.refuse_writing()?;
        self.commit_with_retries(batch)
    }

    fn find(&self, reference: &Reference) -> Result<Option<Memory>> {
        let (found, damaged) = self.ask(|connection| {
            match index::read::find(connection, reference).map_err(Error::index("index"))? {
                Some(pointer) => Ok((Some(pointer.load(&self.files)?), None)),
                None => Ok((None, self.damage_about(connection, reference)?)),
            }
        })?;
        // More than "not found": the only line about it can't be believed.
        damaged.map_or(Ok(found), Err)
    }

    fn select(&self, filter: &Filter) -> Result<Selection> {
        self.ask(|connection| index::select::select(connection, &self.files, filter))
    }

    fn neighbours(&self, of: &[Memory]) -> Result<Vec<Memory>> {
        self.ask(|connection| index::neighbours::neighbours(connection, &self.files, of))
    }

    fn look(&self, question: &mut dyn FnMut(&dyn View) -> Result<()>) -> Result<()> {
        let question = std::cell::RefCell::new(question);
        self.ask_build(|connection| {
            let generation = connection.generation();
            let view = search::LocalView {
                connection,
                path: generation.path(),
                files: &self.files,
                embedder: &*self.options.embedder,
                chunks: &generation.chunks,
                pending: &generation.pending,
                vectors: &generation.vectors,
                sets: &self.sets,
                row_map: &generation.row_map,
                seen: connection.seen(),
            };
            (question.borrow_mut())(&view)
        })
    }

    fn as_of(&self, moment: Time) -> Result<Arc<dyn Store>> {
        let options = LocalOptions {
            index_in_memory: true,
            as_of: Some(moment),
            ..self.options.clone()
        };
        let disk = self.disk_as_of(moment)?;
        let mut past = Self::open_on(disk, self.layout.root(), options)?;
        past.sets = self.sets.clone();
        Ok(Arc::new(past))
    }

    fn walk(&self, spaces: &[Space], each: &mut dyn FnMut(Memory) -> Result<()>) -> Result<()> {
        let spaces = if spaces.is_empty() {
            self.spaces()?
        } else {
            spaces.to_vec()
        };
        let archived = if self.looks_into.is_some() {
            BTreeMap::new()
        } else {
            self.ask(|connection| index::read::archived(connection).map_err(Error::index("index")))?
        };
        for space in spaces {
            if let Some(archived) = archived.get(&space) {
                self.look_into(&space, archived)?
                    .walk(std::slice::from_ref(&space), each)?;
                continue;
            }
            let pointers = self.ask(|connection| {
                index::read::pointers_of(connection, &space).map_err(Error::index("index"))
            })?;
            for pointer in pointers {
                let memory = match pointer.load(&self.files) {
                    // The log may have been replaced since the index was asked.
                    Err(Error::Damaged { id, .. }) => self.find(&Reference::Id(id.parse()?))?,
                    loaded => Some(loaded?),
                };
                memory.map_or(Ok(()), &mut *each)?;
            }
        }
        Ok(())
    }

    fn history(&self, id: &MemoryId) -> Result<Vec<Change>> {
        self.ask(|connection| {
            let reference = Reference::Id(id.clone());
            match index::read::find(connection, &reference).map_err(Error::index("index"))? {
                Some(pointer) => index::read::history(connection, &self.files, &pointer),
                None => Ok(Vec::new()),
            }
        })
    }

    fn session(&self, id: &SessionId) -> Result<Option<Session>> {
        let found = self.ask(|connection| {
            index::read::sessions(connection, Some(id)).map_err(Error::index("index"))
        })?;
        found
            .into_iter()
            .next()
            .map(|session| self.with_opening(session))
            .transpose()
    }

    fn sessions(&self) -> Result<Vec<Session>> {
        let found = self.ask(|connection| {
            index::read::sessions(connection, None).map_err(Error::index("index"))
        })?;
        found
            .into_iter()
            .map(|session| self.with_opening(session))
            .collect()
    }

    fn archive(&self, archiving: &Archiving) -> Result<bool> {
        self.archive_session(archiving)
    }

    fn restore(&self, deed: &SessionDeed) -> Result<bool> {
        self.restore_session(deed)
    }

    fn activate(&self, deed: &SessionDeed) -> Result<()> {
        self.enter_activation(deed)
    }

    fn delete_session(
        &self,
        deed: &SessionDeed,
        recovery_deadline: Time,
    ) -> Result<DeletedSession> {
        self.delete_session_on_disk(deed, recovery_deadline)
    }

    fn undelete_session(&self, deed: &SessionDeed) -> Result<()> {
        self.undelete_session_on_disk(deed)
    }

    fn purge_session(&self, deed: &SessionDeed) -> Result<()> {
        self.purge_session_on_disk(deed)
    }

    fn deleted_sessions(&self) -> Result<Vec<DeletedSession>> {
        self.trashed_sessions()
    }

    fn shelved(&self, id: &MemoryId) -> Result<Option<Shelved>> {
        let found = self.ask(|connection| {
            index::shelves::find(connection, id.as_str()).map_err(Error::index("index"))
        })?;
        found
            .map(|found| {
                Ok(Shelved {
                    session: found.session.parse()?,
                    deleted: found.trashed,
                })
            })
            .transpose()
    }

    fn stats(&self) -> Result<Stats> {
        let mut stats =
            self.ask(|connection| index::read::stats(connection).map_err(Error::index("index")))?;
        stats.index_bytes = index::generation::bytes(&self.layout.index());
        Ok(stats)
    }

    fn verify(&self, progress: &mut dyn FnMut(Progress)) -> Result<Verification> {
        self.verify_everything(progress)
    }

    fn repair(&self, options: RepairOptions, progress: &mut dyn FnMut(Progress)) -> Result<Repair> {
        self.refuse_after_fork()?;
        self.repair_everything(options, progress)
    }

    fn reindex(&self, progress: &mut dyn FnMut(Progress)) -> Result<Reindexed> {
        self.refuse_after_fork()?;
        self.rebuild(progress)
    }

    fn waiting(&self, set: &SetName, limit: usize) -> Result<Waiting> {
        let known = self.sets.keys(set)?;
        self.ask(|connection| search::waiting(connection, &self.files, &known, limit))
    }

    fn put_vectors(&self, set: &SetName, vectors: &[(TextKey, Option<Vector>)]) -> Result<()> {
        self.refuse_after_fork()?;
        self.sets.put(set, vectors, false)
    }

    fn complete_set(&self, set: &SetName) -> Result<()> {
        self.refuse_after_fork()?;
        self.sets.put(set, &[], true)
    }

    fn measure(&self, session: &SessionId) -> Result<Measure> {
        self.measure_session(session)
    }

    fn compact(&self, compaction: &Compaction) -> Result<Compacted> {
        self.refuse_writing()?;
        self.compact_session(compaction)
    }

    fn bring_back(&self, wanted: &Return) -> Result<Vec<MemoryId>> {
        self.refuse_writing()?;
        self.bring_back_lines(wanted)
    }

    fn away(&self, reference: &Reference) -> Result<Option<Away>> {
        self.find_away(reference)
    }

    fn away_in(&self, session: &SessionId) -> Result<Vec<Away>> {
        self.away_of(session)
    }

    fn erase(&self, erasure: &Erasure) -> Result<Erased> {
        self.refuse_writing()?;
        self.erase_everywhere(erasure)
    }

    fn were_erased(&self, texts: &[&str]) -> Result<Vec<bool>> {
        audit::were_erased(&*self.disk, &self.layout, texts)
    }

    fn audit(&self) -> Result<Vec<AuditEntry>> {
        self.audit_trail()
    }

    fn flush(&self) -> Result<()> {
        self.refuse_after_fork()?;
        self.write_what_waits()?;
        self.sync_everything()
    }

    fn be_shared(self: Arc<Self>) {
        self.may_serve(Arc::downgrade(&self));
        if self.options.expects_others && self.options.as_of.is_none() {
            self.met_others();
        }
    }
}

/// The version of the SQLite that this program brings along.
pub fn sqlite_version() -> &'static str {
    rusqlite::version()
}

/// A name that nobody has used: for generations, transactions and files set aside.
fn unique(now_micros: i64) -> String {
    ulid(u64::try_from(now_micros / 1000).unwrap_or(0), random())
}

/// The time for names and notes, which no answer depends on.
fn wall_micros() -> i64 {
    jiff::Timestamp::now().as_microsecond()
}

/// The same as people read it.
fn wall_text() -> String {
    format!("{:.3}", jiff::Timestamp::now())
}
