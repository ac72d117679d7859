//! Which memories fit a filter, as numbers: by their facts where those are
//! enough, else by asking the index.

use std::collections::{BTreeMap, HashSet};

use rusqlite::Connection;

use super::facts::Facts;
use crate::error::{Error, Result};
use crate::memory::{Kind, Space};
use crate::store::local::files::LogFiles;
use crate::store::local::index::select;
use crate::store::{Filter, Forgottenness};

/// A filter, ready to be asked about one memory after the other.
pub(super) struct Fits<'a> {
    filter: &'a Filter,
    places: Option<HashSet<u32>>,
    kinds: Vec<Kind>,
    authors: Option<HashSet<u32>>,
    /// Those that fit what facts don't tell.
    chosen: Option<HashSet<u32>>,
}

impl<'a> Fits<'a> {
    pub(super) fn new(
        connection: &Connection,
        files: &LogFiles,
        filter: &'a Filter,
        authors: &BTreeMap<u32, String>,
    ) -> Result<Self> {
        let places = match &filter.spaces[..] {
            [] => None,
            spaces => Some(places(connection, spaces).map_err(Error::index("index"))?),
        };
        let wanted = |name: &String| filter.authors.iter().any(|author| author == name);
        let authors = (!filter.authors.is_empty()).then(|| {
            let named = authors.iter().filter(|(_, name)| wanted(name));
            named.map(|(number, _)| *number).collect()
        });
        let chosen = if facts_are_enough(filter) {
            None
        } else {
            Some(select::numbers(connection, files, filter)?)
        };
        Ok(Self {
            filter,
            places,
            kinds: filter.kinds.clone(),
            authors,
            chosen,
        })
    }

    pub(super) fn fits(&self, n: u32, facts: &Facts) -> bool {
        let filter = self.filter;
        facts.flags.present
            && match filter.forgotten {
                Forgottenness::Without => !facts.flags.forgotten,
                Forgottenness::With => true,
                Forgottenness::Only => facts.flags.forgotten,
            }
            && self
                .places
                .as_ref()
                .is_none_or(|places| places.contains(&facts.place))
            && (self.kinds.is_empty() || self.kinds.contains(&facts.kind))
            && self
                .authors
                .as_ref()
                .is_none_or(|authors| authors.contains(&facts.author))
            && filter
                .since_micros
                .is_none_or(|since| facts.created_micros >= since)
            && filter
                .until_micros
                .is_none_or(|until| facts.created_micros <= until)
            && filter
                .min_importance
                .is_none_or(|least| facts.importance >= least.get())
            && self
                .chosen
                .as_ref()
                .is_none_or(|chosen| chosen.contains(&n))
    }
}

fn facts_are_enough(filter: &Filter) -> bool {
    filter.tags.is_empty()
        && filter.any_tags.is_empty()
        && filter.not_tags.is_empty()
        && filter.min_confidence.is_none()
        && filter.min_priority.is_none()
        && filter.status.is_none()
        && filter.contains.is_none()
        && filter.metadata.is_empty()
}

fn places(connection: &Connection, spaces: &[Space]) -> rusqlite::Result<HashSet<u32>> {
    let mut statement = connection.prepare_cached("SELECT n FROM logs WHERE space = ?1")?;
    let mut found = HashSet::new();
    for space in spaces {
        for place in statement.query_map([space.to_string()], |row| row.get(0))? {
            found.insert(place?);
        }
    }
    Ok(found)
}
