//! Checking what is sealed: whether it opens, for whoever has the key.

use rusqlite::Connection;

use super::super::LocalStore;
use super::super::index::generation::Generation;
use super::super::index::read::{POINTER_COLUMNS, Pointer};
use crate::error::{Code, Error, Result};
use crate::memory::Shut;
use crate::seal::SealProblem;
use crate::store::{Verification, VerifyProblem};

impl LocalStore {
    /// Lines that were altered and signed again have a checksum that holds, and do not open.
    pub(super) fn find_altered(&self, fresh: &Generation, found: &mut Verification) -> Result<()> {
        for pointer in sealed(&*fresh.borrow()?).map_err(Error::index("index"))? {
            // One that can't be read at all was told of before.
            let Ok(memory) = pointer.load_as_kept(&self.files) else {
                continue;
            };
            let memory = self.keys.open(memory)?;
            if let Some(closed) = memory.closed()
                && closed.why == Shut::Altered
            {
                found.problems.push(VerifyProblem {
                    space: memory.space.to_string(),
                    line: Some(pointer.number),
                    code: Code::Crypto,
                    message: SealProblem::of(closed.why, &memory.id).to_string(),
                });
            }
        }
        Ok(())
    }
}

fn sealed(connection: &Connection) -> rusqlite::Result<Vec<Pointer>> {
    let mut statement = connection.prepare(&format!(
        "SELECT {POINTER_COLUMNS} FROM memories m JOIN logs l ON l.n = m.log WHERE m.sealed ORDER BY m.n"
    ))?;
    let rows = statement.query_map([], Pointer::from_row)?;
    rows.collect()
}
