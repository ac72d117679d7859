//! The pieces of words that the model knows, found by a hash table that comes
//! with it: nothing is built when the program starts.

/// No piece is longer.
const PIECE_BYTES_MAX: usize = 32;

const HASH_START: u32 = 0x811c_9dc5;

/// How pieces that continue a word are marked.
const CONTINUES: &[u8] = b"##";

/// Names of pieces, where each one ends, and the slots of the hash table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vocabulary {
    pub(super) ends: &'static [[u8; 4]],
    pub(super) slots: &'static [[u8; 2]],
    pub(super) names: &'static [u8],
}

impl Vocabulary {
    /// The longest piece that the word begins with, and its length in bytes.
    ///
    /// `continues` says that there is more of the word before it.
    pub(super) fn longest(&self, word: &str, continues: bool) -> Option<(u16, usize)> {
        let mut hash = HASH_START;
        if continues {
            hash = CONTINUES.iter().copied().fold(hash, extended);
        }
        let mut hashes = [0; PIECE_BYTES_MAX];
        let beginning = &word.as_bytes()[..word.len().min(PIECE_BYTES_MAX)];
        for (&byte, place) in beginning.iter().zip(&mut hashes) {
            hash = extended(hash, byte);
            *place = hash;
        }
        (1..=beginning.len())
            .rev()
            .filter(|&length| word.is_char_boundary(length))
            .find_map(|length| {
                let piece = self.piece(&beginning[..length], continues, hashes[length - 1])?;
                Some((piece, length))
            })
    }

    fn piece(&self, text: &[u8], continues: bool, hash: u32) -> Option<u16> {
        let mut slot = (hash ^ hash >> 16) as usize;
        loop {
            let number = u16::from_le_bytes(*self.slots.get(slot % self.slots.len())?);
            let piece = number.checked_sub(1)?;
            let name = self.name(piece)?;
            let text_of_name = if continues {
                name.strip_prefix(CONTINUES)
            } else {
                Some(name)
            };
            if text_of_name == Some(text) {
                return Some(piece);
            }
            slot += 1;
        }
    }

    /// How the model writes this piece.
    pub(super) fn name(&self, piece: u16) -> Option<&'static [u8]> {
        let start = match piece.checked_sub(1) {
            Some(before) => self.end(before)?,
            None => 0,
        };
        self.names.get(start..self.end(piece)?)
    }

    fn end(&self, piece: u16) -> Option<usize> {
        let end = self.ends.get(usize::from(piece))?;
        Some(u32::from_le_bytes(*end) as usize)
    }
}

/// One step of FNV-1a, so that every beginning of a word is hashed on the way.
fn extended(hash: u32, byte: u8) -> u32 {
    (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
}

#[cfg(test)]
mod tests {
    use super::super::built_in::TABLE;

    #[test]
    fn every_piece_is_found_whole() {
        let vocabulary = TABLE.vocabulary();
        for piece in 0..u16::try_from(vocabulary.ends.len()).unwrap() {
            let name = str::from_utf8(vocabulary.name(piece).unwrap()).unwrap();
            let (text, continues) = match name.strip_prefix("##") {
                Some(text) if !text.is_empty() => (text, true),
                _ => (name, false),
            };
            assert_eq!(
                vocabulary.longest(text, continues),
                Some((piece, text.len())),
                "{name}"
            );
        }
    }
}
