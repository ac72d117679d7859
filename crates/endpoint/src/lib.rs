//! Embedding services over HTTP: the second embedder.
//!
//! The only crate that knows what such services expect and answer. Whatever
//! goes wrong there comes back as `E_EMBEDDING` with the address, what was
//! wrong and what to do; the key is in no message and in no debug output.
//! Start at [`Endpoint`]; `request` is one exchange with its retries, `answer`
//! what is believed of what came back.

mod answer;
mod endpoint;
mod failure;
mod key;
mod options;
mod request;

pub use endpoint::Endpoint;
pub use key::Key;
pub use options::{Options, Style};
