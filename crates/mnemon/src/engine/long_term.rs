//! What an agent knows for good: how much it is, and what it is about.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::caller::{Caller, Operation};
use crate::engine::Mnemon;
use crate::error::Result;
use crate::memory::{AgentId, Kind, Memory, Space, Tag};
use crate::store::{Filter, Forgottenness, Sort};
use crate::tier::{Gate, Tier};
use crate::time::Time;

/// So many tags are told, those that are used most.
const TOP_TAGS: usize = 10;

/// So many of the newest texts are embedded to see how long that takes.
const SAMPLE: usize = 8;

/// And of each of them no more than this is.
const SAMPLE_CHARS: usize = 1_000;

/// Counts and sizes of an agent's long-term memory.
#[derive(Clone, Debug, PartialEq)]
pub struct LongTermStats {
    /// Whose.
    pub agent: AgentId,
    /// Memories that are not forgotten.
    pub active: u64,
    /// Memories that are forgotten and can be brought back.
    pub forgotten: u64,
    /// Bytes of its log.
    pub used_bytes: u64,
    /// Bytes that it may have; none if there is no bound.
    pub limit_bytes: Option<u64>,
    /// The share that is used, in percent; 0 if there is no bound.
    pub percent: f64,
    /// The tier that says so.
    pub tier: Tier,
    /// By kind, without the forgotten ones.
    pub by_kind: BTreeMap<Kind, u64>,
    /// The tags that are used most, with how often.
    pub top_tags: Vec<(Tag, u64)>,
    /// When the oldest came into being.
    pub oldest: Option<Time>,
    /// When the newest came into being.
    pub newest: Option<Time>,
    /// How many have a vector.
    pub embeddings: u64,
    /// How long it takes to embed one, in milliseconds: of a service as it was so far in this
    /// process, of the built-in model as it is now.
    pub embedding_ms: Option<f64>,
}

impl Mnemon {
    /// What there is in an agent's long-term memory, as far as the caller sees it.
    pub fn long_term_stats(&self, caller: &Caller, agent: &AgentId) -> Result<LongTermStats> {
        caller.may(Operation::LongTermStats)?;
        self.require(caller, Gate::LongTermMemory)?;
        let space = Space::Agent(agent.clone());
        let everything = Filter {
            spaces: vec![space.clone()],
            sort: Sort::Newest,
            limit: usize::MAX,
            ..Filter::all(self.clock.now_micros())
        };
        let active = self.list(caller, &everything)?.memories;
        let forgotten = Filter {
            forgotten: Forgottenness::Only,
            limit: 0,
            ..everything
        };
        let used_bytes = self.bytes_of(caller, &space)?;
        let tier = self.tier_of(caller);
        let limit_bytes = tier.long_term_bytes_max();
        let mut by_kind = BTreeMap::new();
        for memory in &active {
            *by_kind.entry(memory.kind()).or_insert(0) += 1;
        }
        let waiting = self.embedding(caller)?.waiting;
        Ok(LongTermStats {
            agent: agent.clone(),
            forgotten: self.list(caller, &forgotten)?.total,
            used_bytes,
            limit_bytes,
            percent: limit_bytes.map_or(0.0, |limit| share(used_bytes, limit)),
            tier,
            by_kind,
            top_tags: top_tags(&active),
            oldest: active.last().map(|it| it.created_at),
            newest: active.first().map(|it| it.created_at),
            embeddings: (active.len() as u64).saturating_sub(waiting),
            embedding_ms: self.embedding_ms(&active)?,
            active: active.len() as u64,
        })
    }

    fn embedding_ms(&self, newest: &[Memory]) -> Result<Option<f64>> {
        if let Some(outside) = &self.outside {
            return Ok(outside.mean_ms());
        }
        // A long text is measured by its beginning: nobody waits for a number in a table.
        let texts = newest.iter().take(SAMPLE).map(|it| {
            let text = it.text.as_str();
            let end = text.char_indices().nth(SAMPLE_CHARS);
            &text[..end.map_or(text.len(), |(end, _)| end)]
        });
        let texts: Vec<&str> = texts.collect();
        if texts.is_empty() {
            return Ok(None);
        }
        let began = Instant::now();
        self.embedder.embed(&texts)?;
        #[expect(clippy::cast_precision_loss, reason = "a handful")]
        let count = texts.len() as f64;
        Ok(Some(began.elapsed().as_secs_f64() * 1000.0 / count))
    }
}

#[expect(clippy::cast_precision_loss, reason = "a share needs no more digits")]
fn share(part: u64, whole: u64) -> f64 {
    part as f64 * 100.0 / whole.max(1) as f64
}

/// The tags that are used most; of equals those that come first in the alphabet.
fn top_tags(memories: &[Memory]) -> Vec<(Tag, u64)> {
    let mut counts: BTreeMap<&Tag, u64> = BTreeMap::new();
    for tag in memories.iter().flat_map(|memory| &memory.tags) {
        *counts.entry(tag).or_insert(0) += 1;
    }
    let mut tags: Vec<(Tag, u64)> = counts
        .into_iter()
        .map(|(tag, n)| (tag.clone(), n))
        .collect();
    tags.sort_by(|(_, a), (_, b)| b.cmp(a));
    tags.truncate(TOP_TAGS);
    tags
}
