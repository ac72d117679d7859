//! What a thread worked out of the words that it met before.
//!
//! Texts use the same words again and again, and working a word out is most of
//! the work. Every word has one place, which it shares with others: the one
//! that was met last is in it. So nothing is ever cleared, and whoever chooses
//! words that share a place only gets them worked out each time.

/// Frequent words are in one place each, mostly; an empty one takes a pointer.
const PLACES: usize = 1 << PLACE_BITS;
const PLACE_BITS: u32 = 12;

/// Words and what was worked out of them.
#[derive(Debug)]
pub(crate) struct KnownWords<T> {
    places: Vec<Option<Box<Known<T>>>>,
}

#[derive(Clone, Debug)]
struct Known<T> {
    word: Box<str>,
    value: T,
}

impl<T: Clone> KnownWords<T> {
    pub(crate) fn new() -> Self {
        Self {
            places: vec![None; PLACES],
        }
    }

    /// What `work_out` says of this word, or said when it was met before.
    pub(crate) fn get(&mut self, word: &str, work_out: impl FnOnce(&str) -> T) -> &T {
        let place = &mut self.places[place_of(word)];
        let known = match place.take() {
            Some(known) if *known.word == *word => known,
            _ => Box::new(Known {
                word: word.into(),
                value: work_out(word),
            }),
        };
        &place.insert(known).value
    }
}

/// A quick hash will do: a bad one costs time, never a wrong answer.
fn place_of(word: &str) -> usize {
    let (whole, rest) = word.as_bytes().as_chunks();
    let rest = rest
        .iter()
        .fold(word.len() as u64, |rest, byte| rest << 8 | u64::from(*byte));
    let whole = whole.iter().map(|eight| u64::from_le_bytes(*eight));
    let hash = whole.chain([rest]).fold(0, |hash: u64, part| {
        (hash.rotate_left(5) ^ part).wrapping_mul(0x517c_c1b7_2722_0a95)
    });
    (hash >> (u64::BITS - PLACE_BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_worked_out_once_and_never_taken_for_another() {
        let mut known = KnownWords::new();
        let mut worked_out = 0;
        let mut check = |word: &str| {
            let found = known.get(word, |word| {
                worked_out += 1;
                word.to_uppercase()
            });
            assert_eq!(*found, word.to_uppercase());
        };
        for word in ["", "a", "databases", "a", "", "databases", "水道", "水道"] {
            check(word);
        }
        // More than there are places: most of them push another out.
        for number in 0..3 * PLACES {
            check(&format!("word{}", number % (2 * PLACES)));
        }
        assert!(worked_out > 4 + 2 * PLACES);
        assert!(worked_out < 4 + 3 * PLACES);
    }

    #[test]
    fn words_are_spread_over_the_places() {
        let words = (0..PLACES).map(|number| format!("{number}th"));
        let places: std::collections::HashSet<usize> = words.map(|word| place_of(&word)).collect();
        // At random it would be 1 - 1/e of them.
        assert!(places.len() > PLACES * 6 / 10, "{}", places.len());
    }
}
