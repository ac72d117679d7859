//! The log: the only truth.
//!
//! One JSON record a line, appended under the store's lock. Deleting `index/`
//! loses nothing; deleting a line here loses a memory. docs/log-format.md is
//! the contract, byte by byte.
//!
//! Invariant: what was acknowledged is durable, and nothing is half there.
//! [`mod@line`] is one line and its checksum, [`scan`] reads a log and knows torn
//! tails from damage, `tail` is where writing goes on.

pub mod line;
pub(crate) mod record;
pub mod scan;
pub(crate) mod tail;
pub(crate) mod transaction;

pub use line::Line;
