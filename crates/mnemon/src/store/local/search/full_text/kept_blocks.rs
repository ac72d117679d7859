//! Blocks of a segment that stay in memory: it never changes, and people ask for the same words.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// All blocks together; whoever comes when they are so many is read each time.
const BYTES_MAX: usize = 8 << 20;

/// How much all segments of this process keep.
static BYTES: AtomicUsize = AtomicUsize::new(0);

/// The blocks of one segment, as far as they are kept.
#[derive(Debug)]
pub(super) struct KeptBlocks(Box<[OnceLock<Box<[u8]>>]>);

impl KeptBlocks {
    pub(super) fn new(count: usize) -> Self {
        Self((0..count).map(|_| OnceLock::new()).collect())
    }

    pub(super) fn get(&self, place: usize) -> Option<&[u8]> {
        self.0.get(place)?.get().map(|bytes| &**bytes)
    }

    /// Keeps a block if there is room.
    pub(super) fn put(&self, place: usize, bytes: &[u8]) {
        let Some(slot) = self.0.get(place) else {
            return;
        };
        let before = BYTES.fetch_add(bytes.len(), Ordering::Relaxed);
        if before + bytes.len() > BYTES_MAX || slot.set(bytes.into()).is_err() {
            BYTES.fetch_sub(bytes.len(), Ordering::Relaxed);
        }
    }
}

impl Drop for KeptBlocks {
    fn drop(&mut self) {
        let kept = self.0.iter().filter_map(OnceLock::get);
        let bytes: usize = kept.map(|bytes| bytes.len()).sum();
        BYTES.fetch_sub(bytes, Ordering::Relaxed);
    }
}
