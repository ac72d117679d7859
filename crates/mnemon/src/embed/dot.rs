//! Exact dot products of small whole numbers, as fast as memory gives them.
//!
//! One plain loop for any processor, and by hand what the compiler does not find
//! in it: `avx2` looks at several rows together, and processors with AVX-512
//! VNNI have an instruction just for this (`vnni`). Arm processors always have
//! NEON, so there the plain loop is the fast one.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod vnni;

/// Bytes that come from memory together.
#[cfg(target_arch = "x86_64")]
const CACHE_LINE: usize = 64;

/// The dot product of two rows of the same length.
pub(crate) fn dot(a: &[i8], b: &[i8]) -> i32 {
    let mut product = [0];
    dot_rows(a, b, &mut product);
    product[0]
}

/// The dot products of one row with many, which lie one after the other.
///
/// Sums fit as long as a row has less than 2¹⁶ components.
///
/// # Panics
///
/// If `rows` are not exactly as many rows of the query's length as `out` has places.
pub(crate) fn dot_rows(query: &[i8], rows: &[i8], out: &mut [i32]) {
    assert_eq!(
        rows.len(),
        query.len() * out.len(),
        "whole rows, as many as places"
    );
    if query.is_empty() {
        out.fill(0);
        return;
    }
    #[cfg(target_arch = "x86_64")]
    if vnni::is_there() {
        #[expect(
            unsafe_code,
            reason = "compiled for VNNI, which this processor was just found to have"
        )]
        // SAFETY: the only requirement of a safe function with a target feature
        // is that the processor has the feature.
        return unsafe { vnni::scan(query, rows, out) };
    }
    #[cfg(target_arch = "x86_64")]
    if avx2::is_there() {
        #[expect(
            unsafe_code,
            reason = "compiled for AVX2, which this processor was just found to have"
        )]
        // SAFETY: as above.
        return unsafe { avx2::scan(query, rows, out) };
    }
    scan(query, rows, out);
}

/// Tells the processor that a row will be needed soon.
pub(crate) fn fetch(row: &[i8]) {
    #[cfg(target_arch = "x86_64")]
    for line in row.chunks(CACHE_LINE) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        #[expect(unsafe_code, reason = "memory is fetched by address")]
        // SAFETY: every processor of this kind can, and no address is wrong.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(line.as_ptr());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = row;
}

fn scan(query: &[i8], rows: &[i8], out: &mut [i32]) {
    for (row, out) in rows.chunks_exact(query.len()).zip(out) {
        let pairs = query.iter().zip(row);
        *out = pairs.map(|(&q, &r)| i32::from(q) * i32::from(r)).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What all must agree with, in numbers that cannot overflow.
    fn by_hand(query: &[i8], rows: &[i8]) -> Vec<i64> {
        rows.chunks(query.len())
            .map(|row| {
                query
                    .iter()
                    .zip(row)
                    .map(|(&q, &r)| i64::from(q) * i64::from(r))
                    .sum()
            })
            .collect()
    }

    type Way = fn(&[i8], &[i8], &mut [i32]);

    /// Also those that this processor would not choose.
    fn ways() -> Vec<Way> {
        let mut ways: Vec<Way> = vec![dot_rows, scan];
        ways.push(|query, rows, out| {
            for (row, out) in rows.chunks(query.len()).zip(out) {
                *out = dot(query, row);
            }
        });
        #[cfg(target_arch = "x86_64")]
        if avx2::is_there() {
            #[expect(unsafe_code, reason = "the processor has AVX2")]
            // SAFETY: as above.
            ways.push(|query, rows, out| unsafe { avx2::scan(query, rows, out) });
        }
        ways
    }

    fn check(query: &[i8], rows: &[i8]) {
        let expected = by_hand(query, rows);
        for way in ways() {
            let mut found = vec![0; expected.len()];
            way(query, rows, &mut found);
            assert_eq!(
                found.into_iter().map(i64::from).collect::<Vec<_>>(),
                expected
            );
        }
    }

    proptest! {
        #[test]
        fn every_way_gives_the_exact_sums(
            (query, rows) in (1_usize..600, 0_usize..10).prop_flat_map(|(dimension, count)| (
                proptest::collection::vec(any::<i8>(), dimension),
                proptest::collection::vec(any::<i8>(), dimension * count),
            ))
        ) {
            check(&query, &rows);
        }
    }

    #[test]
    fn the_largest_sums_of_every_usual_dimension_are_exact() {
        for dimension in [1, 5, 16, 31, 32, 33, 256, 384, 768, 1536, 8192] {
            for (query, row) in [(-128, -128), (-128, 127), (127, 127)] {
                check(&vec![query; dimension], &vec![row; dimension * 7]);
            }
        }
    }

    #[test]
    #[should_panic(expected = "whole rows")]
    fn half_a_row_is_refused() {
        dot_rows(&[1, 2], &[1, 2, 3], &mut [0]);
    }
}
