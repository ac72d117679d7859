//! Tags, metadata and mentions of others: what a memory is found by, one tree for each.
//!
//! The row of a memory repeats its terms, so that they can be taken out again
//! without a second tree that leads from memories to terms.

use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};

use crate::memory::Memory;
use crate::store::filter_text;

/// The relation to what a memory takes the place of.
pub(crate) const SUPERSEDES: &str = "supersedes";

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

    /// Makes a memory found by its terms.
    pub(super) fn insert(&self, connection: &Connection, n: i64) -> rusqlite::Result<()> {
        self.each(
            connection,
            n,
            [
                "INSERT OR IGNORE INTO tags (tag, n) VALUES (?1, ?2)",
                "INSERT OR IGNORE INTO metadata (key, value, n) VALUES (?1, ?2, ?3)",
                "INSERT OR IGNORE INTO links (target, rel, n) VALUES (?1, ?2, ?3)",
            ],
        )
    }

    /// What search knows of the memories whose place this one takes is not so
    /// any more: it was forgotten, or is back.
    pub(super) fn supersede_anew(connection: &Connection, n: i64) -> rusqlite::Result<()> {
        let links = Self::read(connection, n)?.map_or_else(Vec::new, |terms| terms.links);
        for (target, _) in links.iter().filter(|(_, rel)| rel == SUPERSEDES) {
            unsearch(connection, target)?;
        }
        Ok(())
    }

    fn read(connection: &Connection, n: i64) -> rusqlite::Result<Option<Self>> {
        let text: Option<String> = connection
            .prepare_cached("SELECT terms FROM memories WHERE n = ?1")?
            .query_row([n], |row| row.get(0))?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// Takes out the terms that the row of a memory repeats.
    pub(super) fn remove(connection: &Connection, n: i64) -> rusqlite::Result<()> {
        let Some(terms) = Self::read(connection, n)? else {
            return Ok(());
        };
        terms.each(
            connection,
            n,
            [
                "DELETE FROM tags WHERE tag = ?1 AND n = ?2",
                "DELETE FROM metadata WHERE key = ?1 AND value = ?2 AND n = ?3",
                "DELETE FROM links WHERE target = ?1 AND rel = ?2 AND n = ?3",
            ],
        )
    }

    fn each(&self, connection: &Connection, n: i64, sql: [&str; 3]) -> rusqlite::Result<()> {
        for tag in &self.tags {
            connection
                .prepare_cached(sql[0])?
                .execute(params![tag, n])?;
        }
        for (key, value) in &self.metadata {
            connection
                .prepare_cached(sql[1])?
                .execute(params![key, value, n])?;
        }
        for (target, rel) in &self.links {
            if rel == SUPERSEDES {
                // What search knows of the other memory is not so any more.
                unsearch(connection, target)?;
            }
            connection
                .prepare_cached(sql[2])?
                .execute(params![target, rel, n])?;
        }
        Ok(())
    }
}

fn unsearch(connection: &Connection, id: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT OR IGNORE INTO unsearched (n) SELECT n FROM memories WHERE id = ?1",
        )?
        .execute([id])?;
    Ok(())
}
