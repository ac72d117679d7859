//! The real program, run in folders of its own.
#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod sandbox;

mod accesses;
mod agents;
mod asking;
mod coming_back;
mod compaction;
mod connect;
mod connect_hooks;
mod decay;
mod demo;
mod desks;
mod edges;
mod embedding;
mod errors;
mod finding;
mod first_steps;
mod foreign;
mod help;
mod hook;
mod human;
mod life;
mod mcp;
mod privacy;
mod relations;
mod rules;
mod sealing;
mod serving;
mod settings;
mod soundness;
mod transfer;
