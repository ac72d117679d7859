//! From a passphrase to a key: Argon2id, slow on purpose, so that guessing is.

use argon2::{Algorithm, Argon2, Params, Version};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::aead::{KEY_BYTES, Key, random_bytes};
use super::master::Secret;
use super::problem::SealProblem;
use crate::error::{Error, Result};

/// Nobody who means well asks for more; a file that does would only keep us busy.
const MEMORY_KIB_MAX: u32 = 1 << 20;
const ROUNDS_MAX: u32 = 64;
const LANES_MAX: u32 = 64;

/// How a passphrase is made a key. Not secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stretch {
    /// How much memory it takes.
    pub memory_kib: u32,
    /// How often it goes through that memory.
    pub rounds: u32,
    /// How much of it could be done side by side.
    pub lanes: u32,
    /// Random, so that no table of passphrases helps.
    pub salt: [u8; 16],
}

impl Stretch {
    /// The second choice of RFC 9106, for machines that do other things too.
    pub fn random() -> Self {
        Self {
            memory_kib: 1 << 16,
            rounds: 3,
            lanes: 4,
            salt: random_bytes(),
        }
    }

    /// The key of a passphrase.
    pub(super) fn key(&self, passphrase: &Secret) -> Result<Key> {
        let bad = || Error::Crypto(SealProblem::BadStretch);
        let sane = self.memory_kib <= MEMORY_KIB_MAX
            && self.rounds <= ROUNDS_MAX
            && self.lanes <= LANES_MAX;
        if !sane {
            return Err(bad());
        }
        let params = Params::new(self.memory_kib, self.rounds, self.lanes, Some(KEY_BYTES));
        let params = params.map_err(|_| bad())?;
        let mut bytes = Zeroizing::new([0; KEY_BYTES]);
        Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
            .hash_password_into(passphrase.expose().as_bytes(), &self.salt, &mut *bytes)
            .map_err(|_| bad())?;
        Ok(Key::from_bytes(&*bytes).expect("the length of a key"))
    }
}
