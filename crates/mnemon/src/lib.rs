//! mnemon: memory for AI agents, in plain files that a person can read.
//!
//! An agent forgets everything when its session ends. This is the memory that
//! it keeps: conversations, decisions, findings, preferences and knowledge, in
//! append-only JSONL logs that any number of processes share.
//!
//! ```
//! use mnemon::engine::NewSession;
//! use mnemon::memory::{Draft, Kind, Space};
//! use mnemon::{Caller, Mnemon};
//!
//! # fn main() -> mnemon::Result<()> {
//! # let folder = tempfile::tempdir().expect("a folder for the example");
//! let mnemon = Mnemon::open(folder.path())?;
//! let me = Caller::user("ada");
//! let session = mnemon.create_session(&me, NewSession::default())?;
//!
//! let mut draft = Draft::new(Kind::Decision, "Sessions time out after 15 minutes".parse()?);
//! draft.tags = vec!["security.sessions".parse()?];
//! let kept = mnemon.remember(&me, &Space::Session(session.clone()), draft)?;
//! assert!(kept.durable);
//!
//! // Found again by its id or by its short name in the session.
//! let decision = mnemon.get(&me, "DEC-001", Some(&session))?;
//! assert_eq!(decision.id, kept.id);
//! assert_eq!(decision.text.as_str(), "Sessions time out after 15 minutes");
//! # Ok(())
//! # }
//! ```
//!
//! The verbs are in [`engine`], the nouns in [`memory`], and [`store`] says
//! what a place to keep them must do.

pub mod agent;
pub mod anonymize;
pub mod caller;
pub mod clock;
pub mod compact;
pub mod config;
pub mod consolidate;
pub mod context;
pub mod decay;
pub mod embed;
pub mod engine;
pub mod error;
pub mod event;
pub mod memory;
pub mod nearest;
pub mod recall;
pub mod redact;
pub mod retention;
pub mod schedule;
pub mod seal;
pub mod session;
pub mod store;
pub mod tier;
pub mod time;
pub mod token;

mod known_words;
mod plain_letters;

pub use caller::Caller;
pub use clock::Clock;
pub use config::Config;
pub use engine::Mnemon;
pub use error::{Code, EmbeddingFailure, Error, Result};
pub use tier::{Gate, Tier};
pub use time::Time;

/// Ten random bytes from the operating system, enough for an id.
fn random() -> [u8; 10] {
    let mut bytes = [0; 10];
    getrandom::fill(&mut bytes).expect("the operating system has randomness");
    bytes
}
