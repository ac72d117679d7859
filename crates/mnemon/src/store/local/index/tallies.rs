//! Tallies: how many memories of each kind everybody has in each log.
//!
//! To count rows is to read all of them, which a list of sessions must not
//! need. They are counted when they are filed, many at a time.
//!
//! Invariant: the tallies count every memory up to `filed.upto` that is not
//! forgotten; the rows behind it count for themselves ([`TABLES`], `all_tallies`).

use rusqlite::{Connection, OptionalExtension, params};

use super::filing;

/// The tallies, and a view that knows the memories that are not in them yet.
pub(super) const TABLES: &str = "
CREATE TABLE tallies (
    log INTEGER NOT NULL, kind INTEGER NOT NULL, author TEXT NOT NULL,
    count INTEGER NOT NULL, last INTEGER NOT NULL, PRIMARY KEY (log, kind, author)
) WITHOUT ROWID;
CREATE INDEX memories_forgotten ON memories (kind) WHERE forgotten IS NOT NULL;
CREATE VIEW all_tallies AS
    SELECT log, kind, author, count, last FROM tallies
    UNION ALL SELECT +log, kind, coalesce(author, ''), 1, created FROM memories
        WHERE n > (SELECT upto FROM filed) AND forgotten IS NULL AND +log IN (SELECT n FROM logs);
";

/// Counts the memories that are being filed: those behind `upto`, to `last`.
pub(super) fn count_new(connection: &Connection, last: i64) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO tallies (log, kind, author, count, last)
             SELECT log, kind, coalesce(author, ''), count(*), max(created) FROM memories
             WHERE n > (SELECT upto FROM filed) AND n <= ?1 AND forgotten IS NULL AND +log IN (SELECT n FROM logs)
             GROUP BY 1, 2, 3
             ON CONFLICT DO UPDATE SET count = count + excluded.count, last = max(last, excluded.last)",
        )?
        .execute([last])?;
    Ok(())
}

/// Makes a change to the row of a memory, and keeps the tallies true.
pub(super) fn keep_true(
    connection: &Connection,
    n: i64,
    change: impl FnOnce() -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    if !filing::is_filed(connection, n)? {
        return change();
    }
    let before = Counted::read(connection, n)?;
    change()?;
    let after = Counted::read(connection, n)?;
    if before == after {
        return Ok(());
    }
    if let Some(before) = before {
        before.leave(connection)?;
    }
    if let Some(after) = after {
        after.join(connection)?;
    }
    Ok(())
}

/// What a memory counts as.
#[derive(PartialEq)]
struct Counted {
    log: i64,
    kind: i64,
    author: String,
    created: i64,
}

impl Counted {
    fn read(connection: &Connection, n: i64) -> rusqlite::Result<Option<Self>> {
        connection
            .prepare_cached(
                "SELECT log, kind, coalesce(author, ''), created FROM memories
                 WHERE n = ?1 AND forgotten IS NULL",
            )?
            .query_row([n], |row| {
                Ok(Self {
                    log: row.get(0)?,
                    kind: row.get(1)?,
                    author: row.get(2)?,
                    created: row.get(3)?,
                })
            })
            .optional()
    }

    fn join(&self, connection: &Connection) -> rusqlite::Result<()> {
        connection
            .prepare_cached(
                "INSERT INTO tallies (log, kind, author, count, last) VALUES (?1, ?2, ?3, 1, ?4)
                 ON CONFLICT DO UPDATE SET count = count + 1, last = max(last, excluded.last)",
            )?
            .execute(params![self.log, self.kind, self.author, self.created])?;
        Ok(())
    }

    /// Who leaves may have been the last; who is it now is read from the newest backwards.
    fn leave(&self, connection: &Connection) -> rusqlite::Result<()> {
        connection
            .prepare_cached(
                "UPDATE tallies SET count = count - 1,
                    last = CASE WHEN last > ?4 THEN last ELSE coalesce((
                        SELECT created FROM memories WHERE log = ?1 AND kind = ?2 AND coalesce(author, '') = ?3
                            AND forgotten IS NULL AND n <= (SELECT upto FROM filed)
                        ORDER BY created DESC LIMIT 1), 0) END
                 WHERE log = ?1 AND kind = ?2 AND author = ?3",
            )?
            .execute(params![self.log, self.kind, self.author, self.created])?;
        connection
            .prepare_cached(
                "DELETE FROM tallies WHERE log = ?1 AND kind = ?2 AND author = ?3 AND count = 0",
            )?
            .execute(params![self.log, self.kind, self.author])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{apply, open_memory, position};
    use super::*;
    use crate::memory::{Draft, Forgotten, Kind, Space};
    use crate::store::local::log::record::Record;
    use crate::time::Time;

    #[derive(Clone, Debug)]
    enum Step {
        Keep { author: u8, created: i64 },
        Revise { which: u8, author: u8 },
        Forget { which: u8 },
        Restore { which: u8 },
        File,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            4 => (0..3_u8, 0..5_i64).prop_map(|(author, created)| Step::Keep { author, created }),
            2 => (any::<u8>(), 0..3_u8).prop_map(|(which, author)| Step::Revise { which, author }),
            2 => any::<u8>().prop_map(|which| Step::Forget { which }),
            1 => any::<u8>().prop_map(|which| Step::Restore { which }),
            2 => Just(Step::File),
        ]
    }

    fn author_of(number: u8) -> Option<crate::memory::Author> {
        // One of them is nobody.
        (number > 0).then(|| format!("agent-{number}").parse().unwrap())
    }

    fn read(connection: &Connection, sql: &str) -> Vec<(i64, i64, String, i64, i64)> {
        let mut statement = connection.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| {
            Ok((
                row.get(0)?,
                row.get(1)?,
                row.get(2)?,
                row.get(3)?,
                row.get(4)?,
            ))
        });
        rows.unwrap().map(Result::unwrap).collect()
    }

    proptest! {
        #[test]
        fn tallies_are_what_counting_the_rows_gives(steps in prop::collection::vec(step(), 1..60)) {
            let connection = open_memory().unwrap();
            let space: Space = "session/s".parse().unwrap();
            let mut position = position::create(&connection, &space).unwrap();
            let mut kept = Vec::new();
            for (number, step) in (1_u64..).zip(steps) {
                let place = apply::Place {
                    offset: number,
                    length: 1,
                    number,
                    checksum: [0; 32],
                    recorded_at: None,
                };
                let at = Time::from_micros(i64::try_from(number).unwrap()).unwrap();
                let pick = |which: u8| usize::from(which) % kept.len().max(1);
                let record = match step {
                    Step::File => {
                        filing::file(&connection).unwrap();
                        continue;
                    }
                    Step::Keep { author, created } => {
                        let mut draft = Draft::new(Kind::Fact, "x".parse().unwrap());
                        draft.author = author_of(author);
                        draft.created_at = Time::from_micros(created).ok();
                        let id = format!("fact_{number}").parse().unwrap();
                        let memory = draft.into_memory(id, space.clone(), None, at);
                        kept.push(memory.clone());
                        Record::Add(Box::new(memory))
                    }
                    _ if kept.is_empty() => continue,
                    Step::Revise { which, author } => {
                        let chosen = pick(which);
                        let memory = &mut kept[chosen];
                        memory.version += 1;
                        memory.author = author_of(author);
                        Record::Update { memory: Box::new(memory.clone()), by: None }
                    }
                    Step::Forget { which } => Record::Delete {
                        id: kept[pick(which)].id.to_string(),
                        forgotten: Forgotten { at, by: "user".into(), reason: "test".into(), recover_until: at },
                    },
                    Step::Restore { which } => Record::Restore {
                        id: kept[pick(which)].id.to_string(),
                        by: None,
                        reason: "test".into(),
                        at,
                    },
                };
                apply::record(&connection, &space, &mut position, &place, record).unwrap();
                let tallied = read(&connection, "SELECT log, kind, author, sum(count), max(last) FROM all_tallies
                    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3");
                let counted = read(&connection, "SELECT log, kind, coalesce(author, ''), count(*), max(created)
                    FROM memories WHERE forgotten IS NULL GROUP BY 1, 2, 3 ORDER BY 1, 2, 3");
                prop_assert_eq!(tallied, counted);
            }
        }
    }
}
