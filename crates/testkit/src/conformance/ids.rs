//! Ids: unique, and safe to repeat.

use mnemon::error::Code;
use mnemon::memory::{Importance, Link};

use super::Open;
use super::stage::{
    add, done, fact, forget, get, id, ids, make, refused, revise, reword, time, walked,
};

/// An id in one space is taken in all of them.
pub fn ids_are_unique_in_the_whole_store(open: Open) {
    let store = open();
    make(&*store, "session/s");
    done(&*store, "session/s", vec![add("a", fact("one"))]);
    for place in ["agent/x", "shared"] {
        let again = vec![add("a", fact("one"))];
        assert_eq!(refused(&*store, place, again), Code::ConcurrentMod);
    }
    assert_eq!(ids(&walked(&*store, &[])), ["a"]);
}

/// A caller that retries is right to do so.
pub fn the_same_id_with_the_same_content_changes_nothing(open: Open) {
    let store = open();
    let mut told = fact("told");
    told.tags = ["b", "a", "b"]
        .map(|tag| tag.parse().expect("a tag"))
        .into();
    told.links = vec![Link::related(id("z"))];
    told.embedding = Some(vec![0.1, -0.0]);
    let first = done(&*store, "shared", vec![add("a", told.clone())]);
    let kept = get(&*store, "a");
    let again = done(&*store, "shared", vec![add("a", told.clone())]);
    assert!(first[0].changed && !again[0].changed);
    assert_eq!((again[0].version, &again[0].id), (1, &Some(id("a"))));
    // Whoever left the created time out meant any; whoever names it means that one.
    told.created_at = Some(kept.created_at);
    assert!(!done(&*store, "shared", vec![add("a", told)])[0].changed);
    assert_eq!(get(&*store, "a"), kept);
    assert_eq!(store.history(&id("a")).expect("an answer").len(), 1);
}

/// Revisions in between don't make a retry look like something else.
pub fn a_repeated_memory_is_compared_with_its_first_version(open: Open) {
    let store = open();
    done(&*store, "shared", vec![add("a", fact("first"))]);
    done(&*store, "shared", vec![revise("a", None, reword("second"))]);
    let again = done(&*store, "shared", vec![add("a", fact("first"))]);
    assert_eq!((again[0].version, again[0].changed), (2, false));
    assert_eq!(get(&*store, "a").text.as_str(), "second");
    let now = vec![add("a", fact("second"))];
    assert_eq!(refused(&*store, "shared", now), Code::ConcurrentMod);
}

/// Every field counts as content.
pub fn the_same_id_with_other_content_is_refused(open: Open) {
    let store = open();
    done(&*store, "shared", vec![add("a", fact("x"))]);
    let changes: [fn(&mut mnemon::memory::Draft); 8] = [
        |draft| draft.text = "y".parse().expect("a text"),
        |draft| draft.importance = Importance::try_from(0.4).expect("from 0 to 1"),
        |draft| draft.tags.push("t".parse().expect("a tag")),
        |draft| draft.pinned = true,
        |draft| drop(draft.metadata.insert("k".into(), 1.into())),
        |draft| draft.embedding = Some(vec![1.0]),
        |draft| draft.created_at = Some(time("2026-01-10T13:00:00+01:00")),
        |draft| draft.turn = Some(id("t")),
    ];
    for change in changes {
        let mut other = fact("x");
        change(&mut other);
        let told = format!("{other:?}");
        let code = refused(&*store, "shared", vec![add("a", other)]);
        assert_eq!(code, Code::ConcurrentMod, "{told}");
    }
    assert_eq!(get(&*store, "a").version, 1);
}

/// Forgetting does not free an id, and repeating does not bring back.
pub fn the_id_of_a_forgotten_memory_stays_taken(open: Open) {
    let store = open();
    done(&*store, "shared", vec![add("a", fact("x"))]);
    done(&*store, "shared", vec![forget("a")]);
    let other = vec![add("a", fact("y"))];
    assert_eq!(refused(&*store, "shared", other), Code::ConcurrentMod);
    assert!(!done(&*store, "shared", vec![add("a", fact("x"))])[0].changed);
    assert!(get(&*store, "a").state.forgotten.is_some());
}
