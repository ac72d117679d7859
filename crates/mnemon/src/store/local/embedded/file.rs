//! A set on the disk: one SQLite file, written by any number of processes.
//!
//! A row is added once and never changed, with a number that only grows: who
//! has seen some rows asks for those behind them.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, params};

use super::identity;
use super::rows::{SetRows, encode};
use crate::embed::{SetName, TextKey, Vector};
use crate::random;

/// Another number means other tables: each program keeps to the sets of its own.
pub(super) const FORMAT: u32 = 1;

/// How long a writer waits for another; each takes milliseconds.
const BUSY: Duration = Duration::from_secs(5);

/// In the name of a folder that is about to be removed.
const GONE: &str = ".gone-";

static SERIAL: AtomicU64 = AtomicU64::new(1);

const TABLES: &str = "
CREATE TABLE about (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    embedder TEXT NOT NULL, dimension INTEGER NOT NULL, complete INTEGER NOT NULL
);
CREATE TABLE vectors (n INTEGER PRIMARY KEY AUTOINCREMENT, key INTEGER NOT NULL UNIQUE, row BLOB NOT NULL);
";

/// A set that is open for questions.
#[derive(Debug)]
pub(in crate::store::local) struct VectorSet {
    /// Tells it apart from every other that this process has opened.
    pub(in crate::store::local) serial: u64,
    identity: (u64, u64),
    connection: Mutex<Connection>,
    rows: RwLock<SetRows>,
}

impl VectorSet {
    /// Opens the set in this file; none if it is not there, or about to be made.
    pub(super) fn open(path: &Path, name: &SetName) -> rusqlite::Result<Option<Self>> {
        let Some(identity) = identity(path) else {
            return Ok(None);
        };
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(BUSY)?;
        // A damaged row that is taken out is overwritten, not just unlinked.
        connection.pragma_update(None, "secure_delete", true)?;
        // Whoever only asks leaves the files as they are, also when it goes.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        if format(&connection)? == 0 {
            return Ok(None);
        }
        check(&connection, name)?;
        Ok(Some(Self {
            serial: SERIAL.fetch_add(1, Ordering::Relaxed),
            identity,
            connection: Mutex::new(connection),
            rows: RwLock::new(SetRows::new(name.dimension)),
        }))
    }

    /// Whether this is the set that has its name on the disk.
    pub(super) fn is_at(&self, path: &Path) -> bool {
        identity(path) == Some(self.identity)
    }

    /// What is known of it in memory.
    pub(in crate::store::local) fn rows(&self) -> RwLockReadGuard<'_, SetRows> {
        self.rows.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Loads what was added since the last time.
    pub(super) fn refresh(&self) -> rusqlite::Result<()> {
        let connection = self.connection();
        let (complete, last): (bool, i64) = connection
            .prepare_cached(
                "SELECT complete, (SELECT coalesce(max(n), 0) FROM vectors) FROM about",
            )?
            .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let seen = self.rows();
        // It may have seen a damaged row that is gone now.
        if seen.upto >= last && seen.complete == complete {
            return Ok(());
        }
        drop(seen);
        let mut rows = self.rows.write().unwrap_or_else(PoisonError::into_inner);
        rows.complete = complete;
        rows.reserve(last);
        let mut damaged = Vec::new();
        let mut statement =
            connection.prepare_cached("SELECT n, key, row FROM vectors WHERE n > ?1 ORDER BY n")?;
        let mut found = statement.query([rows.upto])?;
        while let Some(row) = found.next()? {
            let (n, key): (i64, i64) = (row.get(0)?, row.get(1)?);
            if !rows.add(n, key.cast_unsigned(), row.get_ref(2)?.as_blob()?) {
                damaged.push(n);
            }
        }
        drop(found);
        drop(statement);
        for n in damaged {
            // Then its text waits again; if that can't be done now, somebody else will.
            let _ = connection.execute("DELETE FROM vectors WHERE n = ?1", [n]);
        }
        Ok(())
    }

    /// The keys of all that it has, without the vectors.
    pub(super) fn keys(&self) -> rusqlite::Result<HashSet<u64>> {
        self.connection()
            .prepare_cached("SELECT key FROM vectors")?
            .query_map([], |row| Ok(row.get::<_, i64>(0)?.cast_unsigned()))?
            .collect()
    }

    fn connection(&self) -> std::sync::MutexGuard<'_, Connection> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Adds rows to the set in this file, made if it is not there; and says that it is complete.
pub(super) fn put(
    path: &Path,
    name: &SetName,
    vectors: &[(TextKey, Option<Vector>)],
    complete: bool,
) -> rusqlite::Result<()> {
    let mut connection = make(path, name)?;
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    check(&transaction, name)?;
    let mut statement = transaction
        .prepare("INSERT INTO vectors (key, row) VALUES (?1, ?2) ON CONFLICT (key) DO NOTHING")?;
    for (key, vector) in vectors {
        let row = encode(*key, vector.as_ref(), name.dimension);
        statement.execute(params![key.number().cast_signed(), row])?;
    }
    drop(statement);
    if complete {
        transaction.execute("UPDATE about SET complete = 1 WHERE complete = 0", [])?;
    }
    transaction.commit()
}

fn make(path: &Path, name: &SetName) -> rusqlite::Result<Connection> {
    if let Some(folder) = path.parent() {
        // If it fails, SQLite says so better.
        let _ = fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder);
        // SQLite gives its other files the permissions of this one.
        let mut options = fs::OpenOptions::new();
        let _ = options.append(true).create(true).mode(0o600).open(path);
    }
    let mut connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    connection.busy_timeout(BUSY)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "synchronous", "normal")?;
    // What is taken out is overwritten, not just unlinked.
    connection.pragma_update(None, "secure_delete", true)?;
    if format(&connection)? == 0 {
        let transaction =
            connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        // Another process may have been faster.
        if format(&transaction)? == 0 {
            transaction.execute_batch(TABLES)?;
            let dimension = i64::try_from(name.dimension).unwrap_or(i64::MAX);
            transaction.execute(
                "INSERT INTO about VALUES (1, ?1, ?2, 0)",
                params![name.embedder, dimension],
            )?;
            transaction.pragma_update(None, "user_version", FORMAT)?;
        }
        transaction.commit()?;
    }
    Ok(connection)
}

fn format(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Refuses the set of another format or of another embedder, as if it were damaged.
fn check(connection: &Connection, name: &SetName) -> rusqlite::Result<()> {
    let found: (String, i64) =
        connection.query_row("SELECT embedder, dimension FROM about", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
    let is_ours = format(connection)? == FORMAT
        && found.0 == name.embedder
        && usize::try_from(found.1) == Ok(name.dimension);
    if is_ours {
        return Ok(());
    }
    Err(corrupt())
}

/// Whether the set has to be made anew. A disk that fails or is full is no
/// damage: vectors may have cost money.
pub(super) fn is_damaged(error: &rusqlite::Error) -> bool {
    match error {
        rusqlite::Error::SqliteFailure(failure, _) => matches!(
            failure.code,
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::Unknown
        ),
        rusqlite::Error::SqlInputError { .. }
        | rusqlite::Error::QueryReturnedNoRows
        | rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::IntegralValueOutOfRange(..) => true,
        _ => false,
    }
}

/// Removes every vector whose key is not among these, so that no byte of it is left.
pub(super) fn keep_only(path: &Path, keys: &HashSet<u64>) -> rusqlite::Result<()> {
    let mut connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    connection.busy_timeout(BUSY)?;
    connection.pragma_update(None, "secure_delete", true)?;
    if format(&connection)? != FORMAT {
        return Err(corrupt());
    }
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let found: Vec<(i64, i64)> = transaction
        .prepare("SELECT n, key FROM vectors")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (n, key) in found {
        if !keys.contains(&key.cast_unsigned()) {
            transaction.execute("DELETE FROM vectors WHERE n = ?1", [n])?;
        }
    }
    transaction.commit()?;
    // Until then the write-ahead log may have the rows, and the file too.
    let was_busy: bool =
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if was_busy { Err(corrupt()) } else { Ok(()) }
}

fn corrupt() -> rusqlite::Error {
    let failure = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
    rusqlite::Error::SqliteFailure(failure, None)
}

/// Takes a set's folder away at once, so that nobody meets one of SQLite's files without the others.
pub(super) fn throw_away(folder: &Path) -> io::Result<()> {
    let mut gone = PathBuf::from(folder).into_os_string();
    gone.push(format!("{GONE}{}", crate::memory::ulid(0, random())));
    fs::rename(folder, &gone)?;
    // Those who have it open go on with it until their next question.
    fs::remove_dir_all(&gone)
}
