//! Handles: short names, counted for each session and kind.

use mnemon::memory::{Handle, Kind, Revision};

use super::Open;
use super::stage::{add, by_handle, done, draft, fact, forget, get, handles, make, revise};

/// Each session counts its own.
pub fn handles_are_counted_by_kind_and_session(open: Open) {
    let store = open();
    for place in ["session/s", "session/t"] {
        make(&*store, place);
        let writes = [Kind::Decision, Kind::Conversation, Kind::Decision]
            .into_iter()
            .enumerate()
            .map(|(n, kind)| add(&format!("{}{n}", &place[8..]), draft(kind, "x")));
        let outcomes = done(&*store, place, writes.collect());
        assert_eq!(handles(&outcomes), ["DEC-001", "TURN-1", "DEC-002"]);
    }
    assert_eq!(by_handle(&*store, "t", "DEC-002").as_deref(), Some("t2"));
}

/// Neither forgetting, nor another kind, nor opening again frees a number.
pub fn handles_are_never_used_again(open: Open) {
    let store = open();
    make(&*store, "session/s");
    done(&*store, "session/s", vec![add("a", fact("x"))]);
    let event = Revision {
        kind: Some(Kind::Event),
        ..Revision::default()
    };
    let writes = vec![revise("a", None, event), forget("a")];
    done(&*store, "session/s", writes);
    drop(store);
    let store = open();
    let next = vec![add("b", fact("y")), add("c", draft(Kind::Event, "z"))];
    let outcomes = done(&*store, "session/s", next);
    assert_eq!(handles(&outcomes), ["FACT-002", "EVENT-001"]);
    // A memory keeps the handle that it was kept with.
    assert_eq!(by_handle(&*store, "s", "FACT-001").as_deref(), Some("a"));
}

/// What comes back from an export gets its old name, unless that is taken.
pub fn a_handle_that_was_asked_for_is_given_if_it_is_still_to_come(open: Open) {
    let store = open();
    make(&*store, "session/s");
    let wanting = |name: &str, number| {
        let mut wanting = fact(name);
        let kind = Kind::Fact;
        wanting.handle = Some(Handle { kind, number });
        add(name, wanting)
    };
    let writes = vec![
        wanting("a", 7),
        wanting("b", 7),
        wanting("c", 3),
        wanting("d", 0),
    ];
    let outcomes = done(&*store, "session/s", writes);
    assert_eq!(
        handles(&outcomes),
        ["FACT-007", "FACT-008", "FACT-009", "FACT-010"]
    );
}

/// Nobody can use up the numbers by asking for the last one.
pub fn a_huge_handle_leaves_numbers_for_the_others(open: Open) {
    let store = open();
    make(&*store, "session/s");
    let mut last = fact("x");
    last.handle = Some(Handle {
        kind: Kind::Fact,
        number: u32::MAX,
    });
    done(&*store, "session/s", vec![add("a", last)]);
    let writes = vec![add("b", fact("y")), add("c", fact("z"))];
    let given = handles(&done(&*store, "session/s", writes));
    assert_ne!(given[0], given[1]);
    let found = by_handle(&*store, "s", &given[1]);
    assert_eq!(found.as_deref(), Some("c"));
}

/// `S/FACT-001` and `s/FACT-001` are the same.
pub fn handles_are_found_in_their_session_whatever_its_case(open: Open) {
    let store = open();
    make(&*store, "session/Ab");
    done(&*store, "session/Ab", vec![add("a", fact("x"))]);
    for session in ["Ab", "ab", "AB"] {
        let found = by_handle(&*store, session, "FACT-001");
        assert_eq!(found.as_deref(), Some("a"));
    }
    assert_eq!(by_handle(&*store, "Ab", "FACT-002"), None);
    assert_eq!(by_handle(&*store, "b", "FACT-001"), None);
}

/// Elsewhere ids are the only names.
pub fn only_memories_of_sessions_have_handles(open: Open) {
    let store = open();
    for (place, name) in [("agent/x", "a"), ("shared", "b")] {
        let outcomes = done(&*store, place, vec![add(name, fact("x"))]);
        assert_eq!(outcomes[0].handle, None);
        assert_eq!(get(&*store, name).handle, None);
    }
}
