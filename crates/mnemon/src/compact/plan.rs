//! The plan: which memories go, by which rule, until enough is free.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::groups::runs;
use super::protection::{Protection, agent_of};
use super::settings::Reach;
use super::summary::{is_summary, summary};
use super::{Item, Situation};
use crate::memory::{Draft, Kind, Memory, MemoryId};
use crate::time::DAY_MICROS;

/// What a compaction would do.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// How much it is to free.
    pub target_bytes: u64,
    /// What it does, in order.
    pub actions: Vec<Action>,
    /// What stays, and why, if the target is not reached.
    pub spared: Vec<Spared>,
}

/// One step of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// By which rule.
    pub rule: Rule,
    /// The memories that go.
    pub ids: Vec<MemoryId>,
    /// The bytes of the log that are about them.
    pub bytes: u64,
    /// What stands in their place.
    pub summary: Option<Box<Draft>>,
    /// About how many bytes that takes.
    pub summary_bytes: u64,
}

/// Why memories go, in the order in which it is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// Forgotten, and past recovery: gone for good.
    Purged,
    /// Faded.
    Faded,
    /// Turns of a while ago, replaced by a summary.
    Conversation,
    /// Findings that are settled.
    ResolvedFindings,
    /// States of agents that have a newer one.
    AgentStates,
    /// Summaries of earlier compactions, when nothing else is left.
    Summaries,
}

/// Memories that stay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spared {
    /// What protects them; nothing if no rule is about them.
    pub why: Option<Protection>,
    /// How many.
    pub memories: u64,
    /// The bytes of the log that are about them.
    pub bytes: u64,
}

impl Rule {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Purged => "purge_forgotten",
            Self::Faded => "remove_decayed",
            Self::Conversation => "summarize_conversation",
            Self::ResolvedFindings => "archive_findings",
            Self::AgentStates => "archive_agent_states",
            Self::Summaries => "archive_summaries",
        }
    }
}

impl Action {
    /// How much it frees.
    pub fn freed_bytes(&self) -> u64 {
        self.bytes.saturating_sub(self.summary_bytes)
    }
}

impl Plan {
    /// What to do in this situation, so far as it is needed.
    pub fn new(situation: &Situation<'_>, reach: Reach) -> Self {
        let target = situation.settings.target_bytes(reach, situation.log_bytes);
        Self::to_free(situation, target)
    }

    /// What to do to free so many bytes.
    pub fn to_free(situation: &Situation<'_>, target_bytes: u64) -> Self {
        let sorted = Sorted::of(situation);
        let mut plan = Self {
            target_bytes,
            actions: Vec::new(),
            spared: Vec::new(),
        };
        plan.take_each(Rule::Purged, &sorted.past_recovery);
        plan.take_each(Rule::Faded, &sorted.faded);
        plan.take_runs(Rule::Faded, sorted.faded_turns);
        plan.take_runs(Rule::Conversation, sorted.old_turns);
        plan.take_each(Rule::ResolvedFindings, &sorted.resolved_findings);
        plan.take_each(Rule::AgentStates, &sorted.old_states);
        plan.take_each(Rule::Summaries, &sorted.summaries);
        if !plan.is_enough() {
            plan.spared = sorted.spared.tell(situation, &plan);
        }
        plan
    }

    /// How much it frees.
    pub fn freed_bytes(&self) -> u64 {
        self.actions.iter().map(Action::freed_bytes).sum()
    }

    /// Whether it frees what it is to free.
    pub fn is_enough(&self) -> bool {
        self.freed_bytes() >= self.target_bytes
    }

    /// What goes to the archive, and how it is replaced.
    pub fn shelved(&self) -> impl Iterator<Item = &MemoryId> {
        self.of(|rule| rule != Rule::Purged)
    }

    /// What goes for good.
    pub fn purged(&self) -> impl Iterator<Item = &MemoryId> {
        self.of(|rule| rule == Rule::Purged)
    }

    fn of(&self, which: impl Fn(Rule) -> bool) -> impl Iterator<Item = &MemoryId> {
        let actions = self.actions.iter().filter(move |it| which(it.rule));
        actions.flat_map(|action| &action.ids)
    }

    /// Takes one memory after the other until it is enough.
    fn take_each(&mut self, rule: Rule, items: &[&Item]) {
        let missing = self.target_bytes.saturating_sub(self.freed_bytes());
        let mut action = Action {
            rule,
            ids: Vec::new(),
            bytes: 0,
            summary: None,
            summary_bytes: 0,
        };
        for item in items {
            if action.bytes >= missing {
                break;
            }
            action.ids.push(item.memory.id.clone());
            action.bytes += item.bytes;
        }
        if !action.ids.is_empty() {
            self.actions.push(action);
        }
    }

    /// Takes one run of turns after the other until it is enough.
    fn take_runs(&mut self, rule: Rule, turns: Vec<&Item>) {
        for run in runs(turns) {
            if self.is_enough() {
                return;
            }
            let memories: Vec<&Memory> = run.iter().map(|item| &item.memory).collect();
            let bytes = run.iter().map(|item| item.bytes).sum();
            let summary = summary(&memories).filter(|(_, own)| own.saturating_mul(2) <= bytes);
            // A summary that is hardly smaller than its turns is no gain: faded
            // turns go without one, others stay.
            if summary.is_none() && rule != Rule::Faded {
                continue;
            }
            let (summary, summary_bytes) = match summary {
                Some((draft, own)) => (Some(Box::new(draft)), own),
                None => (None, 0),
            };
            self.actions.push(Action {
                rule,
                ids: memories.iter().map(|memory| memory.id.clone()).collect(),
                bytes,
                summary,
                summary_bytes,
            });
        }
    }
}

/// Memories by the first rule that is about them.
#[derive(Default)]
struct Sorted<'a> {
    past_recovery: Vec<&'a Item>,
    /// The least important first.
    faded: Vec<&'a Item>,
    faded_turns: Vec<&'a Item>,
    old_turns: Vec<&'a Item>,
    /// The oldest first, as are states and summaries.
    resolved_findings: Vec<&'a Item>,
    old_states: Vec<&'a Item>,
    summaries: Vec<&'a Item>,
    spared: Stays,
}

impl<'a> Sorted<'a> {
    fn of(situation: &Situation<'a>) -> Self {
        let settings = situation.settings;
        let now = situation.at.now_micros;
        let days = i64::from(settings.conversation_after_days);
        let old = now.saturating_sub(days * DAY_MICROS);
        let newest = newest_states(situation.items);
        let mut sorted = Self::default();
        let mut faded: Vec<(f64, &Item)> = Vec::new();
        for item in situation.items {
            let memory = &item.memory;
            if let Some(forgotten) = &memory.state.forgotten {
                if forgotten.recover_until.micros() < now {
                    sorted.past_recovery.push(item);
                } else {
                    sorted.spared.add(Some(Protection::Recoverable), item);
                }
                continue;
            }
            let protection = Protection::of(memory, situation).or_else(|| {
                let is_newest = newest.contains(&memory.id);
                is_newest.then_some(Protection::NewestState)
            });
            if protection.is_some() {
                sorted.spared.add(protection, item);
                continue;
            }
            let priority = situation.priority(memory);
            let is_faded = priority < settings.faded_below;
            match memory.kind() {
                Kind::Conversation if is_faded => sorted.faded_turns.push(item),
                Kind::Conversation if memory.created_at.micros() < old => {
                    sorted.old_turns.push(item);
                }
                _ if is_faded => faded.push((priority, item)),
                Kind::Finding if memory.body.is_open() == Some(false) => {
                    sorted.resolved_findings.push(item);
                }
                Kind::State => sorted.old_states.push(item),
                _ if is_summary(memory) => sorted.summaries.push(item),
                _ => sorted.spared.add(None, item),
            }
        }
        faded.sort_by(|(a, one), (b, other)| a.total_cmp(b).then_with(|| older(one, other)));
        sorted.faded = faded.into_iter().map(|(_, item)| item).collect();
        sorted.past_recovery.sort_by(|a, b| older(a, b));
        sorted.resolved_findings.sort_by(|a, b| older(a, b));
        sorted.old_states.sort_by(|a, b| older(a, b));
        sorted.summaries.sort_by(|a, b| older(a, b));
        sorted
    }
}

fn older(one: &Item, other: &Item) -> std::cmp::Ordering {
    let moments = |it: &Item| {
        (
            it.memory.created_at.micros(),
            it.memory.recorded_at.micros(),
        )
    };
    let by_time = moments(one).cmp(&moments(other));
    by_time.then_with(|| one.memory.id.cmp(&other.memory.id))
}

/// The newest state of each agent.
fn newest_states(items: &[Item]) -> HashSet<&MemoryId> {
    let mut newest: HashMap<&str, &Item> = HashMap::new();
    for item in items {
        let is_there = item.memory.state.forgotten.is_none();
        if let Some(agent) = agent_of(&item.memory).filter(|_| is_there) {
            let own = newest.entry(agent).or_insert(item);
            if older(own, item).is_lt() {
                *own = item;
            }
        }
    }
    newest.into_values().map(|item| &item.memory.id).collect()
}

/// What stays, by what protects it.
#[derive(Default)]
struct Stays(BTreeMap<Option<Protection>, (u64, u64)>);

impl Stays {
    fn add(&mut self, why: Option<Protection>, item: &Item) {
        let (memories, bytes) = self.0.entry(why).or_default();
        *memories += 1;
        *bytes += item.bytes;
    }

    /// With the turns that no summary is worth, the largest first.
    fn tell(mut self, situation: &Situation<'_>, plan: &Plan) -> Vec<Spared> {
        let gone: HashSet<&MemoryId> = plan.of(|_| true).collect();
        let all = situation.items.iter();
        let stays = all.filter(|item| !gone.contains(&item.memory.id));
        let known: u64 = self.0.values().map(|(memories, _)| memories).sum();
        let (count, bytes) = stays.fold((0, 0), |(count, bytes), item| {
            (count + 1, bytes + item.bytes)
        });
        let known_bytes: u64 = self.0.values().map(|(_, bytes)| bytes).sum();
        let (memories, more) = self.0.entry(None).or_default();
        *memories += count - known;
        *more += bytes - known_bytes;
        let mut spared: Vec<Spared> = self
            .0
            .into_iter()
            .filter(|(_, (memories, _))| *memories > 0)
            .map(|(why, (memories, bytes))| Spared {
                why,
                memories,
                bytes,
            })
            .collect();
        spared.sort_by_key(|it| std::cmp::Reverse(it.bytes));
        spared
    }
}
