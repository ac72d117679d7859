//! Letters and digits of ASCII, which most texts are made of.

/// How many of them these bytes begin with.
pub(crate) fn plain_letters(bytes: &[u8]) -> usize {
    let end = bytes.iter().position(|byte| !IS_ONE[usize::from(*byte)]);
    end.unwrap_or(bytes.len())
}

/// A look here is quicker than comparing with the ends of three ranges.
const IS_ONE: [bool; 256] = {
    let mut is_one = [false; 256];
    let mut byte = 0;
    while byte < 128_u8 {
        is_one[byte as usize] = byte.is_ascii_alphanumeric();
        byte += 1;
    }
    is_one
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_is_a_plain_letter_as_the_standard_library_has_it() {
        for byte in 0..=u8::MAX {
            let expected = usize::from(byte.is_ascii_alphanumeric());
            assert_eq!(plain_letters(&[byte, b' ']), expected, "{byte}");
        }
        assert_eq!(plain_letters(b""), 0);
        assert_eq!(plain_letters(b"Ab1"), 3);
    }
}
