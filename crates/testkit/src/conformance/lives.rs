//! What happens to a memory after it was kept.

use mnemon::error::Code;
use mnemon::memory::{Kind, Revision};
use mnemon::store::{Filter, Forgottenness, What};
use serde_json::json;

use super::Open;
use super::stage::{
    NOW, access, add, done, draft, everything, fact, forget, get, id, make, object, refused,
    restore, revise, reword, selected, time,
};

/// Labels may change, what was said may not.
pub fn turns_keep_their_words(open: Open) {
    let store = open();
    make(&*store, "session/s");
    let turn = draft(Kind::Conversation, "said");
    done(&*store, "session/s", vec![add("a", turn)]);
    let rewrites = [
        reword("unsaid"),
        Revision {
            kind: Some(Kind::Fact),
            ..Revision::default()
        },
        Revision {
            body: object(json!({"role": "user"})),
            ..Revision::default()
        },
    ];
    for rewrite in rewrites {
        let writes = vec![revise("a", None, rewrite)];
        assert_eq!(refused(&*store, "session/s", writes), Code::SchemaInvalid);
    }
    let label = Revision {
        pinned: Some(true),
        add_tags: vec!["said".parse().expect("a tag")],
        ..Revision::default()
    };
    let outcomes = done(&*store, "session/s", vec![revise("a", None, label)]);
    assert_eq!(outcomes[0].version, 2);
    assert_eq!(get(&*store, "a").text.as_str(), "said");
}

/// Forgotten memories are found by name and by those who ask for them, and are whole when they come back.
pub fn forgetting_hides_and_restoring_brings_back(open: Open) {
    let store = open();
    done(
        &*store,
        "shared",
        vec![add("a", fact("x")), add("b", fact("y"))],
    );
    let before = get(&*store, "a");
    done(&*store, "shared", vec![forget("a")]);
    let list = |forgotten| {
        let filter = Filter {
            forgotten,
            ..everything()
        };
        selected(&*store, &filter).0
    };
    assert_eq!(list(Forgottenness::Without), ["b"]);
    assert_eq!(list(Forgottenness::Only), ["a"]);
    assert_eq!(list(Forgottenness::With), ["b", "a"]);
    let forgotten = get(&*store, "a").state.forgotten.expect("it is forgotten");
    assert_eq!(forgotten.by, "ann");
    assert_eq!(forgotten.reason, "no longer true");
    assert_eq!(forgotten.recover_until, time("2026-02-09T12:00:00+01:00"));
    assert!(!done(&*store, "shared", vec![forget("a")])[0].changed);
    assert!(done(&*store, "shared", vec![restore("a")])[0].changed);
    assert!(!done(&*store, "shared", vec![restore("a")])[0].changed);
    assert_eq!(get(&*store, "a"), before);
    assert_eq!(list(Forgottenness::Without), ["b", "a"]);
}

/// Every version, every forgetting and every restoring, with who, why and when.
pub fn history_tells_what_happened(open: Open) {
    let store = open();
    let mut first = fact("one");
    first.author = Some("bob".parse().expect("a name"));
    done(&*store, "shared", vec![add("a", first)]);
    let kept = get(&*store, "a");
    done(&*store, "shared", vec![access("a", 1, NOW), forget("a")]);
    done(&*store, "shared", vec![restore("a")]);
    done(&*store, "shared", vec![revise("a", None, reword("two"))]);
    let history = store.history(&id("a")).expect("an answer");
    let told: Vec<_> = history
        .iter()
        .map(|change| {
            let what = match &change.what {
                What::Kept(memory) => format!("kept {} {}", memory.text, memory.version),
                What::Revised(memory) => format!("revised {} {}", memory.text, memory.version),
                What::Forgotten { reason } => format!("forgotten: {reason}"),
                What::Restored { reason } => format!("restored: {reason}"),
            };
            (change.by.clone().unwrap_or_default(), what)
        })
        .collect();
    let expected = [
        ("bob", "kept one 1"),
        ("ann", "forgotten: no longer true"),
        ("ann", "restored: true after all"),
        ("ann", "revised two 2"),
    ];
    assert_eq!(
        told,
        expected.map(|(by, what)| (by.to_owned(), what.to_owned()))
    );
    assert!(history.is_sorted_by(|a, b| a.at < b.at));
    assert_eq!(history[0].what, What::Kept(Box::new(kept)));
    assert_eq!(store.history(&id("nobody")).expect("an answer"), []);
}

/// Counts are sums; an access that is told late does not turn the time back.
pub fn accesses_add_up_and_the_latest_counts(open: Open) {
    let store = open();
    done(&*store, "shared", vec![add("a", fact("x"))]);
    let later = "2026-01-12T12:00:00.000001Z";
    done(&*store, "shared", vec![access("a", 2, later)]);
    done(
        &*store,
        "shared",
        vec![access("a", 3, "2026-01-11T12:00:00+02:00")],
    );
    let kept = get(&*store, "a");
    assert_eq!(kept.state.access_count, 5);
    assert_eq!(kept.state.last_access, Some(time(later)));
    assert_eq!(kept.version, 1);
}
