//! The life of sessions: archived, opened, deleted, brought back, purged.

use mnemon::error::Code;
use mnemon::memory::{Kind, Space};
use mnemon::session::{Session, SessionDeed};
use mnemon::store::{Archiving, Deed, Shelved, Store};

use super::Open;
use super::stage::{
    NOW, access, add, create, done, draft, everything, fact, find, forget, handles, id, ids, make,
    refused, revise, reword, selected, time, walked,
};
use crate::script::writes::LIMITS;

fn deed(session: &str) -> SessionDeed {
    SessionDeed {
        session: session.parse().expect("an id"),
        by: "ann".into(),
        reason: "it is over".into(),
        at: time(NOW),
    }
}

fn archive(store: &dyn Store, session: &str) -> bool {
    let summary = (
        id("sum"),
        Box::new(draft(Kind::Artifact, "what it was about")),
    );
    let archiving = Archiving {
        deed: deed(session),
        summary: Some(summary),
        limits: LIMITS,
    };
    store.archive(&archiving).expect("the store archives it")
}

fn session(store: &dyn Store, name: &str) -> Option<Session> {
    store
        .session(&name.parse().expect("an id"))
        .expect("an answer")
}

/// Three facts, one of them revised and one forgotten.
fn fill(store: &dyn Store) {
    make(store, "session/s");
    let facts = ["a", "b", "c"].map(|name| add(name, fact(name)));
    done(store, "session/s", facts.into());
    done(store, "session/s", vec![revise("a", None, reword("more"))]);
    done(store, "session/s", vec![forget("b")]);
}

/// Memories, history, handles and what is told of the session are as they were.
pub fn an_archive_gives_back_what_it_took(open: Open) {
    let store = open();
    fill(&*store);
    let before = (
        walked(&*store, &[]),
        store.history(&id("a")).expect("an answer"),
    );
    let told = session(&*store, "s").expect("it is there");
    assert!(archive(&*store, "s"));
    assert!(!archive(&*store, "s"), "once is enough");
    assert!(store.restore(&deed("S")).expect("it opens"));
    assert!(!store.restore(&deed("s")).expect("an answer"), "it is open");
    let store = open();
    let after = (
        walked(&*store, &[]),
        store.history(&id("a")).expect("an answer"),
    );
    assert_eq!(after, before);
    let now = session(&*store, "s").expect("it is there");
    let opened = Session {
        opened_at: Some(time(NOW)),
        ..told
    };
    assert_eq!(now, opened);
    let next = done(&*store, "session/s", vec![add("d", fact("d"))]);
    assert_eq!(handles(&next), ["FACT-004"]);
}

/// And an export sees all of it, without opening it.
pub fn questions_find_the_summary_of_an_archived_session(open: Open) {
    let store = open();
    fill(&*store);
    let before = walked(&*store, &[]);
    let told = session(&*store, "s").expect("it is there");
    archive(&*store, "s");
    let store = open();
    assert_eq!(selected(&*store, &everything()).0, ["sum"]);
    let summary = find(&*store, "sum").expect("it is there");
    assert_eq!(summary.handle, None, "a handle would be used once more");
    assert_eq!(find(&*store, "a"), None);
    assert_eq!(walked(&*store, &[]), before);
    assert_eq!(walked(&*store, &["session/s"]), before);
    let now = session(&*store, "s").expect("it is there");
    let archived = now.archived.clone().expect("it is archived");
    assert_eq!(
        (archived.by, archived.reason),
        ("ann".into(), "it is over".into())
    );
    let as_it_was = Session {
        archived: None,
        ..now
    };
    assert_eq!(as_it_was, told);
}

/// Whatever the write; but that something was asked for opens nothing.
pub fn whoever_writes_to_an_archived_session_has_it_opened(open: Open) {
    let store = open();
    fill(&*store);
    archive(&*store, "s");
    let counted = store.commit(super::stage::batch("session/s", vec![access("a", 1, NOW)]));
    assert_eq!(counted.expect_err("it is not there").code(), Code::NotFound);
    assert!(
        session(&*store, "s")
            .expect("it is there")
            .archived
            .is_some()
    );
    assert_eq!(
        refused(&*store, "session/s", vec![create()]),
        Code::SchemaInvalid
    );
    done(
        &*store,
        "session/s",
        vec![revise("a", Some(2), reword("most"))],
    );
    let store = open();
    let now = session(&*store, "s").expect("it is there");
    assert_eq!(now.archived, None);
    assert_eq!(now.opened_at, Some(time(NOW)));
    assert_eq!(find(&*store, "a").expect("it is there").version, 3);
    assert_eq!(
        find(&*store, "sum"),
        None,
        "the session speaks for itself again"
    );
}

/// In archives and in the trash, until they are purged.
pub fn ids_that_are_put_away_stay_taken(open: Open) {
    let store = open();
    fill(&*store);
    let is_taken = |store: &dyn Store| refused(store, "shared", vec![add("a", fact("a"))]);
    let shelved = |deleted| {
        let session = "s".parse().expect("an id");
        Some(Shelved { session, deleted })
    };
    archive(&*store, "s");
    let store = open();
    assert_eq!(is_taken(&*store), Code::ConcurrentMod);
    assert_eq!(store.shelved(&id("a")).expect("an answer"), shelved(false));
    store
        .delete_session(&deed("s"), time(NOW))
        .expect("it goes");
    let store = open();
    assert_eq!(is_taken(&*store), Code::ConcurrentMod);
    assert_eq!(store.shelved(&id("a")).expect("an answer"), shelved(true));
    assert_eq!(
        refused(&*store, "session/S", vec![create()]),
        Code::SchemaInvalid
    );
    store.purge_session(&deed("s")).expect("it goes");
    let store = open();
    assert_eq!(store.shelved(&id("a")).expect("an answer"), None);
    done(&*store, "shared", vec![add("a", fact("a"))]);
    make(&*store, "session/S");
}

/// With everything in it, archived or not.
pub fn a_deleted_session_is_gone_until_it_is_brought_back(open: Open) {
    for archived in [false, true] {
        let store = open();
        fill(&*store);
        done(&*store, "shared", vec![add("z", fact("z"))]);
        let before = walked(&*store, &[]);
        if archived {
            archive(&*store, "s");
        }
        let told = session(&*store, "s").expect("it is there");
        let deleted = store
            .delete_session(&deed("S"), time(NOW))
            .expect("it goes");
        assert_eq!(deleted.by_kind, told.activity.by_kind);
        let store = open();
        assert_eq!(ids(&walked(&*store, &[])), ["z"]);
        assert_eq!(session(&*store, "s"), None);
        assert_eq!(store.deleted_sessions().expect("an answer"), [deleted]);
        let code = refused(&*store, "session/s", vec![add("d", fact("d"))]);
        assert_eq!(code, Code::SessionNotFound);
        store.undelete_session(&deed("s")).expect("it comes back");
        let store = open();
        assert_eq!(walked(&*store, &[]), before);
        let now = session(&*store, "s").expect("it is there");
        assert_eq!(now.archived, told.archived);
        assert_eq!(store.deleted_sessions().expect("an answer"), []);
        // The next turn begins with nothing.
        store
            .delete_session(&deed("s"), time(NOW))
            .expect("it goes");
        store.purge_session(&deed("s")).expect("it goes");
        let erasure = mnemon::store::Erasure {
            ids: vec![id("z")],
            by: "ann".into(),
            reason: "done".into(),
            at: time(NOW),
            renewed: Vec::new(),
        };
        store.erase(&erasure).expect("it goes");
    }
}

/// Also what was forgotten in a session that is put away now.
pub fn the_audit_tells_what_became_of_sessions(open: Open) {
    let store = open();
    fill(&*store);
    archive(&*store, "s");
    store.restore(&deed("s")).expect("it opens");
    store.activate(&deed("S")).expect("it is there");
    archive(&*store, "s");
    store
        .delete_session(&deed("s"), time(NOW))
        .expect("it goes");
    store.undelete_session(&deed("s")).expect("it comes back");
    store
        .delete_session(&deed("s"), time(NOW))
        .expect("it goes");
    let audit = open().audit().expect("an answer");
    let mut deeds: Vec<Deed> = audit.iter().map(|entry| entry.deed).collect();
    let forgotten = deeds.iter().position(|deed| *deed == Deed::Forgotten);
    deeds.remove(forgotten.expect("it was forgotten"));
    let expected = [
        Deed::SessionArchived,
        Deed::SessionRestored,
        Deed::SessionActivated,
        Deed::SessionArchived,
        Deed::SessionDeleted,
        Deed::SessionUndeleted,
        Deed::SessionDeleted,
    ];
    assert_eq!(deeds, expected);
    store.purge_session(&deed("s")).expect("it goes");
    let audit = open().audit().expect("an answer");
    assert_eq!(
        audit.len(),
        9,
        "what was forgotten in it is gone, that it was is not"
    );
    let space: Space = "session/s".parse().expect("a space");
    assert!(audit.iter().all(|entry| *entry.spaces == [space.clone()]));
}

/// What a session that is put away said is erased there.
pub fn erasing_reaches_what_is_put_away(open: Open) {
    let store = open();
    fill(&*store);
    archive(&*store, "s");
    let erase = |store: &dyn Store, name: &str| {
        let erasure = mnemon::store::Erasure {
            ids: vec![id(name)],
            by: "ann".into(),
            reason: "asked to".into(),
            at: time(NOW),
            renewed: Vec::new(),
        };
        store.erase(&erasure).expect("it goes")
    };
    erase(&*store, "a");
    assert_eq!(ids(&walked(&*store, &[])), ["b", "c"]);
    let told = session(&*store, "s").expect("it is there");
    assert!(told.archived.is_some(), "it stays archived");
    archive(&*store, "s");
    store
        .delete_session(&deed("s"), time(NOW))
        .expect("it goes");
    erase(&*store, "c");
    let store = open();
    assert_eq!(
        store.were_erased(&["more", "c", "b"]).expect("an answer"),
        [true, true, false]
    );
    store.undelete_session(&deed("s")).expect("it comes back");
    assert_eq!(ids(&walked(&*open(), &[])), ["b"]);
}

/// Only sessions that hold something forgotten where no question finds it are to be read for it.
pub fn sessions_tell_whether_they_hold_anything_forgotten(open: Open) {
    let store = open();
    fill(&*store);
    make(&*store, "session/none");
    done(&*store, "session/none", vec![add("d", fact("d"))]);
    let told = || -> Vec<String> {
        let sessions = store.sessions_with_forgotten_put_away().expect("an answer");
        sessions.iter().map(ToString::to_string).collect()
    };
    assert_eq!(told(), [""; 0]);
    let deleted = |session| store.delete_session(&deed(session), time(NOW));
    assert!(archive(&*store, "s"));
    assert_eq!(told(), ["s"]);
    deleted("s").expect("it goes");
    deleted("none").expect("it goes");
    assert_eq!(told(), ["s"]);
    store.undelete_session(&deed("s")).expect("it comes back");
    store.restore(&deed("s")).expect("it is opened");
    assert_eq!(told(), [""; 0]);
    deleted("s").expect("it goes");
    assert_eq!(told(), ["s"]);
}
