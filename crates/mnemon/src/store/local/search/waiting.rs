//! Which texts have no vector in a set yet.
//!
//! Reads only what it needs, because the command line asks after every write.

use std::collections::{BTreeMap, HashSet};

use rusqlite::{Connection, OptionalExtension};

use super::Progress;
use super::facts::{CHUNK_ROWS, Facts, ROW_BYTES};
use super::pending;
use crate::embed::TextKey;
use crate::error::{Error, Result};
use crate::random;
use crate::store::local::files::LogFiles;
use crate::store::local::index::read::{POINTER_COLUMNS, Pointer};
use crate::store::{Waiting, WaitingText};

/// Texts of memories that are neither forgotten nor sensitive and whose keys are not known.
pub(in crate::store::local) fn waiting(
    connection: &Connection,
    files: &LogFiles,
    known: &HashSet<u64>,
    limit: usize,
) -> Result<Waiting> {
    let waiting = keys(connection, files, known)?;
    // From anywhere on, so that several who embed at once seldom take the same.
    let begin = match waiting.len() {
        0 => 0,
        count => usize::from_le_bytes(random()[..8].try_into().expect("eight bytes")) % count,
    };
    let from_there = waiting.iter().skip(begin).chain(waiting.iter().take(begin));
    let mut found = Waiting {
        texts: Vec::new(),
        count: waiting.len() as u64,
    };
    for (n, key) in from_there.take(limit) {
        let sql = format!(
            "SELECT {POINTER_COLUMNS} FROM memories m JOIN logs l ON l.n = m.log WHERE m.n = ?1"
        );
        let pointer = connection
            .prepare_cached(&sql)
            .and_then(|mut statement| statement.query_row([n], Pointer::from_row).optional())
            .map_err(Error::index("index"))?;
        if let Some(pointer) = pointer {
            let memory = pointer.load(files)?;
            found.texts.push(WaitingText {
                key: *key,
                text: memory.text.as_str().to_owned(),
                own: memory.embedding,
            });
        }
    }
    Ok(found)
}

/// Each key once, with the first memory that has it, in the order in which
/// they were kept: vectors that lie so are read faster.
fn keys(
    connection: &Connection,
    files: &LogFiles,
    known: &HashSet<u64>,
) -> Result<BTreeMap<u32, TextKey>> {
    let index = || Error::index("index");
    let mut waiting = BTreeMap::new();
    let mut seen = HashSet::new();
    let progress = Progress::read(connection).map_err(index())?;
    let unsearched = pending::unsearched(connection).map_err(index())?;
    let mut take = |n: u32, key: Option<TextKey>| {
        let key = key.filter(|key| !known.contains(&key.number()) && seen.insert(*key));
        if let Some(key) = key {
            waiting.insert(n, key);
        }
    };
    let mut statement = connection
        .prepare_cached("SELECT chunk, rows FROM facts")
        .map_err(index())?;
    let mut chunks = statement.query([]).map_err(index())?;
    while let Some(chunk) = chunks.next().map_err(index())? {
        let first = chunk.get::<_, u32>(0).map_err(index())? * CHUNK_ROWS;
        let rows: Vec<u8> = chunk.get(1).map_err(index())?;
        for (n, row) in (first..).zip(rows.chunks_exact(ROW_BYTES)) {
            if n <= progress.upto && !unsearched.contains(&n) {
                take(n, Facts::read(row).wanted_key());
            }
        }
    }
    for row in pending::rows(connection, progress.upto, u32::MAX).map_err(index())? {
        if row.pointer.state.forgotten.is_none() {
            take(row.n(), TextKey::of(&row.pointer.load(files)?));
        }
    }
    Ok(waiting)
}
