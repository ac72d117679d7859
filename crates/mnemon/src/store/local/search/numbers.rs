//! A set of numbers of memories.

use super::facts::CHUNK_ROWS;

/// A set of numbers, a bit for each.
#[derive(Debug, Default)]
pub(super) struct Numbers(Vec<u64>);

/// The numbers of a set that lie in one chunk, from the chunk's first on.
pub(super) struct ChunkNumbers<'a> {
    words: &'a [u64],
    word: u64,
    begin: usize,
}

const CHUNK_WORDS: usize = CHUNK_ROWS as usize / 64;

impl Numbers {
    pub(super) fn of(numbers: &[u32]) -> Self {
        let Some(last) = numbers.iter().max().map(|last| *last as usize) else {
            return Self::default();
        };
        let mut words = vec![0; (last / 64 + 1).next_multiple_of(CHUNK_WORDS)];
        for n in numbers {
            words[*n as usize / 64] |= 1 << (n % 64);
        }
        Self(words)
    }

    #[inline]
    pub(super) fn contains(&self, n: u32) -> bool {
        let word = self.0.get(n as usize / 64);
        word.is_some_and(|word| word & (1 << (n % 64)) != 0)
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them, in their order.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> {
        let all = ChunkNumbers {
            words: &self.0,
            word: 0,
            begin: 0,
        };
        all.map(|n| u32::try_from(n).expect("it was one when it was put in"))
    }

    pub(super) fn of_chunk(&self, first: u32) -> ChunkNumbers<'_> {
        let begin = first as usize / 64;
        ChunkNumbers {
            words: self.0.get(begin..begin + CHUNK_WORDS).unwrap_or(&[]),
            word: 0,
            begin: 0,
        }
    }
}

impl Iterator for ChunkNumbers<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        while self.word == 0 {
            let (first, rest) = self.words.split_first()?;
            self.word = *first;
            self.words = rest;
            self.begin += 64;
        }
        let bit = self.word.trailing_zeros() as usize;
        self.word &= self.word - 1;
        Some(self.begin - 64 + bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_a_chunk_are_those_of_the_set_from_its_first_on() {
        let all = [0, 1, 63, 64, 255, 256, 300, 511, 700];
        let set = Numbers::of(&all);
        for first in [0, 256, 512, 768, 1 << 20] {
            let found: Vec<usize> = set.of_chunk(first).collect();
            let within = all
                .iter()
                .filter(|n| **n / CHUNK_ROWS == first / CHUNK_ROWS);
            let expected: Vec<usize> = within.map(|n| (n - first) as usize).collect();
            assert_eq!(found, expected, "from {first} on");
        }
        let contained: Vec<u32> = (0..1000).filter(|n| set.contains(*n)).collect();
        assert_eq!(contained, all);
        assert_eq!(set.iter().collect::<Vec<_>>(), all);
        assert!(!set.is_empty() && Numbers::of(&[]).is_empty());
        assert!(!Numbers::of(&[]).contains(0));
    }
}
