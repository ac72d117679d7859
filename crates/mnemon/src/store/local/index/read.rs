//! From a row of the index to the memory that it points to.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};

use super::by_id::has_id;
use super::position::unsigned;
use super::schema::{kind_from, kind_number};
use crate::error::{Error, Result};
use crate::memory::{Forgotten, Kind, Memory, Reference, SessionId, Space, State};
use crate::session::{Activity, Participant, Session, SessionDetails};
use crate::store::local::files::LogFiles;
use crate::store::local::log::line::Line;
use crate::store::local::log::record::Record;
use crate::store::{Change, Filter, SpaceStats, Stats, What};
use crate::time::Time;

/// The columns that [`Pointer::from_row`] reads, of `memories m` and `logs l`.
pub(crate) const POINTER_COLUMNS: &str = "l.space, l.inode, m.offset, m.length, m.sum, m.access_count, m.last_access, m.forgotten, m.number, m.id, m.n";

/// Where a memory is, and what changed around it.
pub(crate) struct Pointer {
    pub(crate) space: String,
    pub(crate) inode: u64,
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) sum: [u8; 32],
    pub(crate) state: State,
    pub(crate) number: u64,
    pub(crate) id: String,
    pub(crate) n: i64,
}

impl Pointer {
    pub(crate) fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let last_access: Option<i64> = row.get(6)?;
        let forgotten: Option<String> = row.get(7)?;
        Ok(Self {
            space: row.get(0)?,
            inode: unsigned(row.get(1)?),
            offset: unsigned(row.get(2)?),
            length: unsigned(row.get(3)?),
            sum: row.get(4)?,
            state: State {
                access_count: unsigned(row.get(5)?),
                last_access: last_access.map(Time::nearest_to_micros),
                forgotten: forgotten.as_deref().and_then(read_forgotten),
                compacted: false,
            },
            number: unsigned(row.get(8)?),
            id: row.get(9)?,
            n: row.get(10)?,
        })
    }

    /// Reads the line and makes the memory of it, opened if it is sealed and can be.
    pub(crate) fn load(&self, files: &LogFiles) -> Result<Memory> {
        files.open(self.load_as_kept(files)?)
    }

    /// As [`Self::load`], but what is sealed stays so.
    pub(crate) fn load_as_kept(&self, files: &LogFiles) -> Result<Memory> {
        let space: Space = self.space.parse()?;
        let line = files.line(
            &space,
            self.inode,
            self.offset,
            self.length,
            Some(&self.sum),
        )?;
        match line.map(Record::read) {
            Some(Ok(Record::Add(mut memory) | Record::Update { mut memory, .. })) => {
                memory.state = self.state.clone();
                Ok(*memory)
            }
            _ => Err(Error::Damaged {
                id: self.id.clone(),
                path: files.path(&space),
                line: self.number,
            }),
        }
    }
}

pub(super) static FIND: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT {POINTER_COLUMNS} FROM memories m JOIN logs l ON l.n = m.log WHERE {}",
        has_id!()
    )
});

/// Where the line is that first kept a memory, and how long it is.
pub(crate) fn first_line(connection: &Connection, n: i64) -> rusqlite::Result<(u64, u64)> {
    connection
        .prepare_cached("SELECT first_offset, first_length FROM memories WHERE n = ?1")?
        .query_row([n], |row| {
            Ok((unsigned(row.get(0)?), unsigned(row.get(1)?)))
        })
}

/// The place of a memory by its name.
pub(crate) fn find(
    connection: &Connection,
    reference: &Reference,
) -> rusqlite::Result<Option<Pointer>> {
    match reference {
        Reference::Id(id) => connection
            .prepare_cached(&FIND)?
            .query_row([id.as_str()], Pointer::from_row)
            .optional(),
        Reference::Handle(session, handle) => connection
            .prepare_cached(&format!(
                "SELECT {POINTER_COLUMNS} FROM memories m JOIN logs l ON l.n = m.log
                 JOIN sessions s ON s.log = m.log WHERE s.folded = ?1 AND m.n = coalesce(
                    (SELECT min(h.n) FROM handles h WHERE h.log = s.log AND h.kind = ?2 AND h.number = ?3),
                    (SELECT min(u.n) FROM unfiled u WHERE +u.log = s.log AND u.handle_kind = ?2 AND u.handle_number = ?3))"
            ))?
            .query_row(
                params![session.as_str().to_ascii_lowercase(), kind_number(handle.kind), handle.number],
                Pointer::from_row,
            )
            .optional(),
    }
}

pub(super) const SPACE_ELSEWHERE: &str = concat!(
    "SELECT l.space FROM memories m JOIN logs l ON l.n = m.log WHERE m.log <> ?2 AND ",
    has_id!()
);

/// The space of a memory that is in another log than this one.
pub(crate) fn space_elsewhere(
    connection: &Connection,
    id: &str,
    log: i64,
) -> rusqlite::Result<Option<String>> {
    connection
        .prepare_cached(SPACE_ELSEWHERE)?
        .query_row(params![id, log], |row| row.get(0))
        .optional()
}

/// A damaged line about this memory: its space and its number.
pub(crate) fn damage_about(
    connection: &Connection,
    id: &str,
) -> rusqlite::Result<Option<(String, u64)>> {
    connection
        .prepare_cached("SELECT l.space, d.number FROM damage d JOIN logs l ON l.n = d.log WHERE d.id = ?1 LIMIT 1")?
        .query_row([id], |row| Ok((row.get(0)?, unsigned(row.get(1)?))))
        .optional()
}

/// Every line about a memory, oldest first.
pub(crate) fn history(
    connection: &Connection,
    files: &LogFiles,
    pointer: &Pointer,
) -> Result<Vec<Change>> {
    let places = change_places(connection, pointer.n).map_err(Error::index("index"))?;
    let space: Space = pointer.space.parse()?;
    let mut changes = Vec::new();
    for (offset, length) in places {
        let line = files.line(&space, pointer.inode, offset, length, None)?;
        // In a file that took the place of the log anything may stand there.
        let line = line.filter(|line| line.id.as_ref() == Some(&pointer.id));
        let Some(line) = line else {
            return Err(Error::Damaged {
                id: pointer.id.clone(),
                path: files.path(&space),
                line: pointer.number,
            });
        };
        changes.extend(change(line, files)?);
    }
    Ok(changes)
}

fn change(line: Line, files: &LogFiles) -> Result<Option<Change>> {
    let Some(at) = line.recorded_at else {
        return Ok(None);
    };
    let Ok(record) = Record::read(line) else {
        return Ok(None);
    };
    Ok(match record {
        Record::Add(memory) => Some(Change {
            at,
            by: memory.author.as_ref().map(ToString::to_string),
            what: What::Kept(Box::new(files.open(*memory)?)),
        }),
        Record::Update { memory, by } => Some(Change {
            at,
            by,
            what: What::Revised(Box::new(files.open(*memory)?)),
        }),
        Record::Delete { forgotten, .. } => Some(Change {
            at,
            by: Some(forgotten.by),
            what: What::Forgotten {
                reason: forgotten.reason,
            },
        }),
        Record::Restore { by, reason, .. } => Some(Change {
            at,
            by,
            what: What::Restored { reason },
        }),
        _ => None,
    })
}

fn change_places(connection: &Connection, n: i64) -> rusqlite::Result<Vec<(u64, u64)>> {
    let mut statement = connection.prepare_cached(
        "SELECT first_offset, first_length FROM memories WHERE n = ?1
         UNION SELECT offset, length FROM changes WHERE n = ?1 ORDER BY 1",
    )?;
    let rows = statement.query_map([n], |row| {
        Ok((unsigned(row.get(0)?), unsigned(row.get(1)?)))
    })?;
    rows.collect()
}

/// Whether there is such a session and it is not archived.
pub(crate) fn is_open(connection: &Connection, id: &SessionId) -> rusqlite::Result<bool> {
    connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM sessions s JOIN logs l ON l.n = s.log
                            WHERE s.folded = ?1 AND s.archived IS NULL)",
        )?
        .query_row([id.as_str().to_ascii_lowercase()], |row| row.get(0))
}

/// The session of that id, whatever its case; all if none is named.
pub(crate) fn sessions(
    connection: &Connection,
    id: Option<&SessionId>,
) -> rusqlite::Result<Vec<Session>> {
    let folded = id.map(|id| id.as_str().to_ascii_lowercase());
    // A condition that is there for one and not for all: with `?1 IS NULL OR`
    // SQLite would read everything for one.
    let which = folded.as_ref().map_or("", |_| "WHERE s.folded = ?1");
    let mut statement = connection.prepare_cached(&format!(
        "SELECT s.log, s.id, s.details, s.created, l.recorded, l.size, s.detailed, s.archived FROM sessions s JOIN logs l ON l.n = s.log
         {which}",
    ))?;
    let rows = statement.query_map(params_from_iter(folded), |row| {
        let details: String = row.get(2)?;
        let details: SessionDetails = serde_json::from_str(&details).unwrap_or_default();
        let made_elsewhere = details.created_at;
        let id: String = row.get(1)?;
        let id: SessionId = id.parse().map_err(|_| rusqlite::Error::InvalidQuery)?;
        let archived: Option<String> = row.get(7)?;
        Ok((
            row.get::<_, i64>(0)?,
            Session {
                id,
                details,
                created_at: made_elsewhere.unwrap_or(Time::nearest_to_micros(row.get(3)?)),
                last_activity: Time::nearest_to_micros(row.get(4)?),
                detailed_at: Time::nearest_to_micros(row.get(6)?),
                opened_at: None,
                archived: archived.and_then(|text| serde_json::from_str(&text).ok()),
                activity: Activity {
                    log_bytes: unsigned(row.get(5)?),
                    ..Activity::default()
                },
            },
        ))
    })?;
    let found = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let only = if id.is_some() {
        found.first().map(|(log, _)| *log)
    } else {
        None
    };
    let mut by_log: BTreeMap<i64, Activity> = activities(connection, only)?;
    let mut sessions: Vec<Session> = found
        .into_iter()
        .map(|(log, mut session)| {
            if let Some(activity) = by_log.remove(&log) {
                session.activity = Activity {
                    log_bytes: session.activity.log_bytes,
                    ..activity
                };
            }
            as_it_was(session)
        })
        .collect();
    sessions.sort_by(|a, b| {
        let latest_first = b.last_activity.cmp(&a.last_activity);
        latest_first.then_with(|| a.id.cmp(&b.id))
    });
    Ok(sessions)
}

/// Whether a space is a session that is archived.
pub(crate) fn is_archived(connection: &Connection, space: &Space) -> rusqlite::Result<bool> {
    let Some(session) = space.session() else {
        return Ok(false);
    };
    connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM sessions WHERE folded = ?1 AND archived IS NOT NULL)",
        )?
        .query_row([session.as_str().to_ascii_lowercase()], |row| row.get(0))
}

/// Refuses a filter that wants its sessions open if one of them is archived.
pub(crate) fn refuse_archived(connection: &Connection, filter: &Filter) -> Result<()> {
    for space in filter.spaces.iter().filter(|_| filter.only_open) {
        if is_archived(connection, space).map_err(Error::index("index"))? {
            return Err(Error::SessionArchived {
                session: space.session().map(ToString::to_string).unwrap_or_default(),
                source: None,
            });
        }
    }
    Ok(())
}

/// An archived session tells how it was, not how its short log is.
fn as_it_was(mut session: Session) -> Session {
    if let Some(archived) = &session.archived {
        session.created_at = archived.created_at;
        session.last_activity = archived.last_activity;
        session.detailed_at = archived.detailed_at;
        session.activity = Activity {
            by_kind: archived.by_kind.clone(),
            participants: archived.participants.clone(),
            log_bytes: archived.bytes,
        };
    }
    session
}

/// Counts by log, of one log or of all.
fn activities(
    connection: &Connection,
    only: Option<i64>,
) -> rusqlite::Result<BTreeMap<i64, Activity>> {
    let which = only.map_or("", |_| "WHERE log = ?1");
    let mut statement = connection.prepare_cached(&format!(
        "SELECT log, kind, author, sum(count), max(last) FROM all_tallies {which} GROUP BY 1, 2, 3",
    ))?;
    let mut rows = statement.query(params_from_iter(only))?;
    let mut by_log: BTreeMap<i64, Activity> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let activity = by_log.entry(row.get(0)?).or_default();
        let kind = kind_from(row.get(1)?);
        let count = unsigned(row.get(3)?);
        *activity.by_kind.entry(kind).or_default() += count;
        let name: String = row.get(2)?;
        if name.is_empty() {
            continue;
        }
        let last_active = Time::nearest_to_micros(row.get(4)?);
        let messages = if kind == Kind::Conversation { count } else { 0 };
        match activity
            .participants
            .iter_mut()
            .find(|known| known.name == name)
        {
            Some(known) => {
                known.messages += messages;
                known.memories += count;
                known.last_active = known.last_active.max(last_active);
            }
            None => activity.participants.push(Participant {
                name,
                messages,
                memories: count,
                last_active,
            }),
        }
    }
    for activity in by_log.values_mut() {
        activity.participants.sort_by(|a, b| a.name.cmp(&b.name));
    }
    Ok(by_log)
}

fn read_forgotten(text: &str) -> Option<Forgotten> {
    let (at, by, reason, recover_until) = serde_json::from_str(text).ok()?;
    Some(Forgotten {
        at,
        by,
        reason,
        recover_until,
    })
}

/// The places of all memories of a space, in the order in which they were kept.
pub(crate) fn pointers_of(
    connection: &Connection,
    space: &Space,
) -> rusqlite::Result<Vec<Pointer>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {POINTER_COLUMNS} FROM memories m JOIN logs l ON l.n = m.log WHERE l.space = ?1 ORDER BY m.n"
    ))?;
    let rows = statement.query_map([space.to_string()], Pointer::from_row)?;
    rows.collect()
}

/// The ids that lie on a shelf and are in a log too.
pub(crate) fn in_log_and_on_shelf(
    connection: &Connection,
    source: &str,
) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare_cached(concat!(
        "SELECT i.id FROM shelves s JOIN all_shelved i ON i.shelf = s.n JOIN memories m ON ",
        has_id!("i.id"),
        " JOIN logs l ON l.n = m.log WHERE s.source = ?1 ORDER BY i.id"
    ))?;
    let rows = statement.query_map([source], |row| row.get(0))?;
    rows.collect()
}

/// Counts and sizes, without the size of the index itself; a log of a header alone is not there yet.
pub(crate) fn stats(connection: &Connection) -> rusqlite::Result<Stats> {
    let mut stats = Stats::default();
    let mut statement = connection.prepare_cached(
        "SELECT l.space, l.size, (SELECT count(*) FROM damage d WHERE d.log = l.n), coalesce(t.memories, 0)
         FROM logs l LEFT JOIN (SELECT log, sum(count) AS memories FROM all_tallies GROUP BY log) t ON t.log = l.n
         WHERE l.records > (l.generation <> '') OR EXISTS (SELECT 1 FROM damage d WHERE d.log = l.n)
         ORDER BY l.space",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let space: String = row.get(0)?;
        let Ok(space) = space.parse() else { continue };
        stats.spaces.push(SpaceStats {
            space,
            log_bytes: unsigned(row.get(1)?),
            damaged_lines: unsigned(row.get(2)?),
            memories: unsigned(row.get(3)?),
        });
    }
    let mut statement =
        connection.prepare_cached("SELECT kind, sum(count) FROM all_tallies GROUP BY kind")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let count = unsigned(row.get(1)?);
        stats.memories += count;
        stats.by_kind.insert(kind_from(row.get(0)?), count);
    }
    stats.forgotten = connection
        .prepare_cached("SELECT count(*) FROM memories WHERE forgotten IS NOT NULL AND log IN (SELECT n FROM logs)")?
        .query_row([], |row| Ok(unsigned(row.get(0)?)))?;
    stats.sealed = connection
        .prepare_cached(
            "SELECT count(*) FROM memories WHERE sealed AND log IN (SELECT n FROM logs)",
        )?
        .query_row([], |row| Ok(unsigned(row.get(0)?)))?;
    connection
        .prepare_cached(
            "SELECT (SELECT count(*) FROM sessions WHERE archived IS NOT NULL),
                    coalesce(sum(size) FILTER (WHERE NOT trashed), 0),
                    count(DISTINCT folded) FILTER (WHERE trashed),
                    coalesce(sum(size) FILTER (WHERE trashed), 0)
             FROM shelves",
        )?
        .query_row([], |row| {
            stats.archived_sessions = unsigned(row.get(0)?);
            stats.archive_bytes = unsigned(row.get(1)?);
            stats.deleted_sessions = unsigned(row.get(2)?);
            stats.trash_bytes = unsigned(row.get(3)?);
            Ok(())
        })?;
    stats.log_bytes = stats.spaces.iter().map(|space| space.log_bytes).sum();
    stats.damaged_lines = stats.spaces.iter().map(|space| space.damaged_lines).sum();
    Ok(stats)
}
