//! `mnemon mcp`, driven over pipes as clients do it.

mod bad_input;
mod changing;
mod client;
mod embedding;
mod files;
mod filling;
mod finding;
mod keeping;
mod looking;
mod many;
mod offered;
mod protocol;
mod reading;
mod reference;
