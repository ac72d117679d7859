//! Dot products with AVX2, which multiplies 16-bit numbers and adds them in pairs.
//!
//! Four rows at a time, so that the query is widened once for all of them and
//! their sums are added up together: by hand a row of 256 takes half as long as
//! the plain loop compiled for the same processor.

use std::arch::x86_64::{
    __m256i, _mm_add_epi32, _mm_loadu_si128, _mm_storeu_si128, _mm256_add_epi32,
    _mm256_castsi256_si128, _mm256_cvtepi8_epi16, _mm256_extracti128_si256, _mm256_hadd_epi32,
    _mm256_madd_epi16, _mm256_setzero_si256,
};

/// Components that one instruction takes.
const LANES: usize = 16;

/// Rows that are looked at together.
const ROWS: usize = 4;

/// Whether this processor has it.
pub(super) fn is_there() -> bool {
    is_x86_feature_detected!("avx2")
}

/// The dot products of one row with many.
#[target_feature(enable = "avx2")]
pub(super) fn scan(query: &[i8], rows: &[i8], out: &mut [i32]) {
    let dimension = query.len();
    let (groups, others) = out.as_chunks_mut::<ROWS>();
    let (grouped, other_rows) = rows.split_at(groups.len() * ROWS * dimension);
    for (rows, out) in grouped.chunks_exact(ROWS * dimension).zip(groups) {
        let (first, last) = rows.split_at(2 * dimension);
        let (a, b) = first.split_at(dimension);
        let (c, d) = last.split_at(dimension);
        *out = four(query, a, b, c, d);
    }
    for (row, out) in other_rows.chunks_exact(dimension).zip(others) {
        *out = one(query, row);
    }
    if !dimension.is_multiple_of(LANES) {
        for (row, out) in rows.chunks_exact(dimension).zip(out) {
            *out += rest(query, row);
        }
    }
}

#[target_feature(enable = "avx2")]
fn four(query: &[i8], a: &[i8], b: &[i8], c: &[i8], d: &[i8]) -> [i32; ROWS] {
    // One by one: what takes a closure is compiled for the oldest processor.
    let (query, _) = query.as_chunks::<LANES>();
    let ((a, _), (b, _)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let ((c, _), (d, _)) = (c.as_chunks::<LANES>(), d.as_chunks::<LANES>());
    let mut sums = [_mm256_setzero_si256(); ROWS];
    for ((((query, a), b), c), d) in query.iter().zip(a).zip(b).zip(c).zip(d) {
        let query = widened(query);
        sums[0] = _mm256_add_epi32(sums[0], _mm256_madd_epi16(query, widened(a)));
        sums[1] = _mm256_add_epi32(sums[1], _mm256_madd_epi16(query, widened(b)));
        sums[2] = _mm256_add_epi32(sums[2], _mm256_madd_epi16(query, widened(c)));
        sums[3] = _mm256_add_epi32(sums[3], _mm256_madd_epi16(query, widened(d)));
    }
    add_halves(_mm256_hadd_epi32(
        _mm256_hadd_epi32(sums[0], sums[1]),
        _mm256_hadd_epi32(sums[2], sums[3]),
    ))
}

#[target_feature(enable = "avx2")]
fn one(query: &[i8], row: &[i8]) -> i32 {
    let (query, _) = query.as_chunks::<LANES>();
    let (row, _) = row.as_chunks::<LANES>();
    let mut sum = _mm256_setzero_si256();
    for (query, row) in query.iter().zip(row) {
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(widened(query), widened(row)));
    }
    add_halves(sum).iter().sum()
}

/// What the components behind the last whole lane add.
fn rest(query: &[i8], row: &[i8]) -> i32 {
    let (_, query) = query.as_chunks::<LANES>();
    let (_, row) = row.as_chunks::<LANES>();
    let pairs = query.iter().zip(row);
    pairs.map(|(&q, &r)| i32::from(q) * i32::from(r)).sum()
}

#[target_feature(enable = "avx2")]
#[inline]
fn widened(bytes: &[i8; LANES]) -> __m256i {
    #[expect(unsafe_code, reason = "loads are by address")]
    // SAFETY: the address is that of 16 bytes, and need not be aligned.
    let bytes = unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) };
    _mm256_cvtepi8_epi16(bytes)
}

/// The lower four numbers plus the upper four.
#[target_feature(enable = "avx2")]
#[inline]
fn add_halves(numbers: __m256i) -> [i32; ROWS] {
    let sum = _mm_add_epi32(
        _mm256_castsi256_si128(numbers),
        _mm256_extracti128_si256::<1>(numbers),
    );
    let mut out = [0; ROWS];
    #[expect(unsafe_code, reason = "stores are by address")]
    // SAFETY: the address is that of 16 bytes, and need not be aligned.
    unsafe {
        _mm_storeu_si128(out.as_mut_ptr().cast(), sum);
    }
    out
}
