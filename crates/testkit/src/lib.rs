//! What the tests of mnemon share.

pub mod disk;
pub mod workload;
