//! Memories that no fill has made searchable yet: looked at one by one.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use rusqlite::{Connection, OptionalExtension, params};

use super::Progress;
use super::chunks::Loaded;
use super::facts::Facts;
use super::numbers::Numbers;
use crate::embed::{Embedder, Vector};
use crate::error::{Error, Result};
use crate::memory::{Memory, MemoryId, SUPERSEDES};
use crate::recall::Document;
use crate::recall::probe::Term;
use crate::store::local::files::LogFiles;
use crate::store::local::index::by_id::has_id;
use crate::store::local::index::read::{POINTER_COLUMNS, Pointer};
use crate::store::local::log::line::Checksum;

/// Authors of pending memories that have no number yet get one from here on.
const NEW_AUTHORS: u32 = 1 << 31;

/// A memory with all that search knows of it.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) n: u32,
    pub(super) facts: Facts,
    document: Document,
    /// What it says that it supersedes, if it is sealed: then no table says so.
    supersedes: Vec<MemoryId>,
    /// Of the stems, to count them fast.
    hashes: Vec<u64>,
    pub(super) vector: Option<Vector>,
}

/// Every memory that is pending in one view of the index.
#[derive(Debug, Default)]
pub(super) struct PendingMemories {
    pub(super) list: Vec<Arc<Pending>>,
    /// Numbers whose rows in the tables don't count.
    pub(super) unsearched: Numbers,
    /// The memory before a pending one in its session.
    pub(super) previous: HashMap<u32, u32>,
    /// The memory after one, where that is pending.
    pub(super) next: HashMap<u32, u32>,
    /// Authors that have no number in the tables.
    pub(super) new_authors: BTreeMap<u32, String>,
    /// What is superseded by something sealed.
    superseded: HashSet<u32>,
}

impl PendingMemories {
    /// Whether something sealed says that it supersedes this one.
    pub(super) fn supersede(&self, n: u32) -> bool {
        self.superseded.contains(&n)
    }
}

/// Pending memories that this process has looked at before, by number, with their row's state.
#[derive(Debug, Default)]
pub(in crate::store::local) struct PendingCache(Mutex<HashMap<u32, Arc<Pending>>>);

/// More than this are not kept; a fill will come long before.
const CACHE_MAX: usize = 4096;

/// A pending memory's place, and the row that it has in the index.
pub(super) struct Row {
    pub(super) pointer: Pointer,
    pub(super) log: u32,
    /// Whether another memory says that it supersedes this one.
    pub(super) is_superseded: bool,
}

impl Row {
    /// The beginning of the checksum, as [`Facts::version`].
    pub(super) fn version(&self) -> u64 {
        version_of(&self.pointer.sum)
    }

    pub(super) fn n(&self) -> u32 {
        u32::try_from(self.pointer.n).unwrap_or(u32::MAX)
    }
}

/// The beginning of a line's checksum: enough to tell one version of a memory from another.
pub(super) fn version_of(checksum: &Checksum) -> u64 {
    u64::from_le_bytes(checksum[..8].try_into().expect("eight bytes"))
}

impl PendingCache {
    /// The pending memories of this view.
    pub(super) fn load(
        &self,
        connection: &Connection,
        files: &LogFiles,
        embedder: &dyn Embedder,
        progress: &Progress,
        loaded: &Loaded,
    ) -> Result<PendingMemories> {
        let index = || Error::index("index");
        let mut found = PendingMemories {
            unsearched: unsearched(connection).map_err(index())?,
            ..PendingMemories::default()
        };
        let rows = rows(connection, progress.upto, u32::MAX, Rows::WithSealed).map_err(index())?;
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() > CACHE_MAX.max(2 * rows.len()) {
            known.clear();
        }
        let mut sequence = Sequence::default();
        for row in rows {
            let is_new = row.n() > progress.upto;
            let pending = match known.get(&row.n()) {
                Some(known) if known.is_of(&row) => known.clone(),
                _ => {
                    let memory = row.pointer.load(files)?;
                    let pending = look_at(embedder, &row, &memory, loaded, &mut found)?;
                    let pending = Arc::new(pending);
                    // An author without a number has another one the next time.
                    if pending.facts.author < NEW_AUTHORS {
                        known.insert(row.n(), pending.clone());
                    }
                    pending
                }
            };
            // What was searchable before has its place in the sequence already.
            let previous = if is_new {
                let is_of_session = row.pointer.space.starts_with("session/");
                sequence
                    .append(connection, row.log, is_of_session, row.n())
                    .map_err(index())?
            } else {
                loaded.facts(row.n()).previous
            };
            if previous != 0 {
                found.previous.insert(pending.n, previous);
                found.next.insert(previous, pending.n);
            }
            if !pending.facts.flags.forgotten {
                for target in &pending.supersedes {
                    let n = number_of_id(connection, target).map_err(index())?;
                    found.superseded.extend(n);
                }
            }
            found.list.push(pending);
        }
        Ok(found)
    }
}

fn number_of_id(connection: &Connection, id: &MemoryId) -> rusqlite::Result<Option<u32>> {
    connection
        .prepare_cached(concat!("SELECT n FROM memories m WHERE ", has_id!()))?
        .query_row([id.as_str()], |row| row.get(0))
        .optional()
}

impl Pending {
    /// Whether this is still what the row says.
    fn is_of(&self, row: &Row) -> bool {
        self.facts.version == row.version()
            && self.facts.flags.forgotten == row.pointer.state.forgotten.is_some()
            && self.facts.flags.is_superseded == row.is_superseded
    }

    /// How often a term occurs; patterns at most once.
    pub(super) fn occurrences(&self, wanted: &Wanted<'_>) -> u32 {
        let count = match &wanted.hashes[..] {
            [] => return self.document.occurrences(wanted.term),
            [stem] => self.hashes.iter().filter(|own| *own == stem).count(),
            stems => {
                let runs = self.hashes.windows(stems.len());
                runs.filter(|own| own == &stems).count()
            }
        };
        u32::try_from(count).unwrap_or(u32::MAX)
    }
}

/// A term, ready to be looked for in one memory after the other.
pub(super) struct Wanted<'a> {
    term: &'a Term,
    /// Of its stems, one after the other; none if it is told in another way.
    hashes: Vec<u64>,
}

impl<'a> Wanted<'a> {
    pub(super) fn new(term: &'a Term) -> Self {
        let hashes = match term {
            Term::Stem(stem) => vec![hash(stem)],
            Term::Phrase(stems) => stems.iter().map(|stem| hash(stem)).collect(),
            Term::Pattern(_) | Term::Name { .. } => Vec::new(),
        };
        Self { term, hashes }
    }
}

/// Which rows are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rows {
    /// Those that the next fill makes searchable.
    ToFill,
    /// Also what is sealed: no fill ever does, so that whoever can open it looks at it.
    WithSealed,
}

/// Whether another memory says that it supersedes `m`.
static IS_SUPERSEDED: LazyLock<String> = LazyLock::new(|| {
    format!(
        "EXISTS (SELECT 1 FROM links k JOIN memories s ON s.n = k.n JOIN logs o ON o.n = s.log
                 WHERE k.target = m.id AND k.rel = '{SUPERSEDES}' AND s.forgotten IS NULL)"
    )
});

/// The rows of what is pending, up to so many new ones, in the order of their numbers.
pub(super) fn rows(
    connection: &Connection,
    upto: u32,
    new_max: u32,
    which: Rows,
) -> rusqlite::Result<Vec<Row>> {
    let columns = format!("{POINTER_COLUMNS}, m.log, {}", *IS_SUPERSEDED);
    select(connection, &columns, upto, new_max, which, |row| {
        Ok(Row {
            pointer: Pointer::from_row(row)?,
            log: row.get(11)?,
            is_superseded: row.get(12)?,
        })
    })
}

/// What may have changed of a row that is to be filled since its memory was looked at.
pub(super) struct RowNow {
    pub(super) n: u32,
    pub(super) version: u64,
    pub(super) log: u32,
    pub(super) is_of_session: bool,
    pub(super) is_forgotten: bool,
    pub(super) is_superseded: bool,
}

/// The rows that [`rows`] would give of what is to be filled, without what a look at the memory told.
pub(super) fn rows_now(
    connection: &Connection,
    upto: u32,
    new_max: u32,
) -> rusqlite::Result<Vec<RowNow>> {
    let columns = format!(
        "m.n, m.sum, m.log, l.space GLOB 'session/*', m.forgotten IS NOT NULL, {}",
        *IS_SUPERSEDED
    );
    select(connection, &columns, upto, new_max, Rows::ToFill, |row| {
        Ok(RowNow {
            n: row.get(0)?,
            version: version_of(&row.get(1)?),
            log: row.get(2)?,
            is_of_session: row.get(3)?,
            is_forgotten: row.get(4)?,
            is_superseded: row.get(5)?,
        })
    })
}

/// These columns of what is pending, up to so many new ones, in the order of their numbers.
fn select<T>(
    connection: &Connection,
    columns: &str,
    upto: u32,
    new_max: u32,
    which: Rows,
    read: impl Fn(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    let sealed = match which {
        Rows::ToFill => "",
        Rows::WithSealed => "UNION SELECT n FROM memories WHERE sealed",
    };
    let from = format!("SELECT {columns} FROM memories m JOIN logs l ON l.n = m.log");
    let changed = format!(
        "{from} WHERE m.n IN (SELECT n FROM unsearched {sealed}) AND m.n <= ?1 ORDER BY m.n"
    );
    let new = format!("{from} WHERE m.n > ?1 ORDER BY m.n LIMIT ?2");
    let mut changed = connection.prepare_cached(&changed)?;
    let mut found = changed
        .query_map([upto], &read)?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    let mut new = connection.prepare_cached(&new)?;
    for row in new.query_map(params![upto, new_max], &read)? {
        found.push(row?);
    }
    Ok(found)
}

/// Number and version of what [`rows`] would give of what is to be filled.
pub(super) fn versions(
    connection: &Connection,
    upto: u32,
    new_max: u32,
) -> rusqlite::Result<Vec<(u32, u64)>> {
    let mut statement = connection.prepare_cached(
        "SELECT * FROM (SELECT n, sum FROM memories
             WHERE n IN (SELECT n FROM unsearched) AND n <= ?1 AND +log IN (SELECT n FROM logs) ORDER BY n)
         UNION ALL
         SELECT * FROM (SELECT n, sum FROM memories
             WHERE n > ?1 AND +log IN (SELECT n FROM logs) ORDER BY n LIMIT ?2)",
    )?;
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, version_of(&row.get(1)?)));
    statement.query_map(params![upto, new_max], read)?.collect()
}

/// The numbers whose rows in the tables don't count any more.
pub(super) fn unsearched(connection: &Connection) -> rusqlite::Result<Numbers> {
    numbers(
        connection,
        "SELECT n FROM unsearched UNION SELECT n FROM gone UNION SELECT n FROM memories WHERE sealed",
    )
}

/// Those of them that a fill looks at again.
pub(super) fn changed(connection: &Connection) -> rusqlite::Result<Numbers> {
    numbers(connection, "SELECT n FROM unsearched")
}

fn numbers(connection: &Connection, sql: &str) -> rusqlite::Result<Numbers> {
    let mut statement = connection.prepare_cached(sql)?;
    let numbers = statement.query_map([], |row| row.get(0))?;
    Ok(Numbers::of(
        &numbers.collect::<rusqlite::Result<Vec<u32>>>()?,
    ))
}

/// Sessions have a sequence: what was kept there one after the other.
#[derive(Debug, Default)]
pub(super) struct Sequence {
    /// The last memory of each session that was passed.
    last: HashMap<u32, u32>,
}

impl Sequence {
    /// The memory before a new one of its session (0 if there is none), which is the last from now on.
    pub(super) fn append(
        &mut self,
        connection: &Connection,
        log: u32,
        is_of_session: bool,
        n: u32,
    ) -> rusqlite::Result<u32> {
        if !is_of_session {
            return Ok(0);
        }
        match self.last.insert(log, n) {
            Some(previous) => Ok(previous),
            None => {
                let known = connection
                    .prepare_cached("SELECT n FROM ends WHERE place = ?1")?
                    .query_row([log], |row| row.get(0))
                    .optional()?;
                Ok(known.unwrap_or(0))
            }
        }
    }

    /// Remembers where each session ends.
    pub(super) fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        let mut statement =
            connection.prepare_cached("INSERT OR REPLACE INTO ends (place, n) VALUES (?1, ?2)")?;
        for (place, n) in &self.last {
            statement.execute([place, n])?;
        }
        Ok(())
    }
}

fn look_at(
    embedder: &dyn Embedder,
    row: &Row,
    memory: &Memory,
    loaded: &Loaded,
    found: &mut PendingMemories,
) -> Result<Pending> {
    let document = Document::of(memory);
    let author = memory.author.as_ref().map_or(0, |author| {
        number_of(author.as_str(), &loaded.names, &mut found.new_authors)
    });
    let facts = Facts::of(
        memory,
        &document,
        row.log,
        author,
        row.version(),
        row.is_superseded,
    );
    let links = memory.links.iter().filter(|_| memory.is_sealed());
    let supersedes = links.filter(|link| link.rel.as_str() == SUPERSEDES);
    Ok(Pending {
        n: row.n(),
        facts,
        supersedes: supersedes.map(|link| link.to.clone()).collect(),
        hashes: document.stems().map(hash).collect(),
        vector: vector_of(embedder, memory)?,
        document,
    })
}

/// The vector that a memory is found by: its own if it brought a fitting one.
pub(super) fn vector_of(embedder: &dyn Embedder, memory: &Memory) -> Result<Option<Vector>> {
    let own = memory
        .embedding
        .as_ref()
        .filter(|own| own.len() == embedder.dimension());
    match own {
        Some(own) => Ok(Vector::nearest_to(own)),
        // What was not opened means nothing.
        None if memory.closed().is_some() => Ok(None),
        None if embedder.is_instant() => {
            let found = embedder.embed(&[memory.text.as_str()])?;
            Ok(found.into_iter().next().flatten())
        }
        None => Ok(None),
    }
}

fn number_of(name: &str, names: &BTreeMap<u32, String>, new: &mut BTreeMap<u32, String>) -> u32 {
    let known = names
        .iter()
        .chain(new.iter())
        .find(|(_, known)| *known == name);
    match known {
        Some((number, _)) => *number,
        None => {
            let number = NEW_AUTHORS + u32::try_from(new.len()).unwrap_or(0);
            new.insert(number, name.to_owned());
            number
        }
    }
}

fn hash(stem: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    stem.hash(&mut hasher);
    hasher.finish()
}
