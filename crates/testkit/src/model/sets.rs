//! Sets of vectors as plainly as they can be said: a map for each.

use std::collections::{BTreeMap, BTreeSet};

use mnemon::embed::{SetName, TextKey, Vector};
use mnemon::memory::Memory;
use mnemon::store::{SetState, Waiting, WaitingText};

use super::state::State;

/// The sets of a store.
#[derive(Clone, Debug, Default)]
pub(super) struct Sets(BTreeMap<SetName, Set>);

#[derive(Clone, Debug, Default)]
struct Set {
    complete: bool,
    vectors: BTreeMap<TextKey, Option<Vector>>,
}

impl Sets {
    pub(super) fn put(&mut self, name: &SetName, vectors: &[(TextKey, Option<Vector>)]) {
        let set = self.0.entry(name.clone()).or_default();
        for (key, vector) in vectors {
            set.vectors.entry(*key).or_insert_with(|| vector.clone());
        }
    }

    pub(super) fn complete(&mut self, name: &SetName) {
        self.0.entry(name.clone()).or_default().complete = true;
    }

    /// Drops the vectors of what no memory says any more.
    pub(super) fn keep_only(&mut self, state: &State) {
        let memories = state.memories.iter().map(|kept| &kept.now);
        let said: BTreeSet<TextKey> = memories.filter_map(TextKey::of).collect();
        for set in self.0.values_mut() {
            set.vectors.retain(|key, _| said.contains(key));
        }
    }

    pub(super) fn vector(&self, name: &SetName, key: TextKey) -> Option<Vector> {
        self.0.get(name)?.vectors.get(&key)?.clone()
    }

    pub(super) fn waiting(&self, name: &SetName, state: &State, limit: usize) -> Waiting {
        let mut seen = BTreeSet::new();
        let mut texts: Vec<WaitingText> = wanted(state)
            .filter(|(_, key)| !self.has(name, *key) && seen.insert(*key))
            .map(|(memory, key)| WaitingText {
                key,
                text: memory.text.to_string(),
                own: memory.embedding.clone(),
            })
            .collect();
        let count = texts.len() as u64;
        texts.truncate(limit);
        Waiting { texts, count }
    }

    pub(super) fn state(&self, name: &SetName, state: &State) -> SetState {
        let waiting = wanted(state).filter(|(_, key)| !self.has(name, *key));
        SetState {
            complete: self.0.get(name).is_some_and(|set| set.complete),
            memories: wanted(state).count() as u64,
            waiting: waiting.count() as u64,
        }
    }

    fn has(&self, name: &SetName, key: TextKey) -> bool {
        self.0
            .get(name)
            .is_some_and(|set| set.vectors.contains_key(&key))
    }
}

/// What should have a vector: neither forgotten nor sensitive.
fn wanted(state: &State) -> impl Iterator<Item = (&Memory, TextKey)> {
    let memories = state.memories.iter().map(|kept| &kept.now);
    memories
        .filter(|memory| memory.state.forgotten.is_none())
        .filter_map(|memory| Some((memory, TextKey::of(memory)?)))
}
