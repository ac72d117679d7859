//! An index made from the logs alone, in memory: what verify and repair go by.

use super::LocalStore;
use super::index::generation::Generation;
use super::index::position::unsigned;
use crate::error::{Error, Result};
use crate::memory::Space;
use crate::store::Progress;

/// Bytes of a log that are no sound record, or a record that makes no sense.
#[derive(Clone, Debug)]
pub(super) struct Bad {
    pub(super) space: Space,
    pub(super) offset: u64,
    pub(super) number: u64,
    pub(super) message: String,
}

impl LocalStore {
    /// Reads every log from its beginning into an index of its own.
    pub(super) fn fresh_index(&self, progress: &mut dyn FnMut(Progress)) -> Result<Generation> {
        // Nobody asks it for words or meaning.
        let fresh = Generation::in_memory()?.without_search();
        self.fill(&fresh, progress)?;
        Ok(fresh)
    }

    /// Reads every log into an index, one after the other.
    pub(super) fn fill(
        &self,
        generation: &Generation,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(u64, u64)> {
        let spaces = self.spaces()?;
        let size_of = |space| {
            self.disk
                .stat(&self.layout.log(space))
                .ok()
                .flatten()
                .map_or(0, |stat| stat.size)
        };
        let total = spaces.iter().map(size_of).sum();
        let mut done = 0;
        for space in &spaces {
            self.catch_up(&generation.borrow()?, std::slice::from_ref(space))?;
            done += size_of(space);
            progress(Progress {
                done: done.min(total),
                total,
            });
        }
        let connection = generation.borrow()?;
        self.catch_up(&connection, &self.stale_shelves(&connection)?)?;
        Ok((spaces.len() as u64, total))
    }
}

/// Everything that is wrong with the logs, in order.
pub(super) fn everything_bad(fresh: &Generation) -> Result<Vec<Bad>> {
    let connection = fresh.borrow()?;
    let rows = || -> rusqlite::Result<Vec<(String, u64, u64, String)>> {
        connection
            .prepare(
                "SELECT l.space, d.offset, d.number, d.message FROM damage d JOIN logs l ON l.n = d.log
                 ORDER BY l.space, d.offset",
            )?
            .query_map([], |row| Ok((row.get(0)?, unsigned(row.get(1)?), unsigned(row.get(2)?), row.get(3)?)))?
            .collect()
    };
    rows()
        .map_err(Error::index("index"))?
        .into_iter()
        .map(|(space, offset, number, message)| {
            Ok(Bad {
                space: space.parse()?,
                offset,
                number,
                message,
            })
        })
        .collect()
}
