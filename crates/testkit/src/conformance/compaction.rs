//! What leaves a session, and how it comes back.

use mnemon::error::Code;
use mnemon::memory::{Kind, Memory, Reference};
use mnemon::store::{Change, Compaction, Place, Return, Store};

use super::Open;
use super::stage::{
    NOW, access, add, by_handle, done, draft, fact, find, forget, get, id, ids, make, refused,
    revise, reword, time, walked,
};
use crate::script::writes::LIMITS;

fn compaction(shelve: &[&str], purge: &[&str]) -> Compaction {
    Compaction {
        session: "s".parse().expect("an id"),
        by: "ann".into(),
        now: time("2026-01-20T12:00:00Z"),
        reason: "gentle".into(),
        shelve: shelve.iter().map(|name| id(name)).collect(),
        purge: purge.iter().map(|name| id(name)).collect(),
        summaries: Vec::new(),
        limits: LIMITS,
    }
}

fn back(wanted: Option<&[&str]>) -> Return {
    Return {
        session: "s".parse().expect("an id"),
        by: "ann".into(),
        reason: "needed".into(),
        at: time("2026-01-21T12:00:00Z"),
        ids: wanted.map(|names| names.iter().map(|name| id(name)).collect()),
        summaries: Vec::new(),
    }
}

/// Three transactions with everything that can happen to a memory.
fn fill(store: &dyn Store) {
    make(store, "session/s");
    let writes = ["a", "b", "c", "d"].map(|name| add(name, fact(name)));
    done(store, "session/s", writes.to_vec());
    done(
        store,
        "session/s",
        vec![revise("a", None, reword("a2")), access("b", 2, NOW)],
    );
    done(store, "session/s", vec![add("e", fact("e")), forget("c")]);
}

fn everything(store: &dyn Store) -> (Vec<Memory>, Vec<Vec<Change>>) {
    let memories = walked(store, &["session/s"]);
    let history = |memory: &Memory| store.history(&memory.id).expect("an answer");
    let histories = memories.iter().map(history).collect();
    (memories, histories)
}

/// They are not found, their names stay taken, and they say where they are.
pub fn what_is_compacted_is_away_and_its_names_stay_taken(open: Open) {
    let store = open();
    fill(&*store);
    let before = store.measure(&"s".parse().expect("an id")).expect("a size");
    let done_so = store.compact(&compaction(&["a", "b"], &["c"]));
    let compacted = done_so.expect("it is compacted");
    assert_eq!(compacted.bytes_before, before.log_bytes);
    assert!(compacted.bytes_after < compacted.bytes_before);

    let store = open();
    assert_eq!(ids(&walked(&*store, &["session/s"])), ["d", "e"]);
    assert_eq!(find(&*store, "a"), None);
    assert_eq!(by_handle(&*store, "s", "FACT-001"), None);
    let Ok(Place::Away(shelved)) = store.locate(&Reference::Id(id("a"))) else {
        panic!("it is in the archive");
    };
    assert_eq!((shelved.id.as_str(), shelved.session.as_str()), ("a", "s"));
    let handle = Reference::Handle(
        "S".parse().expect("an id"),
        "FACT-002".parse().expect("one"),
    );
    let Ok(Place::Away(shelved)) = store.locate(&handle) else {
        panic!("it is in the archive");
    };
    assert_eq!(shelved.id.as_str(), "b");
    let gone = store.locate(&Reference::Id(id("c"))).expect("an answer");
    assert_eq!(gone, Place::Nowhere, "what was purged");
    let there = store.locate(&Reference::Id(id("d"))).expect("an answer");
    assert!(matches!(there, Place::Here(_)), "{there:?}");

    let same = vec![add("a", fact("a"))];
    assert_eq!(
        refused(&*store, "session/s", same.clone()),
        Code::ConcurrentMod
    );
    assert_eq!(refused(&*store, "shared", same), Code::ConcurrentMod);
    done(&*store, "session/s", vec![add("f", fact("f"))]);
    assert_eq!(by_handle(&*store, "s", "FACT-006"), Some("f".into()));
}

/// The same memories, handles, history and order, at once or one by one.
pub fn what_is_brought_back_is_as_it_was(open: Open) {
    let store = open();
    fill(&*store);
    let before = everything(&*store);
    store
        .compact(&compaction(&["b", "d"], &[]))
        .expect("it is compacted");
    store
        .compact(&compaction(&["a", "c"], &[]))
        .expect("it is compacted");
    assert_eq!(ids(&walked(&*store, &["session/s"])), ["e"]);

    let one = store.bring_back(&back(Some(&["c"])));
    assert_eq!(one.expect("it comes back"), [id("c")]);
    assert_eq!(ids(&walked(&*store, &["session/s"])), ["c", "e"]);
    let unknown = store.bring_back(&back(Some(&["c"])));
    assert_eq!(
        unknown.expect_err("it is back already").code(),
        Code::NotFound
    );

    let rest = store.bring_back(&back(None)).expect("they come back");
    assert_eq!(rest, ["a", "b", "d"].map(id));
    assert_eq!(everything(&*open()), before);
    let session = "s".parse().expect("an id");
    assert_eq!(store.away_in(&session).expect("an answer"), []);
    assert_eq!(store.bring_back(&back(None)).expect("nothing"), []);
}

/// Summaries come in with the compaction, and go when they stand for nothing any more.
pub fn a_summary_comes_and_goes_with_what_it_stands_for(open: Open) {
    let store = open();
    fill(&*store);
    let before = everything(&*store);
    let mut compaction = compaction(&["a", "b"], &[]);
    let mut summary = draft(Kind::Artifact, "a and b");
    summary.created_at = Some(time(NOW));
    compaction.summaries = vec![(id("sum"), Box::new(summary))];
    store.compact(&compaction).expect("it is compacted");
    assert_eq!(get(&*store, "sum").text.as_str(), "a and b");
    assert_eq!(by_handle(&*store, "s", "ART-001"), Some("sum".into()));
    let mut back = back(None);
    back.summaries = vec![id("sum")];
    store.bring_back(&back).expect("they come back");
    assert_eq!(everything(&*open()), before);
}

/// A question about a moment before sees what was there, one about a later moment does not.
pub fn the_past_has_what_was_compacted_since(open: Open) {
    let store = open();
    fill(&*store);
    let before = everything(&*store);
    store
        .compact(&compaction(&["a", "d"], &[]))
        .expect("it is compacted");
    let past = store.as_of(time("2026-01-19T12:00:00Z")).expect("the past");
    assert_eq!(everything(&*past), before);
    let later = store.as_of(time("2026-01-20T13:00:00Z")).expect("the past");
    assert_eq!(ids(&walked(&*later, &["session/s"])), ["b", "c", "e"]);
}
