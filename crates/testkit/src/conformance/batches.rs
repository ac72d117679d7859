//! Batches: whole or not at all, in one space, against the versions that are there.

use mnemon::error::Code;
use mnemon::memory::Revision;

use super::Open;
use super::stage::{
    NOW, access, add, batch, create, done, fact, forget, get, handles, id, make, refused, restore,
    revise, reword, walked,
};

/// Whatever the last write's fault is, nothing of the batch is there.
pub fn a_batch_whose_last_write_fails_leaves_no_trace(open: Open) {
    let store = open();
    make(&*store, "session/s");
    done(&*store, "session/s", vec![add("a", fact("kept"))]);
    let before = (walked(&*store, &[]), store.sessions().expect("an answer"));
    let faults = [
        (add("a", fact("other")), Code::ConcurrentMod),
        (revise("a", Some(7), reword("y")), Code::ConcurrentMod),
        (forget("nobody"), Code::NotFound),
        (create(), Code::SchemaInvalid),
    ];
    for (fault, code) in faults {
        let writes = vec![
            add("b", fact("new")),
            revise("a", Some(1), reword("x")),
            forget("a"),
            access("b", 1, NOW),
            fault,
        ];
        assert_eq!(refused(&*store, "session/s", writes), code);
        let after = (walked(&*store, &[]), store.sessions().expect("an answer"));
        assert_eq!(after, before);
    }
    // Not even a number was used up.
    let outcomes = done(&*store, "session/s", vec![add("b", fact("new"))]);
    assert_eq!(handles(&outcomes), ["FACT-002"]);
}

/// A batch is a sequence.
pub fn later_writes_of_a_batch_see_earlier_ones(open: Open) {
    let store = open();
    let writes = vec![
        create(),
        add("a", fact("one")),
        revise("a", Some(1), reword("two")),
        revise("a", Some(2), reword("three")),
        add("a", fact("one")),
        forget("a"),
        forget("a"),
        restore("a"),
        access("a", 2, NOW),
        access("a", 3, NOW),
    ];
    let outcomes = done(&*store, "session/s", writes);
    let told: Vec<_> = outcomes.iter().map(|it| (it.version, it.changed)).collect();
    assert_eq!(
        told,
        [
            (0, true),
            (1, true),
            (2, true),
            (3, true),
            (3, false),
            (3, true),
            (3, false),
            (3, true),
            (3, true),
            (3, true)
        ]
    );
    let kept = get(&*store, "a");
    assert_eq!((kept.text.as_str(), kept.version), ("three", 3));
    assert_eq!(kept.state.access_count, 5);
    assert_eq!(kept.state.forgotten, None);
    assert_eq!(store.history(&id("a")).expect("an answer").len(), 5);
}

/// The second time is refused, and with it the first.
pub fn a_session_is_made_once_even_within_a_batch(open: Open) {
    let store = open();
    let twice = vec![create(), create()];
    assert_eq!(refused(&*store, "session/s", twice), Code::SchemaInvalid);
    assert_eq!(store.sessions().expect("an answer"), []);
}

/// Nothing to write is nothing written, and no session is needed for it.
pub fn a_batch_without_writes_makes_no_space(open: Open) {
    let store = open();
    for place in ["session/s", "agent/x", "shared"] {
        assert_eq!(done(&*store, place, Vec::new()), []);
    }
    assert_eq!(store.stats().expect("an answer").spaces, []);
    assert_eq!(store.sessions().expect("an answer"), []);
}

/// Who has read an older version is told so.
pub fn a_version_that_is_not_the_expected_one_is_refused(open: Open) {
    let store = open();
    done(&*store, "shared", vec![add("a", fact("one"))]);
    let second = vec![revise("a", Some(1), reword("two"))];
    assert_eq!(done(&*store, "shared", second)[0].version, 2);
    for stale in [0, 1, 3] {
        let writes = vec![revise("a", Some(stale), reword("three"))];
        assert_eq!(refused(&*store, "shared", writes), Code::ConcurrentMod);
    }
    let unchecked = vec![revise("a", None, reword("three"))];
    assert_eq!(done(&*store, "shared", unchecked)[0].version, 3);
}

/// Saying what is so already is no change.
pub fn a_revision_that_changes_nothing_makes_no_version(open: Open) {
    let store = open();
    done(&*store, "shared", vec![add("a", fact("one"))]);
    let kept = get(&*store, "a");
    for revision in [Revision::default(), reword("one")] {
        let outcomes = done(&*store, "shared", vec![revise("a", Some(1), revision)]);
        assert_eq!((outcomes[0].version, outcomes[0].changed), (1, false));
    }
    assert_eq!(get(&*store, "a"), kept);
}

/// A memory of another space is not there, as far as a batch can see.
pub fn a_batch_reaches_its_own_space_only(open: Open) {
    let store = open();
    make(&*store, "session/s");
    done(&*store, "shared", vec![add("a", fact("x"))]);
    let writes = [
        revise("a", None, reword("y")),
        forget("a"),
        restore("a"),
        access("a", 1, NOW),
    ];
    for write in writes {
        for place in ["session/s", "session/none", "agent/x"] {
            let code = refused(&*store, place, vec![write.clone()]);
            assert_eq!(code, Code::NotFound);
        }
    }
}

/// No bytes are enough for nothing; forgetting and looking on stay possible.
pub fn a_full_session_refuses_to_grow_and_lets_go(open: Open) {
    let store = open();
    make(&*store, "session/s");
    done(&*store, "session/s", vec![add("a", fact("x"))]);
    let full = |place: &str, writes| {
        let mut batch = batch(place, writes);
        batch.quota_bytes = Some(1);
        store.commit(batch).map_err(|error| error.code())
    };
    let growing = [add("b", fact("y")), revise("a", None, reword("y"))];
    for write in growing {
        let refusal = full("session/s", vec![write]);
        assert_eq!(refusal, Err(Code::SizeLimit));
    }
    for write in [add("a", fact("x")), access("a", 1, NOW), forget("a")] {
        assert!(full("session/s", vec![write]).is_ok());
    }
    // An agent's long-term memory is bounded by what it licensed.
    let refusal = full("agent/x", vec![add("c", fact("z"))]);
    assert_eq!(refusal, Err(Code::Quota));
}
