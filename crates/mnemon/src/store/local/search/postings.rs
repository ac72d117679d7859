//! Which memories have a word, as a process remembers it from one question to the next.
//!
//! People ask about the same things again and again, and the full text only
//! changes with a fill: until then what it said once is true.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;

use super::full_text::{Posting, Segments};

/// What is remembered in all; then it begins anew.
const BYTES_MAX: usize = 4 << 20;

/// A word that so many memories have is not worth the room.
const POSTINGS_MAX: usize = BYTES_MAX / 8 / size_of::<Posting>();

/// What the full text of one build said about words.
#[derive(Debug, Default)]
pub(in crate::store::local) struct PostingsCache {
    remembered: Mutex<Remembered>,
    /// After which fill, and what there was then.
    segments: Mutex<(i64, Arc<Segments>)>,
}

#[derive(Debug, Default)]
struct Remembered {
    /// After which fill.
    stamp: i64,
    by_stem: HashMap<String, Arc<[Posting]>>,
    bytes: usize,
}

impl PostingsCache {
    /// What the full text says about a word after that fill; `read` asks it.
    pub(super) fn of<E>(
        &self,
        stamp: i64,
        stem: &str,
        read: impl FnOnce() -> Result<Vec<Posting>, E>,
    ) -> Result<Arc<[Posting]>, E> {
        if let Some(known) = self.known(stamp, stem) {
            return Ok(known);
        }
        let postings: Arc<[Posting]> = read()?.into();
        if postings.len() <= POSTINGS_MAX {
            self.remember(stamp, stem, &postings);
        }
        Ok(postings)
    }

    /// The segments as of that fill, which is the one that the connection sees.
    pub(super) fn segments(
        &self,
        stamp: i64,
        connection: &Connection,
    ) -> rusqlite::Result<Arc<Segments>> {
        let last = || self.segments.lock().unwrap_or_else(PoisonError::into_inner);
        let (known, before) = last().clone();
        if known == stamp {
            return Ok(before);
        }
        let segments = Arc::new(Segments::read(connection, &before)?);
        *last() = (stamp, segments.clone());
        Ok(segments)
    }

    fn known(&self, stamp: i64, stem: &str) -> Option<Arc<[Posting]>> {
        let remembered = self
            .remembered
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let is_as_new = remembered.stamp == stamp;
        is_as_new
            .then(|| remembered.by_stem.get(stem).cloned())
            .flatten()
    }

    fn remember(&self, stamp: i64, stem: &str, postings: &Arc<[Posting]>) {
        let mut remembered = self
            .remembered
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        // Somebody who looked before the latest fill has nothing to tell those after it.
        if stamp < remembered.stamp {
            return;
        }
        let bytes = stem.len() + size_of_val::<[Posting]>(postings);
        if stamp > remembered.stamp || remembered.bytes + bytes > BYTES_MAX {
            *remembered = Remembered {
                stamp,
                ..Remembered::default()
            };
        }
        remembered.bytes += bytes;
        remembered.by_stem.insert(stem.to_owned(), postings.clone());
    }
}
