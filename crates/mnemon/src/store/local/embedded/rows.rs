//! The rows of a set: how they are written, and as a process keeps them.

use std::collections::HashMap;

use crate::embed::dot::dot;
use crate::embed::{TextKey, Vector};

/// Behind the components: the inverse norm and the check.
const TRAILER_BYTES: usize = 8;

/// All vectors of a set that a process has loaded: one flat array.
#[derive(Debug)]
pub(in crate::store::local) struct SetRows {
    dimension: usize,
    /// The number of the last row that was loaded.
    pub(super) upto: i64,
    /// Whether the set lacked nothing at some moment.
    pub(in crate::store::local) complete: bool,
    by_key: HashMap<u64, u32>,
    components: Vec<i8>,
    /// 0 for a text that has no vector.
    inverse_norms: Vec<f32>,
}

impl SetRows {
    pub(super) fn new(dimension: usize) -> Self {
        Self {
            dimension,
            upto: 0,
            complete: false,
            by_key: HashMap::new(),
            components: Vec::new(),
            inverse_norms: Vec::new(),
        }
    }

    /// How many there are; grows with everything that is added.
    pub(in crate::store::local) fn len(&self) -> usize {
        self.inverse_norms.len()
    }

    /// Where the vector of a text is.
    pub(in crate::store::local) fn row_of(&self, key: TextKey) -> Option<u32> {
        self.by_key.get(&key.number()).copied()
    }

    /// How near a row is to a direction; none if it has no vector.
    pub(in crate::store::local) fn cosine(&self, query: &Vector, row: u32) -> Option<f32> {
        let norm = *self.inverse_norms.get(row as usize)?;
        let components = self.components(row)?;
        let comparable = norm > 0.0 && query.components().len() == self.dimension;
        comparable.then(|| query.cosine_from(dot(query.components(), components), norm))
    }

    /// How near every row is to a direction, read in one go; not a number where there is no vector.
    pub(in crate::store::local) fn cosines(&self, query: &Vector) -> Vec<f32> {
        if query.components().len() != self.dimension {
            return Vec::new();
        }
        let mut products = vec![0; self.len()];
        query.dot_rows(&self.components, &mut products);
        let rows = products.into_iter().zip(&self.inverse_norms);
        rows.map(|(product, norm)| match norm {
            norm if *norm > 0.0 => query.cosine_from(product, *norm),
            _ => f32::NAN,
        })
        .collect()
    }

    /// The vector of a row.
    pub(in crate::store::local) fn vector(&self, row: u32) -> Option<Vector> {
        Vector::from_components(self.components(row)?)
    }

    fn components(&self, row: u32) -> Option<&[i8]> {
        let begin = row as usize * self.dimension;
        self.components.get(begin..begin + self.dimension)
    }

    /// Makes room for the rows up to a number, so that the array is not moved while it grows.
    pub(super) fn reserve(&mut self, last: i64) {
        let rows = usize::try_from(last - self.upto).unwrap_or(0);
        self.components.reserve(rows.saturating_mul(self.dimension));
        self.inverse_norms.reserve(rows);
        self.by_key.reserve(rows);
    }

    /// Takes a row in; false if it is not what was written.
    pub(super) fn add(&mut self, n: i64, key: u64, row: &[u8]) -> bool {
        self.upto = n;
        if row.len() != self.dimension + TRAILER_BYTES {
            return false;
        }
        let (bytes, sum) = row.split_at(self.dimension + 4);
        if check(key, bytes).to_le_bytes() != sum {
            return false;
        }
        let (components, norm) = bytes.split_at(self.dimension);
        let place = u32::try_from(self.len()).unwrap_or(u32::MAX);
        self.by_key.insert(key, place);
        self.components
            .extend(components.iter().map(|byte| byte.cast_signed()));
        self.inverse_norms
            .push(f32::from_le_bytes(norm.try_into().expect("four bytes")));
        true
    }
}

/// A row as it is written; all zeros for a text that has no vector.
pub(super) fn encode(key: TextKey, vector: Option<&Vector>, dimension: usize) -> Vec<u8> {
    let mut row = vec![0; dimension];
    let mut inverse_norm = 0.0_f32;
    if let Some(vector) = vector.filter(|vector| vector.components().len() == dimension) {
        for (byte, component) in row.iter_mut().zip(vector.components()) {
            *byte = component.cast_unsigned();
        }
        inverse_norm = vector.inverse_norm();
    }
    row.extend(inverse_norm.to_le_bytes());
    let sum = check(key.number(), &row);
    row.extend(sum.to_le_bytes());
    row
}

/// Cheap enough to be checked whenever a row is read: an FNV of words, over the key too.
fn check(key: u64, bytes: &[u8]) -> u32 {
    const PRIME: u64 = 0x0100_0000_01b3;
    let mut sum = key ^ 0xcbf2_9ce4_8422_2325;
    for word in bytes.chunks(8) {
        let mut eight = [0; 8];
        eight[..word.len()].copy_from_slice(word);
        sum = (sum ^ u64::from_le_bytes(eight)).wrapping_mul(PRIME);
        sum ^= sum >> 32;
    }
    #[expect(clippy::cast_possible_truncation, reason = "the half that is kept")]
    let half = sum as u32;
    half
}
