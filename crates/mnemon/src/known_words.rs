//! What a thread worked out of the words that it met before.
//!
//! Texts use the same words again and again, and working a word out is most of
//! the work. A word has one row, which it shares with others: those that were
//! met last are in it. So nothing is ever cleared, and whoever chooses words
//! that share a row only gets them worked out each time.

/// Rows, and places in each: a few thousand words, and a pointer where there is none yet.
const ROWS: usize = 1 << ROW_BITS;
const ROW_BITS: u32 = 10;
const PLACES: usize = 4;

/// Words and what was worked out of them.
#[derive(Debug)]
pub(crate) struct KnownWords<T> {
    /// In each row the word that was met last comes first.
    rows: Vec<[Hashed<T>; PLACES]>,
}

/// A word beside its hash, which nearly always tells it from the others of its row.
type Hashed<T> = (u64, Option<Box<Known<T>>>);

#[derive(Clone, Debug)]
struct Known<T> {
    word: Box<str>,
    value: T,
}

impl<T: Clone> KnownWords<T> {
    pub(crate) fn new() -> Self {
        Self {
            rows: vec![[const { (0, None) }; PLACES]; ROWS],
        }
    }

    /// What `work_out` says of this word, or said when it was met before.
    pub(crate) fn get(&mut self, word: &str, work_out: impl FnOnce(&str) -> T) -> &T {
        let hash = hash_of(word);
        let row = &mut self.rows[(hash >> (u64::BITS - ROW_BITS)) as usize];
        let place = row.iter().position(|(known_hash, known)| {
            let is_it = |known: &Known<T>| *known.word == *word;
            *known_hash == hash && known.as_deref().is_some_and(is_it)
        });
        match place {
            Some(0) => {}
            Some(place) => row[..=place].rotate_right(1),
            None => {
                row.rotate_right(1);
                let known = Known {
                    word: word.into(),
                    value: work_out(word),
                };
                row[0] = (hash, Some(Box::new(known)));
            }
        }
        let (_, first) = &row[0];
        let first = first.as_ref();
        &first.expect("it was there or was put there").value
    }
}

/// A quick hash will do: a bad one costs time, never a wrong answer.
fn hash_of(word: &str) -> u64 {
    let (whole, rest) = word.as_bytes().as_chunks();
    let rest = rest
        .iter()
        .fold(word.len() as u64, |rest, byte| rest << 8 | u64::from(*byte));
    let whole = whole.iter().map(|eight| u64::from_le_bytes(*eight));
    whole.chain([rest]).fold(0, |hash: u64, part| {
        (hash.rotate_left(5) ^ part).wrapping_mul(0x517c_c1b7_2722_0a95)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_worked_out_once_and_never_taken_for_another() {
        let mut known = KnownWords::new();
        let mut worked_out = 0;
        for word in ["", "a", "databases", "a", "", "databases", "水道", "水道"] {
            let found = known.get(word, |word| {
                worked_out += 1;
                word.to_uppercase()
            });
            assert_eq!(*found, word.to_uppercase());
        }
        assert_eq!(worked_out, 4);
        let mut check_all = |numbers: std::ops::Range<usize>| {
            let mut worked_out = 0;
            for number in numbers {
                known.get(&format!("word{number}"), |word| {
                    worked_out += 1;
                    word.to_uppercase()
                });
            }
            worked_out
        };
        // The words of many texts have a place each, and nearly all keep it.
        assert_eq!(check_all(0..ROWS), ROWS);
        assert!(check_all(0..ROWS) < ROWS / 20);
        // More than there are places push each other out.
        assert_eq!(check_all(ROWS..9 * ROWS), 8 * ROWS);
        assert!(check_all(0..ROWS) > ROWS / 2);
    }
}
