//! What those who listen are told, and what they are not.

#![expect(clippy::unwrap_used, reason = "a test that can't go on should stop")]

use mnemon::engine::NewSession;
use mnemon::event::{Event, Received, SessionChange, Subscription};
use mnemon::memory::{Draft, Kind, Revision, Space};
use mnemon::recall::{Query, Question};
use mnemon::store::{Filter, OnFull};
use mnemon::{Caller, Mnemon};
use serde_json::Value;

struct Desk {
    _folder: tempfile::TempDir,
    engine: Mnemon,
    me: Caller,
}

fn desk() -> Desk {
    let folder = tempfile::tempdir().unwrap();
    let engine = Mnemon::open(folder.path()).unwrap();
    Desk {
        engine,
        me: Caller::user("me"),
        _folder: folder,
    }
}

fn agent(name: &str) -> (Caller, Space) {
    let id: mnemon::memory::AgentId = name.parse().unwrap();
    (Caller::agent(id.clone()), Space::Agent(id))
}

fn draft(kind: Kind, text: &str) -> Draft {
    Draft::new(kind, text.parse().unwrap())
}

/// The events that wait, by their names.
fn names(from: &Subscription) -> Vec<String> {
    events(from)
        .iter()
        .map(|event| match event {
            Event::SessionChanged { change, .. } => {
                let change: Value = serde_json::to_value(change).unwrap();
                format!("session {}", change.as_str().unwrap())
            }
            Event::MemoryForgotten { permanent, .. } => format!("forgotten {permanent}"),
            other => {
                let event = serde_json::to_value(other).unwrap();
                event["event"].as_str().unwrap().to_owned()
            }
        })
        .collect()
}

fn events(from: &Subscription) -> Vec<Event> {
    std::iter::from_fn(|| from.try_next())
        .map(|received| match received {
            Received::Event(published) => published.event,
            Received::Missed(count) => panic!("{count} were missed"),
        })
        .collect()
}

#[test]
fn every_change_of_memories_and_sessions_is_told_in_its_order() {
    let Desk { engine, me, .. } = &desk();
    let listening = engine.subscribe(me, 100, None).unwrap();
    let session = engine.create_session(me, NewSession::default()).unwrap();
    let space = Space::Session(session.clone());
    let kept = engine
        .remember(me, &space, draft(Kind::Fact, "one two"))
        .unwrap();
    let memory = engine.get(me, kept.id.as_str(), None).unwrap();
    let pin = Revision {
        pinned: Some(true),
        ..Revision::default()
    };
    let memory = engine.revise(me, &memory, None, pin).unwrap();
    engine
        .forget(me, std::slice::from_ref(&memory), "wrong")
        .unwrap();
    engine
        .unforget(me, std::slice::from_ref(&memory), "right")
        .unwrap();
    let query = Query::new(Question::parse("two").unwrap(), Filter::all(0));
    engine.recall(me, &query).unwrap();
    engine.close_session(me, &session).unwrap();
    engine.archive_session(me, &session, None).unwrap();
    engine.restore_session(me, &session).unwrap();
    engine.erase(me, &[memory], "private").unwrap();
    engine.delete_session(me, &session, "done").unwrap();
    engine.undelete_session(me, &session, "not done").unwrap();
    engine.delete_session(me, &session, "done").unwrap();
    engine.purge_session(me, &session).unwrap();
    assert_eq!(
        names(&listening),
        [
            "session created",
            "memory_stored",
            "memory_retrieved",
            "memory_revised",
            "forgotten false",
            "memory_restored",
            "search_completed",
            "session changed",
            "session archived",
            "session restored",
            "forgotten true",
            "session deleted",
            "session undeleted",
            "session deleted",
            "session purged",
        ]
    );
}

#[test]
fn an_event_has_names_and_sizes_and_no_content() {
    let Desk { engine, .. } = &desk();
    let (ada, space) = agent("ada");
    let listening = engine.subscribe(&ada, 100, None).unwrap();
    let kept = engine
        .remember(&ada, &space, draft(Kind::Fact, "dark mode"))
        .unwrap();
    engine
        .recall(
            &ada,
            &Query::new(Question::parse("dark").unwrap(), Filter::all(0)),
        )
        .unwrap();
    let told = events(&listening);
    assert_eq!(
        told[0],
        Event::MemoryStored {
            space,
            id: kept.id,
            kind: Kind::Fact,
            importance: 0.5,
            text_bytes: 9,
            encrypted: false,
            embedding_micros: None,
        }
    );
    let Event::SearchCompleted {
        agent,
        query_chars,
        results,
        ..
    } = &told[1]
    else {
        panic!("{:?}", told[1]);
    };
    assert_eq!(agent.as_ref().unwrap().as_str(), "ada");
    assert_eq!((*query_chars, *results), (4, 1));
    assert!(!format!("{told:?}").contains("dark"));
}

#[test]
fn what_is_refused_or_changes_nothing_is_not_told() {
    let Desk { engine, me, .. } = &desk();
    let mut same = draft(Kind::Fact, "one");
    same.id = "one".parse().ok();
    engine.remember(me, &Space::Shared, same.clone()).unwrap();
    let listening = engine.subscribe(me, 100, None).unwrap();
    assert!(!engine.remember(me, &Space::Shared, same).unwrap().new);
    let mut taken = draft(Kind::Fact, "two");
    taken.id = "one".parse().ok();
    let both = vec![draft(Kind::Fact, "three"), taken];
    engine
        .remember_all(me, &Space::Shared, both, OnFull::Refuse)
        .unwrap_err();
    assert_eq!(names(&listening), [""; 0]);
}

#[test]
fn an_agent_is_told_of_what_it_sees_and_of_nothing_else() {
    let Desk { engine, me, .. } = &desk();
    let (ada, ada_space) = agent("ada");
    let (bob, bob_space) = agent("bob");
    let session = engine.create_session(me, NewSession::default()).unwrap();
    let session = Space::Session(session);
    let listening = engine.subscribe(&ada, 100, None).unwrap();
    for (caller, own) in [(&ada, &ada_space), (&bob, &bob_space)] {
        engine
            .remember(caller, own, draft(Kind::Fact, "mine"))
            .unwrap();
        let state = engine
            .remember(caller, &session, draft(Kind::State, "busy"))
            .unwrap();
        let state = engine.find(caller, state.id.as_str(), None).unwrap();
        engine
            .forget(caller, std::slice::from_ref(&state), "over")
            .unwrap();
        engine.erase(caller, &[state], "over").unwrap();
        engine
            .remember(caller, &session, draft(Kind::Fact, "ours"))
            .unwrap();
    }
    let stored = "memory_stored";
    assert_eq!(
        names(&listening),
        // Of the other only what all may know.
        [
            stored,
            stored,
            "forgotten false",
            "forgotten true",
            stored,
            stored
        ]
    );
}

#[test]
fn nobody_who_writes_waits_for_somebody_who_does_not_listen() {
    let Desk { engine, me, .. } = &desk();
    let deaf = engine.subscribe(me, 3, None).unwrap();
    for number in 0..10 {
        let text = format!("number {number}");
        engine
            .remember(me, &Space::Shared, draft(Kind::Fact, &text))
            .unwrap();
    }
    assert_eq!(deaf.try_next(), Some(Received::Missed(7)));
    let Some(Received::Event(eighth)) = deaf.try_next() else {
        panic!("the eighth waits");
    };
    assert_eq!(eighth.sequence, 8);
    drop(deaf);
    engine
        .remember(me, &Space::Shared, draft(Kind::Fact, "one more"))
        .unwrap();
    let back = engine.subscribe(me, 100, Some(eighth.sequence)).unwrap();
    assert_eq!(events(&back).len(), 3);
}

#[test]
fn sessions_are_told_to_all_agents() {
    let Desk { engine, me, .. } = &desk();
    let (ada, _) = agent("ada");
    let listening = engine.subscribe(&ada, 100, None).unwrap();
    let session = engine.create_session(me, NewSession::default()).unwrap();
    let change = SessionChange::Created;
    assert_eq!(
        events(&listening),
        [Event::SessionChanged { session, change }]
    );
}
