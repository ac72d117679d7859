//! mnemon: memory for AI agents, in plain files.

pub mod error;
pub mod memory;

pub use error::{Code, Error, Result};
