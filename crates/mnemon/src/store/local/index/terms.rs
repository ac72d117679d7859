//! Tags, metadata and mentions of others: what a memory is found by, one tree for each.
//!
//! The row of a memory repeats its terms, so that they can be taken out again
//! without a second tree that leads from memories to terms.

use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};

use super::by_id::has_id;
use super::in_force;
use crate::memory::{Memory, SUPERSEDES};
use crate::store::filter_text;

/// What is done to the trees of tags, metadata and links.
struct Statements {
    tag: &'static str,
    metadata: &'static str,
    link: &'static str,
}

const INSERT: Statements = Statements {
    tag: "INSERT OR IGNORE INTO tags (tag, n) VALUES (?1, ?2)",
    metadata: "INSERT OR IGNORE INTO metadata (key, value, n) VALUES (?1, ?2, ?3)",
    link: "INSERT OR IGNORE INTO links (target, rel, n) VALUES (?1, ?2, ?3)",
};

const DELETE: Statements = Statements {
    tag: "DELETE FROM tags WHERE tag = ?1 AND n = ?2",
    metadata: "DELETE FROM metadata WHERE key = ?1 AND value = ?2 AND n = ?3",
    link: "DELETE FROM links WHERE target = ?1 AND rel = ?2 AND n = ?3",
};

pub(super) const MAKE_PENDING: &str = concat!(
    "INSERT OR IGNORE INTO unsearched (n) SELECT n FROM memories m WHERE ",
    has_id!()
);

/// What a memory is found by.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Terms {
    tags: Vec<String>,
    metadata: Vec<(String, String)>,
    links: Vec<(String, String)>,
}

impl Terms {
    /// The terms of a memory, and none if it has none: most rows then stay short.
    pub(super) fn of(memory: &Memory) -> Option<Self> {
        let mentions = memory.mentions();
        let bare = memory.tags.is_empty() && memory.metadata.is_empty() && mentions.is_empty();
        (!bare).then(|| Self {
            tags: memory.tags.iter().map(ToString::to_string).collect(),
            metadata: memory
                .metadata
                .iter()
                .map(|(key, value)| (key.clone(), filter_text(value)))
                .collect(),
            links: mentions
                .iter()
                .map(|mention| (mention.to.key(), mention.rel.to_string()))
                .collect(),
        })
    }

    /// As the row of the memory repeats them.
    pub(super) fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The terms that the row of a memory repeats.
    pub(super) fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// What must be known at once of a new memory, or of one that was changed:
    /// what search knows of those that it supersedes is not so any more.
    pub(super) fn note(&self, connection: &Connection, n: i64) -> rusqlite::Result<()> {
        for (target, rel) in self.links.iter().filter(|(_, rel)| rel == SUPERSEDES) {
            connection
                .prepare_cached(INSERT.link)?
                .execute(params![target, rel, n])?;
            look_again_at(connection, target)?;
        }
        Ok(())
    }

    /// What search knows of the memories whose place this one takes is not so
    /// any more: it was forgotten, or is back.
    pub(super) fn supersede_anew(connection: &Connection, n: i64) -> rusqlite::Result<()> {
        match Self::of_row(connection, n)? {
            Some(terms) => look_again_at_all(connection, &terms.superseded()),
            None => Ok(()),
        }
    }

    fn of_row(connection: &Connection, n: i64) -> rusqlite::Result<Option<Self>> {
        let text: Option<String> = connection
            .prepare_cached("SELECT terms FROM memories WHERE n = ?1")?
            .query_row([n], |row| row.get(0))?;
        Ok(text.as_deref().and_then(Self::read))
    }

    /// Takes out the terms that the row of a memory repeats.
    pub(super) fn remove(connection: &Connection, n: i64) -> rusqlite::Result<()> {
        let Some(terms) = Self::of_row(connection, n)? else {
            return Ok(());
        };
        let superseded = terms.superseded();
        SortedTerms::of(vec![(n, terms)]).remove(connection)?;
        look_again_at_all(connection, &superseded)
    }

    /// The memories whose place this one takes.
    fn superseded(&self) -> Vec<String> {
        let links = self.links.iter();
        let links = links.filter(|(_, rel)| rel == SUPERSEDES);
        links.map(|(target, _)| target.clone()).collect()
    }
}

/// The terms of several memories, in the order of the trees: so each page is touched once.
pub(super) struct SortedTerms {
    tags: Vec<(String, i64)>,
    metadata: Vec<(String, String, i64)>,
    links: Vec<(String, String, i64)>,
}

impl SortedTerms {
    pub(super) fn of(all: Vec<(i64, Terms)>) -> Self {
        let mut sorted = Self {
            tags: Vec::new(),
            metadata: Vec::new(),
            links: Vec::new(),
        };
        for (n, terms) in all {
            let with = |(first, second)| (first, second, n);
            sorted
                .tags
                .extend(terms.tags.into_iter().map(|tag| (tag, n)));
            sorted.metadata.extend(terms.metadata.into_iter().map(with));
            sorted.links.extend(terms.links.into_iter().map(with));
        }
        sorted.tags.sort_unstable();
        sorted.metadata.sort_unstable();
        sorted.links.sort_unstable();
        sorted
    }

    /// Makes the memories found by their terms.
    pub(super) fn insert(&self, connection: &Connection) -> rusqlite::Result<()> {
        self.execute(connection, &INSERT)
    }

    /// Takes the memories out of the trees.
    pub(super) fn remove(&self, connection: &Connection) -> rusqlite::Result<()> {
        self.execute(connection, &DELETE)
    }

    fn execute(&self, connection: &Connection, what: &Statements) -> rusqlite::Result<()> {
        let mut statement = connection.prepare_cached(what.tag)?;
        for (tag, n) in &self.tags {
            statement.execute(params![tag, n])?;
        }
        for (sql, triples) in [(what.metadata, &self.metadata), (what.link, &self.links)] {
            let mut statement = connection.prepare_cached(sql)?;
            for (first, second, n) in triples {
                statement.execute(params![first, second, n])?;
            }
        }
        Ok(())
    }
}

fn look_again_at_all(connection: &Connection, ids: &[String]) -> rusqlite::Result<()> {
    ids.iter().try_for_each(|id| look_again_at(connection, id))
}

/// Whether a memory is superseded may not be as it was: search has to look at it again, and a
/// preference may be in force again.
fn look_again_at(connection: &Connection, id: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(MAKE_PENDING)?.execute([id])?;
    in_force::settle(connection, id)
}
