//! The store on files: a log for each space, and one index over all of them.
//!
//! A write goes through `commit`: lock, append to the log, put into the
//! index, unlock, sync, answer. A question goes through `current`, which
//! sees to it that the index knows all that was acknowledged, without writing
//! anything on the way unless a writer died or a person edited a log.
//!
//! Invariant: the logs are the truth. Everything else below the root can be
//! deleted and comes back the same.

mod again;
mod audit;
mod backup;
mod buffer;
mod catch_up;
mod commit;
mod compact;
mod current;
pub mod disk;
mod embedded;
mod erase;
mod files;
mod filler;
#[cfg(test)]
mod fixture;
mod folders;
mod format;
mod fresh;
mod index;
mod keys;
mod layout;
mod life;
mod locate;
mod lock;
pub mod log;
mod lost;
mod measure;
mod network;
mod papers;
mod part;
mod past;
mod plan;
mod poison;
mod post;
mod put_away;
mod repair;
mod rewrite;
mod search;
mod shelf;
mod shelves;
mod store;
mod sync;
mod tend;
mod verify;
mod whole_file;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use crate::config::{Config, Durability};
use crate::embed::{BuiltIn, Embedder};
use crate::error::{Error, Result};
use crate::memory::{Space, ulid};
use crate::random;
use crate::seal::Keyring;
use crate::store::Store;
use crate::time::Time;
pub use backup::{GoneSince, drop_old_backups, restore_backup};
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
    /// Who can open what is sealed, and whether everything is to be.
    pub keyring: Arc<Keyring>,
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
            keyring: Arc::new(Keyring::new(Vec::new(), config.sealing.everything)),
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
    /// Held by whoever erases, from its intent to its end.
    erasing: StoreLock,
    files: LogFiles,
    keys: Arc<keys::Keys>,
    syncs: Arc<Syncs>,
    /// The vectors of embedders outside of the program.
    sets: Arc<embedded::Sets>,
    /// The index in use, as this process last saw it.
    loaded: Mutex<current::Loaded>,
    queue: commit::Queue,
    preparer: Arc<search::Preparer>,
    filler: filler::Filler,
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
        let keyring = options.keyring.clone();
        let keys = Arc::new(keys::Keys::new(disk.clone(), &layout, keyring));
        let syncs = Arc::new(Syncs::new(disk.clone()));
        if let Durability::Interval { every_ms } = options.durability {
            sync::every(every_ms, &syncs, disk.clone(), layout.poisoned());
        }
        let lock_at = |path| {
            let (timeout_ms, pause_ms_max) = (options.lock_timeout_ms, options.lock_pause_ms_max);
            StoreLock::new(disk.clone(), path, timeout_ms, pause_ms_max)
        };
        Ok(Self {
            lock: lock_at(layout.lock()),
            erasing: lock_at(layout.erasing_lock()),
            files: LogFiles::new(disk.clone(), layout.clone(), keys.clone()),
            keys,
            syncs,
            sets: Arc::new(embedded::Sets::new(layout.embedded())),
            loaded: Mutex::default(),
            queue: commit::Queue::default(),
            post: post::Post::new(&layout.index()),
            preparer: Arc::new(search::Preparer::new(options.embedder.clone())),
            filler: filler::Filler::default(),
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
        self.filler.stop();
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

/// Which store is in a folder; none if there is none that can be read.
pub fn store_id(root: &Path) -> Option<String> {
    format::store_id(&RealDisk, &Layout::new(root)).ok()
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
