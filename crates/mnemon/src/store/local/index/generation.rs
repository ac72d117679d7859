//! Where the index lives, and how it is replaced.
//!
//! Each build of the index has a folder of its own, `index/<schema>-<build>/`,
//! and `index/current-<schema>` names the one in use. Whoever asks looks there
//! first, so a rebuild by another process is noticed by the next question, and
//! programs with other tables keep to theirs.

use std::collections::VecDeque;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::Connection;

use super::{SCHEMA, Wal, open_file, open_memory};
use crate::error::{Error, Result};
use crate::store::local::search::{
    Chunks, PendingCache, PostingsCache, RowMapCache, Seen, VectorFile,
};

/// Questions that look at a build side by side: more of them only wait for each
/// other's processor, and each connection has megabytes of pages of its own.
static AT_ONCE: LazyLock<usize> = LazyLock::new(|| {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    (2 * processors).clamp(4, 32)
});

/// Who waits longer has met questions that take their time, and gets one more.
const PATIENCE: Duration = Duration::from_millis(20);

/// One build of the index, with its connections.
#[derive(Debug)]
pub(crate) struct Generation {
    /// The file; none if it is in memory.
    path: Option<PathBuf>,
    connections: Mutex<Connections>,
    given_back: Condvar,
    pub(crate) wal: Arc<Wal>,
    /// What search keeps beside SQLite's file, and what this process has loaded of it.
    pub(crate) vectors: VectorFile,
    pub(crate) chunks: Chunks,
    pub(crate) pending: PendingCache,
    pub(crate) postings: PostingsCache,
    pub(crate) row_map: RowMapCache,
    /// Whether memories are made searchable in it.
    pub(crate) is_searched: bool,
}

/// Those that nobody has now, and how many are out.
#[derive(Debug)]
struct Connections {
    /// In front the one that wrote last: to all others its pages are news, so whoever only asks
    /// takes one from behind.
    idle: VecDeque<Connected>,
    out: usize,
}

impl From<Connection> for Connections {
    fn from(first: Connection) -> Self {
        Self {
            idle: [first.into()].into(),
            out: 0,
        }
    }
}

/// A connection, and what it has seen.
#[derive(Debug)]
struct Connected {
    connection: Connection,
    seen: Seen,
}

impl From<Connection> for Connected {
    fn from(connection: Connection) -> Self {
        Self {
            connection,
            seen: Seen::default(),
        }
    }
}

/// A connection, given back when it is dropped.
pub(crate) struct Borrowed<'a> {
    generation: &'a Generation,
    connected: Option<Connected>,
    side: Side,
}

/// From which end of the line it was taken, and so where it goes back.
#[derive(Clone, Copy, Debug)]
enum Side {
    Front,
    Behind,
}

impl Generation {
    /// An index in memory: one connection, used in turns.
    pub(crate) fn in_memory() -> Result<Self> {
        let connection = open_memory().map_err(Error::index(":memory:"))?;
        Ok(Self {
            path: None,
            connections: Mutex::new(connection.into()),
            given_back: Condvar::new(),
            wal: Arc::default(),
            vectors: VectorFile::in_memory(),
            chunks: Chunks::default(),
            pending: PendingCache::default(),
            postings: PostingsCache::default(),
            row_map: RowMapCache::default(),
            is_searched: true,
        })
    }

    /// For comparing only.
    pub(crate) fn without_search(mut self) -> Self {
        self.is_searched = false;
        self
    }

    fn on_disk(path: PathBuf) -> Result<Self> {
        let wal = Arc::<Wal>::default();
        let connection = open_file(&path, wal.clone()).map_err(Error::index(&path))?;
        Ok(Self {
            wal,
            vectors: VectorFile::on_disk(path.with_file_name("vectors")),
            path: Some(path),
            connections: Mutex::new(connection.into()),
            given_back: Condvar::new(),
            chunks: Chunks::default(),
            pending: PendingCache::default(),
            postings: PostingsCache::default(),
            row_map: RowMapCache::default(),
            is_searched: true,
        })
    }

    /// Whether it is lost with this process.
    pub(crate) fn is_in_memory(&self) -> bool {
        self.path.is_none()
    }

    /// The file, for messages.
    pub(crate) fn path(&self) -> &Path {
        self.path.as_deref().unwrap_or(Path::new(":memory:"))
    }

    /// A connection for one question.
    pub(crate) fn borrow(&self) -> Result<Borrowed<'_>> {
        self.borrow_from(Side::Behind, PATIENCE)
    }

    /// A connection for whoever has the lock of the store, for which others wait.
    pub(crate) fn borrow_at_once(&self) -> Result<Borrowed<'_>> {
        self.borrow_from(Side::Front, Duration::ZERO)
    }

    /// A connection for whoever works beside the writers, which may go on with theirs.
    pub(crate) fn borrow_beside(&self) -> Result<Borrowed<'_>> {
        self.borrow_from(Side::Behind, Duration::ZERO)
    }

    fn borrow_from(&self, side: Side, patience: Duration) -> Result<Borrowed<'_>> {
        let is_short = |connections: &mut Connections| {
            connections.idle.is_empty() && (self.is_in_memory() || connections.out >= *AT_ONCE)
        };
        let mut connections = self.connections();
        connections = match &self.path {
            Some(_) => {
                let waited = self
                    .given_back
                    .wait_timeout_while(connections, patience, is_short);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
            // There is no other way to what is in memory.
            None => {
                let waited = self.given_back.wait_while(connections, is_short);
                waited.unwrap_or_else(PoisonError::into_inner)
            }
        };
        let idle = match side {
            Side::Front => connections.idle.pop_front(),
            Side::Behind => connections.idle.pop_back(),
        };
        connections.out += 1;
        drop(connections);
        let mut borrowed = Borrowed {
            generation: self,
            connected: idle,
            side,
        };
        if borrowed.connected.is_none() {
            let path = self.path();
            let opened = open_file(path, self.wal.clone()).map_err(Error::index(path))?;
            borrowed.connected = Some(opened.into());
        }
        Ok(borrowed)
    }

    fn connections(&self) -> MutexGuard<'_, Connections> {
        self.connections
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Borrowed<'_> {
    /// The build that it belongs to.
    pub(crate) fn generation(&self) -> &Generation {
        self.generation
    }

    /// What it has seen of search.
    pub(crate) fn seen(&self) -> &Seen {
        &self.connected().seen
    }

    fn connected(&self) -> &Connected {
        self.connected.as_ref().expect("there until it is dropped")
    }
}

impl std::ops::Deref for Borrowed<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connected().connection
    }
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        let connected = self.connected.take();
        if let Some(Connected { connection, .. }) = &connected
            && !connection.is_autocommit()
        {
            // A panic or an error left a transaction open.
            let _ = connection.execute_batch("ROLLBACK");
        }
        let mut connections = self.generation.connections();
        connections.out -= 1;
        if let Some(connected) = connected {
            match self.side {
                Side::Front => connections.idle.push_front(connected),
                Side::Behind => connections.idle.push_back(connected),
            }
        }
        let is_one_too_many = connections.idle.len() > *AT_ONCE;
        let surplus = is_one_too_many.then(|| connections.idle.pop_back());
        drop(connections);
        self.generation.given_back.notify_one();
        drop(surplus);
    }
}

/// The pointer to the build in use.
pub(crate) fn pointer(folder: &Path) -> PathBuf {
    folder.join(format!("current-{SCHEMA}"))
}

/// The name of the build in use, if there is one.
pub(crate) fn current(folder: &Path) -> Option<String> {
    let name = fs::read_to_string(pointer(folder)).ok()?;
    let name = name.trim();
    let plain = !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    (plain && folder.join(name).join("index.sqlite").exists()).then(|| name.to_owned())
}

/// Opens a build.
pub(crate) fn open(folder: &Path, name: &str) -> Result<Generation> {
    Generation::on_disk(folder.join(name).join("index.sqlite"))
}

/// Makes an empty build, not yet in use.
pub(crate) fn create(folder: &Path, unique: &str) -> Result<(String, Generation)> {
    let name = format!("{SCHEMA}-{unique}");
    let path = folder.join(&name);
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&path)
        .map_err(Error::io("create", &path))?;
    let file = path.join("index.sqlite");
    // SQLite gives its other files the permissions of this one.
    let mut options = fs::OpenOptions::new();
    options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&file)
        .map_err(Error::io("create", &file))?;
    Ok((name, Generation::on_disk(file)?))
}

/// Puts a build into use and takes the others of our schema away.
pub(crate) fn put_into_use(folder: &Path, name: &str) -> Result<()> {
    let pointer = pointer(folder);
    let next = folder.join(format!("next-{SCHEMA}"));
    let write = || -> io::Result<()> {
        let mut options = fs::OpenOptions::new();
        options
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&next)?
            .write_all(name.as_bytes())?;
        fs::rename(&next, &pointer)
    };
    write().map_err(Error::io("write", &pointer))?;
    let ours = format!("{SCHEMA}-");
    for entry in fs::read_dir(folder)
        .map_err(Error::io("read", folder))?
        .flatten()
    {
        let other = entry.file_name();
        if other.to_string_lossy().starts_with(&ours) && other.to_string_lossy() != name {
            // Those who still have it open go on with it until their next question.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    Ok(())
}

/// Takes the builds of other versions of the program away, and what they left.
pub(crate) fn remove_other_schemas(folder: &Path) -> Result<()> {
    let (ours, pointer) = (format!("{SCHEMA}-"), pointer(folder));
    for entry in fs::read_dir(folder)
        .map_err(Error::io("read", folder))?
        .flatten()
    {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_build = name.starts_with(|first: char| first.is_ascii_digit()) && path.is_dir();
        if is_build && !name.starts_with(&ours) {
            fs::remove_dir_all(&path).map_err(Error::io("remove", &path))?;
        } else if path.is_file() && path != pointer {
            fs::remove_file(&path).map_err(Error::io("remove", &path))?;
        }
    }
    Ok(())
}

/// Bytes of the whole index folder.
pub(crate) fn bytes(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else {
        return 0;
    };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => bytes(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_refused_a_connection_and_few_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (_, generation) = create(folder.path(), "one").unwrap();
        let many: Vec<Borrowed<'_>> = (0..*AT_ONCE + 2)
            .map(|_| generation.borrow().unwrap())
            .collect();
        assert_eq!(generation.connections().out, *AT_ONCE + 2);
        drop(many);
        let connections = generation.connections();
        assert_eq!((connections.out, connections.idle.len()), (0, *AT_ONCE));
    }
}
