//! The words of some memories on their way into a segment.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use rusqlite::Connection;

use super::block::{Block, Blocks};
use super::segment::Segment;
use super::spoken::Spoken;
use crate::recall::document::{BORDER, Document};

/// Words as they are found by, and words as they were written where that is another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Field {
    Form = b'f' as isize,
    Stem = b's' as isize,
}

impl Field {
    /// A word of this field, as segments know it.
    pub(super) fn key(self, word: &str) -> Vec<u8> {
        let mut key = vec![self as u8];
        key.extend_from_slice(word.as_bytes());
        key
    }
}

/// The words of some memories; words are borrowed from their documents.
#[derive(Debug, Default)]
pub(in crate::store::local::search) struct Words<'a> {
    numbers: HashMap<(Field, &'a str), u32, RandomState>,
    /// One for each place of a word, in the order in which they came.
    found: Vec<Found>,
    spoken: Vec<(u32, bool)>,
}

#[derive(Clone, Copy, Debug)]
struct Found {
    word: u32,
    n: u32,
    /// None for words as they were written: nobody asks where those are.
    place: Option<u32>,
}

/// The words of some memories as their segment will have them: making it
/// ready is most of the work, and needs nobody to wait.
#[derive(Debug)]
pub(in crate::store::local::search) struct SortedWords {
    spoken: Spoken,
    blocks: Vec<Block>,
}

impl SortedWords {
    /// Writes them as the newest segment, unless there is nothing to say.
    pub(in crate::store::local::search) fn write(
        &self,
        connection: &Connection,
    ) -> rusqlite::Result<()> {
        if !self.spoken.runs().is_empty() {
            Segment::write(connection, None, &self.spoken, &self.blocks)?;
        }
        Ok(())
    }
}

impl<'a> Words<'a> {
    /// What older segments say about a memory does not hold any more.
    pub(in crate::store::local::search) fn take_out(&mut self, n: u32) {
        self.spoken.push((n, false));
    }

    /// Adds a memory; those before have lower numbers.
    pub(in crate::store::local::search) fn put_in(&mut self, n: u32, document: &'a Document) {
        self.spoken.push((n, true));
        for (place, stem) in (0..).zip(document.stems()) {
            // It keeps phrases apart by its place, and nobody looks for it.
            if stem != BORDER {
                self.push(Field::Stem, stem, n, Some(place));
            }
        }
        for form in document.forms() {
            self.push(Field::Form, form, n, None);
        }
    }

    fn push(&mut self, field: Field, word: &'a str, n: u32, place: Option<u32>) {
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        let word = *self.numbers.entry((field, word)).or_insert(next);
        self.found.push(Found { word, n, place });
    }

    /// The segment that says so.
    pub(in crate::store::local::search) fn sorted(mut self) -> SortedWords {
        SortedWords {
            spoken: Spoken::of(&mut self.spoken),
            blocks: self.blocks(),
        }
    }

    fn blocks(self) -> Vec<Block> {
        let mut words: Vec<((Field, &str), u32)> = self.numbers.into_iter().collect();
        let (begins, sorted) = by_word(&self.found, words.len());
        words.sort_unstable();
        let mut blocks = Blocks::default();
        let mut places: Vec<u32> = Vec::new();
        let mut memories: Vec<(u32, std::ops::Range<usize>)> = Vec::new();
        for ((field, word), number) in words {
            places.clear();
            memories.clear();
            let number = number as usize;
            for found in &sorted[begins[number]..begins[number + 1]] {
                if memories.last().is_none_or(|(n, _)| *n != found.n) {
                    memories.push((found.n, places.len()..places.len()));
                }
                places.extend(found.place);
                if let Some((_, range)) = memories.last_mut() {
                    range.end = places.len();
                }
            }
            let list = memories
                .iter()
                .map(|(n, range)| (*n, &places[range.clone()]));
            blocks.push(&field.key(word), list);
        }
        blocks.finish()
    }
}

/// Sorted by word, else in their order, and where each word begins: counting
/// is enough for that.
fn by_word(found: &[Found], words: usize) -> (Vec<usize>, Vec<Found>) {
    let mut begins = vec![0; words + 1];
    for found in found {
        begins[found.word as usize + 1] += 1;
    }
    for place in 1..begins.len() {
        begins[place] += begins[place - 1];
    }
    let mut next = begins.clone();
    let mut sorted = found.to_vec();
    for found in found {
        let place = &mut next[found.word as usize];
        sorted[*place] = *found;
        *place += 1;
    }
    (begins, sorted)
}
