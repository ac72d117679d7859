//! What is told of keys; never a key.

use mnemon::engine::Sealing;
use serde::Serialize;

/// What is known of the keys of a store.
#[derive(Debug, Serialize)]
pub struct SealingShape<'a> {
    has_keys: bool,
    master_id: Option<&'a str>,
    by_passphrase: bool,
    /// Where the master key is looked for.
    source: Option<&'a str>,
    /// Whether it fits; nothing if nobody gave one.
    opens: Option<bool>,
    everything: bool,
    spaces: usize,
    sealed: u64,
}

impl<'a> SealingShape<'a> {
    /// The shape of it; `opens` says whether the master key fits.
    pub fn of(sealing: &'a Sealing, opens: Option<bool>) -> Self {
        Self {
            has_keys: sealing.has_keys,
            master_id: sealing.master_id.as_deref(),
            by_passphrase: sealing.by_passphrase,
            source: sealing.source.as_deref(),
            opens,
            everything: sealing.everything,
            spaces: sealing.spaces.len(),
            sealed: sealing.sealed,
        }
    }
}
