//! Merging: of all neighbours that make a token together, the pair of the lowest rank, until none does.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::layout::{LONGEST, RANK_BITS};
use crate::vocabulary::rank;

/// Merges pieces, one after another, in the same memory.
#[derive(Default)]
pub(crate) struct Merger {
    /// What the piece is made of now: a part stands where its first byte does.
    parts: Vec<Part>,
    /// Pairs that make a token, some of them out of date. A heap, since looking through all pairs for
    /// each merge would take hours for a megabyte without a space.
    pairs: BinaryHeap<Reverse<Pair>>,
}

#[derive(Clone, Copy)]
struct Part {
    /// Where the part before it starts.
    previous: usize,
    end: usize,
    /// Of this part and the next one as a token.
    rank: Option<u32>,
}

/// A rank, and below it where the pair starts: as one number, since comparing them is most of the work.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Pair(u64);

impl Pair {
    fn new(rank: u32, start: usize) -> Self {
        Self(u64::from(rank) << START_BITS | start as u64)
    }

    fn rank_and_start(self) -> (u32, usize) {
        let start = self.0 & ((1 << START_BITS) - 1);
        let rank = u32::try_from(self.0 >> START_BITS).expect("made of one");
        (rank, usize::try_from(start).expect("made of one"))
    }
}

const START_BITS: u32 = u64::BITS - RANK_BITS;

impl Merger {
    /// How many tokens a piece is.
    pub(crate) fn count(&mut self, piece: &[u8]) -> usize {
        if rank(piece).is_some() {
            return 1;
        }
        self.take_apart(piece);
        let mut count = piece.len();
        while let Some(Reverse(pair)) = self.pairs.pop() {
            let (rank, start) = pair.rank_and_start();
            if self.parts[start].rank == Some(rank) {
                self.merge(piece, start);
                count -= 1;
            }
        }
        count
    }

    /// How many tokens a piece is, unless it is more than `most`.
    pub(crate) fn count_within(&mut self, piece: &[u8], most: usize) -> Option<usize> {
        let at_least = piece.len().div_ceil(LONGEST);
        let count = (at_least <= most).then(|| self.count(piece));
        count.filter(|&count| count <= most)
    }

    /// Every byte is a token.
    fn take_apart(&mut self, piece: &[u8]) {
        self.parts.clear();
        self.parts.extend((0..piece.len()).map(|start| Part {
            previous: start.saturating_sub(1),
            end: start + 1,
            rank: piece.get(start..start + 2).and_then(rank),
        }));
        let starts = self.parts.iter().enumerate();
        let pairs = starts.filter_map(|(start, part)| Some(Reverse(Pair::new(part.rank?, start))));
        self.pairs.extend(pairs);
    }

    /// Makes one part of the one that starts here and the next one.
    fn merge(&mut self, piece: &[u8], start: usize) {
        let next = self.parts[start].end;
        let end = self.parts[next].end;
        self.parts[next].rank = None;
        self.parts[start].end = end;
        if let Some(behind) = self.parts.get_mut(end) {
            behind.previous = start;
        }
        self.pair(piece, start);
        if start > 0 {
            self.pair(piece, self.parts[start].previous);
        }
    }

    /// Sees anew what the part that starts here and the next one are together.
    fn pair(&mut self, piece: &[u8], start: usize) {
        let next = self.parts.get(self.parts[start].end);
        let rank = next.and_then(|next| rank(&piece[start..next.end]));
        self.parts[start].rank = rank;
        self.pairs
            .extend(rank.map(|rank| Reverse(Pair::new(rank, start))));
    }
}
