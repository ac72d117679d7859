//! A direction in whole numbers, so that every machine computes the same cosine.

use super::dot::{dot, dot_rows};

/// The largest component that a rounded direction has.
const LARGEST: f32 = 127.0;

/// So many components have a dot product that fits for sure.
const DOT_MAX: usize = 1 << 15;

/// A direction in the space of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Vector {
    components: Box<[i8]>,
    inverse_norm: f32,
}

impl Vector {
    /// The direction of these numbers, rounded so that the largest component is ±127.
    ///
    /// None if they have no direction: all are zero, or one is not finite.
    pub fn nearest_to(values: &[f32]) -> Option<Self> {
        // Without their signs floats are ordered as their bits are, and behind all
        // numbers come infinity and what is no number.
        let sizes = values.iter().map(|value| value.abs().to_bits());
        let largest = f32::from_bits(sizes.max().unwrap_or(0));
        if !largest.is_finite() || largest == 0.0 {
            return None;
        }
        // Dividing first, because the inverse of a tiny number is infinite.
        let scaled = values.iter().map(|value| value / largest * LARGEST);
        Self::new(scaled.map(rounded).collect())
    }

    /// The direction with exactly these components; none if all are zero.
    pub fn from_components(components: &[i8]) -> Option<Self> {
        Self::new(components.into())
    }

    fn new(components: Box<[i8]>) -> Option<Self> {
        // In parts, because a sum of many would not fit.
        let parts = components.chunks(DOT_MAX);
        let square: u64 = parts
            .map(|part| u64::from(dot(part, part).unsigned_abs()))
            .sum();
        if square == 0 {
            return None;
        }
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            reason = "seven digits are enough for a cosine"
        )]
        let inverse_norm = (1.0 / (square as f64).sqrt()) as f32;
        Some(Self {
            components,
            inverse_norm,
        })
    }

    /// The components, as they are kept.
    pub fn components(&self) -> &[i8] {
        &self.components
    }

    /// One divided by the length of the components.
    pub fn inverse_norm(&self) -> f32 {
        self.inverse_norm
    }

    /// How alike two directions are, from -1 to 1; 0 if the other has another dimension.
    pub fn cosine(&self, other: &Self) -> f32 {
        if self.components.len() != other.components.len() {
            return 0.0;
        }
        let product = dot(&self.components, &other.components);
        self.cosine_from(product, other.inverse_norm)
    }

    /// The cosine with a direction, from their dot product and its inverse norm.
    pub(crate) fn cosine_from(&self, product: i32, inverse_norm: f32) -> f32 {
        #[expect(
            clippy::cast_precision_loss,
            reason = "seven digits are enough for a cosine"
        )]
        let product = product as f32;
        (product * (self.inverse_norm * inverse_norm)).clamp(-1.0, 1.0)
    }

    /// The dot products with rows of components that lie one after the other.
    ///
    /// Times both inverse norms they are the cosines.
    ///
    /// # Panics
    ///
    /// If `rows` are not exactly as many rows of this dimension as `out` has places.
    pub fn dot_rows(&self, rows: &[i8], out: &mut [i32]) {
        dot_rows(&self.components, rows, out);
    }
}

/// To the nearest, halves away from zero: as `f32::round`, which is a call for
/// each number unless the processor is known to have an instruction for it.
#[expect(clippy::cast_possible_truncation, reason = "at most 127, and meant")]
fn rounded(value: f32) -> i8 {
    // With twice the digits the sum is exact, so what is just below a half stays below.
    let value = f64::from(value);
    (value + 0.5_f64.copysign(value)) as i8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::cast_possible_truncation, reason = "what is compared with")]
    fn rounding_is_that_of_the_library() {
        for step in -127 * 64..=127 * 64_i16 {
            let value = f32::from(step) / 64.0;
            for value in [value, value.next_up(), value.next_down()] {
                assert_eq!(rounded(value), value.round() as i8, "{value}");
            }
        }
        assert_eq!(rounded(f32::NAN), 0);
    }

    #[test]
    fn rounding_keeps_the_direction_and_scales_the_largest_to_127() {
        let cases: [(&[f32], Option<&[i8]>); 9] = [
            (&[1.0, -2.0, 0.5], Some(&[64, -127, 32])),
            (&[3e38, -3e38], Some(&[127, -127])),
            (&[1e-45, 0.0], Some(&[127, 0])),
            (&[5.0], Some(&[127])),
            (&[0.0, -0.0], None),
            (&[], None),
            (&[1.0, f32::NAN], None),
            (&[f32::INFINITY, 1.0], None),
            (&[1.0, f32::NEG_INFINITY], None),
        ];
        for (values, expected) in cases {
            let found = Vector::nearest_to(values);
            assert_eq!(
                found.as_ref().map(Vector::components),
                expected,
                "{values:?}"
            );
        }
    }

    #[test]
    fn cosines_are_those_of_the_directions() {
        let cases: [(&[i8], &[i8], f32); 6] = [
            (&[3, 4], &[6, 8], 1.0),
            (&[3, 4], &[-3, -4], -1.0),
            (&[3, 4], &[4, -3], 0.0),
            (&[3, 4], &[1, 0], 0.6),
            (&[-128, -128], &[-128, -128], 1.0),
            (&[1, 0], &[1, 0, 0], 0.0),
        ];
        for (a, b, expected) in cases {
            let [a, b] = [a, b].map(|components| Vector::from_components(components).unwrap());
            assert!((a.cosine(&b) - expected).abs() < 1e-6, "{a:?} {b:?}");
            assert_eq!(a.cosine(&b).to_bits(), b.cosine(&a).to_bits());
        }
    }

    #[test]
    fn a_scan_gives_the_cosine_of_each_row() {
        let query = Vector::from_components(&[1, -2, 3]).unwrap();
        let rows = [[4, 5, 6], [-7, 8, 9], [0, 0, 1]];
        let mut dots = [0; 3];
        query.dot_rows(rows.as_flattened(), &mut dots);
        for (row, dot) in rows.iter().zip(dots) {
            let row = Vector::from_components(row).unwrap();
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            let cosine = dot as f32 * (query.inverse_norm() * row.inverse_norm());
            assert_eq!(cosine.to_bits(), query.cosine(&row).to_bits());
        }
    }
}
