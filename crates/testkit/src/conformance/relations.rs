//! Relations: who names whom.

use mnemon::memory::{Body, Draft, Kind, Link, Memory, Revision};
use mnemon::store::Store;
use serde_json::json;

use super::Open;
use super::stage::{add, done, draft, fact, forget, get, id, ids, make, object, restore, revise};

fn linking(to: &[(&str, &str)]) -> Draft {
    let link = |(rel, to): &(&str, &str)| Link {
        rel: rel.parse().expect("a relation"),
        to: id(to),
    };
    Draft {
        links: to.iter().map(link).collect(),
        ..fact("x")
    }
}

fn near(store: &dyn Store, of: &[&str]) -> Vec<String> {
    let of: Vec<Memory> = of.iter().map(|name| get(store, name)).collect();
    ids(&store.neighbours(&of).expect("an answer"))
}

/// Each once, by their ids, across spaces, in one question for several.
pub fn neighbours_are_found_in_both_directions(open: Open) {
    let store = open();
    make(&*store, "session/s");
    let first = vec![add("a", fact("x")), add("b", linking(&[("related", "a")]))];
    done(&*store, "session/s", first);
    let both = linking(&[("resolves", "a"), ("supersedes", "a"), ("led_to", "d")]);
    done(&*store, "agent/x", vec![add("c", both)]);
    let itself = linking(&[("related", "d"), ("related", "nowhere")]);
    done(&*store, "shared", vec![add("d", itself)]);
    for (of, expected) in [
        (&["a"][..], &["b", "c"][..]),
        (&["b"], &["a"]),
        (&["c"], &["a", "d"]),
        (&["d"], &["c", "d"]),
        (&["a", "c"], &["a", "b", "c", "d"]),
        (&[], &[]),
    ] {
        assert_eq!(near(&*open(), of), expected, "{of:?}");
    }
}

/// Handles belong to a session, whatever its case; a text can name an id and a handle.
pub fn neighbours_are_named_in_links_turns_and_bodies(open: Open) {
    let store = open();
    make(&*store, "session/s");
    done(
        &*store,
        "session/s",
        vec![add("t", draft(Kind::Conversation, "hello"))],
    );
    let mut with_turn = fact("x");
    with_turn.turn = Some(id("t"));
    let mut state = draft(Kind::State, "x");
    let body = object(json!({"memory_refs": {"decisions_made": ["dec-1", "S/TURN-1"]}}));
    state.body = Body::from_map(Kind::State, body).expect("a body");
    let mut learning = draft(Kind::Learning, "x");
    let body = object(json!({"learned_from": ["turn-1", "S/DEC-001", "a book"]}));
    learning.body = Body::from_map(Kind::Learning, body).expect("a body");
    let writes = vec![
        add("f", with_turn),
        add("decided", draft(Kind::Decision, "y")),
        add("st", state),
    ];
    done(&*store, "session/s", writes);
    let learned = vec![
        add("l", learning),
        add("dec-1", fact("an id like a handle")),
    ];
    done(&*store, "shared", learned);
    for (of, expected) in [
        ("t", &["f", "st"][..]),
        ("f", &["t"]),
        ("st", &["dec-1", "decided", "t"]),
        ("decided", &["l", "st"]),
        ("dec-1", &["st"]),
        // No session, so no bare handle.
        ("l", &["decided"]),
    ] {
        assert_eq!(near(&*open(), &[of]), expected, "{of}");
    }
}

/// Forgotten ones included: whoever asks leaves them out.
pub fn neighbours_follow_what_a_memory_says_now(open: Open) {
    let store = open();
    let writes = vec![add("a", fact("x")), add("b", linking(&[("related", "a")]))];
    done(&*store, "shared", writes);
    done(&*store, "shared", vec![forget("b")]);
    assert_eq!(near(&*open(), &["a"]), ["b"]);
    let change = Revision {
        remove_links: vec![Link::related(id("a"))],
        add_links: vec![Link::related(id("c"))],
        ..Revision::default()
    };
    let writes = vec![restore("b"), revise("b", None, change), add("c", fact("z"))];
    done(&*store, "shared", writes);
    assert_eq!(near(&*open(), &["a"]), Vec::<String>::new());
    assert_eq!(near(&*open(), &["c"]), ["b"]);
}
