//! Sessions: made once, described, closed, and told about.

use mnemon::config::Config;
use mnemon::error::Code;
use mnemon::memory::Kind;
use mnemon::session::{Session, SessionDetails, SessionState};
use mnemon::store::{Store, Write};
use serde_json::json;

use super::Open;
use super::stage::{
    NOW, access, add, batch, create, done, draft, fact, forget, make, object, refused, time, walked,
};

fn session(store: &dyn Store, name: &str) -> Option<Session> {
    store
        .session(&name.parse().expect("an id"))
        .expect("an answer")
}

/// Folders of some file systems would be one and the same.
pub fn session_ids_are_unique_whatever_their_case(open: Open) {
    let store = open();
    make(&*store, "session/Ab");
    for place in ["session/Ab", "session/ab", "session/AB"] {
        let code = refused(&*store, place, vec![create()]);
        assert_eq!(code, Code::SchemaInvalid);
    }
    for name in ["Ab", "aB"] {
        let found = session(&*store, name).expect("it is there");
        assert_eq!(found.id.as_str(), "Ab");
    }
    assert_eq!(session(&*store, "b"), None);
}

/// And only under the id that it was made with.
pub fn only_a_session_that_was_made_takes_memories(open: Open) {
    let store = open();
    make(&*store, "session/s");
    for place in ["session/none", "session/S"] {
        let writes = [
            add("a", fact("x")),
            Write::ChangeSession(SessionDetails::default()),
        ];
        for write in writes {
            let code = refused(&*store, place, vec![write]);
            assert_eq!(code, Code::SessionNotFound);
        }
    }
    assert_eq!(walked(&*store, &[]), []);
    assert_eq!(store.sessions().expect("an answer").len(), 1);
}

/// Every detail comes back; whatever is kept after closing opens again.
pub fn details_of_a_session_can_be_changed_and_it_can_be_closed(open: Open) {
    let store = open();
    let details = SessionDetails {
        agents: vec!["planner".into()],
        compaction: object(json!({"x": 1.5})),
        decay: object(json!({"model": "half_life"})),
        metadata: object(json!({"k": [null, u64::MAX]})),
        phase: Some("design\n".into()),
        preferences: object(json!({"tone": "dry"})),
        project: Some("mnemon".into()),
        tags: vec!["a.b".parse().expect("a tag")],
        user: Some("ann".into()),
        closed_at: None,
        created_at: Some(time("2025-12-24T18:00:00+01:00")),
    };
    done(
        &*store,
        "session/s",
        vec![Write::CreateSession(details.clone())],
    );
    let made = session(&*store, "s").expect("it is there");
    assert_eq!(made.details, details);
    assert_eq!(Some(made.created_at), details.created_at);
    let same = vec![Write::ChangeSession(details.clone())];
    assert!(!done(&*store, "session/s", same)[0].changed);
    let closed = SessionDetails {
        closed_at: Some(time("2026-01-10T13:00:00+01:00")),
        ..details
    };
    let close = vec![Write::ChangeSession(closed.clone())];
    assert!(done(&*store, "session/s", close)[0].changed);
    let found = session(&*store, "s").expect("it is there");
    assert_eq!(found.details, closed);
    assert_eq!(found.created_at, made.created_at);
    assert!(found.detailed_at > made.detailed_at);
    let state = |session: &Session| session.state(time(NOW), &Config::default().sessions);
    assert_eq!(state(&found), SessionState::Idle);
    done(&*store, "session/s", vec![add("a", fact("x"))]);
    let found = session(&*store, "s").expect("it is there");
    assert_eq!(state(&found), SessionState::Active);
}

/// By name, without what was forgotten.
pub fn a_session_tells_who_wrote_in_it(open: Open) {
    let store = open();
    make(&*store, "session/s");
    let by = |name: &str, author: &str, kind, created: &str| {
        let mut by = draft(kind, "x");
        by.author = Some(author.parse().expect("a name"));
        by.created_at = Some(time(created));
        add(name, by)
    };
    let writes = vec![
        by("a", "bob", Kind::Conversation, "2026-01-02T00:00:00Z"),
        by("b", "ann", Kind::Conversation, "2026-01-01T00:00:00Z"),
        by("c", "bob", Kind::Fact, "2026-01-03T02:00:00+02:00"),
        by("d", "bob", Kind::Fact, "2026-01-04T00:00:00Z"),
        by("e", "cat", Kind::Event, "2026-01-05T00:00:00Z"),
        add("f", draft(Kind::Event, "nobody's")),
        forget("d"),
        forget("e"),
    ];
    done(&*store, "session/s", writes);
    let activity = session(&*store, "s").expect("it is there").activity;
    let by_kind = [(Kind::Conversation, 2), (Kind::Fact, 1), (Kind::Event, 1)];
    assert_eq!(activity.by_kind, by_kind.into_iter().collect());
    let told: Vec<_> = activity
        .participants
        .iter()
        .map(|it| (it.name.as_str(), it.messages, it.memories, it.last_active))
        .collect();
    let expected = [
        ("ann", 1, 1, time("2026-01-01T00:00:00Z")),
        ("bob", 1, 2, time("2026-01-03T00:00:00Z")),
    ];
    assert_eq!(told, expected);
}

/// Any write counts, an access too.
pub fn sessions_come_with_the_latest_activity_first(open: Open) {
    let store = open();
    let at = |place: &str, writes, now: &str| {
        let mut batch = batch(place, writes);
        batch.now = time(now);
        store.commit(batch).expect("the store keeps it");
    };
    at(
        "session/b",
        vec![create(), add("x", fact("x"))],
        "2026-01-01T00:00:00Z",
    );
    at("session/a", vec![create()], "2026-01-01T00:00:00Z");
    at("session/c", vec![create()], "2026-01-02T00:00:00Z");
    let order = || {
        let sessions = store.sessions().expect("an answer");
        sessions
            .iter()
            .map(|it| it.id.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(order(), ["c", "a", "b"]);
    at(
        "session/b",
        vec![access("x", 1, NOW)],
        "2026-01-03T00:00:00Z",
    );
    assert_eq!(order(), ["b", "c", "a"]);
    let found = session(&*store, "b").expect("it is there");
    assert_eq!(found.last_activity, time("2026-01-03T00:00:00Z"));
}

/// An agent's memory and the shared one are simply there.
pub fn only_sessions_have_details(open: Open) {
    let store = open();
    for place in ["agent/x", "shared"] {
        let change = Write::ChangeSession(SessionDetails::default());
        for write in [create(), change] {
            let code = refused(&*store, place, vec![write]);
            assert_eq!(code, Code::SchemaInvalid);
        }
    }
    assert_eq!(store.stats().expect("an answer").spaces, []);
}
