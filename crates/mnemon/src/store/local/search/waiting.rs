//! Which texts have no vector in a set yet.
//!
//! Reads only what it needs, because the command line asks after every write.

use std::collections::{BTreeMap, HashSet};

use rusqlite::{Connection, OptionalExtension};

use super::Progress;
use super::facts::{CHUNK_ROWS, Facts, ROW_BYTES};
use super::pending::{self, Rows};
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

/// The keys of all memories, forgotten ones included: what a set may have vectors of.
pub(in crate::store::local) fn text_keys(
    connection: &Connection,
    files: &LogFiles,
) -> Result<HashSet<u64>> {
    let mut found = HashSet::new();
    each_key(connection, files, &mut |_, key, _| {
        found.insert(key.number());
    })?;
    Ok(found)
}

/// Each key once, with the first memory that has it, in the order in which
/// they were kept: vectors that lie so are read faster.
fn keys(
    connection: &Connection,
    files: &LogFiles,
    known: &HashSet<u64>,
) -> Result<BTreeMap<u32, TextKey>> {
    let mut waiting = BTreeMap::new();
    let mut seen = HashSet::new();
    each_key(connection, files, &mut |n, key, is_forgotten| {
        if !is_forgotten && !known.contains(&key.number()) && seen.insert(key) {
            waiting.insert(n, key);
        }
    })?;
    Ok(waiting)
}

/// Every memory that is not sensitive: its number, its key, and whether it is forgotten.
fn each_key(
    connection: &Connection,
    files: &LogFiles,
    each: &mut dyn FnMut(u32, TextKey, bool),
) -> Result<()> {
    let index = || Error::index("index");
    let progress = Progress::read(connection).map_err(index())?;
    let unsearched = pending::unsearched(connection).map_err(index())?;
    let mut statement = connection
        .prepare_cached("SELECT chunk, rows FROM facts")
        .map_err(index())?;
    let mut chunks = statement.query([]).map_err(index())?;
    while let Some(chunk) = chunks.next().map_err(index())? {
        let first = chunk.get::<_, u32>(0).map_err(index())? * CHUNK_ROWS;
        let rows: Vec<u8> = chunk.get(1).map_err(index())?;
        for (n, row) in (first..).zip(rows.chunks_exact(ROW_BYTES)) {
            let facts = Facts::read(row);
            let counts = n <= progress.upto && !unsearched.contains(n) && facts.flags.present;
            if let Some(key) = facts.text_key.filter(|_| counts) {
                each(n, key, facts.flags.forgotten);
            }
        }
    }
    let rows = pending::rows(connection, progress.upto, u32::MAX, Rows::ToFill);
    for row in rows.map_err(index())? {
        if let Some(key) = TextKey::of(&row.pointer.load_as_kept(files)?) {
            each(row.n(), key, row.pointer.state.forgotten.is_some());
        }
    }
    Ok(())
}
