//! Papers that are JSON.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, Result};
use crate::store::Paper;

/// What a paper says.
pub(super) fn read<T: DeserializeOwned>(paper: &Paper, content: &[u8]) -> Result<T> {
    serde_json::from_slice(content).map_err(|error| Error::Paper {
        paper: paper.to_string(),
        problem: error.to_string(),
    })
}

/// How it is written, so that people can read it.
pub(super) fn written<T: Serialize>(content: &T) -> Vec<u8> {
    let mut text = serde_json::to_vec_pretty(content).expect("fields with text keys");
    text.push(b'\n');
    text
}
