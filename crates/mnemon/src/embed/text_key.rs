//! What a vector is of, in eight bytes: so that it is found without its text.

use std::num::NonZeroU64;

use sha2::{Digest, Sha256};

use crate::memory::Memory;

/// Names what is embedded of a memory: its text, and the vector that it brought.
///
/// Memories that say the same have the same key, so one vector serves them
/// all, whatever build of the index they are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextKey(NonZeroU64);

impl TextKey {
    /// The key of a memory; none if it is sensitive or sealed, because then it
    /// is never handed to an embedder outside of this program.
    pub fn of(memory: &Memory) -> Option<Self> {
        if !memory.is_quotable() {
            return None;
        }
        let mut hash = Sha256::new();
        hash.update(memory.text.as_str());
        if let Some(own) = &memory.embedding {
            // No text has this byte.
            hash.update([0xff]);
            for value in own {
                hash.update(value.to_le_bytes());
            }
        }
        let digest = hash.finalize();
        let number = digest[..8]
            .iter()
            .fold(0, |number, byte| (number << 8) | u64::from(*byte));
        Some(Self(NonZeroU64::new(number).unwrap_or(NonZeroU64::MIN)))
    }

    /// The key of that number; none for 0.
    pub fn from_number(number: u64) -> Option<Self> {
        NonZeroU64::new(number).map(Self)
    }

    /// As a number that is not 0.
    pub fn number(self) -> u64 {
        self.0.get()
    }
}
