//! What a caller may touch, looked at before anything is written or told.
//!
//! Which role an operation needs is in [`Operation`](crate::caller::Operation),
//! what a caller sees in [`Sight`]. Here both meet what is in the store: what is
//! not seen is not found, and what belongs to another agent is refused.

use std::collections::HashSet;
use std::path::Path;

use crate::caller::{Caller, Role, Sight, Who};
use crate::engine::{Action, Mnemon};
use crate::error::{Error, Result};
use crate::memory::{
    AgentId, Author, Body, Draft, Kind, Memory, MemoryId, Reference, SessionId, Space,
};
use crate::store::{AuditEntry, Deed, Located, Place};

/// What is looked up again if it was just moved.
const ATTEMPTS: usize = 3;

impl Mnemon {
    /// Where the memory of a name is for a caller: nowhere if it does not see it.
    pub(super) fn place(&self, caller: &Caller, reference: &Reference) -> Result<Place> {
        let sight = Sight::of(caller);
        if sight.is_everything() {
            return self.store.locate(reference);
        }
        for _ in 0..ATTEMPTS {
            match self.store.locate(reference) {
                Err(error) => return unless_foreign(&sight, error).map(|()| Place::Nowhere),
                Ok(Place::Here(memory)) if sight.sees(&memory) => return Ok(Place::Here(memory)),
                Ok(Place::Here(_) | Place::Nowhere) => return Ok(Place::Nowhere),
                // What lies there must be looked at, or its mere being there would be told.
                Ok(place) => match self.locate_put_away(caller, reference)? {
                    Some(located) if sight.sees(&located.memory) => return Ok(place),
                    Some(_) => return Ok(Place::Nowhere),
                    None => {}
                },
            }
        }
        Ok(Place::Nowhere)
    }

    /// The memory of that name if it is at hand and the caller sees it.
    pub(super) fn seen(&self, caller: &Caller, reference: &Reference) -> Result<Option<Memory>> {
        let sight = Sight::of(caller);
        match self.store.find(reference) {
            Err(error) => unless_foreign(&sight, error).map(|()| None),
            Ok(found) => Ok(found.filter(|memory| sight.sees(memory))),
        }
    }

    /// The memory of that id wherever it lies, if the caller sees it; else it is not found.
    fn require_seen(&self, caller: &Caller, id: &MemoryId) -> Result<Located> {
        let reference = Reference::Id(id.clone());
        if let Some(memory) = self.seen(caller, &reference)? {
            return Ok(Located::at_hand(memory));
        }
        let sight = Sight::of(caller);
        let put_away = self.locate_put_away(caller, &reference)?;
        put_away
            .filter(|located| sight.sees(&located.memory))
            .ok_or_else(|| Reference::not_found(id.as_str()))
    }

    /// Refuses actions on what an agent does not see, and what belongs to others.
    pub(super) fn check_actions(
        &self,
        caller: &Caller,
        space: &Space,
        actions: &[Action],
    ) -> Result<()> {
        let Who::Agent(me) = &caller.who else {
            return Ok(());
        };
        let own_id = |action: &Action| match action {
            Action::Remember(draft) => draft.id.clone(),
            _ => None,
        };
        let made: HashSet<MemoryId> = actions.iter().filter_map(own_id).collect();
        for action in actions {
            match action {
                Action::Remember(draft) => {
                    check_space(caller, space)?;
                    check_draft(caller, me, draft)?;
                    self.check_targets(caller, targets(draft), &made)?;
                }
                Action::Revise { id, revision, .. } => {
                    let before = self.require_seen(caller, id)?.memory;
                    let links = revision.add_links.iter().map(|link| &link.to);
                    self.check_targets(caller, links, &made)?;
                    // What can't be revised like this is refused by the store, with the reason.
                    let now = self.clock.now();
                    if let Ok(after) = revision.apply(&before, caller.name(), now, &self.limits()) {
                        check_revised(caller, me, &before, &after)?;
                    }
                }
                Action::Forget { id, .. } | Action::Restore { id, .. } => {
                    self.require_seen(caller, id)?;
                }
            }
        }
        Ok(())
    }

    /// Refuses links to what an agent does not see, whether it is there or not.
    pub(super) fn check_targets<'a>(
        &self,
        caller: &Caller,
        targets: impl Iterator<Item = &'a MemoryId>,
        made: &HashSet<MemoryId>,
    ) -> Result<()> {
        if matches!(caller.who, Who::User(_)) {
            return Ok(());
        }
        for target in targets {
            if !made.contains(target) {
                self.require_seen(caller, target)?;
            }
        }
        Ok(())
    }

    /// Refuses to take away for good what a caller does not see, or what is not its own unless it
    /// looks after the store.
    pub(super) fn check_erasure(&self, caller: &Caller, ids: &[MemoryId]) -> Result<()> {
        let Who::Agent(me) = &caller.who else {
            return Ok(());
        };
        for id in ids {
            let memory = self.require_seen(caller, id)?.memory;
            // An agent that has the user's name is not the user.
            let is_namesake = me.as_str() == self.config.defaults.user;
            let is_by_me = is_by(&memory, me) && !is_namesake;
            let is_own = memory.space == Space::Agent(me.clone()) || is_by_me;
            if !is_own && caller.role < Role::Admin {
                return Err(caller.forbidden(format!("erase {id}: somebody else wrote it")));
            }
        }
        Ok(())
    }

    /// Refuses to bring back what a caller does not see.
    pub(super) fn check_seen(&self, caller: &Caller, ids: &[MemoryId]) -> Result<()> {
        if matches!(caller.who, Who::User(_)) {
            return Ok(());
        }
        ids.iter()
            .try_for_each(|id| self.require_seen(caller, id).map(drop))
    }

    /// What of a session was compacted away and the caller sees; all if it sees everything.
    pub(super) fn away_seen(
        &self,
        caller: &Caller,
        session: &SessionId,
    ) -> Result<Option<Vec<MemoryId>>> {
        if matches!(caller.who, Who::User(_)) {
            return Ok(None);
        }
        let away = self.store.away_in(session)?.into_iter();
        let mut ids: Vec<MemoryId> = away.map(|it| it.id).collect();
        self.retain_seen(caller, &mut ids)?;
        Ok(Some(ids))
    }

    /// Leaves only ids of what a caller sees.
    pub(super) fn retain_seen(&self, caller: &Caller, ids: &mut Vec<MemoryId>) -> Result<()> {
        if matches!(caller.who, Who::User(_)) {
            return Ok(());
        }
        let mut seen = Vec::with_capacity(ids.len());
        for id in ids.drain(..) {
            match self.require_seen(caller, &id) {
                Ok(_) => seen.push(id),
                Err(Error::NotFound { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        *ids = seen;
        Ok(())
    }

    /// What a caller may know of an entry of the audit.
    pub(super) fn seen_entry(
        &self,
        caller: &Caller,
        mut entry: AuditEntry,
    ) -> Result<Option<AuditEntry>> {
        let sight = Sight::of(caller);
        entry.spaces.retain(|space| sight.reaches(space));
        if entry.spaces.is_empty() {
            return Ok(None);
        }
        if entry.ids.is_empty() {
            return Ok(Some(entry));
        }
        // Who took something away for good saw it then.
        let is_own = entry.deed == Deed::Erased && entry.by == caller.name();
        let mut seen = Vec::new();
        for id in std::mem::take(&mut entry.ids) {
            if is_own || self.may_be_named(&sight, &id)? {
                seen.push(id);
            }
        }
        entry.memories = seen.len() as u64;
        entry.ids = seen;
        Ok((!entry.ids.is_empty()).then_some(entry))
    }

    /// Whether an agent may know that there was such a memory: of what is gone only the id tells
    /// its kind, and states and preferences may have been private.
    fn may_be_named(&self, sight: &Sight, id: &str) -> Result<bool> {
        let id: MemoryId = id.parse()?;
        Ok(match self.store.find(&Reference::Id(id.clone())) {
            Ok(Some(memory)) => sight.sees(&memory),
            _ => Kind::ALL
                .iter()
                .filter(|kind| !matches!(kind, Kind::State | Kind::Preference))
                .any(|kind| id.as_str().starts_with(&format!("{}_", kind.id_prefix()))),
        })
    }
}

/// Refuses another agent's long-term memory.
pub(super) fn check_space(caller: &Caller, space: &Space) -> Result<()> {
    if Sight::of(caller).reaches(space) {
        return Ok(());
    }
    Err(caller.forbidden(format!(
        "write into {space}: it belongs to that agent alone"
    )))
}

/// Refuses a state in another agent's name.
pub(super) fn check_draft(caller: &Caller, me: &AgentId, draft: &Draft) -> Result<()> {
    let Body::State(state) = &draft.body else {
        return Ok(());
    };
    let author = draft.author.as_ref().map(Author::as_str);
    let named = [author, state.agent_id.as_deref()];
    if named.into_iter().flatten().all(|name| name == me.as_str()) {
        return Ok(());
    }
    Err(caller.forbidden("write the state of another agent"))
}

/// Refuses to make a memory private to others.
pub(super) fn check_revised(
    caller: &Caller,
    me: &AgentId,
    before: &Memory,
    after: &Memory,
) -> Result<()> {
    let becomes_state = matches!(after.body, Body::State(_));
    if becomes_state && !(is_by(after, me) || matches!(before.body, Body::State(_))) {
        return Err(caller.forbidden("make a state of what somebody else wrote"));
    }
    let names = after.private_to();
    if names.is_some() && names != before.private_to() && !is_by(after, me) {
        return Err(caller.forbidden("change who sees what somebody else wrote"));
    }
    if let Body::State(state) = &after.body
        && state
            .agent_id
            .as_deref()
            .is_some_and(|it| it != me.as_str())
    {
        return Err(caller.forbidden("write the state of another agent"));
    }
    Ok(())
}

/// What a draft points to.
pub(super) fn targets(draft: &Draft) -> impl Iterator<Item = &MemoryId> {
    draft.links.iter().map(|link| &link.to).chain(&draft.turn)
}

fn is_by(memory: &Memory, me: &AgentId) -> bool {
    memory.author.as_ref().map(Author::as_str) == Some(me.as_str())
}

/// An error, unless it would tell of another agent's long-term memory.
fn unless_foreign(sight: &Sight, error: Error) -> Result<()> {
    let Error::Damaged { path, .. } = &error else {
        return Err(error);
    };
    let folder = path.parent();
    let is_agents = folder
        .and_then(Path::parent)
        .and_then(Path::file_name)
        .is_some_and(|name| name == "agents");
    let owner = folder.and_then(Path::file_name).and_then(|it| it.to_str());
    let space = owner.and_then(|it| it.parse().ok()).map(Space::Agent);
    match space {
        Some(space) if is_agents && !sight.reaches(&space) => Ok(()),
        _ => Err(error),
    }
}
