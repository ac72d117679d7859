//! `mnemon mcp`, driven over pipes as clients do it.

mod bad_input;
mod client;
mod embedding;
mod filling;
mod finding;
mod keeping;
mod protocol;
