//! Giving up in the middle of a statement.
//!
//! SQLite asks every connection now and then whether to go on; the answer
//! depends on the deadline of the thread that it runs on.

use std::cell::Cell;
use std::time::Instant;

use rusqlite::Connection;

use crate::error::{Error, Result};

/// So many steps of SQLite's machine take well under a millisecond.
const STEPS: i32 = 10_000;

thread_local! {
    static DEADLINE: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Makes a connection ask.
pub(in crate::store::local) fn watch(connection: &mut Connection) -> rusqlite::Result<()> {
    connection.progress_handler(STEPS, Some(is_over))
}

/// Runs something that gives up at that moment, with the error that says so.
pub(in crate::store::local) fn until<T>(
    deadline: Option<Instant>,
    work: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let before = DEADLINE.replace(deadline);
    let answer = work();
    DEADLINE.set(before);
    match answer {
        Err(Error::Index { source, .. }) if is_interrupted(&source) => Err(Error::QueryTimeout),
        answer => answer,
    }
}

/// Gives up if it is time: for whoever does much beside SQLite.
pub(in crate::store::local) fn check() -> Result<()> {
    if is_over() {
        return Err(Error::QueryTimeout);
    }
    Ok(())
}

fn is_over() -> bool {
    DEADLINE
        .get()
        .is_some_and(|deadline| Instant::now() >= deadline)
}

fn is_interrupted(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(rusqlite::ErrorCode::OperationInterrupted)
}
