//! Which memories have the words of a question, and how good that is.

use crate::recall::probe::{Probe, Rarity};

/// How well each memory fits the words.
#[derive(Default)]
pub(super) struct Text {
    /// Those that have a term, in the order of their numbers.
    pub(super) found: Vec<Found>,
    pub(super) terms: Vec<Rarity>,
}

/// A memory that has terms: which, and what they are worth.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub(super) n: u32,
    pub(super) matched: u64,
    pub(super) score: f64,
}

impl Text {
    /// Adds those with one more term, in the order of their numbers.
    pub(super) fn add(&mut self, more: impl ExactSizeIterator<Item = Found>) {
        let mut both = Vec::with_capacity(self.found.len() + more.len());
        let mut known = self.found.iter().copied().peekable();
        for found in more {
            while let Some(before) = known.next_if(|known| known.n < found.n) {
                both.push(before);
            }
            both.push(match known.next_if(|known| known.n == found.n) {
                Some(known) => Found {
                    matched: known.matched | found.matched,
                    score: known.score + found.score,
                    ..known
                },
                None => found,
            });
        }
        both.extend(known);
        self.found = both;
    }

    pub(super) fn of(&self, n: u32) -> Option<&Found> {
        let place = self.found.binary_search_by_key(&n, |found| found.n).ok()?;
        self.found.get(place)
    }

    pub(super) fn has_demanded(&self, n: u32, probe: &Probe) -> bool {
        let matched = || self.of(n).map_or(0, |found| found.matched);
        probe.demanded == 0 || probe.demanded & !matched() == 0
    }
}
