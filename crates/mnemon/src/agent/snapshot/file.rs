//! A snapshot as a file: JSON for people, or a head and compressed bytes.
//!
//! A compressed one begins with a line of JSON, the [`Head`], which tells what
//! lists need; after the newline comes the snapshot as JSON, compressed, with
//! its checksum in the head, and sealed if there is a key for it.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{FORMAT, Snapshot, SnapshotSummary};
use crate::error::{Error, Result};
use crate::seal::hex;

/// What every head says first.
const SORT: &str = "mnemon snapshot";

/// No snapshot unpacks to more: a desk is bounded, and ids are short.
const UNPACKED_BYTES_MAX: usize = 256 << 20;

/// How a snapshot is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One JSON object, for people and other programs.
    Json,
    /// Compressed.
    Binary,
    /// Compressed, then sealed.
    Encrypted,
}

/// Seals bytes.
pub type Sealing<'a> = &'a dyn Fn(&[u8]) -> Result<Vec<u8>>;

/// Opens the bytes of the snapshot that is told of.
pub type Opening<'a> = &'a dyn Fn(&SnapshotSummary, &[u8]) -> Result<Vec<u8>>;

/// What comes before the bytes.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Head {
    sort: String,
    /// The version of the shape.
    pub format: u32,
    /// What lists tell.
    #[serde(flatten)]
    pub summary: SnapshotSummary,
    /// The checksum of what follows, as it lies there.
    sha256: String,
}

/// A snapshot in one of its forms.
#[expect(clippy::missing_panics_doc, reason = "its fields are plain")]
pub fn write(snapshot: &Snapshot, form: Form, seal: Sealing<'_>) -> Result<Vec<u8>> {
    if form == Form::Json {
        let mut bytes = serde_json::to_vec_pretty(snapshot).expect("plain fields");
        bytes.push(b'\n');
        return Ok(bytes);
    }
    let plain = serde_json::to_vec(snapshot).expect("plain fields");
    let mut content = zstd::bulk::compress(&plain, 3).map_err(|error| no_snapshot(&error))?;
    let encrypted = form == Form::Encrypted;
    if encrypted {
        content = seal(&content)?;
    }
    let mut summary = snapshot.summary(0, encrypted);
    // The head's own length is not in it: what counts is what it tells of.
    summary.bytes = content.len() as u64;
    let head = Head {
        sort: SORT.into(),
        format: FORMAT,
        summary,
        sha256: hex(&Sha256::digest(&content)),
    };
    let mut bytes = serde_json::to_vec(&head).expect("plain fields");
    bytes.push(b'\n');
    bytes.extend(content);
    Ok(bytes)
}

/// The snapshot in these bytes, whatever its form, and whether it was sealed.
pub fn read(bytes: &[u8], open: Opening<'_>) -> Result<(Snapshot, bool)> {
    let Some((head, content)) = split(bytes) else {
        let snapshot = serde_json::from_slice(bytes).map_err(|error| no_snapshot(&error))?;
        return Ok((checked(snapshot)?, false));
    };
    let head = head?;
    if hex(&Sha256::digest(content)) != head.sha256 {
        return Err(no_snapshot(&"it was altered or cut short"));
    }
    let encrypted = head.summary.encrypted;
    let opened;
    let packed = if encrypted {
        opened = open(&head.summary, content)?;
        &opened
    } else {
        content
    };
    let plain = zstd::bulk::decompress(packed, UNPACKED_BYTES_MAX).map_err(|e| no_snapshot(&e))?;
    let snapshot: Snapshot = serde_json::from_slice(&plain).map_err(|e| no_snapshot(&e))?;
    let told = snapshot.summary(content.len() as u64, encrypted);
    if told != head.summary {
        return Err(no_snapshot(&"its first line tells of another one"));
    }
    Ok((checked(snapshot)?, encrypted))
}

/// What a file tells without being opened; the bytes are all of it.
pub fn read_head(bytes: &[u8]) -> Result<SnapshotSummary> {
    let size = bytes.len() as u64;
    match split(bytes) {
        Some((head, _)) => Ok(SnapshotSummary {
            bytes: size,
            ..head?.summary
        }),
        None => {
            let snapshot: Snapshot = serde_json::from_slice(bytes).map_err(|e| no_snapshot(&e))?;
            Ok(snapshot.summary(size, false))
        }
    }
}

/// The head and what follows it; none if it is plain JSON.
fn split(bytes: &[u8]) -> Option<(Result<Head>, &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let (line, content) = (&bytes[..end], &bytes[end + 1..]);
    let known: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(line).ok()?;
    if known.get("sort")?.as_str()? != SORT {
        return None;
    }
    let head = serde_json::from_slice::<Head>(line).map_err(|error| no_snapshot(&error));
    let head = head.and_then(|head| match head.format {
        1..=FORMAT => Ok(head),
        other => Err(other_than_known(other)),
    });
    Some((head, content))
}

fn checked(snapshot: Snapshot) -> Result<Snapshot> {
    match snapshot.format {
        1..=FORMAT => Ok(snapshot),
        other => Err(other_than_known(other)),
    }
}

fn other_than_known(format: u32) -> Error {
    no_snapshot(&format!(
        "it has format {format}, and {FORMAT} is known here"
    ))
}

fn no_snapshot(problem: &dyn std::fmt::Display) -> Error {
    Error::unparsable("a snapshot", "", problem)
}
