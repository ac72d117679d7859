//! Who did what.

use std::collections::BTreeMap;

use super::oldest_first;
use crate::memory::{Kind, Memory};
use crate::time::Time;

/// What one author wrote.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentActivity {
    /// The author's name; none for memories that have no author.
    pub name: Option<String>,
    /// Memories of any kind.
    pub memories: u64,
    /// Turns among them.
    pub messages: u64,
    /// Memories by kind.
    pub kinds: BTreeMap<Kind, u64>,
    /// When they first wrote.
    pub first: Time,
    /// When they last wrote.
    pub last: Time,
}

/// What each author wrote; who wrote most comes first, then by name.
pub fn agents<'a>(memories: impl IntoIterator<Item = &'a Memory>) -> Vec<AgentActivity> {
    let mut by_name: BTreeMap<Option<String>, AgentActivity> = BTreeMap::new();
    for memory in oldest_first(memories) {
        let name = memory.author.as_ref().map(ToString::to_string);
        let entry = by_name.entry(name.clone());
        let activity = entry.or_insert_with(|| AgentActivity {
            name,
            memories: 0,
            messages: 0,
            kinds: BTreeMap::new(),
            first: memory.created_at,
            last: memory.created_at,
        });
        activity.memories += 1;
        activity.messages += u64::from(memory.kind() == Kind::Conversation);
        *activity.kinds.entry(memory.kind()).or_default() += 1;
        activity.last = memory.created_at;
    }
    let mut all: Vec<AgentActivity> = by_name.into_values().collect();
    all.sort_by_key(|activity| std::cmp::Reverse(activity.memories));
    all
}

#[cfg(test)]
mod tests {
    use super::super::examples::review;
    use super::*;

    #[test]
    fn every_author_is_told_with_kinds_and_times() {
        let mut all = review();
        all[2].author = None;
        let told: Vec<String> = agents(&all)
            .iter()
            .map(|it| {
                let name = it.name.as_deref().unwrap_or("nobody");
                let span = format!("{} {}", it.first, it.last);
                format!(
                    "{name} {} {} {:?} {span}",
                    it.memories, it.messages, it.kinds
                )
            })
            .collect();
        assert_eq!(
            told,
            [
                "rev 2 1 {Conversation: 1, Finding: 1} 2026-01-01T10:30:00Z 2026-01-01T11:01:00Z",
                "nobody 1 0 {Decision: 1} 2026-01-01T10:59:00Z 2026-01-01T10:59:00Z",
                "arc 1 0 {Decision: 1} 2026-01-01T11:00:00Z 2026-01-01T11:00:00Z",
                "dana 1 1 {Conversation: 1} 2026-01-01T10:00:00Z 2026-01-01T10:00:00Z",
            ]
        );
    }
}
