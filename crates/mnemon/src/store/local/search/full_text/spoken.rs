//! For which memories a segment speaks: runs of numbers, with or without words.

use super::varint::{self, Reader};

/// Numbers that lie side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) first: u32,
    pub(super) last: u32,
    /// Whether the segment has their words, or only says that older ones are wrong about them.
    pub(super) has_words: bool,
}

/// For which memories a segment speaks, in the order of their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Spoken(Vec<Run>);

impl Spoken {
    /// Of numbers in any order; one that comes with words and without has them.
    pub(super) fn of(numbers: &mut Vec<(u32, bool)>) -> Self {
        numbers.sort_unstable_by_key(|(n, has_words)| (*n, !has_words));
        numbers.dedup_by_key(|(n, _)| *n);
        let mut runs: Vec<Run> = Vec::new();
        for (n, has_words) in numbers.iter().copied() {
            match runs.last_mut() {
                Some(run) if run.last + 1 == n && run.has_words == has_words => run.last = n,
                _ => runs.push(Run {
                    first: n,
                    last: n,
                    has_words,
                }),
            }
        }
        Self(runs)
    }

    pub(super) fn runs(&self) -> &[Run] {
        &self.0
    }

    /// The run that a number is in.
    pub(super) fn run_of(&self, n: u32) -> Option<&Run> {
        let place = self.0.partition_point(|run| run.last < n);
        self.0.get(place).filter(|run| run.first <= n)
    }

    /// How many memories it has the words of.
    pub(super) fn count(&self) -> u32 {
        let runs = self.0.iter().filter(|run| run.has_words);
        runs.map(|run| run.last - run.first + 1).sum()
    }

    /// The numbers that both speak for.
    pub(super) fn both_with(&self, other: &Self) -> impl Iterator<Item = u32> {
        self.0.iter().flat_map(|run| {
            let from = other.0.partition_point(|it| it.last < run.first);
            let met = other.0[from..].iter();
            let met = met.take_while(|it| it.first <= run.last);
            met.flat_map(|it| it.first.max(run.first)..=it.last.min(run.last))
        })
    }

    pub(super) fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut before = 0;
        for run in &self.0 {
            let head = u64::from(run.first - before) << 1 | u64::from(run.has_words);
            varint::put(&mut bytes, head);
            varint::put(&mut bytes, u64::from(run.last - run.first));
            before = run.last;
        }
        bytes
    }

    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader(bytes);
        let mut runs = Vec::new();
        let mut before = 0_u32;
        while !reader.is_at_end() {
            let head = reader.number()?;
            let first = before.checked_add(u32::try_from(head >> 1).ok()?)?;
            let last = first.checked_add(reader.small()?)?;
            runs.push(Run {
                first,
                last,
                has_words: head & 1 == 1,
            });
            before = last;
        }
        Some(Self(runs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_come_back_and_know_their_numbers() {
        let mut numbers = vec![
            (7, true),
            (5, true),
            (6, true),
            (5, false),
            (9, false),
            (10, true),
        ];
        let spoken = Spoken::of(&mut numbers);
        let run = |first, last, has_words| Run {
            first,
            last,
            has_words,
        };
        assert_eq!(
            spoken.runs(),
            [run(5, 7, true), run(9, 9, false), run(10, 10, true)]
        );
        assert_eq!(spoken.count(), 4);
        assert_eq!(Spoken::read(&spoken.write()), Some(spoken.clone()));
        for (n, expected) in [(4, None), (6, Some(5)), (8, None), (9, Some(9)), (11, None)] {
            assert_eq!(spoken.run_of(n).map(|run| run.first), expected, "{n}");
        }
        let alone = |n: u32| Spoken::of(&mut vec![(n, true)]);
        let met: Vec<u32> = (0..13)
            .flat_map(|n| alone(n).both_with(&spoken).collect::<Vec<_>>())
            .collect();
        assert_eq!(met, [5, 6, 7, 9, 10]);
        let odd = Spoken::of(&mut (0..13).filter(|n| n % 2 == 1).map(|n| (n, true)).collect());
        assert_eq!(spoken.both_with(&odd).collect::<Vec<_>>(), [5, 7, 9]);
        assert_eq!(odd.both_with(&spoken).collect::<Vec<_>>(), [5, 7, 9]);
    }
}
