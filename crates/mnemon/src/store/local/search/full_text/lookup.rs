//! Looking words up, in all segments.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use rusqlite::Connection;

use super::block::{Entries, damaged_block};
use super::list::{self, List};
use super::segment::Segments;
use super::words::Field;
use crate::recall::document::fits_pattern;
use crate::recall::probe::Term;
use crate::store::local::search::full_text::Posting;

/// Whether what is read stays in memory.
#[derive(Clone, Copy)]
enum Reading {
    Keeps,
    /// Who reads many blocks would take the room of words that are asked for.
    Passes,
}

impl Segments {
    /// The memories that have a term, in the order of their numbers; of names those that say it.
    pub(in crate::store::local::search) fn postings(
        &self,
        connection: &Connection,
        term: &Term,
    ) -> rusqlite::Result<Vec<Posting>> {
        match term {
            Term::Stem(stem) => self.of_stem(connection, stem),
            Term::Phrase(stems) => self.of_phrase(connection, stems),
            Term::Name { stem, .. } => {
                let mut postings = self.of_stem(connection, stem)?;
                for (_, count) in &mut postings {
                    *count = 1;
                }
                Ok(postings)
            }
            Term::Pattern(pattern) => self.of_pattern(connection, pattern),
        }
    }

    fn of_stem(&self, connection: &Connection, stem: &str) -> rusqlite::Result<Vec<Posting>> {
        let mut postings = Vec::new();
        self.each_list(connection, &Field::Stem.key(stem), |segment, bytes| {
            list::postings(bytes, &mut |posting| {
                if !self.is_overruled(segment, posting.0) {
                    postings.push(posting);
                }
            })
        })?;
        if !postings.is_sorted() {
            postings.sort_unstable();
        }
        Ok(postings)
    }

    /// Reads every list, so that damage is noticed wherever it is.
    pub(in crate::store::local::search) fn check(
        &self,
        connection: &Connection,
    ) -> rusqlite::Result<()> {
        let mut list = List::default();
        self.each_word_with(connection, &[], |segment, _, bytes| {
            list.clear();
            list.read(bytes)?;
            let mut numbers = list.postings.iter().map(|(n, _)| *n);
            let spoken = &self.list[segment].spoken;
            numbers.all(|n| spoken.run_of(n).is_some()).then_some(())
        })
    }

    /// The memories that have a stem, and where.
    fn with_places(&self, connection: &Connection, stem: &str) -> rusqlite::Result<List> {
        let (mut all, mut own) = (List::default(), List::default());
        self.each_list(connection, &Field::Stem.key(stem), |segment, bytes| {
            own.clear();
            own.read(bytes)?;
            for (n, places) in own.iter() {
                if !self.is_overruled(segment, n) {
                    all.push(n, places);
                }
            }
            Some(())
        })?;
        all.sort();
        Ok(all)
    }

    fn of_phrase(
        &self,
        connection: &Connection,
        stems: &[String],
    ) -> rusqlite::Result<Vec<Posting>> {
        let Some((first, rest)) = stems.split_first() else {
            return Ok(Vec::new());
        };
        let first = self.with_places(connection, first)?;
        // Where the phrase can still begin.
        let mut left: Vec<(u32, Vec<u32>)> = first
            .iter()
            .map(|(n, places)| (n, places.to_vec()))
            .collect();
        for (distance, stem) in (1..).zip(rest) {
            let next = self.with_places(connection, stem)?;
            let mut next = next.iter().peekable();
            left.retain_mut(|(n, begins)| {
                while next.next_if(|(other, _)| other < n).is_some() {}
                let Some((_, places)) = next.next_if(|(other, _)| other == n) else {
                    return false;
                };
                begins.retain(|begin| places.binary_search(&(begin + distance)).is_ok());
                !begins.is_empty()
            });
        }
        let count = |begins: &Vec<u32>| u32::try_from(begins.len()).unwrap_or(u32::MAX);
        Ok(left.iter().map(|(n, begins)| (*n, count(begins))).collect())
    }

    fn of_pattern(&self, connection: &Connection, pattern: &str) -> rusqlite::Result<Vec<Posting>> {
        let literal = pattern.split('*').next().unwrap_or_default();
        let mut found = BTreeSet::new();
        for field in [Field::Form, Field::Stem] {
            let beginning = field.key(literal);
            self.each_word_with(connection, &beginning, |segment, word, bytes| {
                let word = std::str::from_utf8(&word[1..]).ok()?;
                if !fits_pattern(word, pattern) {
                    return Some(());
                }
                list::postings(bytes, &mut |(n, _)| {
                    if !self.is_overruled(segment, n) {
                        found.insert(n);
                    }
                })
            })?;
        }
        Ok(found.into_iter().map(|n| (n, 1)).collect())
    }

    /// Hands over the lists of a word, each with the place of its segment.
    fn each_list(
        &self,
        connection: &Connection,
        word: &[u8],
        mut each: impl FnMut(usize, &[u8]) -> Option<()>,
    ) -> rusqlite::Result<()> {
        let compare = |found: &[u8]| found.cmp(word);
        self.each_word(
            connection,
            word,
            compare,
            Reading::Keeps,
            |place, _, list| each(place, list),
        )
    }

    /// Hands over every word with this beginning, in each segment: its place, the word, its list.
    fn each_word_with(
        &self,
        connection: &Connection,
        beginning: &[u8],
        each: impl FnMut(usize, &[u8], &[u8]) -> Option<()>,
    ) -> rusqlite::Result<()> {
        let compare = |found: &[u8]| {
            if found.starts_with(beginning) {
                Ordering::Equal
            } else {
                found.cmp(beginning)
            }
        };
        self.each_word(connection, beginning, compare, Reading::Passes, each)
    }

    /// Hands over the words that are neither before nor behind what is meant, `first` and later.
    fn each_word(
        &self,
        connection: &Connection,
        first: &[u8],
        compare: impl Fn(&[u8]) -> Ordering,
        reading: Reading,
        mut each: impl FnMut(usize, &[u8], &[u8]) -> Option<()>,
    ) -> rusqlite::Result<()> {
        for (place, segment) in self.list.iter().enumerate() {
            let blocks = segment.first_block(first)..segment.beginnings.len();
            for block in blocks {
                if compare(&segment.beginnings[block]) == Ordering::Greater {
                    break;
                }
                let look = |bytes: &[u8]| {
                    let mut entries = Entries::default();
                    while let Some(list) = entries.next(bytes)? {
                        match compare(&entries.word) {
                            Ordering::Less => {}
                            Ordering::Equal => each(place, &entries.word, &bytes[list])
                                .ok_or_else(damaged_block)?,
                            Ordering::Greater => break,
                        }
                    }
                    Ok(())
                };
                match reading {
                    Reading::Keeps => segment.with_kept_block(connection, block, look),
                    Reading::Passes => segment.with_block(connection, block, look),
                }?;
            }
        }
        Ok(())
    }
}
