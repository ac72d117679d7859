//! What a session is made of, how soon it is full, and what a compaction would free.

use std::collections::{BTreeMap, HashMap};

use super::plan::Plan;
use super::settings::Reach;
use super::{Item, Situation};
use crate::memory::{Handle, Kind, MemoryId};
use crate::store::{Measure, Weight};
use crate::time::{DAY_MICROS, Time};

/// So many of the largest memories are named.
const LARGEST: usize = 10;

/// Growth is that of the last month, or of a younger session's whole life.
const GROWTH_DAYS: i64 = 30;

/// A session in bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Size {
    /// Bytes of its log, which is what the quota bounds.
    pub total_bytes: u64,
    /// How many it may have.
    pub quota_bytes: u64,
    /// What the log is made of; the sum is the total.
    pub components: BTreeMap<Component, u64>,
    /// Beside it: the archive of what was compacted.
    pub archive_bytes: u64,
    /// Beside it: its share of the common index, about.
    pub index_bytes: u64,
    /// When something was last compacted.
    pub compacted_at: Option<Time>,
    /// The memories with the most bytes, the largest first.
    pub largest: Vec<LargeItem>,
    /// How many bytes a day it grew lately.
    pub growth_per_day: f64,
    /// In how many days it is full if it grows on like that; none if it does not grow.
    pub days_to_quota: Option<f64>,
    /// What a gentle compaction would free.
    pub gentle: Gain,
    /// What an aggressive compaction would free.
    pub aggressive: Gain,
}

/// A part of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Component {
    /// Memories of a kind as they were kept, without those that are forgotten.
    Kind(Kind),
    /// Later versions of memories.
    Versions,
    /// Notes of how often memories were asked for.
    Accesses,
    /// Everything about memories that are forgotten.
    Forgotten,
    /// The header, the session's details, commits, damage.
    Other,
}

impl Component {
    /// Every component, in the order in which people read them.
    pub fn all() -> impl Iterator<Item = Self> {
        let kinds = Kind::ALL.into_iter().map(Self::Kind);
        kinds.chain([Self::Versions, Self::Accesses, Self::Forgotten, Self::Other])
    }

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Kind(Kind::Conversation) => "conversation",
            Self::Kind(Kind::Decision) => "decisions",
            Self::Kind(Kind::Finding) => "findings",
            Self::Kind(Kind::Preference) => "preferences",
            Self::Kind(Kind::Learning) => "learnings",
            Self::Kind(Kind::Fact) => "facts",
            Self::Kind(Kind::Event) => "events",
            Self::Kind(Kind::Procedure) => "procedures",
            Self::Kind(Kind::State) => "agent_states",
            Self::Kind(Kind::Artifact) => "artifacts",
            Self::Versions => "versions",
            Self::Accesses => "accesses",
            Self::Forgotten => "forgotten",
            Self::Other => "other",
        }
    }
}

/// A memory that takes much.
#[derive(Clone, Debug, PartialEq)]
pub struct LargeItem {
    /// Which.
    pub id: MemoryId,
    /// Its short name.
    pub handle: Option<Handle>,
    /// What it is.
    pub kind: Kind,
    /// All lines about it.
    pub bytes: u64,
}

/// What a compaction would free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gain {
    /// What it is to free.
    pub target_bytes: u64,
    /// What it would free.
    pub freed_bytes: u64,
    /// How many memories would go.
    pub memories: u64,
}

impl Gain {
    fn of(plan: &Plan) -> Self {
        Self {
            target_bytes: plan.target_bytes,
            freed_bytes: plan.freed_bytes(),
            memories: plan.actions.iter().map(|it| it.ids.len() as u64).sum(),
        }
    }
}

impl Size {
    /// The size of a session, measured by its store.
    pub(crate) fn of(
        situation: &Situation<'_>,
        measure: &Measure,
        quota_bytes: u64,
        index_bytes: u64,
    ) -> Self {
        let total_bytes = measure.log_bytes;
        let mut largest: Vec<LargeItem> = situation.items.iter().map(LargeItem::of).collect();
        largest.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.id.cmp(&b.id)));
        largest.truncate(LARGEST);
        let growth_per_day = growth_per_day(measure, situation.at.now_micros);
        #[expect(
            clippy::cast_precision_loss,
            reason = "nobody counts single bytes here"
        )]
        let left = quota_bytes.saturating_sub(total_bytes) as f64;
        Self {
            total_bytes,
            quota_bytes,
            components: components(situation.items, measure),
            archive_bytes: measure.archive_bytes,
            compacted_at: measure.compacted_at,
            index_bytes,
            largest,
            growth_per_day,
            days_to_quota: (growth_per_day > 0.0).then(|| left / growth_per_day),
            gentle: Gain::of(&Plan::new(situation, Reach::Gentle)),
            aggressive: Gain::of(&Plan::new(situation, Reach::Aggressive)),
        }
    }
}

impl LargeItem {
    fn of(item: &Item) -> Self {
        Self {
            id: item.memory.id.clone(),
            handle: item.memory.handle,
            kind: item.memory.kind(),
            bytes: item.bytes,
        }
    }
}

fn components(items: &[Item], measure: &Measure) -> BTreeMap<Component, u64> {
    let weights: HashMap<&str, &Weight> = measure
        .weights
        .iter()
        .map(|weight| (weight.id.as_str(), weight))
        .collect();
    let mut components: BTreeMap<Component, u64> = BTreeMap::new();
    let mut add = |component, bytes| *components.entry(component).or_default() += bytes;
    let mut known = 0;
    for item in items {
        let Some(weight) = weights.get(item.memory.id.as_str()) else {
            continue;
        };
        known += weight.bytes();
        if item.memory.state.forgotten.is_some() {
            add(Component::Forgotten, weight.bytes());
            continue;
        }
        add(Component::Kind(item.memory.kind()), weight.kept);
        add(Component::Versions, weight.versions);
        add(Component::Accesses, weight.accesses);
        add(Component::Forgotten, weight.forgetting);
    }
    add(Component::Other, measure.log_bytes.saturating_sub(known));
    components.retain(|_, bytes| *bytes > 0);
    components
}

/// What was written in the last month, by day; a session counts from its first line.
fn growth_per_day(measure: &Measure, now_micros: i64) -> f64 {
    let today = now_micros.div_euclid(DAY_MICROS);
    let Some(first) = measure.by_day.keys().next() else {
        return 0.0;
    };
    let begin = (*first).max(today - GROWTH_DAYS + 1);
    let bytes: u64 = measure.by_day.range(begin..).map(|(_, bytes)| bytes).sum();
    let days = (today - begin + 1).max(1);
    #[expect(
        clippy::cast_precision_loss,
        reason = "nobody counts single bytes here"
    )]
    let (bytes, days) = (bytes as f64, days as f64);
    bytes / days
}

#[cfg(test)]
mod tests {
    use super::super::golden::{memory, now};
    use super::super::settings::Settings;
    use super::*;
    use crate::decay::{At, Rules};

    fn weight(id: &str, parts: [u64; 4]) -> Weight {
        let [kept, versions, accesses, forgetting] = parts;
        Weight {
            id: id.parse().unwrap(),
            kept,
            versions,
            accesses,
            forgetting,
        }
    }

    fn size(items: &[Item], measure: &Measure) -> Size {
        let (rules, settings) = (Rules::default(), Settings::default());
        let situation = Situation {
            items,
            log_bytes: measure.log_bytes,
            settings: &settings,
            at: At {
                rules: &rules,
                now_micros: now().micros(),
            },
        };
        Size::of(&situation, measure, 1_000, 7)
    }

    #[test]
    fn the_parts_add_up_to_the_whole() {
        let mut gone = memory(Kind::Fact, 2, 1, "gone");
        gone.state.forgotten = Some(crate::memory::Forgotten {
            at: now(),
            by: "dana".into(),
            reason: "wrong".into(),
            recover_until: now(),
        });
        let items = [
            (memory(Kind::Decision, 1, 1, "x"), 60),
            (gone, 40),
            (memory(Kind::State, 1, 1, "x"), 100),
        ]
        .map(|(memory, bytes)| Item { memory, bytes });
        let measure = Measure {
            log_bytes: 250,
            weights: vec![
                weight("dec_1", [30, 20, 8, 2]),
                weight("fact_2", [30, 0, 0, 10]),
                weight("state_1", [100, 0, 0, 0]),
            ],
            ..Measure::default()
        };
        let size = size(&items, &measure);
        let parts: Vec<_> = size
            .components
            .iter()
            .map(|(component, bytes)| (component.as_str(), *bytes))
            .collect();
        assert_eq!(
            parts,
            [
                ("decisions", 30),
                ("agent_states", 100),
                ("versions", 20),
                ("accesses", 8),
                ("forgotten", 42),
                ("other", 50),
            ]
        );
        assert_eq!(parts.iter().map(|(_, bytes)| bytes).sum::<u64>(), 250);
        let largest: Vec<_> = size.largest.iter().map(|it| it.id.as_str()).collect();
        assert_eq!(largest, ["state_1", "dec_1", "fact_2"]);
        assert_eq!((size.index_bytes, size.days_to_quota), (7, None));
    }

    #[test]
    fn the_days_to_the_quota_follow_from_the_last_month() {
        let today = now().micros().div_euclid(DAY_MICROS);
        let days = |by_day: &[(i64, u64)]| {
            let by_day = by_day.iter().map(|(ago, bytes)| (today - ago, *bytes));
            let measure = Measure {
                log_bytes: 400,
                by_day: by_day.collect(),
                ..Measure::default()
            };
            size(&[], &measure).days_to_quota
        };
        assert_eq!(days(&[]), None);
        // 300 bytes on the first day of its life; 600 are left.
        assert_eq!(days(&[(0, 300)]), Some(2.0));
        // 400 bytes in four days, two of them idle.
        assert_eq!(days(&[(3, 100), (2, 300)]), Some(6.0));
        // What was written before the last thirty days counts for nothing, 60 in thirty do.
        assert_eq!(days(&[(90, 340), (29, 60)]), Some(300.0));
        assert_eq!(days(&[(90, 400)]), None);
    }
}
