//! Sums that agents are told: without what they don't see.
//!
//! Stores count everything. What is private is little beside the rest, so it
//! is looked up and taken off.

use std::collections::{BTreeMap, HashSet};

use crate::caller::{Caller, Sight, Who};
use crate::compact::Item;
use crate::engine::{CompactionReport, Mnemon};
use crate::error::Result;
use crate::memory::{AgentId, Author, Kind, Memory, MemoryId, SessionId, Space};
use crate::session::{DeletedSession, Participant, Session};
use crate::store::{Filter, Forgottenness, Stats};

impl Mnemon {
    /// Sessions as a caller sees them.
    pub(super) fn shown(
        &self,
        caller: &Caller,
        mut sessions: Vec<Session>,
    ) -> Result<Vec<Session>> {
        let Who::Agent(me) = &caller.who else {
            return Ok(sessions);
        };
        let spaces = match &sessions[..] {
            [only] => vec![Space::Session(only.id.clone())],
            _ => Vec::new(),
        };
        let mut hidden: BTreeMap<SessionId, Vec<Memory>> = BTreeMap::new();
        for memory in self.hidden_from(me, spaces, Forgottenness::Without)? {
            if let Some(session) = memory.space.session() {
                hidden.entry(session.clone()).or_default().push(memory);
            }
        }
        for session in &mut sessions {
            match &mut session.archived {
                Some(archived) => {
                    without_states(&mut archived.by_kind);
                    only_speakers(&mut archived.participants, me);
                    session.activity.by_kind.clone_from(&archived.by_kind);
                    let participants = &archived.participants;
                    session.activity.participants.clone_from(participants);
                }
                None => {
                    for memory in hidden.remove(&session.id).unwrap_or_default() {
                        take_off(session, &memory);
                    }
                }
            }
        }
        Ok(sessions)
    }

    /// Counts of what a caller sees.
    pub(super) fn seen_stats(&self, caller: &Caller, mut stats: Stats) -> Result<Stats> {
        let Who::Agent(me) = &caller.who else {
            return Ok(stats);
        };
        let sight = Sight::of(caller);
        stats.spaces.retain(|it| sight.reaches(&it.space));
        for memory in self.hidden_from(me, Vec::new(), Forgottenness::Without)? {
            for space in &mut stats.spaces {
                if space.space == memory.space {
                    space.memories = space.memories.saturating_sub(1);
                }
            }
        }
        stats.memories = stats.spaces.iter().map(|it| it.memories).sum();
        stats.log_bytes = stats.spaces.iter().map(|it| it.log_bytes).sum();
        stats.damaged_lines = stats.spaces.iter().map(|it| it.damaged_lines).sum();
        let seen = Filter {
            sight,
            limit: 0,
            ..Filter::all(self.clock.now_micros())
        };
        stats.forgotten = self
            .store
            .select(&Filter {
                forgotten: Forgottenness::Only,
                ..seen.clone()
            })?
            .total;
        for (kind, memories) in &mut stats.by_kind {
            let of_kind = Filter {
                kinds: vec![*kind],
                ..seen.clone()
            };
            *memories = self.store.select(&of_kind)?.total;
        }
        stats.by_kind.retain(|_, memories| *memories > 0);
        Ok(stats)
    }

    /// A report without the names of what the caller does not see.
    pub(super) fn shown_report(
        &self,
        caller: &Caller,
        mut report: CompactionReport,
    ) -> Result<CompactionReport> {
        for action in &mut report.plan.actions {
            self.retain_seen(caller, &mut action.ids)?;
        }
        Ok(report)
    }

    /// What is in these spaces, or anywhere, and an agent reaches and does not see.
    fn hidden_from(
        &self,
        me: &AgentId,
        spaces: Vec<Space>,
        forgotten: Forgottenness,
    ) -> Result<Vec<Memory>> {
        let filter = Filter {
            spaces,
            // Only these can be private, where an agent reaches.
            kinds: vec![Kind::State, Kind::Preference],
            sight: Sight::HiddenFrom(me.clone()),
            forgotten,
            limit: usize::MAX,
            ..Filter::all(self.clock.now_micros())
        };
        let mut hidden = self.store.select(&filter)?.memories;
        hidden.retain(|memory| Sight::Agent(me.clone()).reaches(&memory.space));
        Ok(hidden)
    }
}

/// A deleted session as a caller sees it.
pub(super) fn shown_deleted(caller: &Caller, mut deleted: DeletedSession) -> DeletedSession {
    if matches!(caller.who, Who::Agent(_)) {
        without_states(&mut deleted.by_kind);
    }
    deleted
}

/// What was counted as one session was put away can't be told apart any more.
fn without_states(by_kind: &mut BTreeMap<Kind, u64>) {
    by_kind.remove(&Kind::State);
}

/// Who said nothing may have written nothing but states.
fn only_speakers(participants: &mut Vec<Participant>, me: &AgentId) {
    participants.retain(|it| it.messages > 0 || it.name == me.as_str());
}

fn take_off(session: &mut Session, memory: &Memory) {
    let activity = &mut session.activity;
    if let Some(count) = activity.by_kind.get_mut(&memory.kind()) {
        *count = count.saturating_sub(1);
    }
    activity.by_kind.retain(|_, count| *count > 0);
    let author = memory.author.as_ref().map(Author::as_str);
    let mut participants = activity.participants.iter_mut();
    if let Some(own) = participants.find(|it| Some(it.name.as_str()) == author) {
        own.memories = own.memories.saturating_sub(1);
    }
    activity.participants.retain(|it| it.memories > 0);
}

/// The items that are not seen.
pub(super) fn hidden_of<'a>(items: &'a [Item], sight: &Sight) -> HashSet<&'a MemoryId> {
    let hidden = items.iter().filter(|item| !sight.sees(&item.memory));
    hidden.map(|item| &item.memory.id).collect()
}
