//! What tests of several modules write.

use crate::memory::Limits;
use crate::store::{Batch, OnFull, Write};

/// Writes to the shared space, by somebody, at some time.
pub(super) fn batch(writes: Vec<Write>) -> Batch {
    Batch {
        space: "shared".parse().unwrap(),
        by: "ann".into(),
        now: "2026-01-10T12:00:00Z".parse().unwrap(),
        writes,
        limits: Limits {
            session_entry_bytes_max: 1 << 20,
            long_term_entry_bytes_max: 1 << 20,
        },
        quota_bytes: None,
        on_full: OnFull::Refuse,
    }
}
