//! A session that was anonymised.

use std::collections::BTreeMap;
use std::path::Path;

use mnemon::anonymize::Anonymized;
use serde::Serialize;

use crate::export::SessionLine;
use crate::memory::MemoryShape;

/// An anonymised session: a document that can be imported, or where it was written.
#[derive(Debug, Serialize)]
pub struct AnonymizedShape<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a Path>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sessions: Vec<SessionLine<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    memories: Vec<MemoryShape<'a>>,
    count: usize,
    /// How many placeholders of each sort there are, never what they stand for.
    replaced: BTreeMap<&'a str, usize>,
}

impl<'a> AnonymizedShape<'a> {
    /// The shape of a session; without its content if that was written to a file.
    pub fn of(anonymized: &'a Anonymized, skew_minutes: u64, file: Option<&'a Path>) -> Self {
        let memories = anonymized.memories.iter();
        let mut replaced = BTreeMap::new();
        for placeholder in anonymized.key.keys() {
            let sort = match placeholder.split_once('-') {
                Some((sort, _)) => sort,
                None => "Path",
            };
            *replaced.entry(sort).or_default() += 1;
        }
        Self {
            sessions: match file {
                None => vec![SessionLine::of(&anonymized.session)],
                Some(_) => Vec::new(),
            },
            memories: match file {
                None => memories
                    .map(|memory| MemoryShape::of(memory, skew_minutes))
                    .collect(),
                Some(_) => Vec::new(),
            },
            count: anonymized.memories.len(),
            replaced,
            file,
        }
    }
}
