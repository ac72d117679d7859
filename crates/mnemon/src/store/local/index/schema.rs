//! The tables, and how a connection is set up.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use rusqlite::config::DbConfig;
use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, OpenFlags, hooks};

use super::position::unsigned;
use super::{by_id, filing, in_force, joined_writes, leaving, shelves, tallies};
use crate::decay::{Access, Class, Facts, Rules};
use crate::memory::{Kind, Space};
use crate::store::local::search;

/// Another number means other tables: each program keeps to the files of its own.
pub(crate) const SCHEMA: u32 = 15;

/// Older SQLite can lose a write-ahead log when it is reset.
const SQLITE_VERSION_MIN: i32 = 3_051_003;

const TABLES: &str = "
CREATE TABLE logs (
    n INTEGER PRIMARY KEY,
    space TEXT NOT NULL UNIQUE,
    generation TEXT NOT NULL,
    device INTEGER NOT NULL, inode INTEGER NOT NULL, size INTEGER NOT NULL, modified INTEGER NOT NULL,
    solid_offset INTEGER NOT NULL, solid_number INTEGER NOT NULL, newline_missing INTEGER NOT NULL,
    tail_length INTEGER NOT NULL, tail_uncommitted INTEGER NOT NULL,
    last_offset INTEGER NOT NULL, last_length INTEGER NOT NULL, last_sum BLOB NOT NULL,
    recorded INTEGER NOT NULL, records INTEGER NOT NULL, counters TEXT NOT NULL
);
CREATE TABLE memories (
    n INTEGER PRIMARY KEY,
    log INTEGER NOT NULL,
    id TEXT NOT NULL,
    kind INTEGER NOT NULL,
    author TEXT,
    created INTEGER NOT NULL,
    importance REAL NOT NULL,
    confidence REAL,
    pinned INTEGER NOT NULL,
    open INTEGER,
    fading INTEGER NOT NULL,
    handle_kind INTEGER, handle_number INTEGER,
    version INTEGER NOT NULL,
    offset INTEGER NOT NULL, length INTEGER NOT NULL, number INTEGER NOT NULL, sum BLOB NOT NULL,
    first_offset INTEGER NOT NULL, first_length INTEGER NOT NULL,
    access_count INTEGER NOT NULL DEFAULT 0, last_access INTEGER,
    forgotten TEXT,
    terms TEXT,
    private_to TEXT,
    sealed INTEGER NOT NULL,
    preference_key TEXT,
    replaced INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX memories_sealed ON memories (n) WHERE sealed;
CREATE INDEX memories_by_created ON memories (created);
CREATE INDEX memories_by_log ON memories (log, created);
CREATE INDEX memories_private ON memories (n) WHERE private_to IS NOT NULL;
CREATE TABLE changes (
    n INTEGER NOT NULL, offset INTEGER NOT NULL, length INTEGER NOT NULL, PRIMARY KEY (n, offset)
) WITHOUT ROWID;
CREATE TABLE sessions (
    log INTEGER PRIMARY KEY, id TEXT NOT NULL, folded TEXT NOT NULL UNIQUE,
    details TEXT NOT NULL, created INTEGER NOT NULL, detailed INTEGER NOT NULL, decay TEXT, archived TEXT
);
CREATE INDEX sessions_with_decay ON sessions (log) WHERE decay IS NOT NULL;
CREATE TABLE damage (
    log INTEGER NOT NULL, offset INTEGER NOT NULL, length INTEGER NOT NULL, number INTEGER NOT NULL,
    message TEXT NOT NULL, id TEXT, PRIMARY KEY (log, offset)
) WITHOUT ROWID;
";

/// A writer empties the write-ahead log itself once it has so many pages: sixteen megabytes.
const WAL_PAGES_MAX: u32 = 4096;

/// The write-ahead log of a build, as far as commits of this process tell.
#[derive(Debug, Default)]
pub(crate) struct Wal {
    /// How many pages it had after the last commit.
    pages: AtomicU32,
    /// How many were left when somebody last tried to empty it.
    left: AtomicU32,
}

impl Wal {
    /// How many pages it has got since it was last emptied.
    pub(crate) fn new_pages(&self) -> u32 {
        let left = self.left.load(Ordering::Relaxed);
        self.pages.load(Ordering::Relaxed).saturating_sub(left)
    }

    /// Takes note that it was emptied, but for these: somebody reads them, or they are new.
    pub(crate) fn emptied(&self, left: u32) {
        self.left.store(left, Ordering::Relaxed);
    }

    fn committed(&self, pages: u32) {
        // Once nobody needs what is in it, it begins anew.
        if pages < self.pages.swap(pages, Ordering::Relaxed) {
            self.left.store(0, Ordering::Relaxed);
        }
    }
}

/// Opens the index in this file, making its tables if it is new.
pub(crate) fn open_file(path: &Path, wal: Arc<Wal>) -> rusqlite::Result<Connection> {
    // No mutex inside SQLite: a connection is used by one thread at a time.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = match joined_writes::layer() {
        Some(layer) => Connection::open_with_flags_and_vfs(path, flags, layer)?,
        None => Connection::open_with_flags(path, flags)?,
    };
    connection.busy_timeout(std::time::Duration::from_secs(5))?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    // Whoever only asked leaves the files as they are, also when it goes.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    // The logs are the truth, so the index need not survive a power cut, but
    // it must not be half there either.
    connection.pragma_update(None, "synchronous", "normal")?;
    // To empty it takes two syncs and many writes, which nobody has to wait for
    // while the filler does it; but without one it must not grow for ever.
    connection.wal_hook(Some(move |log: &mut hooks::Wal, pages| {
        let pages = u32::try_from(pages).unwrap_or(0);
        wal.committed(pages);
        if pages >= WAL_PAGES_MAX {
            // If somebody else is at it, this fails; an error here would be one of the commit,
            // which was made.
            let _ = log.checkpoint();
        }
        Ok(())
    }))?;
    set_up(connection)
}

/// Moves what was written into the index file itself, unless somebody is busy with it.
///
/// The write-ahead log has to be read whenever the index is opened by the
/// first process, so a writer leaves it short.
pub(crate) fn tidy(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(std::time::Duration::ZERO)?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}

/// An index in memory, for a store that can't be written to.
pub(crate) fn open_memory() -> rusqlite::Result<Connection> {
    set_up(Connection::open_in_memory()?)
}

fn set_up(mut connection: Connection) -> rusqlite::Result<Connection> {
    assert!(
        rusqlite::version_number() >= SQLITE_VERSION_MIN,
        "SQLite {} can lose a write-ahead log; at least 3.51.3 is needed",
        rusqlite::version()
    );
    connection.pragma_update(None, "mmap_size", 0)?;
    // The index of ten thousand memories: most questions then read no page from the disk.
    connection.pragma_update(None, "cache_size", -8192)?;
    // What is taken out of the index is overwritten, not just unlinked.
    connection.pragma_update(None, "secure_delete", true)?;
    connection.pragma_update(None, "temp_store", "memory")?;
    connection.set_prepared_statement_cache_capacity(64);
    // Without it SQLite plans a statement anew whenever another value is bound.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    let version: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version == 0 {
        connection.execute_batch(&format!(
            "BEGIN IMMEDIATE; {TABLES} {} {} {} {} {} {} {} PRAGMA user_version = {SCHEMA}; COMMIT;",
            by_id::TREE,
            in_force::TREE,
            filing::TABLES,
            tallies::TABLES,
            leaving::TABLES,
            search::TABLES.concat(),
            shelves::TABLES
        ))?;
    } else if version != SCHEMA {
        return Err(rusqlite::Error::InvalidQuery);
    }
    add_priority(&connection)?;
    search::watch_deadline(&mut connection)?;
    Ok(connection)
}

/// The priority of a memory `m` of a log `l`; the moment and the rules are to be bound.
pub(crate) const PRIORITY: &str = "priority(m.kind, m.fading, m.importance, m.created, m.pinned, \
    m.access_count, m.last_access, l.space, ?, ?)";

/// `priority(…)`: the one formula of [`decay`](crate::decay).
fn add_priority(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("priority", 10, flags, |call| {
        let facts = Facts {
            kind: kind_from(call.get(0)?),
            class: Class::from_number(call.get(1)?),
            importance: call.get(2)?,
            created_micros: call.get(3)?,
            pinned: call.get(4)?,
            access: Access {
                count: unsigned(call.get(5)?),
                last_micros: call.get(6)?,
            },
        };
        // Read once for a statement, not once for a row.
        let rules = call.get_or_create_aux(9, |text| -> Result<Rules, BoxedError> {
            Ok(serde_json::from_str(text.as_str()?)?)
        })?;
        let settings = if rules.sessions.is_empty() {
            &rules.everywhere
        } else {
            let space: String = call.get(7)?;
            rules.of(&space.parse().unwrap_or(Space::Shared))
        };
        Ok(settings.fade(&facts, call.get(8)?).priority)
    })
}

type BoxedError = Box<dyn std::error::Error + Send + Sync>;

/// A kind as the index stores it.
pub(crate) fn kind_number(kind: Kind) -> i64 {
    Kind::ALL
        .iter()
        .position(|known| *known == kind)
        .map_or(0, |place| i64::try_from(place).unwrap_or(0))
}

/// The kind that the index stored so.
pub(crate) fn kind_from(number: i64) -> Kind {
    usize::try_from(number)
        .ok()
        .and_then(|place| Kind::ALL.get(place).copied())
        .unwrap_or(Kind::Fact)
}
