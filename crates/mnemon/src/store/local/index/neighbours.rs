//! Who names whom, in both directions.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::read::{self, POINTER_COLUMNS, Pointer};
use crate::error::{Error, Result};
use crate::memory::Memory;
use crate::store::local::files::LogFiles;

/// The memories that these name and those that name them, by their ids.
pub(crate) fn neighbours(
    connection: &Connection,
    files: &LogFiles,
    of: &[Memory],
) -> Result<Vec<Memory>> {
    let found = pointers(connection, of).map_err(Error::index("index"))?;
    found.values().map(|pointer| pointer.load(files)).collect()
}

fn pointers(connection: &Connection, of: &[Memory]) -> rusqlite::Result<BTreeMap<String, Pointer>> {
    let mut naming = connection.prepare_cached(&format!(
        "SELECT {POINTER_COLUMNS} FROM links k JOIN memories m ON m.n = k.n JOIN logs l ON l.n = m.log
         WHERE k.target = ?1"
    ))?;
    let mut found = BTreeMap::new();
    for memory in of {
        for mention in memory.mentions() {
            let named = read::find(connection, &mention.to)?;
            found.extend(named.map(|pointer| (pointer.id.clone(), pointer)));
        }
        for name in memory.references() {
            for pointer in naming.query_map([name.key()], Pointer::from_row)? {
                let pointer = pointer?;
                found.insert(pointer.id.clone(), pointer);
            }
        }
    }
    Ok(found)
}
