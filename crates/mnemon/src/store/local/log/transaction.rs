//! From the lines of a batch to the bytes that are written for them.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::line::{self, Checksum, Line};
use crate::memory::Memory;
use crate::time::Time;

/// A line that is to be written.
pub(crate) struct Draft {
    pub(crate) line: Line,
    /// What it keeps, if it keeps a memory.
    pub(crate) memory: Option<Arc<Memory>>,
}

impl From<Line> for Draft {
    fn from(line: Line) -> Self {
        Self { line, memory: None }
    }
}

/// A line with the bytes that are written for it.
pub(crate) struct Signed {
    pub(crate) line: Line,
    /// What it keeps, if it keeps a memory.
    pub(crate) memory: Option<Arc<Memory>>,
    pub(crate) bytes: Vec<u8>,
    pub(crate) checksum: Checksum,
}

impl Signed {
    pub(crate) fn new(draft: Draft) -> Self {
        let Draft { line, memory } = draft;
        let (bytes, checksum) = line.encode();
        Self {
            line,
            memory,
            bytes,
            checksum,
        }
    }
}

/// The lines of a batch as they are written: several are one transaction.
pub(crate) fn sign(lines: Vec<Draft>, at: Time) -> Vec<Signed> {
    let count = lines.len() as u64;
    let tx = (count > 1).then(|| crate::store::local::unique(at.micros()));
    let mut digest = Sha256::new();
    let mut signed: Vec<Signed> = lines
        .into_iter()
        .map(|mut draft| {
            draft.line.tx.clone_from(&tx);
            let signed = Signed::new(draft);
            digest.update(signed.checksum);
            signed
        })
        .collect();
    if let Some(tx) = &tx {
        let digest = line::hex(&digest.finalize().into());
        signed.push(Signed::new(Line::commit(tx, count, &digest, at).into()));
    }
    signed
}
