//! Which ids lie on shelves and in the trash, where no log of a space has them.
//!
//! A *source* is a file with such lines, by its path below the root. Ids are
//! unique in the store wherever they lie, so a writer asks here too.

use rusqlite::{Connection, OptionalExtension, params};

use super::by_id::has_id;
use super::position::{signed, unsigned};
use crate::store::local::disk::Stat;

pub(super) const TABLES: &str = "
CREATE TABLE shelves (
    n INTEGER PRIMARY KEY,
    source TEXT NOT NULL UNIQUE,
    session TEXT NOT NULL, folded TEXT NOT NULL, trashed INTEGER NOT NULL,
    device INTEGER NOT NULL, inode INTEGER NOT NULL, size INTEGER NOT NULL, modified INTEGER NOT NULL,
    lines INTEGER NOT NULL, broken TEXT, forgetful INTEGER NOT NULL
);
CREATE INDEX shelves_by_session ON shelves (folded);
CREATE TABLE shelved (id TEXT NOT NULL, shelf INTEGER NOT NULL, PRIMARY KEY (id, shelf)) WITHOUT ROWID;
CREATE INDEX shelved_by_shelf ON shelved (shelf);
CREATE VIEW all_shelved AS
    SELECT id, shelf FROM shelved
    UNION ALL SELECT m.id, v.shelf FROM leaving v CROSS JOIN memories m ON m.log = v.log WHERE v.shelf IS NOT NULL;
";

/// Where an id lies; of a log that is just leaving, its rows still tell.
pub(super) const FIND: &str = concat!(
    "SELECT s.session, s.trashed, s.source, s.broken FROM (
         SELECT shelf FROM shelved WHERE id = ?1
         UNION ALL SELECT v.shelf FROM memories m JOIN leaving v ON v.log = m.log WHERE ",
    has_id!(),
    " AND v.shelf IS NOT NULL
     ) i JOIN shelves s ON s.n = i.shelf ORDER BY s.trashed, s.broken IS NOT NULL, s.source LIMIT 1"
);

/// A source as the index knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    /// The path below the root.
    pub(crate) source: String,
    /// Whose lines they are.
    pub(crate) session: String,
    /// The file as it was when it was read.
    pub(crate) stat: Stat,
}

/// What was read from a source.
#[derive(Clone, Debug, Default)]
pub(crate) struct Content {
    /// Every id that its lines are about.
    pub(crate) ids: Vec<String>,
    /// How many lines were sound.
    pub(crate) lines: u64,
    /// Whether something in it may be forgotten.
    pub(crate) is_forgetful: bool,
    /// Why it could not be read, if it couldn't.
    pub(crate) broken: Option<String>,
}

/// Where an id lies that no log has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shelved {
    /// The session.
    pub(crate) session: String,
    /// Whether that session was deleted.
    pub(crate) trashed: bool,
    /// The file, by its path below the root.
    pub(crate) source: String,
    /// Why it can't be read, if it can't.
    pub(crate) broken: Option<String>,
}

impl Known {
    /// One that is not there, although a log refers to it.
    pub(crate) fn lost(self) -> Self {
        let stat = Stat {
            device: 0,
            inode: 0,
            size: 0,
            modified_nanos: 0,
        };
        Self { stat, ..self }
    }

    /// Whether the index knows that it is not there.
    pub(crate) fn is_lost(&self) -> bool {
        self.stat.inode == 0
    }
}

/// Every source, or those of one session, in the order of their paths.
pub(crate) fn known(
    connection: &Connection,
    session: Option<&str>,
) -> rusqlite::Result<Vec<Known>> {
    let mut statement = connection.prepare_cached(
        "SELECT source, session, device, inode, size, modified FROM shelves
         WHERE ?1 IS NULL OR session = ?1 ORDER BY source",
    )?;
    let rows = statement.query_map([session], |row| {
        Ok(Known {
            source: row.get(0)?,
            session: row.get(1)?,
            stat: Stat {
                device: unsigned(row.get(2)?),
                inode: unsigned(row.get(3)?),
                size: unsigned(row.get(4)?),
                modified_nanos: row.get(5)?,
            },
        })
    })?;
    rows.collect()
}

/// Takes in a source, in the place of what was known of it.
pub(crate) fn put(
    connection: &Connection,
    known: &Known,
    trashed: bool,
    content: &Content,
) -> rusqlite::Result<()> {
    let shelf = put_source(connection, known, trashed, content)?;
    for id in &content.ids {
        note(connection, shelf, id)?;
    }
    Ok(())
}

/// Takes in a log that the index has read already, when it still was the log of a space.
pub(crate) fn put_log(
    connection: &Connection,
    known: &Known,
    trashed: bool,
    (log, lines): (i64, u64),
) -> rusqlite::Result<()> {
    let content = Content {
        lines,
        is_forgetful: connection
            .prepare_cached("SELECT 1 FROM memories WHERE log = ?1 AND forgotten IS NOT NULL")?
            .exists([log])?,
        ..Content::default()
    };
    let shelf = put_source(connection, known, trashed, &content)?;
    connection
        .prepare_cached("UPDATE leaving SET shelf = ?2 WHERE log = ?1")?
        .execute(params![log, shelf])?;
    Ok(())
}

/// Notes that an id lies on a shelf.
pub(super) fn note(connection: &Connection, shelf: i64, id: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT OR IGNORE INTO shelved (id, shelf) VALUES (?1, ?2)")?
        .execute(params![id, shelf])?;
    Ok(())
}

/// Gives the number of the shelf.
fn put_source(
    connection: &Connection,
    known: &Known,
    trashed: bool,
    content: &Content,
) -> rusqlite::Result<i64> {
    remove(connection, &known.source)?;
    connection
        .prepare_cached(
            "INSERT INTO shelves (source, session, folded, trashed, device, inode, size, modified, lines, broken, forgetful)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?
        .execute(params![
            known.source,
            known.session,
            known.session.to_ascii_lowercase(),
            trashed,
            signed(known.stat.device),
            signed(known.stat.inode),
            signed(known.stat.size),
            known.stat.modified_nanos,
            signed(content.lines),
            content.broken,
            content.is_forgetful,
        ])?;
    Ok(connection.last_insert_rowid())
}

/// Forgets a source and its ids.
pub(crate) fn remove(connection: &Connection, source: &str) -> rusqlite::Result<()> {
    for sql in [
        "DELETE FROM shelved WHERE shelf = (SELECT n FROM shelves WHERE source = ?1)",
        "UPDATE leaving SET shelf = NULL WHERE shelf = (SELECT n FROM shelves WHERE source = ?1)",
        "DELETE FROM shelves WHERE source = ?1",
    ] {
        connection.prepare_cached(sql)?.execute([source])?;
    }
    Ok(())
}

/// Where an id lies that no log has; a session that was not deleted first.
pub(crate) fn find(connection: &Connection, id: &str) -> rusqlite::Result<Option<Shelved>> {
    connection
        .prepare_cached(FIND)?
        .query_row([id], |row| {
            Ok(Shelved {
                session: row.get(0)?,
                trashed: row.get(1)?,
                source: row.get(2)?,
                broken: row.get(3)?,
            })
        })
        .optional()
}

/// The ids that are known to lie in a source.
pub(crate) fn ids_of(connection: &Connection, source: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare_cached(
        "SELECT i.id FROM shelves s JOIN all_shelved i ON i.shelf = s.n WHERE s.source = ?1 ORDER BY i.id",
    )?;
    let rows = statement.query_map([source], |row| row.get(0))?;
    rows.collect()
}

/// The sessions of sources in which something may be forgotten, each once.
pub(crate) fn forgetful(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection
        .prepare_cached("SELECT DISTINCT session FROM shelves WHERE forgetful ORDER BY session")?;
    let rows = statement.query_map([], |row| row.get(0))?;
    rows.collect()
}

/// The deleted session of that id, whatever its case.
pub(crate) fn trashed(connection: &Connection, id: &str) -> rusqlite::Result<Option<String>> {
    connection
        .prepare_cached("SELECT session FROM shelves WHERE folded = ?1 AND trashed LIMIT 1")?
        .query_row([id.to_ascii_lowercase()], |row| row.get(0))
        .optional()
}
