//! Blocks: words in their order with their lists, as many as half a page holds.
//!
//! A word shares its beginning with the one before. One that many memories
//! have goes on in the next block, under the same word again.

use std::ops::Range;

use super::list;
use super::varint::{self, Reader};
use crate::store::local::search::kept_rows::damaged;

/// Whoever looks a word up reads one block of each segment; two of them fill a page.
const BLOCK_BYTES: usize = 1900;

/// A longer list is cut.
const LIST_BYTES: usize = 1200;

/// A block with the word that it begins with.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub(super) beginning: Vec<u8>,
    pub(super) bytes: Vec<u8>,
}

/// Takes words in their order, and makes blocks of them.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    done: Vec<Block>,
    current: Block,
    last: Vec<u8>,
    list: Vec<u8>,
}

impl Blocks {
    /// Adds a word with the memories that have it, in the order of their numbers.
    pub(super) fn push<'a>(
        &mut self,
        word: &[u8],
        memories: impl Iterator<Item = (u32, &'a [u32])> + Clone,
    ) {
        let mut rest = memories.peekable();
        while rest.peek().is_some() {
            // A place takes a byte or two, a memory some more.
            let from = rest.clone();
            let (mut count, mut bytes) = (0, 0);
            while bytes < LIST_BYTES
                && let Some((_, places)) = rest.next()
            {
                bytes += 3 + 2 * places.len();
                count += 1;
            }
            let mut list = std::mem::take(&mut self.list);
            list.clear();
            list::write(&mut list, from.take(count));
            self.put(word, &list);
            self.list = list;
        }
    }

    /// All of them.
    pub(super) fn finish(mut self) -> Vec<Block> {
        if !self.current.bytes.is_empty() {
            self.done.push(self.current);
        }
        self.done
    }

    fn put(&mut self, word: &[u8], list: &[u8]) {
        let is_full = self.current.bytes.len() + word.len() + list.len() > BLOCK_BYTES;
        if is_full && !self.current.bytes.is_empty() {
            self.done.push(std::mem::take(&mut self.current));
        }
        if self.current.bytes.is_empty() {
            self.current.beginning = word.to_vec();
            self.last.clear();
        }
        let same = self.last.iter().zip(word).take_while(|(a, b)| a == b);
        let shared = same.count();
        let bytes = &mut self.current.bytes;
        varint::put(bytes, shared as u64);
        varint::put(bytes, (word.len() - shared) as u64);
        bytes.extend_from_slice(&word[shared..]);
        varint::put(bytes, list.len() as u64);
        bytes.extend_from_slice(list);
        self.last.truncate(shared);
        self.last.extend_from_slice(&word[shared..]);
    }
}

/// Walks through the words of a block.
#[derive(Debug, Default)]
pub(super) struct Entries {
    /// The word that was reached.
    pub(super) word: Vec<u8>,
    /// How far it has come.
    at: usize,
}

impl Entries {
    /// Goes on to the next word; where its list is.
    pub(super) fn next(&mut self, block: &[u8]) -> rusqlite::Result<Option<Range<usize>>> {
        if self.at == block.len() {
            return Ok(None);
        }
        self.read(block).map(Some).ok_or_else(damaged_block)
    }

    fn read(&mut self, block: &[u8]) -> Option<Range<usize>> {
        let mut reader = Reader(block.get(self.at..)?);
        let shared = reader.small()? as usize;
        let length = reader.small()?;
        let own = reader.bytes(length)?;
        if shared > self.word.len() {
            return None;
        }
        self.word.truncate(shared);
        self.word.extend_from_slice(own);
        let length = reader.small()?;
        reader.bytes(length)?;
        self.at = block.len() - reader.0.len();
        Some(self.at - length as usize..self.at)
    }
}

pub(super) fn damaged_block() -> rusqlite::Error {
    damaged("a block of words is damaged".into())
}

#[cfg(test)]
mod tests {
    use super::super::list::List;
    use super::*;

    #[test]
    fn words_come_back_from_as_many_blocks_as_they_need() {
        type Memories = Vec<(u32, Vec<u32>)>;
        let many: Memories = (1..3000).map(|n| (n * 7, vec![n % 5, 100 + n])).collect();
        let few: Memories = vec![(1, vec![]), (9, vec![2])];
        let told: Vec<(String, &Memories)> = (0..400)
            .map(|number| {
                let memories = if number == 200 { &many } else { &few };
                (format!("sword{number:03}"), memories)
            })
            .collect();
        let mut blocks = Blocks::default();
        for (word, memories) in &told {
            let memories = memories.iter().map(|(n, places)| (*n, &places[..]));
            blocks.push(word.as_bytes(), memories);
        }
        let blocks = blocks.finish();
        assert!(blocks.len() > 5);
        assert!(blocks.is_sorted_by_key(|block| &block.beginning));
        assert!(blocks.iter().all(|block| block.bytes.len() < 4000));
        let mut found: Vec<(String, List)> = Vec::new();
        for block in &blocks {
            let mut entries = Entries::default();
            let mut is_first = true;
            while let Some(list) = entries.next(&block.bytes).unwrap() {
                assert!(!is_first || entries.word == block.beginning);
                is_first = false;
                let word = String::from_utf8(entries.word.clone()).unwrap();
                if found.last().is_none_or(|(last, _)| *last != word) {
                    found.push((word, List::default()));
                }
                let all = &mut found.last_mut().unwrap().1;
                all.read(&block.bytes[list]).unwrap();
            }
        }
        assert_eq!(found.len(), told.len());
        for ((word, list), (expected, memories)) in found.iter().zip(&told) {
            assert_eq!(word, expected);
            let list: Memories = list.iter().map(|(n, it)| (n, it.to_vec())).collect();
            assert_eq!(&list, *memories);
        }
    }

    #[test]
    fn no_bytes_make_a_block_panic() {
        let mut blocks = Blocks::default();
        blocks.push(b"sauth", [(1, &[4_u32][..])].into_iter());
        blocks.push(b"sauthor", [(1, &[5_u32, 6][..])].into_iter());
        let bytes = &blocks.finish()[0].bytes;
        for place in 0..bytes.len() {
            for value in 0..=255 {
                let mut changed = bytes.clone();
                changed[place] = value;
                let mut entries = Entries::default();
                while let Ok(Some(_)) = entries.next(&changed) {}
            }
        }
    }
}
