//! Sums of rows of small whole numbers, each row times its scale.
//!
//! One plain loop, compiled once for any processor and once for AVX2, as in
//! `dot`. Each component is a sum of its own, in the order of the rows, so both
//! give the same bits.

/// Adds rows to a sum, each times its scale.
pub(super) fn add_rows<'a>(sum: &mut [f32], rows: impl Iterator<Item = (f32, &'a [i8])>) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        #[expect(
            unsafe_code,
            reason = "compiled for AVX2, which this processor was just found to have"
        )]
        // SAFETY: the only requirement of a safe function with a target feature
        // is that the processor has the feature.
        return unsafe { add_avx2(sum, rows) };
    }
    add(sum, rows);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn add_avx2<'a>(sum: &mut [f32], rows: impl Iterator<Item = (f32, &'a [i8])>) {
    add(sum, rows);
}

/// Always inlined, so that each caller compiles it for its own processor.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "a call would be compiled for the oldest processor"
)]
fn add<'a>(sum: &mut [f32], rows: impl Iterator<Item = (f32, &'a [i8])>) {
    for (scale, row) in rows {
        for (sum, component) in sum.iter_mut().zip(row) {
            *sum += scale * f32::from(*component);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_way_gives_the_same_bits(
            (scales, rows) in (0_usize..5, 1_usize..300).prop_flat_map(|(count, dimension)| (
                proptest::collection::vec(-2.0_f32..2.0, count),
                proptest::collection::vec(
                    proptest::collection::vec(any::<i8>(), dimension),
                    count,
                ),
            ))
        ) {
            let dimension = rows.first().map_or(3, Vec::len);
            let scaled = || scales.iter().copied().zip(rows.iter().map(Vec::as_slice));
            let mut expected = vec![0.0_f32; dimension];
            for (scale, row) in scaled() {
                for (place, component) in row.iter().enumerate() {
                    expected[place] += scale * f32::from(*component);
                }
            }
            let (mut fast, mut plain) = (vec![0.0; dimension], vec![0.0; dimension]);
            add_rows(&mut fast, scaled());
            add(&mut plain, scaled());
            for found in [fast, plain] {
                let bits = |sum: &[f32]| sum.iter().map(|it| it.to_bits()).collect::<Vec<_>>();
                prop_assert_eq!(bits(&found), bits(&expected));
            }
        }
    }
}
