//! What a connection has seen of search: good until somebody changes the index.

use std::cell::RefCell;
use std::sync::Arc;

use rusqlite::Connection;

use super::corpus::Corpus;
use crate::error::{Error, Result};

/// The corpus that a connection saw last.
#[derive(Debug, Default)]
pub(in crate::store::local) struct Seen(RefCell<Option<(State, Arc<Corpus>)>>);

/// Tells one state of the index from all others, for one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    /// Changes with every change that other connections make.
    by_others: i64,
    /// Rows that the connection has changed itself.
    by_itself: u64,
}

impl Seen {
    /// What the connection sees now; it has a transaction open.
    pub(super) fn current(
        &self,
        connection: &Connection,
        make: impl FnOnce() -> Result<Corpus>,
    ) -> Result<Arc<Corpus>> {
        let state = State::of(connection).map_err(Error::index("index"))?;
        if let Some((known, corpus)) = &*self.0.borrow()
            && *known == state
        {
            return Ok(corpus.clone());
        }
        let corpus = Arc::new(make()?);
        self.0.replace(Some((state, corpus.clone())));
        Ok(corpus)
    }
}

impl State {
    fn of(connection: &Connection) -> rusqlite::Result<Self> {
        let by_others = connection
            .prepare_cached("PRAGMA data_version")?
            .query_row([], |row| row.get(0))?;
        Ok(Self {
            by_others,
            by_itself: connection.total_changes(),
        })
    }
}
