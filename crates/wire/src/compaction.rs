//! The size of a session, and what compacting it comes to, as they are printed.

use std::collections::BTreeMap;

use mnemon::Time;
use mnemon::compact::{Action, Component, Gain, LargeItem, Size, Spared};
use mnemon::engine::CompactionReport;
use mnemon::memory::{Handle, Kind, MemoryId, SessionId};
use serde::Serialize;

/// What a session is made of, how soon it is full, and what a compaction would free.
#[derive(Debug, Serialize)]
pub struct SizeShape<'a> {
    session_id: &'a SessionId,
    total_bytes: u64,
    quota_bytes: u64,
    used_percent: f64,
    components: BTreeMap<&'static str, u64>,
    /// Beside the total: of the index that all sessions share.
    index_bytes: u64,
    /// Beside the total: what was compacted.
    archive_bytes: u64,
    last_compaction: Option<Time>,
    largest: Vec<LargeShape<'a>>,
    growth_bytes_per_day: f64,
    days_to_quota: Option<f64>,
    compaction_gain: GainsShape,
}

#[derive(Debug, Serialize)]
struct LargeShape<'a> {
    id: &'a MemoryId,
    handle: Option<Handle>,
    kind: Kind,
    size_bytes: u64,
    percentage: f64,
}

#[derive(Debug, Serialize)]
struct GainsShape {
    gentle: GainShape,
    aggressive: GainShape,
}

#[derive(Debug, Serialize)]
struct GainShape {
    target_bytes: u64,
    bytes_freed: u64,
    memories: u64,
}

impl<'a> SizeShape<'a> {
    /// The shape of a size.
    pub fn of(session_id: &'a SessionId, size: &'a Size) -> Self {
        // Every component, so that a program need not ask whether it is there.
        let components = Component::all().map(|component| {
            let bytes = size.components.get(&component).copied().unwrap_or(0);
            (component.as_str(), bytes)
        });
        Self {
            session_id,
            total_bytes: size.total_bytes,
            quota_bytes: size.quota_bytes,
            used_percent: percent(size.total_bytes, size.quota_bytes),
            components: components.collect(),
            index_bytes: size.index_bytes,
            archive_bytes: size.archive_bytes,
            last_compaction: size.compacted_at,
            largest: size
                .largest
                .iter()
                .map(|item| LargeShape::of(item, size.total_bytes))
                .collect(),
            growth_bytes_per_day: tenths(size.growth_per_day),
            days_to_quota: size.days_to_quota.map(tenths),
            compaction_gain: GainsShape {
                gentle: GainShape::of(size.gentle),
                aggressive: GainShape::of(size.aggressive),
            },
        }
    }
}

impl<'a> LargeShape<'a> {
    fn of(item: &'a LargeItem, total_bytes: u64) -> Self {
        Self {
            id: &item.id,
            handle: item.handle,
            kind: item.kind,
            size_bytes: item.bytes,
            percentage: percent(item.bytes, total_bytes),
        }
    }
}

impl GainShape {
    fn of(gain: Gain) -> Self {
        Self {
            target_bytes: gain.target_bytes,
            bytes_freed: gain.freed_bytes,
            memories: gain.memories,
        }
    }
}

/// What a compaction did, or would do.
#[derive(Debug, Serialize)]
pub struct CompactedShape<'a> {
    session_id: &'a SessionId,
    dry_run: bool,
    target_bytes: u64,
    /// Of the log; about so many if it was only planned.
    bytes_freed: u64,
    bytes_before: u64,
    bytes_after: u64,
    archive_bytes: u64,
    /// Whether the target was reached.
    success: bool,
    memories: u64,
    summaries: u64,
    actions: Vec<ActionShape<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    kept: Vec<SparedShape>,
}

#[derive(Debug, Serialize)]
struct ActionShape<'a> {
    r#type: &'static str,
    count: usize,
    bytes_freed: u64,
    summarized: bool,
    ids: &'a [MemoryId],
}

#[derive(Debug, Serialize)]
struct SparedShape {
    why: &'static str,
    memories: u64,
    bytes: u64,
}

impl<'a> CompactedShape<'a> {
    /// The shape of a report; `dry_run` if it was only planned.
    pub fn of(report: &'a CompactionReport, dry_run: bool) -> Self {
        let plan = &report.plan;
        let bytes_before = report
            .done
            .map_or(report.bytes_before, |it| it.bytes_before);
        let bytes_after = match report.done {
            Some(done) => done.bytes_after,
            None if dry_run => bytes_before.saturating_sub(plan.freed_bytes()),
            None => bytes_before,
        };
        let bytes_freed = bytes_before.saturating_sub(bytes_after);
        Self {
            session_id: &report.session,
            dry_run,
            target_bytes: plan.target_bytes,
            bytes_freed,
            bytes_before,
            bytes_after,
            archive_bytes: report.done.map_or(0, |done| done.archive_bytes),
            success: plan.is_enough(),
            memories: plan.actions.iter().map(|it| it.ids.len() as u64).sum(),
            summaries: plan
                .actions
                .iter()
                .filter(|it| it.summary.is_some())
                .count() as u64,
            actions: plan.actions.iter().map(ActionShape::of).collect(),
            kept: plan.spared.iter().map(SparedShape::of).collect(),
        }
    }
}

impl<'a> ActionShape<'a> {
    fn of(action: &'a Action) -> Self {
        Self {
            r#type: action.rule.as_str(),
            count: action.ids.len(),
            bytes_freed: action.freed_bytes(),
            summarized: action.summary.is_some(),
            ids: &action.ids,
        }
    }
}

impl SparedShape {
    fn of(spared: &Spared) -> Self {
        Self {
            why: spared.why.map_or("in_use", |why| why.as_str()),
            memories: spared.memories,
            bytes: spared.bytes,
        }
    }
}

fn percent(part: u64, whole: u64) -> f64 {
    let tenths = u128::from(part) * 1000 / u128::from(whole.max(1));
    f64::from(u32::try_from(tenths).unwrap_or(u32::MAX)) / 10.0
}

fn tenths(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}
