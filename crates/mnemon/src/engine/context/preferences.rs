//! Which preferences hold, and for what.

use std::collections::HashMap;

use crate::context::Candidate;
use crate::memory::{Body, Memory, MemoryId};

/// Whether a preference sets this: by its key, its category, its topic or a tag.
pub(super) fn is_about(memory: &Memory, wanted: &str) -> bool {
    let named = match &memory.body {
        Body::Preference(preference) => [
            preference.key.as_deref(),
            preference.category.as_deref(),
            preference.topic.as_deref(),
        ],
        _ => [None; 3],
    };
    let is_it = |name: &str| name.to_lowercase() == wanted;
    named.into_iter().flatten().any(is_it) || memory.tags.iter().any(|tag| is_it(tag.as_str()))
}

/// A newer preference with the same key takes the older one's place.
pub(super) fn newest_of_each_key(mut found: Vec<Candidate>) -> Vec<Candidate> {
    let key = |memory: &Memory| match &memory.body {
        Body::Preference(preference) => preference.key.clone(),
        _ => None,
    };
    let mut newest: HashMap<String, (i64, MemoryId)> = HashMap::new();
    for candidate in &found {
        let Some(key) = key(&candidate.memory) else {
            continue;
        };
        let own = (
            candidate.memory.created_at.micros(),
            candidate.memory.id.clone(),
        );
        let known = newest.entry(key).or_insert_with(|| own.clone());
        if own > *known {
            *known = own;
        }
    }
    found.retain(|candidate| {
        key(&candidate.memory).is_none_or(|key| {
            newest
                .get(&key)
                .is_none_or(|(_, id)| *id == candidate.memory.id)
        })
    });
    found
}
