//! What a store is asked, and what it tells: everything that ranking needs.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::decay::{Access, Class};
use crate::embed::{Pieces, SetName, Vector};
use crate::error::{Error, Result};
use crate::memory::{Kind, MemoryId, Space};
use crate::store::Filter;

/// A question as a store understands it.
#[derive(Clone, Debug)]
pub struct Probe {
    /// What a memory must fit to be a candidate; order and page don't count.
    pub filter: Filter,
    /// The words that are looked for; at most [`Probe::TERMS_MAX`].
    pub terms: Vec<Term>,
    /// The terms that every candidate must have: bit 0 is the first.
    pub demanded: u64,
    /// The meaning that is looked for.
    pub vector: Option<Vector>,
    /// Whether memories are candidates by their meaning; else it is only told.
    pub by_meaning: bool,
    /// The cosine from which on a memory counts in the total by its meaning.
    pub near: f32,
    /// Whose vectors it is compared with; those that the store makes itself if none is named.
    pub set: Option<SetName>,
    /// So many candidates by words, and as many by meaning.
    pub most: usize,
    /// Whether the memories around them in their sessions are candidates too.
    pub with_neighbours: bool,
    /// When to give up.
    pub deadline: Option<Instant>,
}

impl Probe {
    /// More words than this add nothing to a question.
    pub const TERMS_MAX: usize = 64;

    /// Gives up if it is time to.
    pub fn check_deadline(&self) -> Result<()> {
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Error::QueryTimeout),
            _ => Ok(()),
        }
    }
}

/// One thing that a text can contain.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// A word with this stem.
    Stem(String),
    /// Words with these stems, side by side.
    Phrase(Vec<String>),
    /// A word that is written like this, where `*` stands for anything.
    Pattern(String),
    /// Somebody's name: who wrote it, or is spoken of. It has no part in [`Candidate::text`].
    Name {
        /// As it is written, folded.
        word: String,
        /// The stem.
        stem: String,
    },
}

/// A memory's number within one look at a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub u32);

/// What [`Candidate::tie`] is made of an id: FNV-1a.
pub fn tie_of(id: &MemoryId) -> u64 {
    id.as_str()
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
}

/// What a store knows of the memories that could be meant.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    /// Each once, in no order that means anything.
    pub list: Vec<Candidate>,
    /// Where they live, by the number that candidates give.
    pub places: BTreeMap<u32, Place>,
    /// How rare each term of the probe is.
    pub terms: Vec<Rarity>,
    /// Whether these are all that fit, and not only the best of them.
    pub is_complete: bool,
    /// How many memories fit the filter and have a term or are near in meaning.
    pub total: u64,
}

/// How rare a term is among what is not forgotten.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rarity {
    /// How many memories have it.
    pub memories: u64,
    /// The logarithm that BM25 weighs it with, as if one at least had it.
    pub weight: f64,
}

/// A space in which candidates live.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Which.
    pub space: Space,
    /// When anything was last written there, in microseconds since 1970.
    pub last_written_micros: i64,
    /// How many memories it has that are not forgotten.
    pub memories: u64,
}

/// A memory that could be meant.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Candidate {
    /// Its number, to load it with.
    pub key: Key,
    /// Decides between equals, the same wherever the memory is kept.
    pub tie: u64,
    /// The number of its space.
    pub place: u32,
    /// The number of its author.
    pub author: Option<u32>,
    /// When it was created, in microseconds since 1970.
    pub created_micros: i64,
    /// Its kind.
    pub kind: Kind,
    /// What its body says that decides how it fades.
    pub class: Class,
    /// How often it was asked for; only where the probe's rules need it.
    pub access: Access,
    /// Its importance.
    pub importance: f64,
    /// Whether it asks something.
    pub is_question: bool,
    /// Whether it says when.
    pub has_time: bool,
    /// Whether it is pinned.
    pub pinned: bool,
    /// Whether it can be settled and is not.
    pub is_open: bool,
    /// Whether another memory says that it supersedes this one.
    pub is_superseded: bool,
    /// The pieces of its words.
    pub pieces: Pieces,
    /// BM25 of the terms that it has; 0 if none.
    pub text: f64,
    /// Which terms it has: bit 0 is the first.
    pub matched: u64,
    /// How near it is in meaning, if both it and the question have a vector.
    pub cosine: Option<f32>,
    /// The memory before it in its session, if that is a candidate too.
    pub previous: Option<usize>,
    /// The memory after it.
    pub next: Option<usize>,
}
