//! The filler: what a write need not wait for is done beside the writers.
//!
//! Every so many memories a thread files and makes searchable what waits,
//! merges segments, and empties SQLite's write-ahead log ([`wal`]). It works out
//! what it will write while others write, and takes the lock to put it in.
//!
//! Invariant: nothing depends on it. Answers are the same before and after, and
//! a writer that finds too much left undone does it itself. Start at `work_beside`.

mod thread;
mod wal;

use std::sync::Arc;

use rusqlite::Connection;

use super::LocalStore;
use super::current::ask_once;
use super::index;
use super::index::filing::{self, Filing};
use super::index::generation::{Borrowed, Generation};
use super::search::{self, Merge, Ready};
use crate::error::{Error, Result};
pub(super) use thread::Filler;
use wal::{empty, is_long};

/// How many memories of logs that are gone a write sweeps out: a few milliseconds.
const SWEPT_AT_ONCE: u32 = 256;

/// While writers go on the filler gathers so many times more, which costs each memory less: trees
/// and segments are touched seldom. Whoever asks has so many more to look at one by one.
const GATHERED: u32 = 4;

/// A writer fills itself once so many times more is pending than a fill waits for.
const FAR_BEHIND: u32 = 24;

/// What waits to be done to the index.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    unfiled: u32,
    pending: u32,
    /// Whether rows of logs that are gone are left.
    gone: bool,
}

impl Waiting {
    /// All with one question, because every write asks it.
    fn count(connection: &Connection) -> rusqlite::Result<Self> {
        connection
            .prepare_cached(
                "SELECT newest - (SELECT upto FROM filed),
                        newest - (SELECT upto FROM search) + (SELECT count(*) FROM unsearched),
                        EXISTS (SELECT 1 FROM gone)
                 FROM (SELECT coalesce(max(n), 0) AS newest FROM memories)",
            )?
            .query_row([], |row| {
                Ok(Self {
                    unfiled: u32::try_from(row.get::<_, i64>(0)?).unwrap_or(0),
                    pending: u32::try_from(row.get::<_, i64>(1)?).unwrap_or(0),
                    gone: row.get(2)?,
                })
            })
    }

    fn most(self) -> u32 {
        self.unfiled.max(self.pending)
    }

    fn reaches(self, many: u32) -> bool {
        self.most() >= many
    }
}

impl LocalStore {
    /// Files and fills if it is time to; the caller has a transaction open.
    ///
    /// Failing is no harm: what stays pending is looked at by whoever asks.
    pub(super) fn fill_search(&self, connection: &Borrowed<'_>) {
        if connection.generation().is_searched {
            let _ = self.fill_from(connection, self.options.pending_max);
        }
    }

    /// As [`Self::fill_search`], but leaves it to the filler if there is one that keeps up; how
    /// many wait, if it is to be asked once the transaction is over.
    pub(super) fn fill_if_far_behind(&self, connection: &Borrowed<'_>) -> Option<u32> {
        let generation = connection.generation();
        if !generation.is_searched {
            return None;
        }
        let filled_at = self.options.pending_max;
        let has_filler = self.filler.is_there() && !generation.is_in_memory();
        let far_behind = filled_at.saturating_mul(if has_filler { FAR_BEHIND } else { 1 });
        let left = self.fill_from(connection, far_behind);
        let left = left.ok().filter(|left| left.reaches(filled_at));
        left.map(Waiting::most)
    }

    /// What is left then.
    fn fill_from(&self, connection: &Borrowed<'_>, many: u32) -> Result<Waiting> {
        let index = || Error::index("index");
        let mut waiting = Waiting::count(connection).map_err(index())?;
        if waiting.gone && search::sweep(connection, SWEPT_AT_ONCE).is_ok() {
            waiting = Waiting::count(connection).map_err(index())?;
        }
        self.preparer.keep_last(waiting.pending);
        if waiting.unfiled >= many {
            filing::file(connection).map_err(index())?;
        }
        if waiting.pending >= many {
            let vectors = &connection.generation().vectors;
            search::fill(connection, &self.files, &self.preparer, vectors)?;
        }
        if waiting.reaches(many) {
            return Waiting::count(connection).map_err(index());
        }
        Ok(waiting)
    }

    /// Has done beside the writers what they left, or does what can't wait.
    pub(super) fn fill_beside(&self, generation: &Generation, waiting: Option<u32>) {
        let is_wal_long = is_long(generation);
        if waiting.is_none() && !is_wal_long {
            return;
        }
        let enough = self.options.pending_max.saturating_mul(GATHERED);
        let is_asked = self.filler.ask(waiting.unwrap_or(0), enough);
        if is_wal_long && !is_asked {
            let _ = empty(generation);
        }
    }

    fn work_beside(&self) {
        let Some(generation) = self.index_in_use() else {
            return;
        };
        // Each for itself: what keeps one from being done need not keep the others.
        for work in [
            Self::file_in_rounds,
            Self::fill_in_rounds,
            Self::merge_in_rounds,
            Self::empty_wal_if_long,
        ] {
            if let Err(Error::Index { source, .. }) = work(self, &generation)
                && index::is_unusable(&source)
            {
                return self.distrust(&generation);
            }
        }
    }

    /// In transactions of its own, so that writers wait half as long as if it filled as well.
    fn file_in_rounds(&self, generation: &Arc<Generation>) -> Result<()> {
        let index = || Error::index("index");
        while let Some(filing) = ask_once(generation, &|connection| {
            let waiting = Waiting::count(connection).map_err(index())?;
            let read = || Filing::read(connection).map_err(index());
            let is_due = waiting.unfiled >= self.options.pending_max;
            Ok(is_due.then(read).transpose()?.flatten())
        })? {
            let is_last = filing.is_last();
            let is_done = self.change_beside(generation, |connection| {
                if !filing.put_in(connection).map_err(index())? {
                    // What was made ready is not so any more: all of it again, with nobody to
                    // change it meanwhile.
                    filing::file(connection).map_err(index())?;
                }
                Ok(())
            })?;
            if is_last || !is_done {
                break;
            }
        }
        Ok(())
    }

    fn fill_in_rounds(&self, generation: &Arc<Generation>) -> Result<()> {
        while let Some(ready) = self.round(generation)? {
            let is_last = ready.is_last();
            let ready = self.with_vectors(generation, ready)?;
            let is_done = self.change_beside(generation, |connection| {
                let is_put_in = match &ready {
                    Some(ready) => ready.put_in(connection, &generation.vectors)?,
                    None => false,
                };
                if !is_put_in {
                    // All of it again, as in `file_in_rounds`.
                    search::fill(connection, &self.files, &self.preparer, &generation.vectors)?;
                }
                Ok(())
            })?;
            if is_last || !is_done {
                break;
            }
        }
        Ok(())
    }

    /// The next round, made ready without the lock; none if too little waits.
    fn round(&self, generation: &Generation) -> Result<Option<Ready>> {
        ask_once(generation, &|connection| {
            let waiting = Waiting::count(connection).map_err(Error::index("index"))?;
            let round = || Ready::read(connection, &self.files, &self.preparer);
            let is_due = waiting.pending >= self.options.pending_max;
            is_due.then(round).transpose()
        })
    }

    /// The round with its vectors on the disk; none if a line could not be read.
    fn with_vectors(
        &self,
        generation: &Arc<Generation>,
        mut ready: Ready,
    ) -> Result<Option<Ready>> {
        if !ready.is_whole() {
            return Ok(None);
        }
        self.change_beside(generation, |connection| {
            ready.write_vectors(connection, &generation.vectors)
        })?;
        // Nobody has to wait for the disk.
        let synced = generation.vectors.sync();
        synced.map_err(Error::io("sync", "the vectors"))?;
        Ok(Some(ready))
    }

    fn merge_in_rounds(&self, generation: &Arc<Generation>) -> Result<()> {
        let index = || Error::index("index");
        while let Some(merge) = ask_once(generation, &|connection| {
            Merge::due(connection).map_err(index())
        })? {
            let is_done = self.change_beside(generation, |connection| {
                merge.put(connection).map_err(index())
            })?;
            if !is_done {
                break;
            }
        }
        Ok(())
    }

    /// Changes the index in one transaction; false if it is not in use any more.
    fn change_beside<T>(
        &self,
        generation: &Arc<Generation>,
        change: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<bool> {
        let _held = self.lock.acquire("bring the index up to date")?;
        let in_use = self.index_in_use();
        if !in_use.is_some_and(|in_use| Arc::ptr_eq(&in_use, generation)) {
            return Ok(false);
        }
        let connection = generation.borrow_at_once()?;
        index::run(&connection, "BEGIN IMMEDIATE").map_err(Error::index("index"))?;
        // A transaction that is left open is undone when the connection is given back.
        change(&connection)?;
        index::commit(&connection).map_err(Error::index("index"))?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::Durability;
    use crate::memory::{Draft, Kind, Link, Revision};
    use crate::store::local::LocalOptions;
    use crate::store::local::fixture::batch;
    use crate::store::{Store, Write};

    const FILLED_AT: u32 = 40;

    fn open(root: &Path, pending_max: u32) -> LocalStore {
        let options = LocalOptions {
            pending_max,
            durability: Durability::Os,
            ..LocalOptions::default()
        };
        LocalStore::create(root, options).unwrap()
    }

    fn add(number: u32, supersedes: Option<u32>) -> Write {
        let text = format!("The cache of room {number} is warm again");
        let mut draft = Draft::new(Kind::Fact, text.parse().unwrap());
        draft.links.extend(supersedes.map(|older| Link {
            rel: "supersedes".parse().unwrap(),
            to: format!("fact_{older}").parse().unwrap(),
        }));
        Write::Add {
            id: format!("fact_{number}").parse().unwrap(),
            draft: Box::new(draft),
        }
    }

    fn revise(number: u32) -> Write {
        Write::Revise {
            id: format!("fact_{number}").parse().unwrap(),
            expected: None,
            revision: Box::new(Revision {
                text: Some("It is cold".parse().unwrap()),
                ..Revision::default()
            }),
        }
    }

    fn waiting(store: &LocalStore) -> Waiting {
        let generation = store.index_in_use().unwrap();
        ask_once(&generation, &|connection| {
            Ok(Waiting::count(connection).unwrap())
        })
        .unwrap()
    }

    fn ready(store: &LocalStore) -> (Arc<Generation>, Ready) {
        let generation = store.index_in_use().unwrap();
        let ready = ask_once(&generation, &|connection| {
            Ready::read(connection, &store.files, &store.preparer)
        });
        (generation, ready.unwrap())
    }

    fn put_in(store: &LocalStore, generation: &Arc<Generation>, ready: &Ready) -> bool {
        let mut done = false;
        let put = |connection: &Connection| {
            done = ready.put_in(connection, &generation.vectors)?;
            Ok(())
        };
        assert!(store.change_beside(generation, put).unwrap());
        done
    }

    #[test]
    fn what_writers_left_is_done_before_the_store_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(open(folder.path(), FILLED_AT));
        store.clone().be_shared();
        for number in 0..500 {
            store.commit(batch(vec![add(number, None)])).unwrap();
        }
        store.be_left();
        let left = waiting(&store);
        assert!(!left.reaches(FILLED_AT), "{left:?}");
        assert!(!is_long(&store.index_in_use().unwrap()));
        // Whoever comes back finds it as it was.
        store.commit(batch(vec![add(500, None)])).unwrap();
        assert_eq!(waiting(&store).pending, left.pending + 1);
    }

    #[test]
    fn without_a_filler_a_writer_fills_itself() {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path(), FILLED_AT);
        for number in 0..3 * FILLED_AT {
            store.commit(batch(vec![add(number, None)])).unwrap();
            assert!(!waiting(&store).reaches(FILLED_AT));
        }
    }

    #[test]
    fn a_round_that_was_made_ready_before_a_revision_is_not_put_in() {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path(), 1000);
        store
            .commit(batch(vec![add(1, None), add(2, None)]))
            .unwrap();
        let (generation, old) = ready(&store);
        store.commit(batch(vec![revise(2)])).unwrap();
        assert!(!put_in(&store, &generation, &old));
        // The revised one counts twice: as new, and as changed.
        assert_eq!(waiting(&store).pending, 3);
        let (_, new) = ready(&store);
        assert!(put_in(&store, &generation, &new));
        assert_eq!(waiting(&store).pending, 0);
    }

    #[test]
    fn a_round_is_put_in_once() {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path(), 1000);
        store.commit(batch(vec![add(1, None)])).unwrap();
        let (generation, first) = ready(&store);
        let (_, second) = ready(&store);
        assert!(put_in(&store, &generation, &first));
        assert!(!put_in(&store, &generation, &second));
    }

    #[test]
    fn what_is_superseded_while_a_round_is_made_ready_is_looked_at_again() {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path(), 1000);
        store.commit(batch(vec![add(1, None)])).unwrap();
        let (generation, round) = ready(&store);
        assert!(put_in(&store, &generation, &round));
        store.commit(batch(vec![add(2, None)])).unwrap();
        let (_, round) = ready(&store);
        // The first was searchable, the second is about to be.
        store
            .commit(batch(vec![add(3, Some(1)), add(4, Some(2))]))
            .unwrap();
        assert!(put_in(&store, &generation, &round));
        // Pending are the two new ones, and the first, about which search is wrong by now.
        assert_eq!(waiting(&store).pending, 3);
        let wrong = || {
            let found = store.verify(&mut |_| {}).unwrap();
            found.problems.len()
        };
        assert_eq!(wrong(), 0);
        let (_, round) = ready(&store);
        assert!(put_in(&store, &generation, &round));
        assert_eq!((waiting(&store).pending, wrong()), (0, 0));
    }
}
