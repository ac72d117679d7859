//! How alike single words are, by the built-in table.
//!
//! A memory keeps a few pieces of its words, so that a question can compare
//! its own words with them without reading the text: `puppy` finds `dog`.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicI32, Ordering};

use super::built_in::{READER, TABLE};
use super::dot::{dot, dot_rows, fetch};
use super::{Embedder, Vector};

/// As many pieces a memory keeps; the others weigh less.
const PIECES_MAX: usize = 24;

/// Pieces of words, those that weigh most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pieces {
    /// Rows of the table, one more than their number; 0 is none.
    rows: [u16; PIECES_MAX],
}

impl Pieces {
    /// Bytes that they take when they are stored.
    pub(crate) const BYTES: usize = 2 * PIECES_MAX;

    /// No pieces.
    pub(crate) const NONE: Self = Self {
        rows: [0; PIECES_MAX],
    };

    /// Those of some pieces that weigh most.
    pub(crate) fn heaviest_of(mut pieces: Vec<Piece>) -> Self {
        pieces.sort_unstable();
        pieces.dedup();
        let mut heaviest = Self::default();
        for (row, piece) in heaviest.rows.iter_mut().zip(&pieces) {
            *row = piece.row();
        }
        heaviest.rows[..pieces.len().min(PIECES_MAX)].sort_unstable();
        heaviest
    }

    /// Each of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u16> {
        self.rows.into_iter().take_while(|row| *row != 0)
    }

    pub(crate) fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        for (place, row) in bytes.chunks_exact_mut(2).zip(self.rows) {
            place.copy_from_slice(&row.to_le_bytes());
        }
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        let mut pieces = Self::default();
        for (row, place) in pieces.rows.iter_mut().zip(bytes.chunks_exact(2)) {
            *row = u16::from_le_bytes([place[0], place[1]]);
        }
        pieces
    }
}

/// A piece of a word, as it is weighed against others: the heaviest comes first.
///
/// The weight, upside down, and then the row, one more than its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Piece(u64);

impl Piece {
    /// The pieces of a word.
    pub(crate) fn all_of(word: &str) -> Vec<Self> {
        let mut pieces = Vec::new();
        READER.with_borrow_mut(|reader| {
            reader.each_row(word, |row| pieces.push(Self::of(row)));
        });
        pieces
    }

    fn of(row: u16) -> Self {
        // Not negative, and such floats are ordered as their bits are.
        let weight = TABLE.weight(usize::from(row)).to_bits();
        Self(u64::from(!weight) << 16 | u64::from(row + 1))
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "the row is the last sixteen bits"
    )]
    fn row(self) -> u16 {
        self.0 as u16
    }
}

/// The vector of a single word; none if the table knows nothing of it.
pub(crate) fn word(word: &str) -> Option<Vector> {
    let found = super::BuiltIn::new().embed(&[word]).ok()?;
    found.into_iter().next().flatten()
}

/// Some words, to be compared with pieces.
pub(crate) struct Likeness {
    /// The components of all words, one after the other.
    components: Vec<i8>,
    /// 0 for a word of which the table knows nothing.
    inverse_norms: Vec<f32>,
    /// The dot products of the words with the piece at hand.
    products: Vec<i32>,
}

/// The squared length of each row of the table, once it was needed; 0 before.
static SQUARES: LazyLock<Box<[AtomicI32]>> =
    LazyLock::new(|| (0..TABLE.len()).map(|_| AtomicI32::new(0)).collect());

fn square(number: usize, row: &[i8]) -> i32 {
    let known = SQUARES[number].load(Ordering::Relaxed);
    if known != 0 {
        return known;
    }
    let square = dot(row, row);
    SQUARES[number].store(square, Ordering::Relaxed);
    square
}

impl Likeness {
    pub(crate) fn to(words: &[Option<Vector>]) -> Self {
        let dimension = TABLE.dimension();
        let mut components = vec![0; dimension * words.len()];
        for (place, word) in components.chunks_exact_mut(dimension).zip(words) {
            if let Some(word) = word {
                place.copy_from_slice(word.components());
            }
        }
        let inverse_norm = |word: &Option<Vector>| word.as_ref().map_or(0.0, Vector::inverse_norm);
        Self {
            components,
            inverse_norms: words.iter().map(inverse_norm).collect(),
            products: vec![0; words.len()],
        }
    }

    /// One more than the highest piece.
    pub(crate) fn pieces() -> usize {
        TABLE.len() + 1
    }

    /// Has a piece brought nearer that will be compared in a moment: they lie all over a table
    /// of megabytes.
    pub(crate) fn fetch(piece: u16) {
        if let Some(row) = TABLE.row(usize::from(piece) - 1) {
            fetch(row);
        }
    }

    /// How alike each word and a piece are, from 0 to 1.
    pub(crate) fn with(&mut self, piece: u16, out: &mut [f64]) {
        let number = usize::from(piece) - 1;
        let Some(row) = TABLE.row(number) else {
            return out.fill(0.0);
        };
        let norm = f64::from(square(number, row)).sqrt().max(1.0);
        dot_rows(row, &self.components, &mut self.products);
        let words = self.products.iter().zip(&self.inverse_norms);
        for (out, (product, inverse_norm)) in out.iter_mut().zip(words) {
            let cosine = f64::from(*product) * f64::from(*inverse_norm) / norm;
            *out = cosine.clamp(0.0, 1.0);
        }
    }
}

#[cfg(test)]
impl Pieces {
    /// The pieces of some words.
    pub(crate) fn of<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        Self::heaviest_of(words.flat_map(Piece::all_of).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_mean_alike_are_more_alike_than_others() {
        let pieces = |text: &str| Pieces::of(text.split(' '));
        let best = |question: &str, text: &str| {
            let mut question = Likeness::to(&[word(question)]);
            let mut alike = [0.0];
            let all = pieces(text);
            let all = all.iter().map(|piece| {
                question.with(piece, &mut alike);
                alike[0]
            });
            all.fold(0.0, f64::max)
        };
        assert!(best("dog", "adopted puppy") > best("dog", "invoice currency"));
        assert!((best("dog", "dog") - 1.0).abs() < 1e-3);
    }

    #[test]
    fn the_bits_of_weights_are_ordered_as_the_weights_are() {
        assert!((0..TABLE.len()).all(|row| TABLE.weight(row).is_sign_positive()));
        let row = |text: &str| Piece::all_of(text)[0];
        assert!(row("database") < row("the"));
    }

    #[test]
    fn only_the_heaviest_are_kept_and_survive_being_stored() {
        let text = "alpha beta gamma delta river stone window garden paper copper silver golden \
                    market engine painter doctor lawyer winter summer autumn spring morning evening \
                    mountain harbour bridge station";
        let pieces = Pieces::of(text.split_whitespace());
        assert_eq!(pieces.iter().count(), PIECES_MAX);
        assert_eq!(Pieces::from_bytes(&pieces.to_bytes()), pieces);
        assert_eq!(Pieces::of(std::iter::empty()).iter().count(), 0);
    }
}
