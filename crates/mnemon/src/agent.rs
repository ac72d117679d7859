//! What an agent holds in its hands, beside what it remembers.
//!
//! A [`Desk`] is its [`Working`] memory (values by name, in scopes within
//! scopes) and its context [`Window`] (what it has before its eyes, within a
//! token budget). It is one paper of the store, changed as a whole; a
//! [`Snapshot`] is a desk at a moment, to go back to.

mod desk;
pub(crate) mod routine;
mod scope;
pub mod snapshot;
mod window;
mod working;

pub use desk::{DESK_BYTES_MAX, Desk};
pub use routine::Routine;
pub use scope::{Key, Scope};
pub use snapshot::{Snapshot, SnapshotSummary};
pub use window::{Added, Window, WindowItem};
pub use working::{Entry, Working};
