//! A context pack as it is printed.

use mnemon::context::{ContextItem, ContextPack};
use mnemon::memory::{Kind, MemoryId, SessionId};
use serde::Serialize;

/// What an agent needs for its next turn.
#[derive(Debug, Serialize)]
pub struct ContextShape<'a> {
    text: &'a str,
    items: Vec<ItemShape<'a>>,
    tokens: usize,
    budget: usize,
    /// Whose tokens they are.
    tokenizer: &'static str,
    left_out: usize,
}

#[derive(Debug, Serialize)]
struct ItemShape<'a> {
    id: &'a MemoryId,
    name: String,
    kind: Kind,
    section: &'static str,
    reason: &'a str,
    /// Who else says so.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    also_by: &'a [String],
    tokens: usize,
    cut: bool,
}

impl<'a> ContextShape<'a> {
    /// The shape of a pack for this session.
    pub fn of(
        pack: &'a ContextPack,
        session: &SessionId,
        budget: usize,
        tokenizer: &'static str,
    ) -> Self {
        let item = |item: &'a ContextItem| ItemShape {
            id: &item.memory.id,
            name: item.memory.name(Some(session)),
            kind: item.memory.kind(),
            section: item.section.as_str(),
            reason: &item.reason,
            also_by: &item.also_by,
            tokens: item.tokens,
            cut: item.is_cut,
        };
        Self {
            text: &pack.text,
            items: pack.items.iter().map(item).collect(),
            tokens: pack.tokens,
            budget,
            tokenizer,
            left_out: pack.left_out,
        }
    }
}
