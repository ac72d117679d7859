//! mnemon for programs that ask over a connection.
//!
//! The only crate that knows async: a connection is read and answered on one
//! thread, and the engine, which blocks, is reached through one function,
//! `blocking::on_blocking_thread`. [`mcp`] speaks the Model Context Protocol,
//! [`http`] the API under `/v1`.

mod background;
mod blocking;
pub mod http;
pub mod mcp;
mod opened;
mod request;

pub use opened::Opened;
