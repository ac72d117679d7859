//! Filing: the trees by tag, metadata, link and handle take in many memories at a time.
//!
//! One at a time would change more pages than all the rest of a write. A new
//! memory is only in its row, which repeats its terms; whoever asks reads the
//! trees and the rows that are not filed yet (the views in [`TABLES`]).
//!
//! Invariant: every memory up to `filed.upto` is in the trees, no other is,
//! but for links to what a memory supersedes, which are there at once.

use rusqlite::Connection;

use super::tallies;
use super::terms::{SortedTerms, Terms};
use super::whole_or_not;
use crate::store::local::log::line::Checksum;

/// The trees, and views that know the memories that are not in them yet. Those are the last rows:
/// the plus before `log` keeps SQLite from walking through all memories of a log to find them.
pub(super) const TABLES: &str = "
CREATE TABLE filed (one INTEGER PRIMARY KEY CHECK (one = 1), upto INTEGER NOT NULL);
INSERT INTO filed VALUES (1, 0);
CREATE TABLE tags (tag TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (tag, n)) WITHOUT ROWID;
CREATE TABLE links (
    target TEXT NOT NULL, rel TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (target, rel, n)
) WITHOUT ROWID;
CREATE TABLE metadata (
    key TEXT NOT NULL, value TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (key, value, n)
) WITHOUT ROWID;
CREATE TABLE handles (
    log INTEGER NOT NULL, kind INTEGER NOT NULL, number INTEGER NOT NULL, n INTEGER NOT NULL,
    PRIMARY KEY (log, kind, number, n)
) WITHOUT ROWID;
CREATE VIEW unfiled AS
    SELECT n, +log AS log, handle_kind, handle_number, sum, terms FROM memories
    WHERE n > (SELECT upto FROM filed) AND +log IN (SELECT n FROM logs);
CREATE VIEW unfiled_links AS
    SELECT k.value->>0 AS target, k.value->>1 AS rel, m.n AS n FROM unfiled m, json_each(m.terms, '$.links') k
    WHERE k.value->>1 <> 'supersedes';
CREATE VIEW all_tags AS
    SELECT tag, n FROM tags
    UNION ALL SELECT t.value, m.n FROM unfiled m, json_each(m.terms, '$.tags') t;
CREATE VIEW all_links AS
    SELECT target, rel, n FROM links UNION ALL SELECT target, rel, n FROM unfiled_links;
CREATE VIEW all_metadata AS
    SELECT key, value, n FROM metadata
    UNION ALL SELECT d.value->>0, d.value->>1, m.n FROM unfiled m, json_each(m.terms, '$.metadata') d;
CREATE VIEW all_handles AS
    SELECT log, kind, number, n FROM handles
    UNION ALL SELECT log, handle_kind, handle_number, n FROM unfiled WHERE handle_number IS NOT NULL;
";

/// How many memories one round takes.
const ROUND: u32 = 1024;

/// Files everything; the caller has a transaction open.
///
/// If it fails, the transaction is as before and the memories wait on.
pub(crate) fn file(connection: &Connection) -> rusqlite::Result<()> {
    let file_all = || {
        while let Some(filing) = Filing::read(connection)? {
            if !filing.put_in(connection)? || filing.is_last() {
                break;
            }
        }
        Ok(())
    };
    whole_or_not(connection, |error| error, file_all)
}

/// Whether a memory is in the trees.
pub(super) fn is_filed(connection: &Connection, n: i64) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT ?1 <= upto FROM filed")?
        .query_row([n], |row| row.get(0))
}

/// Memories that are to be filed, as far as that can be made ready while others write.
pub(crate) struct Filing {
    /// They come right behind this one.
    after: i64,
    /// Number and checksum of each.
    looked_at: Vec<(i64, Checksum)>,
    terms: SortedTerms,
}

impl Filing {
    /// The memories that wait longest, as many as one round takes; none if none waits.
    pub(crate) fn read(connection: &Connection) -> rusqlite::Result<Option<Self>> {
        let after = filed_upto(connection)?;
        let mut waiting =
            connection.prepare_cached("SELECT n, sum, terms FROM unfiled ORDER BY n LIMIT ?1")?;
        let mut rows = waiting.query([ROUND])?;
        let (mut looked_at, mut all) = (Vec::new(), Vec::new());
        while let Some(row) = rows.next()? {
            let n = row.get(0)?;
            looked_at.push((n, row.get(1)?));
            let terms = row.get_ref(2)?.as_str_or_null()?;
            all.extend(terms.and_then(Terms::read).map(|terms| (n, terms)));
        }
        Ok((!looked_at.is_empty()).then(|| Self {
            after,
            looked_at,
            terms: SortedTerms::of(all),
        }))
    }

    /// Whether no others waited behind them.
    pub(crate) fn is_last(&self) -> bool {
        self.looked_at.len() < ROUND as usize
    }

    /// Puts them into the trees; false if one was changed since, or filed by somebody else.
    /// The caller has a transaction open.
    pub(crate) fn put_in(&self, connection: &Connection) -> rusqlite::Result<bool> {
        let Some((last, _)) = self.looked_at.last() else {
            return Ok(true);
        };
        if filed_upto(connection)? != self.after || !self.is_so_now(connection, *last)? {
            return Ok(false);
        }
        self.terms.insert(connection)?;
        connection
            .prepare_cached(
                "INSERT OR IGNORE INTO handles (log, kind, number, n)
                 SELECT log, handle_kind, handle_number, n FROM unfiled
                 WHERE n <= ?1 AND handle_number IS NOT NULL ORDER BY 1, 2, 3, 4",
            )?
            .execute([last])?;
        tallies::count_new(connection, *last)?;
        connection
            .prepare_cached("UPDATE filed SET upto = ?1")?
            .execute([last])?;
        Ok(true)
    }

    /// Whether the same memories wait, each in the same version.
    fn is_so_now(&self, connection: &Connection, last: i64) -> rusqlite::Result<bool> {
        let mut statement =
            connection.prepare_cached("SELECT n, sum FROM unfiled WHERE n <= ?1 ORDER BY n")?;
        let mut rows = statement.query([last])?;
        for (n, sum) in &self.looked_at {
            let Some(row) = rows.next()? else {
                return Ok(false);
            };
            if row.get::<_, i64>(0)? != *n || row.get_ref(1)?.as_blob()? != sum {
                return Ok(false);
            }
        }
        Ok(rows.next()?.is_none())
    }
}

fn filed_upto(connection: &Connection) -> rusqlite::Result<i64> {
    connection
        .prepare_cached("SELECT upto FROM filed")?
        .query_row([], |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{apply, leaving, open_memory, position};
    use super::*;
    use crate::memory::{Draft, Handle, Kind, Link, Space};

    const VIEWS: [&str; 4] = [
        "SELECT tag || '' AS one, n FROM all_tags ORDER BY 1, 2",
        "SELECT target || ' ' || rel, n FROM all_links ORDER BY 1, 2",
        "SELECT key || ' ' || value, n FROM all_metadata ORDER BY 1, 2",
        "SELECT log || ' ' || kind || ' ' || number, n FROM all_handles ORDER BY 1, 2",
    ];

    fn keep(connection: &Connection, position: &mut position::Position, number: u32) {
        let space: Space = "session/s".parse().unwrap();
        let mut draft = Draft::new(Kind::Decision, "x".parse().unwrap());
        draft.tags = vec![
            "a.b".parse().unwrap(),
            format!("t{number}").parse().unwrap(),
        ];
        for rel in ["related", "supersedes"] {
            draft.links.push(Link {
                rel: rel.parse().unwrap(),
                to: "dec_0".parse().unwrap(),
            });
        }
        draft
            .metadata
            .insert("nul\0".into(), json!("\"quoted\" \0é"));
        draft.metadata.insert("count".into(), json!(number));
        let handle = Handle {
            kind: Kind::Decision,
            number,
        };
        let id = format!("dec_{number}").parse().unwrap();
        let at = crate::Time::from_micros(0).unwrap();
        let memory = draft.into_memory(id, space, Some(handle), at);
        let place = apply::Place {
            offset: 0,
            length: 1,
            number: 1,
            checksum: [0; 32],
            recorded_at: None,
        };
        apply::memory(connection, position, &place, &memory).unwrap();
    }

    fn seen(connection: &Connection) -> Vec<Vec<(String, i64)>> {
        let view = |sql: &&str| {
            let mut statement = connection.prepare(sql).unwrap();
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
            rows.unwrap().map(Result::unwrap).collect()
        };
        VIEWS.iter().map(view).collect()
    }

    fn in_trees(connection: &Connection) -> i64 {
        let sql = "SELECT (SELECT count(*) FROM tags) + (SELECT count(*) FROM metadata)
            + (SELECT count(*) FROM handles) + (SELECT count(*) FROM links)";
        connection.query_row(sql, [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn what_is_not_filed_is_looked_for_at_the_end_only() {
        let connection = open_memory().unwrap();
        let questions = [
            "SELECT n FROM unfiled ORDER BY n LIMIT 9",
            "SELECT n, sum FROM unfiled WHERE n <= 9 ORDER BY n",
            "SELECT n FROM all_tags WHERE tag = 'x'",
            "SELECT n FROM all_metadata WHERE key = 'x' AND value = 'y'",
            "SELECT n FROM all_links WHERE target = 'x'",
            "SELECT n FROM all_handles WHERE log = 1 AND kind = 2 AND number = 3",
            "SELECT sum(count) FROM all_tallies WHERE log = 1",
        ];
        for sql in questions {
            let mut explain = connection
                .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
                .unwrap();
            let steps = explain.query_map([], |row| row.get(3)).unwrap();
            let steps: Vec<String> = steps.map(Result::unwrap).collect();
            let of_rows: Vec<&String> = steps
                .iter()
                .filter(|it| it.contains(" memories "))
                .collect();
            let [of_rows] = of_rows[..] else {
                panic!("{sql}: {of_rows:?}");
            };
            let from_the_end = "SEARCH memories USING INTEGER PRIMARY KEY (rowid>?";
            assert!(of_rows.starts_with(from_the_end), "{sql}: {of_rows}");
        }
    }

    #[test]
    fn what_was_changed_since_it_was_made_ready_is_not_put_in() {
        type Change = fn(&Connection, &mut position::Position);
        let changes: [(&str, Change); 4] = [
            ("revised", |connection, _| {
                let sql = "UPDATE memories SET sum = ?1 WHERE n = 2";
                connection.execute(sql, [[1_u8; 32]]).unwrap();
            }),
            ("filed by somebody else", |connection, _| {
                file(connection).unwrap();
            }),
            ("its log is gone", |connection, position| {
                leaving::leave(connection, position.log).unwrap();
            }),
            ("swept out", |connection, position| {
                leaving::remove(connection, position.log).unwrap();
            }),
        ];
        for (what, change) in changes {
            let connection = open_memory().unwrap();
            let space: Space = "session/s".parse().unwrap();
            let mut position = position::create(&connection, &space).unwrap();
            for number in 0..3 {
                keep(&connection, &mut position, number);
            }
            let filing = Filing::read(&connection).unwrap().unwrap();
            change(&connection, &mut position);
            let (trees, upto) = (in_trees(&connection), filed_upto(&connection).unwrap());
            assert!(!filing.put_in(&connection).unwrap(), "{what}");
            assert_eq!(in_trees(&connection), trees, "{what}");
            assert_eq!(filed_upto(&connection).unwrap(), upto, "{what}");
        }
    }

    #[test]
    fn what_comes_after_it_was_made_ready_waits_for_the_next_round() {
        let connection = open_memory().unwrap();
        let space: Space = "session/s".parse().unwrap();
        let mut position = position::create(&connection, &space).unwrap();
        keep(&connection, &mut position, 0);
        let filing = Filing::read(&connection).unwrap().unwrap();
        keep(&connection, &mut position, 1);
        let before = seen(&connection);
        assert!(filing.put_in(&connection).unwrap());
        assert_eq!(filed_upto(&connection).unwrap(), 1);
        assert_eq!(seen(&connection), before);
    }

    #[test]
    fn memories_are_found_alike_before_and_after_they_are_filed() {
        let connection = open_memory().unwrap();
        let space: Space = "session/s".parse().unwrap();
        let mut position = position::create(&connection, &space).unwrap();
        for number in 0..3 {
            keep(&connection, &mut position, number);
        }
        let before = seen(&connection);
        assert_eq!(
            before.iter().map(Vec::len).collect::<Vec<_>>(),
            [6, 6, 6, 3]
        );
        assert_eq!(in_trees(&connection), 3, "links to what is superseded");
        file(&connection).unwrap();
        assert_eq!(in_trees(&connection), 21);
        assert_eq!(seen(&connection), before);
        // What comes next is not filed, and what goes leaves nothing behind.
        keep(&connection, &mut position, 3);
        assert_eq!(in_trees(&connection), 22);
        leaving::remove(&connection, position.log).unwrap();
        assert_eq!(in_trees(&connection), 0);
        assert!(seen(&connection).iter().all(Vec::is_empty));
        assert!(!is_filed(&connection, 1).unwrap());
    }
}
