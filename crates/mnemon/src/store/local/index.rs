//! The index: derived from the logs, safe to delete.
//!
//! One SQLite file for the whole store. It holds no content, only what finds
//! it: for each memory the fields that filters use and the place of its line
//! in the log; for each log how far it has been read. A line that is read
//! through the index is checked against the checksum that the index remembers,
//! so a stale index is noticed and never believed.
//!
//! [`apply`] puts records in, [`filing`] sorts them, [`read`] and [`select`] get memories out,
//! [`generation`] is where the file lives and how it is replaced.

pub(crate) mod apply;
pub(crate) mod by_id;
pub(crate) mod filing;
pub(crate) mod generation;
mod in_force;
mod joined_writes;
pub(crate) mod leaving;
pub(crate) mod neighbours;
pub(crate) mod position;
pub(crate) mod read;
mod schema;
pub(crate) mod select;
pub(crate) mod shelves;
pub(crate) mod sight;
mod tallies;
mod terms;

pub(crate) use schema::{SCHEMA, Wal, kind_from, kind_number, open_file, open_memory, tidy};

/// Runs a statement that comes with every question or every write, and so is parsed only once.
pub(crate) fn run(connection: &rusqlite::Connection, sql: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(sql)?.execute([]).map(drop)
}

/// Ends the transaction that is open: from now on others see what it changed.
pub(crate) fn commit(connection: &rusqlite::Connection) -> rusqlite::Result<()> {
    joined_writes::commit(|| run(connection, "COMMIT"))
}

/// Does something within the transaction that is open: all of it, or nothing if it fails.
pub(crate) fn whole_or_not<T, E>(
    connection: &rusqlite::Connection,
    in_index: impl Fn(rusqlite::Error) -> E,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    let run = |sql: &str| run(connection, sql).map_err(&in_index);
    run("SAVEPOINT part")?;
    let done = work();
    if done.is_err() {
        run("ROLLBACK TO part")?;
    }
    run("RELEASE part")?;
    done
}

/// Whether SQLite says that its file is damaged, gone or no database, in which
/// case making it anew helps.
pub(crate) fn is_unusable(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{
        CannotOpen, DatabaseCorrupt, NotADatabase, SchemaChanged, SystemIoFailure, Unknown,
    };
    match error {
        rusqlite::Error::SqliteFailure(failure, _) => matches!(
            failure.code,
            CannotOpen | DatabaseCorrupt | NotADatabase | SchemaChanged | SystemIoFailure | Unknown
        ),
        rusqlite::Error::SqlInputError { .. }
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::IntegralValueOutOfRange(..) => true,
        _ => false,
    }
}
