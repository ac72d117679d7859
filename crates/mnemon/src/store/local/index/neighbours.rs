//! Who names whom, in both directions.

use std::collections::{BTreeMap, HashMap, HashSet};

use rusqlite::Connection;

use super::read::{self, POINTER_COLUMNS, Pointer};
use crate::error::{Error, Result};
use crate::memory::{Memory, MemoryId};
use crate::store::local::files::LogFiles;

/// The memories that these name and those that name them, by their ids.
pub(crate) fn neighbours(
    connection: &Connection,
    files: &LogFiles,
    of: &[Memory],
) -> Result<Vec<Memory>> {
    let found = pointers(connection, of).map_err(Error::index("index"))?;
    let loaded = found.values().map(|pointer| pointer.load(files));
    let mut loaded = loaded.collect::<Result<Vec<_>>>()?;
    if files.can_open() {
        add_sealed(connection, files, of, &mut loaded)?;
    }
    Ok(loaded)
}

/// What sealed memories name is in no table, so each is looked at.
fn add_sealed(
    connection: &Connection,
    files: &LogFiles,
    of: &[Memory],
    loaded: &mut Vec<Memory>,
) -> Result<()> {
    let known: HashSet<MemoryId> = loaded.iter().map(|it| it.id.clone()).collect();
    let names = of.iter().flat_map(Memory::references);
    let names: HashSet<String> = names.map(|it| it.key()).collect();
    for pointer in sealed(connection).map_err(Error::index("index"))? {
        let memory = pointer.load(files)?;
        let mut mentions = memory.mentions().into_iter();
        if mentions.any(|it| names.contains(&it.to.key())) && !known.contains(&memory.id) {
            loaded.push(memory);
        }
    }
    loaded.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(())
}

/// The places of all that is sealed.
fn sealed(connection: &Connection) -> rusqlite::Result<Vec<Pointer>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {POINTER_COLUMNS} FROM memories m JOIN logs l ON l.n = m.log WHERE m.sealed"
    ))?;
    let rows = statement.query_map([], Pointer::from_row)?;
    rows.collect()
}

fn pointers(connection: &Connection, of: &[Memory]) -> rusqlite::Result<BTreeMap<String, Pointer>> {
    let columns = format!("SELECT {POINTER_COLUMNS} FROM memories m JOIN logs l ON l.n = m.log");
    let mut naming = connection.prepare_cached(&format!(
        "{columns} WHERE m.n IN (SELECT n FROM links WHERE target = ?1)"
    ))?;
    let mut numbered = connection.prepare_cached(&format!("{columns} WHERE m.n = ?1"))?;
    let unfiled = unfiled(connection)?;
    let mut found = BTreeMap::new();
    for memory in of {
        for mention in memory.mentions() {
            let named = read::find(connection, &mention.to)?;
            found.extend(named.map(|pointer| (pointer.id.clone(), pointer)));
        }
        for name in memory.references() {
            let key = name.key();
            for pointer in naming.query_map([&key], Pointer::from_row)? {
                let pointer = pointer?;
                found.insert(pointer.id.clone(), pointer);
            }
            for n in unfiled.get(&key).into_iter().flatten() {
                let pointer = numbered.query_row([n], Pointer::from_row)?;
                found.insert(pointer.id.clone(), pointer);
            }
        }
    }
    Ok(found)
}

/// Who names whom among the memories that are not filed yet, read in one go.
fn unfiled(connection: &Connection) -> rusqlite::Result<HashMap<String, Vec<i64>>> {
    let mut statement = connection.prepare_cached("SELECT target, n FROM unfiled_links")?;
    let mut rows = statement.query([])?;
    let mut found: HashMap<String, Vec<i64>> = HashMap::new();
    while let Some(row) = rows.next()? {
        found.entry(row.get(0)?).or_default().push(row.get(1)?);
    }
    Ok(found)
}
