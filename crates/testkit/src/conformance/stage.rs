//! Short words for what claims do.

use mnemon::error::{Code, Error};
use mnemon::memory::{Draft, Handle, Kind, Memory, MemoryId, Reference, Revision, Space};
use mnemon::session::SessionDetails;
use mnemon::store::{Batch, Filter, Forgottenness, OnFull, Outcome, Store, Write};
use mnemon::time::Time;
use serde_json::{Map, Value};

use crate::script::writes::LIMITS;

/// The time at which claims take place, unless they say otherwise.
pub(super) const NOW: &str = "2026-01-10T12:00:00Z";

pub(super) fn time(text: &str) -> Time {
    text.parse().expect("a time")
}

pub(super) fn space(text: &str) -> Space {
    text.parse().expect("a space")
}

pub(super) fn id(text: &str) -> MemoryId {
    text.parse().expect("an id")
}

pub(super) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => panic!("an object, not {other}"),
    }
}

pub(super) fn batch(place: &str, writes: Vec<Write>) -> Batch {
    Batch {
        space: space(place),
        by: "ann".into(),
        now: time(NOW),
        writes,
        limits: LIMITS,
        quota_bytes: None,
        on_full: OnFull::Refuse,
    }
}

/// Writes that are kept; what became of each.
pub(super) fn done(store: &dyn Store, place: &str, writes: Vec<Write>) -> Vec<Outcome> {
    let receipt = store.commit(batch(place, writes));
    receipt.expect("the store keeps it").outcomes
}

/// Writes that are refused; why.
pub(super) fn refused(store: &dyn Store, place: &str, writes: Vec<Write>) -> Code {
    let refusal: Error = store
        .commit(batch(place, writes))
        .expect_err("the store refuses it");
    refusal.code()
}

/// Makes the session of a space.
pub(super) fn make(store: &dyn Store, place: &str) {
    done(store, place, vec![create()]);
}

pub(super) fn create() -> Write {
    Write::CreateSession(SessionDetails::default())
}

pub(super) fn draft(kind: Kind, text: &str) -> Draft {
    Draft::new(kind, text.parse().expect("a text"))
}

pub(super) fn fact(text: &str) -> Draft {
    draft(Kind::Fact, text)
}

pub(super) fn add(name: &str, draft: Draft) -> Write {
    Write::Add {
        id: id(name),
        draft: Box::new(draft),
    }
}

pub(super) fn revise(name: &str, expected: Option<u64>, revision: Revision) -> Write {
    Write::Revise {
        id: id(name),
        expected,
        revision: Box::new(revision),
    }
}

/// A revision to another text.
pub(super) fn reword(text: &str) -> Revision {
    Revision {
        text: Some(text.parse().expect("a text")),
        ..Revision::default()
    }
}

pub(super) fn forget(name: &str) -> Write {
    Write::Forget {
        id: id(name),
        reason: "no longer true".into(),
        recover_until: time("2026-02-09T12:00:00+01:00"),
        earlier: None,
    }
}

pub(super) fn restore(name: &str) -> Write {
    Write::Restore {
        id: id(name),
        reason: "true after all".into(),
    }
}

pub(super) fn access(name: &str, count: u64, last: &str) -> Write {
    Write::Access {
        id: id(name),
        count,
        last: time(last),
    }
}

pub(super) fn find(store: &dyn Store, name: &str) -> Option<Memory> {
    store.find(&Reference::Id(id(name))).expect("an answer")
}

/// A memory that is there.
pub(super) fn get(store: &dyn Store, name: &str) -> Memory {
    find(store, name).expect("it is there")
}

pub(super) fn by_handle(store: &dyn Store, session: &str, handle: &str) -> Option<String> {
    let session = session.parse().expect("an id");
    let reference = Reference::Handle(session, handle.parse().expect("a handle"));
    let found = store.find(&reference).expect("an answer");
    found.map(|memory| memory.id.to_string())
}

pub(super) fn handles(outcomes: &[Outcome]) -> Vec<String> {
    let handles = outcomes.iter().filter_map(|outcome| outcome.handle);
    handles.map(|handle: Handle| handle.to_string()).collect()
}

/// A filter that leaves everything in, forgotten or not.
pub(super) fn everything() -> Filter {
    Filter {
        forgotten: Forgottenness::With,
        ..Filter::all(time(NOW).micros())
    }
}

/// The ids of the page that a filter gives, and the total.
pub(super) fn selected(store: &dyn Store, filter: &Filter) -> (Vec<String>, u64) {
    let selection = store.select(filter).expect("an answer");
    (ids(&selection.memories), selection.total)
}

pub(super) fn walked(store: &dyn Store, spaces: &[&str]) -> Vec<Memory> {
    let spaces: Vec<Space> = spaces.iter().map(|place| space(place)).collect();
    let mut memories = Vec::new();
    let each = &mut |memory| {
        memories.push(memory);
        Ok(())
    };
    store.walk(&spaces, each).expect("an answer");
    memories
}

pub(super) fn ids(memories: &[Memory]) -> Vec<String> {
    memories.iter().map(|it| it.id.to_string()).collect()
}
