//! The vocabulary: which bytes are a token, and how early it is made of two others.

use crate::layout::{EMPTY, LONGEST, RANK_BITS, fingerprint, hash, home};

static BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/bytes"));
static STARTS: &[[u8; 4]] = include_bytes!(concat!(env!("OUT_DIR"), "/starts"))
    .as_chunks()
    .0;
static SLOTS: &[[u8; 4]] = include_bytes!(concat!(env!("OUT_DIR"), "/slots"))
    .as_chunks()
    .0;

/// The rank of the token that these bytes are; pairs of a lower rank are merged first.
pub(crate) fn rank(bytes: &[u8]) -> Option<u32> {
    if bytes.len() > LONGEST {
        return None;
    }
    let hash = hash(bytes);
    let fingerprint = fingerprint(hash);
    let mut place = home(hash, SLOTS.len());
    loop {
        let slot = u32::from_le_bytes(SLOTS[place]);
        if slot == EMPTY {
            return None;
        }
        let rank = slot & ((1 << RANK_BITS) - 1);
        if slot >> RANK_BITS == fingerprint && token(rank) == bytes {
            return Some(rank);
        }
        place += 1;
        if place == SLOTS.len() {
            place = 0;
        }
    }
}

fn token(rank: u32) -> &'static [u8] {
    let start = |rank: usize| u32::from_le_bytes(STARTS[rank]) as usize;
    let rank = rank as usize;
    &BYTES[start(rank)..start(rank + 1)]
}
