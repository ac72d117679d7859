//! How much an agent knows for good.

use std::collections::BTreeMap;

use mnemon::Time;
use mnemon::engine::LongTermStats;
use serde::Serialize;

/// Counts and sizes of an agent's long-term memory.
#[derive(Debug, Serialize)]
pub struct LongTermShape {
    agent: String,
    active: u64,
    forgotten: u64,
    used_bytes: u64,
    /// Null if there is no bound.
    limit_bytes: Option<u64>,
    percent: f64,
    tier: &'static str,
    by_kind: BTreeMap<String, u64>,
    top_tags: Vec<TagUse>,
    oldest: Option<Time>,
    newest: Option<Time>,
    embeddings: u64,
    /// Null if none was made in this process.
    embedding_ms: Option<f64>,
}

#[derive(Debug, Serialize)]
struct TagUse {
    tag: String,
    count: u64,
}

impl LongTermShape {
    /// The shape of these.
    pub fn of(stats: &LongTermStats) -> Self {
        let by_kind = stats.by_kind.iter();
        let top_tags = stats.top_tags.iter();
        Self {
            agent: stats.agent.to_string(),
            active: stats.active,
            forgotten: stats.forgotten,
            used_bytes: stats.used_bytes,
            limit_bytes: stats.limit_bytes,
            percent: stats.percent,
            tier: stats.tier.as_str(),
            by_kind: by_kind
                .map(|(kind, count)| (kind.to_string(), *count))
                .collect(),
            top_tags: top_tags
                .map(|(tag, count)| TagUse {
                    tag: tag.to_string(),
                    count: *count,
                })
                .collect(),
            oldest: stats.oldest,
            newest: stats.newest,
            embeddings: stats.embeddings,
            embedding_ms: stats.embedding_ms,
        }
    }
}
