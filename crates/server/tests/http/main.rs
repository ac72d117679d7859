//! The server, asked over loopback as programs ask it.

#![expect(clippy::unwrap_used, reason = "a test that can't go on should stop")]

mod client;
mod documents;
mod ending;
mod events;
mod house;
mod limits;
mod log;
mod mcp;
mod retries;
mod security;
mod steps;
mod tour;
