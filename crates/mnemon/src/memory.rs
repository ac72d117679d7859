//! The nouns: what a memory is made of.

pub mod kind;

pub use kind::Kind;
