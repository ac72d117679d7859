//! Which memories fit a filter, as numbers: by their facts where those are
//! enough, else by asking the index.

use rusqlite::Connection;

use super::chunks::Bounds;
use super::corpus::{Corpus, mean};
use super::facts::Facts;
use super::numbers::{ChunkNumbers, Numbers};
use crate::caller::Sight;
use crate::error::{Error, Result};
use crate::memory::{Kind, Space};
use crate::recall::authors::{Author, Authors};
use crate::store::local::files::LogFiles;
use crate::store::local::index::{select, sight};
use crate::store::{Filter, Forgottenness};

/// A filter, ready to be asked about one memory after the other.
pub(super) struct Fits<'a> {
    filter: &'a Filter,
    /// In their order.
    places: Option<Vec<u32>>,
    kinds: Vec<Kind>,
    authors: Option<Vec<u32>>,
    /// Those that fit what facts don't tell.
    chosen: Option<Numbers>,
    /// What an agent sees; all if there is none.
    seen: Option<Seen>,
    /// Whether it lets through all that is not forgotten.
    is_open: bool,
}

/// What an agent sees, or does not see.
struct Seen {
    is_hidden: bool,
    /// The logs of others, in their order.
    hidden_places: Vec<u32>,
    /// What is private, and not to others.
    own_private: Numbers,
}

/// Which rows of a chunk may fit.
pub(super) enum Rows<'a> {
    None,
    Few(ChunkNumbers<'a>),
    Any,
}

impl<'a> Fits<'a> {
    pub(super) fn new(
        connection: &Connection,
        files: &LogFiles,
        filter: &'a Filter,
        authors: &Authors,
    ) -> Result<Self> {
        let places = match &filter.spaces[..] {
            [] => None,
            spaces => Some(places(connection, spaces).map_err(Error::index("index"))?),
        };
        let wanted = |author: &&Author| filter.authors.contains(&author.name);
        let authors = (!filter.authors.is_empty()).then(|| {
            let named = authors.iter().filter(wanted);
            named.map(|author| author.number).collect()
        });
        let chosen = match &filter.tags[..] {
            [] if facts_tell_the_rest(filter) => None,
            // Unless something else narrows it down first, the tag alone is the quickest to ask for.
            [tag] if facts_tell_the_rest(filter) && is_about_all(filter) => {
                Some(select::tagged(connection, files, filter, tag)?)
            }
            _ => Some(select::numbers(connection, files, filter)?),
        };
        let chosen = chosen.map(|numbers| Numbers::of(&numbers));
        let seen = match &filter.sight {
            Sight::Agent(id) | Sight::HiddenFrom(id) => Some(Seen {
                is_hidden: matches!(filter.sight, Sight::HiddenFrom(_)),
                hidden_places: sight::logs_of_others(connection, id)
                    .map_err(Error::index("index"))?,
                own_private: Numbers::of(
                    &sight::own_private(connection, id).map_err(Error::index("index"))?,
                ),
            }),
            Sight::Everything => None,
        };
        Ok(Self {
            is_open: places.is_none()
                && authors.is_none()
                && chosen.is_none()
                && seen.is_none()
                && filter.kinds.is_empty()
                && filter.since_micros.is_none()
                && filter.until_micros.is_none()
                && filter.min_importance.is_none()
                && filter.forgotten == Forgottenness::Without,
            filter,
            places,
            kinds: filter.kinds.clone(),
            authors,
            chosen,
            seen,
        })
    }

    /// Whether it counts for whoever asks when words are counted.
    pub(super) fn counts(&self, n: u32, corpus: &Corpus) -> bool {
        corpus.is_live(n) && (self.seen.is_none() || self.sees(n, corpus.facts(n)))
    }

    /// Whether whoever asks sees it.
    fn sees(&self, n: u32, facts: &Facts) -> bool {
        self.seen.as_ref().is_none_or(|seen| {
            let reaches = seen.hidden_places.binary_search(&facts.place).is_err();
            let sees = reaches && (!facts.flags.is_private || seen.own_private.contains(n));
            sees != seen.is_hidden
        })
    }

    /// How many memories there are for whoever asks, and how long they are on average.
    pub(super) fn extent(&self, corpus: &Corpus) -> (u64, f64) {
        if self.seen.is_none() {
            return (corpus.live, corpus.mean_length());
        }
        let (mut memories, mut words) = (0, 0);
        for n in (0_u32..).take(corpus.size) {
            if self.counts(n, corpus) {
                memories += 1;
                words += u64::from(corpus.length(n));
            }
        }
        (memories, mean(words, memories))
    }

    pub(super) fn fits(&self, n: u32, corpus: &Corpus) -> bool {
        // What a bit says needs no look at the facts.
        if self.is_open {
            return corpus.is_live(n);
        }
        self.chosen.as_ref().is_none_or(|chosen| chosen.contains(n))
            && self.facts_fit(n, corpus.facts(n))
    }

    fn facts_fit(&self, n: u32, facts: &Facts) -> bool {
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
                .is_none_or(|places| places.binary_search(&facts.place).is_ok())
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
            && self.sees(n, facts)
    }
}

impl Fits<'_> {
    /// Which rows of a chunk may fit, from its first number on; the rest does not.
    pub(super) fn rows(&self, first: u32, bounds: &Bounds) -> Rows<'_> {
        let filter = self.filter;
        let created = &bounds.created_micros;
        let too_old = filter
            .since_micros
            .is_some_and(|since| *created.end() < since);
        let too_new = filter
            .until_micros
            .is_some_and(|until| *created.start() > until);
        let elsewhere = self.places.as_ref().is_some_and(|places| {
            let next = places.partition_point(|place| place < bounds.places.start());
            places
                .get(next)
                .is_none_or(|place| place > bounds.places.end())
        });
        if too_old || too_new || elsewhere {
            return Rows::None;
        }
        match &self.chosen {
            Some(chosen) => Rows::Few(chosen.of_chunk(first)),
            None => Rows::Any,
        }
    }
}

/// Whether all that is asked but tags is in the facts.
fn facts_tell_the_rest(filter: &Filter) -> bool {
    filter.any_tags.is_empty()
        && filter.not_tags.is_empty()
        && filter.min_confidence.is_none()
        && filter.min_priority.is_none()
        && filter.status.is_none()
        && filter.contains.is_none()
        && filter.metadata.is_empty()
        && filter.preference_key.is_none()
}

/// Whether it is about all spaces and times.
fn is_about_all(filter: &Filter) -> bool {
    filter.spaces.is_empty() && filter.since_micros.is_none() && filter.until_micros.is_none()
}

fn places(connection: &Connection, spaces: &[Space]) -> rusqlite::Result<Vec<u32>> {
    let mut statement = connection.prepare_cached("SELECT n FROM logs WHERE space = ?1")?;
    let mut found = Vec::new();
    for space in spaces {
        for place in statement.query_map([space.to_string()], |row| row.get(0))? {
            found.push(place?);
        }
    }
    found.sort_unstable();
    Ok(found)
}
