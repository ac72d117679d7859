//! What the tests of mnemon share.

#![expect(
    clippy::missing_panics_doc,
    reason = "a helper that panics is a test that fails"
)]

pub mod conformance;
pub mod disk;
pub mod driver;
pub mod hooked;
pub mod hostile;
pub mod inspect;
pub mod model;
pub mod numbered;
pub mod script;
pub mod sealed;
pub mod service;
pub mod traced;
pub mod workload;
