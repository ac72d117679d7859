//! Putting records into the index, in the order of the log.

use rusqlite::{Connection, OptionalExtension, params};

use super::by_id::has_id;
use super::filing;
use super::in_force;
use super::leaving;
use super::position::{self, Position, signed};
use super::schema::kind_number;
use super::sight;
use super::tallies;
use super::terms::{SortedTerms, Terms};
use crate::decay::Class;
use crate::memory::{Forgotten, Memory, Space};
use crate::store::local::log::record::Record;
use crate::store::local::log::scan::{Damage, Found, Placed};
use crate::time::Time;

pub(super) const COUNT_ACCESSES: &str = concat!(
    "UPDATE memories AS m SET access_count = ?3, last_access = ?4 WHERE log = ?2 AND ",
    has_id!()
);

pub(super) const ROW_OF: &str = concat!("SELECT n, log, sum FROM memories m WHERE ", has_id!());

/// Takes in what a scan found; records that make no sense become damage.
pub(crate) fn found(
    connection: &Connection,
    space: &Space,
    position: &mut Position,
    found: Found,
) -> rusqlite::Result<()> {
    match found {
        Found::Damage(damage) => put_damage(connection, position.log, &damage, &damage.sentence()),
        Found::Record(placed) => {
            let place = Place::of(&placed);
            match Record::read(placed.line) {
                Ok(record) => self::record(connection, space, position, &place, record),
                Err(error) => nonsense(connection, position.log, &place, None, &error.to_string()),
            }
        }
    }
}

/// Where a record stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) number: u64,
    pub(crate) checksum: [u8; 32],
    /// When it was recorded, if the line says so.
    pub(crate) recorded_at: Option<Time>,
}

impl Place {
    fn of(placed: &Placed) -> Self {
        Self {
            offset: placed.offset,
            length: placed.length,
            number: placed.number,
            checksum: placed.checksum,
            recorded_at: placed.line.recorded_at,
        }
    }
}

/// Takes in a memory of this log: kept, or in a new version.
pub(crate) fn memory(
    connection: &Connection,
    position: &mut Position,
    place: &Place,
    memory: &Memory,
) -> rusqlite::Result<()> {
    pass(position, place);
    match memory.version {
        1 => add(connection, position, place, memory),
        _ => update(connection, position, place, memory),
    }
}

/// Goes on behind a record.
fn pass(position: &mut Position, place: &Place) {
    position.records += 1;
    position.last = Some((place.offset, place.length, place.checksum));
    if let Some(at) = place.recorded_at {
        position.recorded_micros = position.recorded_micros.max(at.micros());
    }
}

/// Takes in one record.
pub(crate) fn record(
    connection: &Connection,
    space: &Space,
    position: &mut Position,
    place: &Place,
    record: Record,
) -> rusqlite::Result<()> {
    let log = position.log;
    pass(position, place);
    match record {
        Record::Header {
            generation,
            counters,
        } => {
            position.generation = generation;
            for (kind, number) in counters {
                position.count(kind, number);
            }
            Ok(())
        }
        Record::Add(memory) | Record::Update { memory, .. } if memory.space != *space => {
            let problem = format!("the line belongs to {}", memory.space);
            nonsense(connection, log, place, Some(memory.id.as_str()), &problem)
        }
        Record::Add(memory) => add(connection, position, place, &memory),
        Record::Update { memory, .. } => update(connection, position, place, &memory),
        Record::Delete { id, forgotten } => forget(connection, log, place, &id, Some(&forgotten)),
        Record::Restore { id, .. } => forget(connection, log, place, &id, None),
        Record::Access { id, count, last } => {
            let changed = connection.prepare_cached(COUNT_ACCESSES)?.execute(params![
                id,
                log,
                signed(count),
                last.micros()
            ])?;
            orphan(connection, log, place, &id, changed)
        }
        Record::Session {
            details,
            archived,
            at,
        } => {
            let Some(id) = space.session() else {
                return nonsense(connection, log, place, None, "only sessions have details");
            };
            let decay = (!details.decay.is_empty())
                .then(|| serde_json::to_string(&details.decay).unwrap_or_default());
            let details = serde_json::to_string(&details).unwrap_or_default();
            let archived =
                archived.map(|archived| serde_json::to_string(&archived).unwrap_or_default());
            connection
                .prepare_cached(
                    "INSERT INTO sessions (log, id, folded, details, created, detailed, decay, archived)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, ?7)
                     ON CONFLICT (log) DO UPDATE
                        SET details = excluded.details, detailed = excluded.detailed, decay = excluded.decay,
                            archived = excluded.archived
                     ON CONFLICT (folded) DO NOTHING",
                )?
                .execute(params![log, id.as_str(), id.as_str().to_ascii_lowercase(), details, at.micros(), decay, archived])?;
            Ok(())
        }
        Record::Commit | Record::Unknown => Ok(()),
    }
}

fn add(
    connection: &Connection,
    position: &mut Position,
    place: &Place,
    memory: &Memory,
) -> rusqlite::Result<()> {
    let log = position.log;
    if insert(connection, log, place, memory)? {
        if let Some(handle) = memory.handle {
            position.count(handle.kind, handle.number);
        }
        return Ok(());
    }
    match row_of(connection, memory.id.as_str())? {
        // The same line twice, as after a log was put together again: harmless.
        Some((_, owner, sum)) if owner == log && sum == place.checksum => Ok(()),
        // It was read from a log that is gone.
        Some((n, _, _)) if leaving::make_way(connection, n)? => {
            add(connection, position, place, memory)
        }
        _ => {
            let problem = format!("the id {} is in use already", memory.id);
            nonsense(connection, log, place, Some(memory.id.as_str()), &problem)
        }
    }
}

fn update(
    connection: &Connection,
    position: &mut Position,
    place: &Place,
    memory: &Memory,
) -> rusqlite::Result<()> {
    let log = position.log;
    match row_of(connection, memory.id.as_str())? {
        Some((n, owner, _)) if owner == log => {
            Terms::remove(connection, n)?;
            let terms = Terms::of(memory);
            tallies::keep_true(connection, n, || {
                write_anew(connection, n, place, memory, terms.as_ref())
            })?;
            if let Some(terms) = terms {
                terms.note(connection, n)?;
                if filing::is_filed(connection, n)? {
                    SortedTerms::of(vec![(n, terms)]).insert(connection)?;
                }
            }
            in_force::settle(connection, memory.id.as_str())?;
            make_pending(connection, n)?;
            put_change(connection, n, place)
        }
        // Its first line is damaged, but this one is complete in itself.
        None => add(connection, position, place, memory),
        Some(_) => {
            let problem = format!("the id {} belongs to another space", memory.id);
            nonsense(connection, log, place, Some(memory.id.as_str()), &problem)
        }
    }
}

/// Gives the row of a memory the values of its new version.
fn write_anew(
    connection: &Connection,
    n: i64,
    place: &Place,
    memory: &Memory,
    terms: Option<&Terms>,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "UPDATE memories SET kind = ?2, author = ?3, created = ?4, importance = ?5, confidence = ?6,
                pinned = ?7, open = ?8, version = ?9, offset = ?10, length = ?11, number = ?12, sum = ?13,
                terms = ?14, fading = ?15, private_to = ?16, sealed = ?17, preference_key = ?18
             WHERE n = ?1",
        )?
        .execute(params![
            n,
            kind_number(memory.kind()),
            memory.author.as_ref().map(crate::memory::Author::as_str),
            memory.created_at.micros(),
            memory.importance.get(),
            memory.confidence.map(crate::memory::Confidence::get),
            memory.pinned,
            memory.body.is_open(),
            signed(memory.version),
            signed(place.offset),
            signed(place.length),
            signed(place.number),
            &place.checksum[..],
            terms.map(Terms::text),
            Class::of(&memory.body).number(),
            sight::names(memory),
            memory.is_sealed(),
            preference_key(memory),
        ])?;
    Ok(())
}

fn forget(
    connection: &Connection,
    log: i64,
    place: &Place,
    id: &str,
    forgotten: Option<&Forgotten>,
) -> rusqlite::Result<()> {
    let Some((n, owner, _)) = row_of(connection, id)?.filter(|(_, owner, _)| *owner == log) else {
        return orphan(connection, log, place, id, 0);
    };
    debug_assert_eq!(owner, log, "filtered above");
    let text = forgotten.map(|forgotten| {
        serde_json::json!([
            forgotten.at,
            forgotten.by,
            forgotten.reason,
            forgotten.recover_until
        ])
        .to_string()
    });
    tallies::keep_true(connection, n, || {
        connection
            .prepare_cached("UPDATE memories SET forgotten = ?2 WHERE n = ?1")?
            .execute(params![n, text])?;
        Ok(())
    })?;
    make_pending(connection, n)?;
    Terms::supersede_anew(connection, n)?;
    put_change(connection, n, place)
}

/// Makes the row of a memory; false if its id has one already.
fn insert(
    connection: &Connection,
    log: i64,
    place: &Place,
    memory: &Memory,
) -> rusqlite::Result<bool> {
    let terms = Terms::of(memory);
    let inserted = connection
        .prepare_cached(
            "INSERT INTO memories (log, id, kind, author, created, importance, confidence, pinned, open,
                handle_kind, handle_number, version, offset, length, number, sum, first_offset, first_length, terms, fading,
                private_to, sealed, preference_key)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?13, ?14, ?17, ?18, ?19, ?20, ?21)
             ON CONFLICT DO NOTHING",
        )?
        .execute(params![
            log,
            memory.id.as_str(),
            kind_number(memory.kind()),
            memory.author.as_ref().map(crate::memory::Author::as_str),
            memory.created_at.micros(),
            memory.importance.get(),
            memory.confidence.map(crate::memory::Confidence::get),
            memory.pinned,
            memory.body.is_open(),
            memory.handle.map(|handle| kind_number(handle.kind)),
            memory.handle.map(|handle| handle.number),
            signed(memory.version),
            signed(place.offset),
            signed(place.length),
            signed(place.number),
            &place.checksum[..],
            terms.as_ref().map(Terms::text),
            Class::of(&memory.body).number(),
            sight::names(memory),
            memory.is_sealed(),
            preference_key(memory),
        ])?;
    if inserted == 0 {
        return Ok(false);
    }
    if let Some(terms) = terms {
        terms.note(connection, connection.last_insert_rowid())?;
    }
    if preference_key(memory).is_some() {
        in_force::settle(connection, memory.id.as_str())?;
    }
    Ok(true)
}

fn put_change(connection: &Connection, n: i64, place: &Place) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT OR IGNORE INTO changes (n, offset, length) VALUES (?1, ?2, ?3)")?
        .execute(params![n, signed(place.offset), signed(place.length)])?;
    Ok(())
}

/// What a preference sets; of what is sealed the index knows nothing.
fn preference_key(memory: &Memory) -> Option<&str> {
    memory.body.preference_key().filter(|_| !memory.is_sealed())
}

/// What search knows of a memory is not so any more. (New ones are pending by their number.)
fn make_pending(connection: &Connection, n: i64) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT OR IGNORE INTO unsearched (n) VALUES (?1)")?
        .execute([n])?;
    Ok(())
}

fn row_of(connection: &Connection, id: &str) -> rusqlite::Result<Option<(i64, i64, [u8; 32])>> {
    connection
        .prepare_cached(ROW_OF)?
        .query_row([id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()
}

/// A line about a memory whose own line is lost changes nothing, but is told.
fn orphan(
    connection: &Connection,
    log: i64,
    place: &Place,
    id: &str,
    changed: usize,
) -> rusqlite::Result<()> {
    if changed > 0 {
        return Ok(());
    }
    let problem = format!("the line is about {id}, which is not in this log");
    nonsense(connection, log, place, None, &problem)
}

fn nonsense(
    connection: &Connection,
    log: i64,
    place: &Place,
    id: Option<&str>,
    problem: &str,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT OR REPLACE INTO damage (log, offset, length, number, message, id) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
        .execute(params![log, signed(place.offset), signed(place.length), signed(place.number), problem, id])?;
    Ok(())
}

fn put_damage(
    connection: &Connection,
    log: i64,
    damage: &Damage,
    message: &str,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT OR REPLACE INTO damage (log, offset, length, number, message, id) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
        .execute(params![
            log,
            signed(damage.offset),
            signed(damage.length),
            signed(damage.number),
            message,
            damage.id
        ])?;
    Ok(())
}

/// Starts over with a log: what was read from it is forgotten.
pub(crate) fn start_over(connection: &Connection, space: &Space) -> rusqlite::Result<Position> {
    if let Some(known) = position::get(connection, space)? {
        leaving::remove(connection, known.log)?;
    }
    position::create(connection, space)
}

/// A log of a session is a session, even if the line with its details is lost.
pub(crate) fn ensure_session(
    connection: &Connection,
    space: &Space,
    position: &Position,
) -> rusqlite::Result<()> {
    // A header alone is what a crash can leave of a session that nobody was told of.
    let headers = u64::from(!position.generation.is_empty());
    match space.session() {
        Some(id) if position.records > headers => {
            connection
                .prepare_cached(
                    "INSERT OR IGNORE INTO sessions (log, id, folded, details, created, detailed)
                     SELECT ?1, ?2, ?3, '{}', coalesce(min(created), ?4), ?4 FROM memories WHERE log = ?1",
                )?
                .execute(params![
                    position.log,
                    id.as_str(),
                    id.as_str().to_ascii_lowercase(),
                    position.recorded_micros
                ])?;
            Ok(())
        }
        _ => Ok(()),
    }
}
