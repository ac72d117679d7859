//! Names made from the key of a request, so that the same request, done again
//! after a crash, meets what it made before.

use mnemon::memory::{Draft, MemoryId, SessionId};
use sha2::{Digest as _, Sha256};

use super::retry::hex;

/// Ten bytes that belong to this place of the request and to no other.
fn bytes(seed: &[u8; 32], place: usize) -> [u8; 10] {
    let mut digest = Sha256::new();
    digest.update(seed);
    digest.update((place as u64).to_be_bytes());
    let digest: [u8; 32] = digest.finalize().into();
    let mut bytes = [0; 10];
    bytes.copy_from_slice(&digest[..10]);
    bytes
}

/// Gives an id to each that brings none.
pub(crate) fn name_drafts<'a>(seed: &[u8; 32], drafts: impl Iterator<Item = &'a mut Draft>) {
    for (place, draft) in drafts.enumerate() {
        if draft.id.is_none() {
            // Without a time: the request may come again at another one.
            let id = MemoryId::generate(draft.body.kind(), 0, bytes(seed, place));
            draft.id = Some(id);
        }
    }
}

/// The id of the session that a request makes.
pub(crate) fn session(seed: &[u8; 32]) -> SessionId {
    let digits = hex(&bytes(seed, usize::MAX));
    format!("sess-{digits}")
        .parse()
        .expect("letters and digits")
}
