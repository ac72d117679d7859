//! Filters: what fits, and what does not.

use mnemon::caller::Sight;
use mnemon::memory::{Body, Draft, Kind, Revision};
use mnemon::store::{Filter, Status, Store};
use serde_json::json;

use super::Open;
use super::stage::{
    NOW, access, add, done, draft, everything, fact, forget, make, object, revise, selected, space,
    time,
};

/// Four memories of which each differs from the others in everything that filters see.
pub(super) fn furnish(store: &dyn Store) {
    make(store, "session/s");
    let with = |kind, text: &str, importance: f64, created: &str, change: fn(&mut Draft)| {
        let mut draft = draft(kind, text);
        draft.importance = importance.try_into().expect("from 0 to 1");
        draft.created_at = Some(time(created));
        change(&mut draft);
        draft
    };
    let decision = with(
        Kind::Decision,
        "Use JSON",
        0.9,
        "2026-01-01T00:00:00Z",
        |it| {
            it.author = Some("ann".parse().expect("a name"));
            it.tags = vec!["db.choice".parse().expect("a tag")];
            it.confidence = Some(0.8.try_into().expect("from 0 to 1"));
        },
    );
    let finding = with(
        Kind::Finding,
        "json is slow",
        0.7,
        "2026-01-02T00:00:00Z",
        |it| {
            it.author = Some("bob".parse().expect("a name"));
            it.tags = vec![
                "db".parse().expect("a tag"),
                "speed".parse().expect("a tag"),
            ];
            it.body
                .resolve("measured again", None, NOW)
                .expect("a finding");
        },
    );
    done(
        store,
        "session/s",
        vec![add("a", decision), add("b", finding)],
    );
    let learning = with(
        Kind::Learning,
        "measure first",
        0.7,
        "2026-01-03T00:00:00Z",
        |it| {
            it.metadata = object(json!({"k": 1, "l": "x"}));
            it.confidence = Some(0.3.try_into().expect("from 0 to 1"));
        },
    );
    done(store, "agent/x", vec![add("c", learning)]);
    let fact = with(Kind::Fact, "pinned", 0.2, "2025-01-01T00:00:00Z", |it| {
        it.pinned = true;
    });
    done(store, "shared", vec![add("d", fact)]);
    let looks = vec![access("c", 2, "2026-01-05T00:00:00Z")];
    done(store, "agent/x", looks);
    let looks = vec![access("a", 1, "2026-01-06T00:00:00Z")];
    done(store, "session/s", looks);
}

/// A name, a change to the filter that leaves all in, and what it selects.
type Case = (&'static str, fn(&mut Filter), &'static [&'static str]);

/// Each part of a filter on its own, and some together.
pub fn filters_select_what_fits(open: Open) {
    let store = open();
    furnish(&*store);
    let cases: [Case; 15] = [
        ("all", |_| (), &["c", "b", "a", "d"]),
        (
            "space",
            |it| it.spaces = vec![space("session/s")],
            &["b", "a"],
        ),
        (
            "another case",
            |it| it.spaces = vec![space("session/S")],
            &[],
        ),
        (
            "spaces",
            |it| it.spaces = vec![space("shared"), space("agent/x")],
            &["c", "d"],
        ),
        (
            "kinds",
            |it| it.kinds = vec![Kind::Fact, Kind::Finding],
            &["b", "d"],
        ),
        (
            "author",
            |it| it.authors = vec!["ann".into(), "Bob".into()],
            &["a"],
        ),
        (
            "since",
            |it| it.since_micros = Some(moment("2026-01-02T00:00:00Z")),
            &["c", "b"],
        ),
        (
            "until",
            |it| it.until_micros = Some(moment("2026-01-01T00:00:00Z")),
            &["a", "d"],
        ),
        (
            "importance",
            |it| it.min_importance = Some(0.7.try_into().expect("from 0 to 1")),
            &["c", "b", "a"],
        ),
        (
            "confidence",
            |it| it.min_confidence = Some(0.3.try_into().expect("from 0 to 1")),
            &["c", "a"],
        ),
        ("open", |it| it.status = Some(Status::Open), &["a"]),
        ("resolved", |it| it.status = Some(Status::Resolved), &["b"]),
        (
            "an agent's sight",
            |it| it.sight = Sight::Agent("y".parse().expect("an agent")),
            &["b", "a", "d"],
        ),
        (
            "what an agent does not see",
            |it| it.sight = Sight::HiddenFrom("y".parse().expect("an agent")),
            &["c"],
        ),
        (
            "two parts",
            |it| {
                it.authors = vec!["bob".into()];
                it.kinds = vec![Kind::Decision];
            },
            &[],
        ),
    ];
    for (name, change, expected) in cases {
        let mut filter = everything();
        change(&mut filter);
        let total = expected.len() as u64;
        let expected = expected.iter().map(ToString::to_string).collect();
        assert_eq!(selected(&*store, &filter), (expected, total), "{name}");
    }
}

fn moment(text: &str) -> i64 {
    time(text).micros()
}

/// `db` is any tag in `db`, but not one that only begins so.
pub fn tags_include_the_tags_below_them(open: Open) {
    let store = open();
    let tagged = |name: &str, tags: &[&str]| {
        let mut tagged = fact(name);
        tagged.tags = tags.iter().map(|tag| tag.parse().expect("a tag")).collect();
        add(name, tagged)
    };
    let writes = vec![
        tagged("a", &["db"]),
        tagged("b", &["db.choice", "x"]),
        tagged("c", &["dbx", "db-x", "db/x"]),
        tagged("d", &[]),
    ];
    done(&*store, "shared", writes);
    let tags = |names: &[&str]| {
        names
            .iter()
            .map(|tag| tag.parse().expect("a tag"))
            .collect()
    };
    let check = |all: &[&str], any: &[&str], none: &[&str], expected: &[&str]| {
        let filter = Filter {
            tags: tags(all),
            any_tags: tags(any),
            not_tags: tags(none),
            ..everything()
        };
        assert_eq!(
            selected(&*store, &filter).0,
            expected,
            "{all:?} {any:?} {none:?}"
        );
    };
    check(&["db"], &[], &[], &["b", "a"]);
    check(&["db", "x"], &[], &[], &["b"]);
    check(&["db.choice"], &[], &[], &["b"]);
    check(&["choice"], &[], &[], &[]);
    check(&[], &["x", "dbx"], &[], &["c", "b"]);
    check(&[], &[], &["db", "none"], &["d", "c"]);
    check(&["db"], &["db", "x"], &["x"], &["a"]);
}

/// Texts bare, all else as JSON; every member that is named must fit.
pub fn metadata_is_compared_as_text(open: Open) {
    let store = open();
    let with = |name: &str, metadata| {
        let mut with = fact(name);
        with.metadata = object(metadata);
        add(name, with)
    };
    let writes = vec![
        with("a", json!({"k": "1", "l": [1, null]})),
        with("b", json!({"k": 1, "": true})),
        with("c", json!({"k": 1.0})),
    ];
    done(&*store, "shared", writes);
    let check = |members: &[(&str, &str)], expected: &[&str]| {
        let members = members
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
        let filter = Filter {
            metadata: members.collect(),
            ..everything()
        };
        assert_eq!(selected(&*store, &filter).0, expected);
    };
    check(&[("k", "1")], &["b", "a"]);
    check(&[("k", "1.0")], &["c"]);
    check(&[("l", "[1,null]")], &["a"]);
    check(&[("k", "1"), ("", "true")], &["b"]);
    check(&[("none", "")], &[]);
}

/// In any script that has cases, and with any character.
pub fn texts_are_searched_whatever_their_case(open: Open) {
    let store = open();
    let writes = vec![
        add("a", fact("Der Große ÄRGER")),
        add("b", fact("50%_\\ nul\0")),
    ];
    done(&*store, "shared", writes);
    let cases = [
        ("ärger", vec!["a"]),
        ("GROSS", vec![]),
        ("%", vec!["b"]),
        ("_\\ NUL\0", vec!["b"]),
        ("e", vec!["a"]),
        ("", vec!["b", "a"]),
    ];
    for (part, expected) in cases {
        let filter = Filter {
            contains: Some(part.into()),
            limit: 1,
            ..everything()
        };
        let first: Vec<&str> = expected.first().copied().into_iter().collect();
        let (page, total) = selected(&*store, &filter);
        assert_eq!(
            (page, total),
            (
                first.iter().map(ToString::to_string).collect(),
                expected.len() as u64
            ),
            "{part}"
        );
    }
}

/// Preferences are found by what they set, as it was last said, and in their space only.
pub fn preferences_are_found_by_their_key(open: Open) {
    let store = open();
    make(&*store, "session/s");
    let preference = |key: &str| {
        let mut draft = draft(Kind::Preference, "as it is set");
        draft.body = Body::from_map(Kind::Preference, object(json!({"key": key}))).expect("a body");
        draft
    };
    let kept = ["tone", "tone", "length"].map(preference);
    let kept = ["a", "b", "c"]
        .into_iter()
        .zip(kept)
        .map(|(id, it)| add(id, it));
    done(
        &*store,
        "session/s",
        kept.chain([add("d", fact("tone"))]).collect(),
    );
    done(&*store, "shared", vec![add("e", preference("tone"))]);
    let found = |key: &str| {
        let filter = Filter {
            spaces: vec![space("session/s")],
            preference_key: Some(key.into()),
            ..everything()
        };
        selected(&*store, &filter)
    };
    assert_eq!(found("tone"), (vec!["b".into(), "a".into()], 2));
    let other = Revision {
        body: object(json!({"key": "length"})),
        ..Revision::default()
    };
    done(&*store, "session/s", vec![revise("b", None, other)]);
    done(&*store, "session/s", vec![forget("c")]);
    assert_eq!(found("tone"), (vec!["a".into()], 1));
    let (mut ids, _) = found("length");
    ids.sort();
    assert_eq!(ids, ["b", "c"]);
    assert_eq!(found("nothing"), (Vec::new(), 0));
}
