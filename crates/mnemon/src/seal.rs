//! Sealing: what only the holder of a key can read.
//!
//! A [`Master`] key wraps one random data key for each space ([`Ring`]), and a
//! data key seals what memories say (`content`). Bytes that leave the store
//! are sealed by themselves ([`envelope`]). `docs/sealing.md` says against
//! whom this helps, and what stays visible.
//!
//! Invariant: no key is ever shown, and every copy of one is wiped when it is
//! let go.

mod aead;
pub(crate) mod content;
pub mod envelope;
mod keyring;
mod master;
mod passphrase;
mod problem;
mod ring;
pub mod rotation;

pub(crate) use aead::{Key, open, seal};
pub use keyring::Keyring;
pub(crate) use master::hex;
pub use master::{Master, Secret, Source};
pub use passphrase::Stretch;
pub use problem::SealProblem;
pub use ring::Ring;
