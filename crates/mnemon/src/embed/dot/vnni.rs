//! Dot products with the instruction that AVX-512 VNNI has for them.
//!
//! It multiplies bytes without a sign by bytes with one, so the query is moved
//! up by 128, and what that adds to a sum, 128 times the row, is taken off.

use std::arch::x86_64::{
    __m512i, _mm512_dpbusd_epi32, _mm512_loadu_si512, _mm512_reduce_add_epi32, _mm512_set1_epi8,
    _mm512_setzero_si512, _mm512_sub_epi32, _mm512_xor_si512,
};

/// Components that one instruction takes.
const LANES: usize = 64;

/// Whether this processor has it.
pub(super) fn is_there() -> bool {
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vnni")
}

/// The dot products of one row with many.
#[target_feature(enable = "avx512f,avx512vnni")]
pub(super) fn scan(query: &[i8], rows: &[i8], out: &mut [i32]) {
    let (queries, query_rest) = query.as_chunks::<LANES>();
    // The highest bit of each byte: as a number without a sign 128, and flipped it moves one up by 128.
    let high = _mm512_set1_epi8(i8::MIN);
    for (row, out) in rows.chunks_exact(query.len()).zip(out) {
        let (rows, row_rest) = row.as_chunks::<LANES>();
        let mut moved = _mm512_setzero_si512();
        let mut surplus = _mm512_setzero_si512();
        for (query, row) in queries.iter().zip(rows) {
            let (query, row) = (load(query), load(row));
            moved = _mm512_dpbusd_epi32(moved, _mm512_xor_si512(query, high), row);
            surplus = _mm512_dpbusd_epi32(surplus, high, row);
        }
        let rest = query_rest.iter().zip(row_rest);
        let rest: i32 = rest.map(|(&q, &r)| i32::from(q) * i32::from(r)).sum();
        *out = _mm512_reduce_add_epi32(_mm512_sub_epi32(moved, surplus)) + rest;
    }
}

#[target_feature(enable = "avx512f")]
fn load(bytes: &[i8; LANES]) -> __m512i {
    #[expect(unsafe_code, reason = "loads are by address")]
    // SAFETY: the address is that of 64 bytes, and need not be aligned.
    unsafe {
        _mm512_loadu_si512(bytes.as_ptr().cast())
    }
}
