//! A store that is open, and on whose behalf it is used.

use std::sync::Arc;

use mnemon::{Caller, Mnemon};

/// An open store, and on whose behalf it is used.
#[derive(Clone)]
pub struct Opened {
    /// The store.
    pub engine: Arc<Mnemon>,
    /// Who asks.
    pub caller: Caller,
}
