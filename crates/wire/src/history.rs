//! A memory's history: each change, and the fields in which it differs from the one before.

use std::collections::BTreeMap;

use mnemon::Time;
use mnemon::memory::{Handle, Memory, MemoryId, Space};
use mnemon::store::{Change, What};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::memory::MemoryShape;

/// Fields that differ between any two versions, or are no content.
const NOT_COMPARED: [&str; 3] = ["state", "updated_at", "version"];

/// What happened to a memory, oldest first.
#[derive(Debug, Serialize)]
pub struct HistoryShape<'a> {
    id: &'a MemoryId,
    handle: Option<Handle>,
    space: &'a Space,
    changes: Vec<ChangeShape<'a>>,
}

/// One thing that happened.
#[derive(Debug, Serialize)]
pub struct ChangeShape<'a> {
    /// When.
    pub at: Time,
    /// By whom.
    pub by: Option<&'a str>,
    /// `kept`, `revised`, `forgotten` or `restored`.
    pub what: &'static str,
    /// The version since then.
    pub version: u64,
    /// Why, where a reason was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'a str>,
    /// The fields that differ; those of body and metadata as `body.rationale`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, Difference>,
}

/// A field before and after.
#[derive(Debug, PartialEq, Serialize)]
pub struct Difference {
    /// Before; null if it was not there.
    pub from: Value,
    /// After; null if it is gone.
    pub to: Value,
}

impl<'a> HistoryShape<'a> {
    /// The shape of a memory's changes.
    pub fn of(memory: &'a Memory, changes: &'a [Change]) -> Self {
        let mut before: Option<&Memory> = None;
        let mut shapes = Vec::with_capacity(changes.len());
        for change in changes {
            let (what, reason, after) = match &change.what {
                What::Kept(memory) => ("kept", None, Some(memory.as_ref())),
                What::Revised(memory) => ("revised", None, Some(memory.as_ref())),
                What::Forgotten { reason } => ("forgotten", Some(reason.as_str()), None),
                What::Restored { reason } => ("restored", Some(reason.as_str()), None),
            };
            let fields = match (before, after) {
                (Some(before), Some(after)) => differences(before, after),
                _ => BTreeMap::new(),
            };
            before = after.or(before);
            shapes.push(ChangeShape {
                at: change.at,
                by: change.by.as_deref(),
                what,
                version: before.map_or(memory.version, |memory| memory.version),
                reason,
                fields,
            });
        }
        Self {
            id: &memory.id,
            handle: memory.handle,
            space: &memory.space,
            changes: shapes,
        }
    }

    /// The changes, oldest first.
    pub fn changes(&self) -> &[ChangeShape<'a>] {
        &self.changes
    }
}

fn differences(before: &Memory, after: &Memory) -> BTreeMap<String, Difference> {
    let (before, mut after) = (fields(before), fields(after));
    let mut differences = BTreeMap::new();
    for (name, from) in before {
        let to = after.remove(&name).unwrap_or(Value::Null);
        if from != to {
            differences.insert(name, Difference { from, to });
        }
    }
    for (name, to) in after {
        let from = Value::Null;
        if from != to {
            differences.insert(name, Difference { from, to });
        }
    }
    differences
}

/// The content of a memory, the members of body and metadata each on their own.
fn fields(memory: &Memory) -> Map<String, Value> {
    let Ok(Value::Object(mut whole)) = serde_json::to_value(MemoryShape::of(memory, 0)) else {
        unreachable!("a memory is an object with text keys");
    };
    for name in NOT_COMPARED {
        whole.remove(name);
    }
    for part in ["body", "metadata"] {
        if let Some(Value::Object(members)) = whole.remove(part) {
            let named = members
                .into_iter()
                .map(|(name, value)| (format!("{part}.{name}"), value));
            whole.extend(named);
        }
    }
    whole
}
