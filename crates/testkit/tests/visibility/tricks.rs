//! Tricks: what an agent hands in that it can't have, and what has to become of it.

use jiff::tz::TimeZone;
use mnemon::engine::{Action, ImportItem, ImportOptions, Incoming};
use mnemon::memory::{Draft, Kind, Link, Memory, MemoryId, Revision, Space, State};
use mnemon::recall::structured::Aggregation;
use mnemon::recall::{Question, StructuredQuery};
use mnemon::store::OnFull;
use mnemon::{Caller, Result};

use super::deeds::WHY;
use super::town::{AGENTS, Town, told};

pub(crate) fn query(town: &mut Town, me: &Caller) -> String {
    let now = town.engine.now();
    let mut query = StructuredQuery {
        related_depth: 2,
        ..StructuredQuery::new(now, TimeZone::UTC)
    };
    if town.one_in(2) {
        query.aggregations = Aggregation::ALL.map(|(_, own)| own).to_vec();
    }
    if town.one_in(2) {
        query.question = Question::parse(&town.words()).ok();
    }
    if town.one_in(10) {
        query.as_of = Some(now);
    }
    told(town.engine.query(me, &query))
}

/// A draft, where it is to go, and whether that is allowed.
pub(crate) fn some_draft(town: &mut Town, me: &Caller) -> (Space, Draft, bool) {
    let mark = AGENTS
        .iter()
        .find(|(name, _)| *name == me.name())
        .unwrap()
        .1;
    match town.below(5) {
        // Into the memory of another.
        0 => {
            let other = AGENTS
                .iter()
                .find(|(name, _)| *name != me.name())
                .unwrap()
                .0;
            let space = Space::Agent(other.parse().unwrap());
            (space, town.public_draft(), false)
        }
        // As the state of another.
        1 => {
            let other = AGENTS
                .iter()
                .find(|(name, _)| *name != me.name())
                .unwrap()
                .0;
            let mut draft = Draft::new(Kind::State, "taken over".parse().unwrap());
            draft.author = Some(other.parse().unwrap());
            (Space::Session(town.session()), draft, false)
        }
        2 => {
            let mut draft = town.public_draft();
            let id = town.id();
            let is_foreign = town
                .engine
                .locate(&town.user, id.as_str(), None)
                .is_ok_and(|it| Town::is_foreign(me, &it.memory));
            // What is private must not be named by what is not.
            if is_foreign || id.as_str().starts_with("open") {
                town.asked.push(id.to_string());
                draft.links = vec![Link::related(id)];
            }
            (Space::Session(town.session()), draft, !is_foreign)
        }
        3 => (Space::Session(town.session()), town.public_draft(), true),
        _ => {
            let (space, draft) = town.private_draft(me.name(), mark);
            (space, draft, true)
        }
    }
}

/// What is not allowed must be refused.
pub(crate) fn judged(town: &mut Town, is_fair: bool, kept: Result<MemoryId>) -> Result<MemoryId> {
    match &kept {
        Ok(id) => {
            assert!(is_fair, "{id} was not to be kept");
            town.ids.push(id.clone());
        }
        Err(refused) if !is_fair => assert_refused(refused),
        Err(_) => {}
    }
    kept
}

fn assert_refused(refused: &mnemon::Error) {
    let code = refused.code().as_str();
    let expected = ["E_FORBIDDEN", "E_NOT_FOUND", "E_SESSION_NOT_FOUND"];
    assert!(expected.contains(&code), "{code}: {refused}");
}

/// Does something to a memory that the caller may not know: it must be refused then.
pub(crate) fn with_stolen(
    town: &mut Town,
    me: &Caller,
    act: impl Fn(&mut Town, &Memory) -> Result<String>,
) -> String {
    let Some(memory) = town.stolen() else {
        return String::new();
    };
    let done = act(town, &memory);
    if Town::is_foreign(me, &memory) {
        match &done {
            Ok(answer) => panic!("{me} changed {}: {answer}", memory.id),
            Err(refused) => assert_refused(refused),
        }
    }
    told(done)
}

pub(crate) fn transact(town: &mut Town, me: &Caller) -> String {
    with_stolen(town, me, |town, memory| {
        let action = match town.below(3) {
            0 => Action::Forget {
                id: memory.id.clone(),
                reason: WHY.into(),
            },
            1 => Action::Restore {
                id: memory.id.clone(),
                reason: WHY.into(),
            },
            _ => Action::Revise {
                id: memory.id.clone(),
                expected: None,
                revision: Box::new(Revision {
                    pinned: Some(true),
                    ..Revision::default()
                }),
            },
        };
        let space = if town.one_in(2) {
            memory.space.clone()
        } else {
            Space::Agent(me.name().parse().unwrap())
        };
        let receipt = town
            .engine
            .transact(me, &space, vec![action], OnFull::Refuse);
        receipt.map(|it| format!("{:?}", it.outcomes))
    })
}

/// An export that somebody wrote by hand: with ids that are taken.
/// What another program kept, under an id that may be somebody else's.
pub(crate) fn take_in(town: &mut Town, me: &Caller) -> String {
    let (space, mut draft, _) = some_draft(town, me);
    let stolen = town.one_in(2).then(|| town.stolen()).flatten();
    // Kept, it would have an id that is made of the stolen one, and look like its first owner's.
    let options = ImportOptions {
        dry_run: stolen.is_some(),
        ..ImportOptions::default()
    };
    if let Some(memory) = stolen {
        draft.id = Some(memory.id);
    }
    let id = draft.id.clone();
    let incoming = vec![Incoming { space, draft }];
    let taken = town.engine.take_in(me, None, incoming, options);
    if taken.as_ref().is_ok_and(|it| it.kept > 0) {
        town.ids.extend(id);
    }
    told(taken)
}

pub(crate) fn import(town: &mut Town, me: &Caller) -> String {
    let (space, mut draft, _) = some_draft(town, me);
    if town.one_in(2) {
        // An id that was erased is free again, and would look like a memory of its first owner.
        if let Some(memory) = town.stolen() {
            draft.id = Some(memory.id);
        }
    }
    let id = draft.id.clone();
    let item = ImportItem::Memory {
        line: 1,
        space,
        draft: Box::new(draft),
        state: State::default(),
        base: None,
    };
    let options = ImportOptions::default();
    let imported = town.engine.import(me, vec![item], options, &mut |_| ());
    if imported.as_ref().is_ok_and(|it| it.imported > 0) {
        town.ids.extend(id);
    }
    told(imported)
}
