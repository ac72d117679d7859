//! Content: whatever was handed in comes back, to the last bit.

use mnemon::error::Code;
use mnemon::memory::{Body, Kind, Revision};
use serde_json::json;

use super::Open;
use super::stage::{
    NOW, access, add, batch, create, done, draft, everything, fact, forget, get, handles, id, make,
    object, refused, revise, reword, selected, walked,
};

/// No character means anything to a store.
pub fn any_text_comes_back_as_it_was(open: Open) {
    let texts = [
        "a\nb\r\nc\rd\n",
        "nul \0 and \u{1} and \u{7f}",
        "👩‍👩‍👧 e\u{301} \u{10ffff}",
        "שלום \u{202e}abc\u{202c} مرحبا",
        "\u{feff}\u{2028}\u{2029}\u{85}x",
        "\"\\u0000\" \\ / {\"op\":\"commit\"}",
        " x ",
    ];
    let store = open();
    for (n, text) in texts.into_iter().enumerate() {
        let name = format!("m{n}");
        done(&*store, "shared", vec![add(&name, fact(text))]);
    }
    drop(store);
    let store = open();
    for (n, text) in texts.into_iter().enumerate() {
        assert_eq!(get(&*store, &format!("m{n}")).text.as_str(), text);
    }
}

/// The limit counts bytes of the text, not of how it is written down.
pub fn a_text_of_a_mebibyte_fits_and_one_byte_more_does_not(open: Open) {
    let store = open();
    make(&*store, "session/s");
    let long = "\0".repeat(1 << 20);
    done(&*store, "session/s", vec![add("a", fact(&long))]);
    assert!(get(&*open(), "a").text.as_str() == long);
    let longer = vec![add("b", fact(&"y".repeat((1 << 20) + 1)))];
    assert_eq!(refused(&*store, "session/s", longer), Code::SchemaInvalid);
}

/// Through revisions and changes of kind.
pub fn unknown_fields_of_a_body_are_kept(open: Open) {
    let store = open();
    let given = object(json!({
        "severity": "high",
        "not known": {"n": null, "i": -1, "f": 1.0, "l": [1, {"x": []}]},
        "null": null,
        "": "\u{0}",
    }));
    let mut finding = draft(Kind::Finding, "x");
    finding.body = Body::from_map(Kind::Finding, given.clone()).expect("a body");
    done(&*store, "shared", vec![add("a", finding)]);
    let into = |kind| Revision {
        kind: Some(kind),
        ..Revision::default()
    };
    for kind in [Kind::Fact, Kind::Finding] {
        done(&*store, "shared", vec![revise("a", None, into(kind))]);
        let kept = get(&*open(), "a");
        assert_eq!(kept.kind(), kind);
        assert_eq!(kept.body.to_map(), given);
    }
}

/// Numbers keep their kind, members their names.
pub fn metadata_of_every_shape_is_kept(open: Open) {
    let store = open();
    let mut with = fact("x");
    with.metadata = object(json!({
        "": "", "nul\u{0}": "\u{0}", "null": null, "one": 1, "one point": 1.0,
        "minus nought": -0.0, "big": u64::MAX, "small": i64::MIN, "tiny": 5e-324,
        "third": 1.0 / 3.0, "huge": f64::MAX, "deep": [[[{"a": {"b": []}}]]],
    }));
    let given = with.metadata.clone();
    done(&*store, "shared", vec![add("a", with)]);
    let kept = get(&*open(), "a").metadata;
    assert_eq!(format!("{kept:?}"), format!("{given:?}"));
}

/// The smallest, the largest, and noughts with a sign.
pub fn embeddings_are_kept_bit_for_bit(open: Open) {
    let store = open();
    let mut vector = vec![
        0.0,
        -0.0,
        f32::MIN_POSITIVE,
        f32::MAX,
        f32::MIN,
        1.0 / 3.0,
        0.1,
    ];
    vector.push(f32::from_bits(1));
    // A fixed sequence of all sorts of numbers.
    let bits = (0..2_000_u32).map(|n| n.wrapping_mul(2_654_435_769));
    vector.extend(bits.map(f32::from_bits).filter(|it| it.is_finite()));
    let mut with = fact("x");
    with.embedding = Some(vector.clone());
    done(&*store, "shared", vec![add("a", with)]);
    let kept = get(&*open(), "a").embedding.expect("it has one");
    let bits = |vector: Vec<f32>| vector.into_iter().map(f32::to_bits).collect::<Vec<_>>();
    assert_eq!(bits(kept), bits(vector));
}

/// Memories, sessions, histories and counts.
pub fn what_was_acknowledged_is_there_after_opening_again(open: Open) {
    let store = open();
    let writes = vec![
        create(),
        add("a", fact("x")),
        add("b", draft(Kind::Decision, "y")),
        revise("a", None, reword("z")),
        forget("b"),
        access("a", 3, NOW),
    ];
    let mut batch = batch("session/s", writes);
    batch.by = "bob".into();
    assert!(store.commit(batch).expect("the store keeps it").durable);
    let told = |store: &dyn mnemon::store::Store| {
        let sessions = store.sessions().expect("an answer");
        let history = store.history(&id("a")).expect("an answer");
        (walked(store, &[]), sessions, history)
    };
    let before = told(&*store);
    assert_eq!(before.0.len(), 2);
    drop(store);
    assert_eq!(told(&*open()), before);
}

/// At the next question, in both directions.
pub fn one_handle_sees_what_another_wrote(open: Open) {
    let (one, other) = (open(), open());
    make(&*one, "session/s");
    done(&*other, "session/s", vec![add("a", fact("x"))]);
    done(&*one, "session/s", vec![revise("a", Some(1), reword("y"))]);
    assert_eq!(get(&*other, "a").text.as_str(), "y");
    done(&*other, "session/s", vec![forget("a")]);
    assert!(get(&*one, "a").state.forgotten.is_some());
    let outcomes = done(&*one, "session/s", vec![add("b", fact("z"))]);
    assert_eq!(handles(&outcomes), ["FACT-002"]);
    assert_eq!(selected(&*other, &everything()).1, 2);
}
