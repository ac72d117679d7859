//! Small numbers in few bytes: seven bits each, the last without its highest bit.

/// Writes a number.
pub(super) fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    bytes.push(number.to_le_bytes()[0]);
}

/// Reads numbers and bytes from the front on; none if there are too few.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for (place, byte) in self.0.iter().enumerate().take(10) {
            number |= u64::from(byte & 0x7f) << (7 * place);
            if byte & 0x80 == 0 {
                self.0 = &self.0[place + 1..];
                return Some(number);
            }
        }
        None
    }

    /// A number of which more than 32 bits would be damage.
    pub(super) fn small(&mut self) -> Option<u32> {
        // Most have one byte.
        match self.0 {
            [byte, rest @ ..] if byte & 0x80 == 0 => {
                let number = u32::from(*byte);
                self.0 = rest;
                Some(number)
            }
            _ => self.number()?.try_into().ok(),
        }
    }

    pub(super) fn bytes(&mut self, count: u32) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count as usize)?;
        self.0 = rest;
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_cut_ones_do_not() {
        for number in [0, 1, 127, 128, 300, 1 << 14, u64::from(u32::MAX), u64::MAX] {
            let mut bytes = Vec::new();
            put(&mut bytes, number);
            let mut reader = Reader(&bytes);
            assert_eq!(reader.number(), Some(number));
            assert!(reader.is_at_end());
            assert_eq!(Reader(&bytes[..bytes.len() - 1]).number(), None);
            assert_eq!(Reader(&bytes).small(), u32::try_from(number).ok());
        }
        assert_eq!(Reader(&[0x80; 20]).number(), None);
    }
}
