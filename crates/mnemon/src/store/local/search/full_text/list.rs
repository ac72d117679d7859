//! Which memories have a word, how often and where, as bytes.
//!
//! First the memories: the distance of each number from the one before, and
//! how often it has the word; then the places, apart, because few ask for them.

use super::varint::{self, Reader};
use crate::store::local::search::full_text::Posting;

/// The memories that have a word, and the places of each, one after the other.
#[derive(Debug, Default, PartialEq)]
pub(super) struct List {
    pub(super) postings: Vec<Posting>,
    pub(super) places: Vec<u32>,
}

impl List {
    pub(super) fn clear(&mut self) {
        self.postings.clear();
        self.places.clear();
    }

    /// Adds a memory with its places.
    pub(super) fn push(&mut self, n: u32, places: &[u32]) {
        let count = u32::try_from(places.len()).unwrap_or(u32::MAX);
        self.postings.push((n, count));
        self.places.extend_from_slice(places);
    }

    /// Each memory with its places.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &[u32])> {
        let mut places = &self.places[..];
        self.postings.iter().map(move |(n, count)| {
            let (own, rest) = places.split_at(*count as usize);
            places = rest;
            (*n, own)
        })
    }

    /// In the order of the numbers, where several lists were put together.
    pub(super) fn sort(&mut self) {
        if self.postings.is_sorted() {
            return;
        }
        let unsorted = std::mem::take(self);
        let mut order: Vec<(u32, &[u32])> = unsorted.iter().collect();
        order.sort_unstable();
        for (n, places) in order {
            self.push(n, places);
        }
    }

    /// Adds what these bytes say; none if they are damaged.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Option<()> {
        let mut reader = Reader(bytes);
        let length = reader.small()?;
        let from = self.postings.len();
        each_posting(reader.bytes(length)?, &mut |posting| {
            self.postings.push(posting);
        })?;
        for (_, count) in &self.postings[from..] {
            let mut place = 0_u32;
            for _ in 0..*count {
                place = place.checked_add(reader.small()?)?;
                self.places.push(place);
            }
        }
        reader.is_at_end().then_some(())
    }
}

/// Writes memories, each with its places.
pub(super) fn write<'a>(bytes: &mut Vec<u8>, list: impl Iterator<Item = (u32, &'a [u32])> + Clone) {
    let mut postings = Vec::new();
    let mut before = 0;
    for (n, places) in list.clone() {
        let distance = u64::from(n - before) << 1;
        if places.len() == 1 {
            varint::put(&mut postings, distance);
        } else {
            varint::put(&mut postings, distance | 1);
            varint::put(&mut postings, places.len() as u64);
        }
        before = n;
    }
    varint::put(bytes, postings.len() as u64);
    bytes.extend(postings);
    for (_, places) in list {
        let mut before = 0;
        for place in places {
            varint::put(bytes, u64::from(place - before));
            before = *place;
        }
    }
}

/// The memories of a list without their places; none if it is damaged.
pub(super) fn postings(bytes: &[u8], each: &mut dyn FnMut(Posting)) -> Option<()> {
    let mut reader = Reader(bytes);
    let length = reader.small()?;
    each_posting(reader.bytes(length)?, each)
}

fn each_posting(bytes: &[u8], each: &mut dyn FnMut(Posting)) -> Option<()> {
    let mut reader = Reader(bytes);
    let mut n = 0_u32;
    while !reader.is_at_end() {
        let head = reader.number()?;
        n = n.checked_add(u32::try_from(head >> 1).ok()?)?;
        let count = if head & 1 == 0 { 1 } else { reader.small()? };
        each((n, count));
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_comes_back_and_no_bytes_make_it_panic() {
        let mut list = List::default();
        list.push(3, &[0, 7, 300]);
        list.push(4, &[9]);
        list.push(u32::MAX, &[u32::MAX]);
        let mut bytes = Vec::new();
        let all: Vec<_> = list.iter().collect();
        write(&mut bytes, all.iter().copied());
        let mut read = List::default();
        assert_eq!(read.read(&bytes), Some(()));
        assert_eq!(read, list);
        let mut numbers = Vec::new();
        postings(&bytes, &mut |posting| numbers.push(posting)).unwrap();
        assert_eq!(numbers, list.postings);
        for end in 0..bytes.len() {
            assert_eq!(List::default().read(&bytes[..end]), None, "cut at {end}");
        }
        for place in 0..bytes.len() {
            for bit in 0..8 {
                let mut changed = bytes.clone();
                changed[place] ^= 1 << bit;
                let _ = List::default().read(&changed);
            }
        }
    }

    #[test]
    fn lists_that_were_put_together_get_their_order() {
        let mut list = List::default();
        list.push(5, &[1, 2]);
        list.push(2, &[8]);
        list.push(9, &[]);
        list.sort();
        let sorted: Vec<(u32, Vec<u32>)> = list.iter().map(|(n, it)| (n, it.to_vec())).collect();
        assert_eq!(sorted, [(2, vec![8]), (5, vec![1, 2]), (9, vec![])]);
    }
}
