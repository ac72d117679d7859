//! XChaCha20-Poly1305 with a nonce that follows from what is sealed.
//!
//! The nonce is a keyed digest of the associated data and the content: nothing
//! depends on a random number that repeats, and the same content in the same
//! place is the same bytes, so that a write that is told twice is kept once.
//! Only who holds the key can tell that two places say the same.

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use hkdf::{Hkdf, HkdfExtract};
use sha2::Sha256;
use zeroize::Zeroizing;

pub(super) const KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 24;
/// What sealing adds to the content.
#[cfg(test)]
const ADDED_BYTES: usize = NONCE_BYTES + 16;

/// 256 bits that nobody sees.
#[derive(Clone)]
pub(crate) struct Key(Zeroizing<[u8; KEY_BYTES]>);

impl Key {
    pub(crate) fn random() -> Self {
        Self(Zeroizing::new(random_bytes()))
    }

    /// The key of these bytes, if they are as many as a key has.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut own = Zeroizing::new([0; KEY_BYTES]);
        if bytes.len() != KEY_BYTES {
            return None;
        }
        own.copy_from_slice(bytes);
        Some(Self(own))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0[..]
    }

    /// Another key for another purpose; none of the two tells the other.
    pub(crate) fn derive(&self, salt: &[u8], purpose: &[u8]) -> Self {
        let mut bytes = Zeroizing::new([0; KEY_BYTES]);
        Hkdf::<Sha256>::new(Some(salt), self.bytes())
            .expand(purpose, &mut *bytes)
            .expect("one key is not too much to ask for");
        Self(bytes)
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(…)")
    }
}

/// From the operating system.
pub(super) fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the operating system has randomness");
    bytes
}

/// Nonce, ciphertext and tag of the content, bound to what it is associated with.
pub(crate) fn seal(key: &Key, associated: &[u8], content: &[u8]) -> Vec<u8> {
    let nonce = nonce_of(key, associated, content);
    let payload = Payload {
        msg: content,
        aad: associated,
    };
    let sealed = cipher(key)
        .encrypt(&nonce, payload)
        .expect("what fits in memory can be sealed");
    let mut bytes = Vec::with_capacity(NONCE_BYTES + sealed.len());
    bytes.extend_from_slice(&nonce);
    bytes.extend_from_slice(&sealed);
    bytes
}

/// The content, if the key fits and nothing was altered.
pub(crate) fn open(key: &Key, associated: &[u8], sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let (nonce, sealed) = sealed.split_at_checked(NONCE_BYTES)?;
    let nonce = XNonce::try_from(nonce).ok()?;
    let payload = Payload {
        msg: sealed,
        aad: associated,
    };
    cipher(key)
        .decrypt(&nonce, payload)
        .ok()
        .map(Zeroizing::new)
}

fn cipher(key: &Key) -> XChaCha20Poly1305 {
    let content_key = key.derive(&[], b"mnemon: content");
    XChaCha20Poly1305::new_from_slice(content_key.bytes()).expect("the length of a key")
}

fn nonce_of(key: &Key, associated: &[u8], content: &[u8]) -> XNonce {
    let nonce_key = key.derive(&[], b"mnemon: nonce");
    let mut digest = HkdfExtract::<Sha256>::new(Some(nonce_key.bytes()));
    // With its length first, none of the two can reach into the other.
    digest.input_ikm(&(associated.len() as u64).to_le_bytes());
    digest.input_ikm(associated);
    digest.input_ikm(content);
    let (digest, _) = digest.finalize();
    XNonce::try_from(&digest[..NONCE_BYTES]).expect("a digest is longer than a nonce")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sealed_opens_in_its_place_and_with_its_key_only() {
        let (key, other) = (Key::random(), Key::random());
        let sealed = seal(&key, b"here", b"content");
        assert_eq!(sealed.len(), ADDED_BYTES + b"content".len());
        assert_eq!(*open(&key, b"here", &sealed).unwrap(), b"content");
        assert!(open(&key, b"there", &sealed).is_none());
        assert!(open(&other, b"here", &sealed).is_none());
        assert_eq!(*open(&key, b"", &seal(&key, b"", b"")).unwrap(), b"");
    }

    #[test]
    fn no_bit_can_be_flipped_and_no_byte_cut_off() {
        let key = Key::random();
        let sealed = seal(&key, b"a", b"some content");
        for bit in 0..sealed.len() * 8 {
            let mut altered = sealed.clone();
            altered[bit / 8] ^= 1 << (bit % 8);
            assert!(open(&key, b"a", &altered).is_none(), "bit {bit}");
        }
        for length in 0..sealed.len() {
            assert!(open(&key, b"a", &sealed[..length]).is_none(), "{length}");
        }
    }

    #[test]
    fn the_same_in_the_same_place_is_the_same_and_nothing_else_is() {
        let key = Key::random();
        let sealed = seal(&key, b"ab", b"c");
        assert_eq!(seal(&key, b"ab", b"c"), sealed);
        for (associated, content) in [(&b"a"[..], &b"bc"[..]), (b"abc", b""), (b"ab", b"d")] {
            let other = seal(&key, associated, content);
            assert_ne!(other[..NONCE_BYTES], sealed[..NONCE_BYTES]);
        }
    }

    #[test]
    fn a_key_is_not_shown() {
        let key = Key::from_bytes(&[7; KEY_BYTES]).unwrap();
        assert_eq!(format!("{key:?}"), "Key(…)");
        assert!(Key::from_bytes(&[7; KEY_BYTES - 1]).is_none());
    }
}
