//! Keys and tokens that tell by their first letters whose they are.

mod table;

use std::ops::Range;
use std::sync::LazyLock;

use super::gap::Gap;
use table::{KEYS, Known, Letters};

/// The keys by their first letter: most words begin like none of them.
static BY_FIRST: LazyLock<[Vec<&'static Known>; 128]> = LazyLock::new(|| {
    std::array::from_fn(|first| {
        let fits = |known: &&Known| usize::from(known.prefix.as_bytes()[0]) == first;
        KEYS.iter().filter(fits).collect()
    })
});

/// A bit for each key at its first byte, and at its second: two looks tell for every place
/// of a text whether a key may begin there.
static FIRST: [u64; 256] = bits_of_byte(0);
static SECOND: [u64; 256] = bits_of_byte(1);

const fn bits_of_byte(place: usize) -> [u64; 256] {
    let mut bits = [0; 256];
    let mut key = 0;
    while key < KEYS.len() {
        bits[KEYS[key].prefix.as_bytes()[place] as usize] |= 1 << (key % 64);
        key += 1;
    }
    bits
}

/// Finds keys of well-known forms.
pub(super) fn find(gap: &Gap<'_>, found: &mut dyn FnMut(Range<usize>, &'static str)) {
    let mut runs = Runs::default();
    let mut from = 0;
    while let Some(start) = gap.find_pair(from, |one, other| {
        FIRST[usize::from(one)] & SECOND[usize::from(other)] != 0
    }) {
        from = start + 1;
        if let Some((end, class)) = key_at(gap, start, &mut runs) {
            found(start..end, class);
            from = end;
        }
    }
}

/// Where the key that begins here ends, and its class.
fn key_at(gap: &Gap<'_>, start: usize, runs: &mut Runs) -> Option<(usize, &'static str)> {
    if !gap.starts_word(start) {
        return None;
    }
    let (first, second) = (gap.byte(start), gap.byte(start + 1));
    BY_FIRST[usize::from(first & 0x7f)]
        .iter()
        .filter(|known| known.prefix.as_bytes()[1] == second)
        .find_map(|known| Some((end_of(gap, start, known, runs)?, known.class)))
}

fn end_of(gap: &Gap<'_>, start: usize, known: &Known, runs: &mut Runs) -> Option<usize> {
    if !gap.has(start, known.prefix) {
        return None;
    }
    let start = start + known.prefix.len();
    let mut end = runs.end(gap, start, known.letters);
    // A full stop or a hyphen at the end belongs to the sentence.
    while end > start + known.least && b".-%/".contains(&gap.byte(end - 1)) {
        end -= 1;
    }
    let has_length = (known.least..=known.most).contains(&(end - start));
    let is_key = has_length && gap.ends_word(end) && has_variety(gap, start..end, known);
    is_key.then_some(end)
}

/// Whether there is a digit, for prefixes that ordinary words have too.
fn has_variety(gap: &Gap<'_>, rest: Range<usize>, known: &Known) -> bool {
    !known.needs_digit || gap.slice(rest).bytes().any(|byte| byte.is_ascii_digit())
}

/// Where the last run of each sort of letters ended: a key within it ends there
/// too, and so no run is read twice.
#[derive(Default)]
struct Runs([usize; Letters::SORTS]);

impl Runs {
    fn end(&mut self, gap: &Gap<'_>, start: usize, letters: Letters) -> usize {
        let known = &mut self.0[letters as usize];
        if *known <= start {
            *known = gap.run(start, |byte| letters.has(byte)).end;
        }
        *known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_longer_than_a_plain_word() {
        for known in KEYS {
            let shortest = known.prefix.len() + known.least;
            assert!(
                shortest > super::super::PLAIN_WORD_BYTES_MAX,
                "{}",
                known.prefix
            );
        }
    }
}
