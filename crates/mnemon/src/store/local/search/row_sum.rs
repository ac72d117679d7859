//! A check over rows that lie where nobody else would notice a changed byte.

/// A sum over bytes and the number of what they belong to: cheap enough to be
/// made whenever they are read; never 0.
pub(super) fn row_sum(n: u32, bytes: &[u8]) -> u32 {
    let mut sum = n.wrapping_mul(0x9e37_79b1) ^ 0x5bd1_e995;
    for (place, word) in (0_u32..).zip(bytes.chunks(4)) {
        let mut four = [0; 4];
        four[..word.len()].copy_from_slice(word);
        sum = sum.wrapping_add(u32::from_le_bytes(four).wrapping_mul(2 * place + 1));
    }
    sum.max(1)
}
