//! Whether two memories say the same, so that a pack says it once.

use std::collections::{BTreeSet, HashSet};

use crate::memory::{DUPLICATE_OF, Kind, Memory, MemoryId, SUPERSEDES};
use crate::recall::Document;

/// Two texts of which at least so large a part of the words is the same say the same.
const SAME_WORDS: f64 = 0.9;

/// What is said already.
#[derive(Default)]
pub(super) struct Said {
    ids: HashSet<MemoryId>,
    /// What newer memories replaced, and what others are duplicates of.
    replaced: HashSet<MemoryId>,
    words: Vec<BTreeSet<String>>,
}

impl Said {
    /// Takes a memory in; false if it is there, was replaced, or says what is said already.
    ///
    /// A turn may say what another said: who agrees twice has agreed twice.
    pub(super) fn take(&mut self, memory: &Memory) -> bool {
        let named = |rel: &'static str| {
            let links = memory.links.iter();
            links
                .filter(move |link| link.rel.as_str() == rel)
                .map(|link| &link.to)
        };
        if self.ids.contains(&memory.id)
            || self.replaced.contains(&memory.id)
            || named(DUPLICATE_OF).any(|original| self.ids.contains(original))
        {
            return false;
        }
        if memory.kind() != Kind::Conversation {
            let words: BTreeSet<String> = Document::of(memory).stems.into_iter().collect();
            if self.words.iter().any(|said| are_same(said, &words)) {
                return false;
            }
            self.words.push(words);
        }
        self.ids.insert(memory.id.clone());
        self.replaced
            .extend(named(SUPERSEDES).chain(named(DUPLICATE_OF)).cloned());
        true
    }
}

fn are_same(a: &BTreeSet<String>, b: &BTreeSet<String>) -> bool {
    let (fewer, more) = if a.len() < b.len() { (a, b) } else { (b, a) };
    // Sets of so different sizes can't be.
    if fewer.len() * 10 < more.len() * 9 {
        return false;
    }
    let shared = fewer.intersection(more).count();
    let all = a.len() + b.len() - shared;
    #[expect(clippy::cast_precision_loss, reason = "numbers of words")]
    let likeness = shared as f64 / all.max(1) as f64;
    likeness >= SAME_WORDS
}
