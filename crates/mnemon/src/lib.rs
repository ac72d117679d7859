//! mnemon: memory for AI agents, in plain files.

pub mod caller;
pub mod clock;
pub mod config;
pub mod decay;
pub mod engine;
pub mod error;
pub mod memory;
pub mod session;
pub mod store;
pub mod time;

pub use caller::Caller;
pub use clock::Clock;
pub use config::Config;
pub use engine::Mnemon;
pub use error::{Code, Error, Result};
pub use time::Time;

/// Ten random bytes from the operating system, enough for an id.
fn random() -> [u8; 10] {
    let mut bytes = [0; 10];
    getrandom::fill(&mut bytes).expect("the operating system has randomness");
    bytes
}
