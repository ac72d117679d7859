//! A check over rows that lie where nobody else would notice a changed byte.

/// A sum over bytes and the number of what they belong to: cheap enough to be
/// made whenever they are read; never 0.
pub(super) fn row_sum(n: u32, bytes: &[u8]) -> u32 {
    let mut sum = n.wrapping_mul(0x9e37_79b1) ^ 0x5bd1_e995;
    let mut factor = 1_u32;
    let mut add = |four: [u8; 4]| {
        sum = sum.wrapping_add(u32::from_le_bytes(four).wrapping_mul(factor));
        factor = factor.wrapping_add(2);
    };
    // Whole words apart from the rest, so that several are summed up at once.
    let (words, rest) = bytes.as_chunks();
    for word in words {
        add(*word);
    }
    if !rest.is_empty() {
        let mut last = [0; 4];
        last[..rest.len()].copy_from_slice(rest);
        add(last);
    }
    sum.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_that_of_words_times_odd_numbers() {
        let begin = 7_u32.wrapping_mul(0x9e37_79b1) ^ 0x5bd1_e995;
        assert_eq!(row_sum(7, &[]), begin);
        // 0x04030201 * 1 + 0x0605 * 3
        let expected = begin.wrapping_add(0x0403_0201 + 3 * 0x0605);
        assert_eq!(row_sum(7, &[1, 2, 3, 4, 5, 6]), expected);
    }
}
