//! What says the same, as it is printed.

use mnemon::consolidate::{Consolidated, Group};
use mnemon::memory::{Memory, MemoryId};
use serde::Serialize;

use crate::recall::rounded;

/// Groups of memories that say the same.
#[derive(Debug, Serialize)]
pub struct DuplicatesShape<'a> {
    groups: Vec<GroupShape<'a>>,
    total: usize,
}

#[derive(Debug, Serialize)]
struct GroupShape<'a> {
    original: NamedShape<'a>,
    duplicates: Vec<DuplicateShape<'a>>,
    authors: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    severity: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    open: Option<bool>,
}

#[derive(Debug, Serialize)]
struct NamedShape<'a> {
    id: &'a MemoryId,
    name: String,
    kind: &'static str,
    text: &'a str,
}

#[derive(Debug, Serialize)]
struct DuplicateShape<'a> {
    #[serde(flatten)]
    memory: NamedShape<'a>,
    likeness: f64,
    linked: bool,
}

impl<'a> DuplicatesShape<'a> {
    /// The shape of a page of groups, of which there are so many in all.
    pub fn of(groups: &'a [Group], total: usize) -> Self {
        let group = |group: &'a Group| GroupShape {
            original: named(&group.original),
            duplicates: group
                .others
                .iter()
                .map(|other| DuplicateShape {
                    memory: named(&other.memory),
                    likeness: rounded(other.likeness),
                    linked: other.is_linked,
                })
                .collect(),
            authors: &group.aggregate.authors,
            severity: group.aggregate.severity.as_deref(),
            open: group.aggregate.is_open,
        };
        Self {
            groups: groups.iter().map(group).collect(),
            total,
        }
    }
}

fn named(memory: &Memory) -> NamedShape<'_> {
    NamedShape {
        id: &memory.id,
        name: memory.name(None),
        kind: memory.kind().as_str(),
        text: memory.text.as_str(),
    }
}

/// Links that were made, or taken back.
#[derive(Debug, Serialize)]
pub struct ConsolidatedShape<'a> {
    links: Vec<LinkedShape<'a>>,
    count: usize,
}

#[derive(Debug, Serialize)]
struct LinkedShape<'a> {
    id: &'a MemoryId,
    original: &'a MemoryId,
}

impl<'a> ConsolidatedShape<'a> {
    /// The shape of what was done.
    pub fn of(done: &'a [Consolidated]) -> Self {
        let link = |one: &'a Consolidated| LinkedShape {
            id: &one.id,
            original: &one.original,
        };
        Self {
            links: done.iter().map(link).collect(),
            count: done.len(),
        }
    }
}
