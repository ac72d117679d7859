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

    /// For those who ask about one number after the other, in their order.
    pub(super) fn walk(&self) -> Walk<'_> {
        Walk(&self.found)
    }

    pub(super) fn has_demanded(&self, n: u32, probe: &Probe) -> bool {
        let matched = || self.of(n).map_or(0, |found| found.matched);
        probe.demanded == 0 || probe.demanded & !matched() == 0
    }
}

/// What is left of what was found.
pub(super) struct Walk<'a>(&'a [Found]);

impl<'a> Walk<'a> {
    /// As [`Text::of`]; no number is asked for that is below one before.
    pub(super) fn of(&mut self, n: u32) -> Option<&'a Found> {
        let passed = self.0.iter().take_while(|found| found.n < n).count();
        self.0 = &self.0[passed..];
        self.0.first().filter(|found| found.n == n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_walks_finds_what_others_find() {
        let found = |n: u32| Found {
            n,
            matched: 1,
            score: f64::from(n),
        };
        let mut text = Text::default();
        text.add([3, 4, 9, 20].map(found).into_iter());
        let mut walk = text.walk();
        for n in [0, 3, 3, 5, 9, 10, 20, 20, 21] {
            let walked = walk.of(n).map(|found| found.n);
            assert_eq!(walked, text.of(n).map(|found| found.n), "{n}");
        }
    }
}
