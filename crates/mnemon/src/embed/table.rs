//! A table with a row of small numbers for each piece of a word.
//!
//! The vector of a text is the sum of the rows of its pieces, each distinct
//! piece once, so a long text costs no more than the vocabulary has rows. The
//! rows carry the weight of their pieces: `the` is short, `database` is long.
//! The bytes stay where they are in the program; only what is used is read.
//! `tools/embedding/distil/table.py` writes the file and says what is where.

use super::add::add_rows;
use super::characters::Characters;
use super::vocabulary::Vocabulary;
use super::word_piece::WordPiece;

const MAGIC: &[u8; 4] = b"MST1";

/// Rows and their scales, and how texts are cut into the pieces they belong to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table {
    dimension: usize,
    scales: &'static [[u8; 4]],
    rows: &'static [u8],
    word_piece: WordPiece,
}

impl Table {
    /// None if the bytes are no whole table.
    pub(super) fn read(bytes: &'static [u8]) -> Option<Self> {
        let mut rest = bytes.strip_prefix(MAGIC)?;
        let mut take = |length: usize| {
            let (taken, remaining) = rest.split_at_checked(length)?;
            rest = remaining;
            Some(taken)
        };
        let mut counts = [0; 5];
        for count in &mut counts {
            *count = u32::from_le_bytes(take(4)?.try_into().ok()?) as usize;
        }
        let [dimension, rows, pieces, slots, ranges] = counts;
        let scales = take(rows * 4)?.as_chunks().0;
        let components = take(rows * dimension)?;
        let ends = take(pieces * 4)?.as_chunks().0;
        let slots = take(slots * 2)?.as_chunks().0;
        // A search ends at an empty slot.
        if !slots.contains(&[0; 2]) {
            return None;
        }
        let characters = Characters::read(take(ranges * 8)?)?;
        let vocabulary = Vocabulary {
            ends,
            slots,
            names: rest,
        };
        Some(Self {
            dimension,
            scales,
            rows: components,
            word_piece: WordPiece {
                characters,
                vocabulary,
            },
        })
    }

    /// How many components its vectors have.
    pub(super) fn dimension(&self) -> usize {
        self.dimension
    }

    /// How many rows it has.
    pub(super) fn len(&self) -> usize {
        self.scales.len()
    }

    /// Hands over the words of a text, as they are cut into pieces.
    pub(super) fn each_word(&self, text: &str, mut each: impl FnMut(&str)) {
        self.word_piece
            .each_word(text, |word| word.into_iter().for_each(&mut each));
    }

    /// The rows of a word's pieces, in their order.
    pub(super) fn rows_of(&self, word: &str) -> Vec<u16> {
        let mut rows = self.word_piece.pieces(word).unwrap_or_default();
        // Pieces after the last row are only there to cut words as the model does.
        rows.retain(|row| usize::from(*row) < self.len());
        rows
    }

    /// The sum of these rows, each times its scale.
    ///
    /// A sum of floats depends on its order: those who want the same sum hand
    /// over the same order.
    pub(super) fn sum(&self, rows: &[u16], sum: &mut [f32]) {
        sum.fill(0.0);
        let rows = rows.iter().map(|row| {
            let row = usize::from(*row);
            let components = self.row(row).expect("a row that was found is there");
            (f32::from_le_bytes(self.scales[row]), components)
        });
        add_rows(sum, rows);
    }

    /// The components of a row, without their scale.
    pub(super) fn row(&self, row: usize) -> Option<&'static [i8]> {
        let row = self
            .rows
            .get(row * self.dimension..(row + 1) * self.dimension)?;
        Some(signed(row))
    }

    /// How much a row weighs in the sum of a text.
    pub(super) fn weight(&self, row: usize) -> f32 {
        let scale = self
            .scales
            .get(row)
            .map_or(0.0, |scale| f32::from_le_bytes(*scale));
        let squares = self.row(row).map_or(0, |row| super::dot::dot(row, row));
        #[expect(clippy::cast_precision_loss, reason = "a weight needs no more digits")]
        let norm = (squares as f32).sqrt();
        scale * norm
    }
}

/// The same bytes as signed numbers.
#[expect(
    unsafe_code,
    reason = "there is no safe way to look at a slice of u8 as i8"
)]
fn signed(bytes: &'static [u8]) -> &'static [i8] {
    // SAFETY: u8 and i8 have the same size and alignment, and every bit pattern is both.
    unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len()) }
}

#[cfg(test)]
impl Table {
    pub(super) fn vocabulary(&self) -> Vocabulary {
        self.word_piece.vocabulary
    }

    /// The names of a text's pieces, in its order.
    pub(super) fn names(&self, text: &str) -> Vec<&'static str> {
        let mut names = Vec::new();
        let name = |piece| {
            let name = self.word_piece.vocabulary.name(piece);
            str::from_utf8(name.expect("a piece that was found has a name"))
                .expect("names are UTF-8")
        };
        self.word_piece.each_word(text, |word| {
            match word.and_then(|word| self.word_piece.pieces(word)) {
                Some(pieces) => names.extend(pieces.into_iter().map(name)),
                None => names.push("[UNK]"),
            }
        });
        names
    }
}
