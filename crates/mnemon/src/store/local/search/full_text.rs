//! Full text: which memories have a word, how often and where.
//!
//! Words are cut and stemmed by us and lie in *segments* that never change.
//! Each fill writes one; of those that are about as large, several become one
//! (`merge`). A segment speaks for some memories, and of two that speak for
//! the same one the newer is right: to take a memory's words out is to speak
//! for it and say nothing.
//!
//! A segment is a directory and blocks of words in their order, each with a
//! check, because nobody else would notice a changed byte.

mod block;
mod kept_blocks;
mod list;
mod lookup;
mod merge;
mod segment;
mod spoken;
mod varint;
mod words;

pub(super) use merge::merge_if_due;
pub(in crate::store::local) use merge::{Merge, merge_a_piece, scrub};
pub(super) use segment::Segments;
pub(super) use words::{SortedWords, Words};

/// The tables of segments.
pub(super) const TABLES: &str = "
CREATE TABLE segments (
    n INTEGER PRIMARY KEY, age INTEGER NOT NULL, sum INTEGER NOT NULL, directory BLOB NOT NULL
);
CREATE TABLE blocks (n INTEGER PRIMARY KEY, sum INTEGER NOT NULL, words BLOB NOT NULL);
";

/// A memory that has a term, and how often.
pub(super) type Posting = (u32, u32);

#[cfg(test)]
mod tests;
