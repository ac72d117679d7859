//! How the tables are laid out, for `build.rs`, which writes them, and for those who look things up.
//!
//! `bytes` holds the tokens one behind the other by rank, `starts` where each
//! starts and the last one ends. `slots` is a hash table: a slot holds a rank
//! and, above it, a fingerprint that spares most comparisons. `class_index`
//! says which of `class_blocks` a character's class is in. Numbers are u32,
//! little-endian.

/// The longest token, in bytes.
pub(crate) const LONGEST: usize = 128;

/// A slot without a token.
pub(crate) const EMPTY: u32 = u32::MAX;

/// How many bits of a slot are the rank.
pub(crate) const RANK_BITS: u32 = 18;

/// How many characters a block of classes is for.
pub(crate) const BLOCK: usize = 256;

/// What the pattern of the tokenizer tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Capitals and title case.
    Upper,
    Lower,
    /// Letters of scripts without case, and modifiers.
    Caseless,
    /// What combines with a letter. Counts as a letter of either case, and as punctuation too.
    Mark,
    Number,
    /// White space other than [`Class::Newline`].
    Space,
    /// Carriage return and line feed.
    Newline,
    Other,
}

/// The hash of a token: of what it is made of and of how long it is.
pub(crate) fn hash(token: &[u8]) -> u64 {
    let (chunks, rest) = token.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let length = (token.len() as u64) << 56;
    let hash = chunks.iter().fold(0, |hash, chunk| {
        mixed(hash ^ u64::from_le_bytes(*chunk) ^ SEED)
    });
    mixed(hash ^ u64::from_le_bytes(last) ^ length ^ SEED)
}

/// Where the search for a token begins.
pub(crate) fn home(hash: u64, slots: usize) -> usize {
    let product = (hash >> 32) * slots as u64;
    usize::try_from(product >> 32).expect("less than the number of slots")
}

/// What a slot says about the token in it.
pub(crate) fn fingerprint(hash: u64) -> u32 {
    u32::try_from(hash & 0x3fff).expect("fourteen bits")
}

const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
const FACTOR: u64 = 0xd6e8_feb8_6659_fd93;

/// Both halves of the product with an odd number, so that every bit of the input counts.
fn mixed(number: u64) -> u64 {
    let product = u128::from(number) * u128::from(FACTOR);
    let low = product & u128::from(u64::MAX);
    u64::try_from(low ^ product >> 64).expect("two halves of 64 bits")
}
