//! The compact form: compared with its checksum, unpacked, and then lines as any others.

use std::io::Read;

use mnemon::{Error, Result};
use sha2::{Digest, Sha256};

use crate::export::{BYTES_MIN, MAGIC, RATIO_MAX};

const SUM_BYTES: usize = 32;

/// A file that holds more than this is no export but an attempt to fill our memory.
const BYTES_MAX: u64 = 4 << 30;

/// Whether it begins like one, whatever its version.
pub(super) fn looks_like_it(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC[..MAGIC.len() - 1])
}

/// The lines that it holds.
pub(super) fn unpack(bytes: &[u8]) -> Result<Vec<u8>> {
    if !looks_like_it(bytes) {
        return Err(bad("it does not begin like one"));
    }
    let Some((summed, sum)) = bytes.split_last_chunk::<SUM_BYTES>() else {
        return Err(bad("it was cut short"));
    };
    let found: [u8; SUM_BYTES] = Sha256::digest(summed).into();
    if found != *sum {
        return Err(bad(
            "its checksum does not fit: it was damaged or cut short",
        ));
    }
    let Some(packed) = summed.strip_prefix(&MAGIC) else {
        return Err(bad("it was written by a newer version of mnemon"));
    };
    let limit = (packed.len() as u64)
        .saturating_mul(RATIO_MAX)
        .clamp(BYTES_MIN, BYTES_MAX);
    let mut lines = Vec::new();
    let decoder = zstd::Decoder::new(packed).map_err(|error| bad(&error.to_string()))?;
    decoder
        .single_frame()
        .take(limit + 1)
        .read_to_end(&mut lines)
        .map_err(|error| bad(&error.to_string()))?;
    if lines.len() as u64 > limit {
        return Err(bad("it holds more than an export of its size can"));
    }
    Ok(lines)
}

fn bad(problem: &str) -> Error {
    Error::Unparsable {
        what: "a binary export",
        input: String::new(),
        problem: problem.into(),
    }
}
