//! A table with a row of small numbers for each piece of a word.
//!
//! The vector of a text is the sum of the rows of its pieces, each distinct
//! piece once, so a long text costs no more than the vocabulary has rows. The
//! rows carry the weight of their pieces: `the` is short, `database` is long.
//! The bytes stay where they are in the program; only what is used is read.
//! `tools/embedding/distil/table.py` writes the file and says what is where.

use super::Vector;
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

    /// A vector for each text, none where no piece has a row.
    pub(super) fn embed(&self, texts: &[&str]) -> Vec<Option<Vector>> {
        let mut seen = vec![0_u64; self.scales.len().div_ceil(64)];
        texts
            .iter()
            .map(|text| self.embed_one(text, &mut seen))
            .collect()
    }

    /// `seen` has a bit for each row, and none is set before and after.
    fn embed_one(&self, text: &str, seen: &mut [u64]) -> Option<Vector> {
        self.word_piece.cut(text, |piece| {
            // Pieces after the last row are only there to cut words as the model does.
            if let Some(piece) = piece.filter(|&piece| piece < self.scales.len()) {
                seen[piece / 64] |= 1 << (piece % 64);
            }
        });
        let mut sum = vec![0.0; self.dimension];
        // In the order of the rows, as a sum of floats depends on its order.
        for (word, bits) in seen.iter_mut().enumerate() {
            while *bits != 0 {
                self.add_row(word * 64 + bits.trailing_zeros() as usize, &mut sum);
                *bits &= *bits - 1;
            }
        }
        Vector::nearest_to(&sum)
    }

    /// Hands over the rows of a text's pieces.
    pub(super) fn each_row(&self, text: &str, mut each: impl FnMut(usize)) {
        self.word_piece.cut(text, |piece| {
            if let Some(row) = piece.filter(|&piece| piece < self.scales.len()) {
                each(row);
            }
        });
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

    fn add_row(&self, row: usize, sum: &mut [f32]) {
        let scale = f32::from_le_bytes(self.scales[row]);
        let row = &self.rows[row * self.dimension..][..self.dimension];
        for (sum, &component) in sum.iter_mut().zip(row) {
            *sum += scale * f32::from(component.cast_signed());
        }
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
    pub(super) fn pieces(&self, text: &str) -> Vec<&'static str> {
        let mut pieces = Vec::new();
        self.word_piece.cut(text, |piece| {
            let name = piece.map_or(&b"[UNK]"[..], |piece| {
                self.word_piece
                    .vocabulary
                    .name(piece)
                    .expect("a piece that was found has a name")
            });
            pieces.push(str::from_utf8(name).expect("names are UTF-8"));
        });
        pieces
    }
}
