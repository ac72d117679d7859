//! What the tests of mnemon share.

#![expect(
    clippy::missing_panics_doc,
    reason = "tests fail by panicking, and all of this is for tests"
)]

pub mod conformance;
pub mod model;
pub mod script;
