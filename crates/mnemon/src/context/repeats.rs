//! Whether two memories say the same, so that a pack says it once.

use std::collections::{HashMap, HashSet};

use crate::consolidate::wording::Wording;
use crate::memory::{DUPLICATE_OF, Kind, Memory, MemoryId, SUPERSEDES};

/// Two texts of which at least so large a part of the words is the same say the same.
const SAME_WORDS: f64 = 0.9;

/// What is said already.
#[derive(Default)]
pub(super) struct Said {
    /// The memories, with their place in the order in which they were taken.
    places: HashMap<MemoryId, usize>,
    /// What newer memories replaced.
    replaced: HashSet<MemoryId>,
    /// What those that were taken are duplicates of, and which of them it is.
    repeated: HashMap<MemoryId, usize>,
    wordings: Vec<(usize, Wording)>,
}

/// What becomes of a memory.
pub(super) enum Taken {
    /// It says something new.
    New,
    /// It is there already, or was replaced.
    Known,
    /// It says what the one at this place says.
    Repeats(usize),
}

impl Said {
    /// Takes a memory in, if it says anything new.
    ///
    /// A turn may say what another said: who agrees twice has agreed twice.
    pub(super) fn take(&mut self, memory: &Memory) -> Taken {
        if self.places.contains_key(&memory.id) || self.replaced.contains(&memory.id) {
            return Taken::Known;
        }
        let named = |rel: &'static str| {
            let links = memory.links.iter();
            links
                .filter(move |link| link.rel.as_str() == rel)
                .map(|link| &link.to)
        };
        let as_original = self.repeated.get(&memory.id);
        let as_duplicate = named(DUPLICATE_OF).find_map(|original| {
            let there = self.places.get(original);
            there.or_else(|| self.repeated.get(original))
        });
        if let Some(place) = as_original.or(as_duplicate) {
            return Taken::Repeats(*place);
        }
        let place = self.places.len();
        if memory.kind() != Kind::Conversation {
            let wording = Wording::of(memory.text.as_str());
            let mut said = self.wordings.iter();
            if let Some((place, _)) = said.find(|(_, said)| are_same(said, &wording)) {
                return Taken::Repeats(*place);
            }
            self.wordings.push((place, wording));
        }
        self.places.insert(memory.id.clone(), place);
        self.replaced.extend(named(SUPERSEDES).cloned());
        let originals = named(DUPLICATE_OF).cloned();
        self.repeated.extend(originals.map(|it| (it, place)));
        Taken::New
    }
}

fn are_same(a: &Wording, b: &Wording) -> bool {
    a.is_same(b) || (a.likeness(b) >= SAME_WORDS && !a.differs(b))
}
