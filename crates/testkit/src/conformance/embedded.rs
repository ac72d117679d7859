//! Sets of vectors: what waits for one, and what is found by it.

use mnemon::embed::{SetName, TextKey, Vector};
use mnemon::recall::Probe;
use mnemon::store::{Erasure, SetState, Store};

use super::Open;
use super::stage::{
    NOW, add, done, everything, fact, forget, get, id, make, restore, revise, reword, time,
};

fn set() -> SetName {
    SetName {
        embedder: "test:one".into(),
        dimension: 3,
    }
}

fn vector(components: [i8; 3]) -> Option<Vector> {
    Vector::from_components(&components)
}

fn key(store: &dyn Store, name: &str) -> TextKey {
    TextKey::of(&get(store, name)).expect("it is not sensitive")
}

/// The texts that wait, in their order.
fn waiting(store: &dyn Store) -> Vec<String> {
    let waiting = store.waiting(&set(), 100).expect("an answer");
    let mut texts: Vec<String> = waiting.texts.into_iter().map(|it| it.text).collect();
    texts.sort();
    assert_eq!(texts.len() as u64, waiting.count);
    texts
}

fn state(store: &dyn Store) -> SetState {
    let mut found = SetState::default();
    let mut look = |view: &dyn mnemon::store::View| {
        found = view.set_state(&set())?;
        Ok(())
    };
    store.look(&mut look).expect("an answer");
    found
}

/// The ids of what is near to a direction, the nearest first, and how near each is.
fn near(store: &dyn Store, components: [i8; 3]) -> Vec<(String, f32)> {
    let probe = Probe {
        by_meaning: true,
        near: 0.0,
        filter: everything(),
        terms: Vec::new(),
        demanded: 0,
        vector: vector(components),
        set: Some(set()),
        most: usize::MAX,
        with_neighbours: false,
        deadline: None,
    };
    let mut found = Vec::new();
    let mut look = |view: &dyn mnemon::store::View| {
        let candidates = view.candidates(&probe)?.list;
        let keys: Vec<_> = candidates.iter().map(|it| it.key).collect();
        let cosines = candidates.iter().map(|it| it.cosine);
        let ids = view.load(&keys)?.into_iter().map(|it| it.id.to_string());
        found = ids.zip(cosines).collect();
        Ok(())
    };
    store.look(&mut look).expect("an answer");
    let mut near: Vec<(String, f32)> = found
        .into_iter()
        .filter_map(|(id, cosine)| Some((id, cosine?)))
        .filter(|(_, cosine)| *cosine > 0.0)
        .collect();
    near.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    near
}

fn names(near: &[(String, f32)]) -> Vec<&str> {
    near.iter().map(|(id, _)| id.as_str()).collect()
}

/// A revised text waits anew; the old one's vector is found by nobody.
pub fn texts_wait_until_their_vectors_are_put(open: Open) {
    let store = open();
    make(&*store, "session/s");
    let three = ["one", "two", "three"].map(|text| add(text, fact(text)));
    done(&*store, "session/s", three.to_vec());
    assert_eq!(waiting(&*store), ["one", "three", "two"]);
    let two = store.waiting(&set(), 2).expect("an answer");
    assert_eq!((two.texts.len(), two.count), (2, 3));
    assert!(near(&*store, [1, 0, 0]).is_empty());
    let vectors = [
        (key(&*store, "one"), vector([1, 0, 0])),
        (key(&*store, "two"), vector([1, 1, 0])),
    ];
    store.put_vectors(&set(), &vectors).expect("they are kept");
    for store in [store, open()] {
        assert_eq!(waiting(&*store), ["three"]);
        let near = near(&*store, [1, 0, 0]);
        assert_eq!(names(&near), ["one", "two"]);
        assert!((near[0].1 - 1.0).abs() < 1e-6 && (near[1].1 - 0.5_f32.sqrt()).abs() < 1e-6);
    }
    let store = open();
    done(
        &*store,
        "session/s",
        vec![revise("one", None, reword("four"))],
    );
    assert_eq!(waiting(&*store), ["four", "three"]);
    assert_eq!(names(&near(&*store, [1, 0, 0])), ["two"]);
    done(
        &*store,
        "session/s",
        vec![revise("one", None, reword("one"))],
    );
    assert_eq!(names(&near(&*store, [1, 0, 0])), ["one", "two"]);
    let other = SetName {
        embedder: "test:other".into(),
        ..set()
    };
    assert_eq!(store.waiting(&other, 0).expect("an answer").count, 3);
}

/// They are handed to nobody; what was forgotten later is still found by who looks for it.
pub fn what_is_forgotten_or_sensitive_waits_for_no_vector(open: Open) {
    let store = open();
    let mut secret = fact("secret");
    secret.sensitive = true;
    let two = vec![
        add("a", fact("public")),
        add("b", secret),
        add("c", fact("gone")),
    ];
    done(&*store, "shared", two);
    done(&*store, "shared", vec![forget("c")]);
    assert_eq!(waiting(&*store), ["public"]);
    assert_eq!((state(&*store).memories, state(&*store).waiting), (1, 1));
    let vectors = [(key(&*store, "a"), vector([1, 0, 0]))];
    store.put_vectors(&set(), &vectors).expect("they are kept");
    done(&*store, "shared", vec![forget("a"), restore("c")]);
    assert_eq!(waiting(&*store), ["gone"]);
    assert_eq!(names(&near(&*store, [1, 0, 0])), ["a"]);
    assert_eq!((state(&*store).memories, state(&*store).waiting), (1, 1));
}

/// And stays so, however much comes later.
pub fn a_set_says_when_it_was_complete(open: Open) {
    let store = open();
    done(&*store, "shared", vec![add("a", fact("one"))]);
    let expected = |complete, memories, waiting| SetState {
        complete,
        memories,
        waiting,
    };
    assert_eq!(state(&*store), expected(false, 1, 1));
    let none = [(key(&*store, "a"), None)];
    store.put_vectors(&set(), &none).expect("they are kept");
    assert_eq!(state(&*store), expected(false, 1, 0));
    assert!(near(&*store, [1, 0, 0]).is_empty());
    store.complete_set(&set()).expect("it is noted");
    assert_eq!(state(&*open()), expected(true, 1, 0));
    done(
        &*store,
        "shared",
        vec![add("b", fact("two")), add("c", fact("three"))],
    );
    assert_eq!(state(&*open()), expected(true, 3, 2));
    assert!(!state(&*store).is_usable());
}

/// The first one that is put stays; a vector that a memory brought is told.
pub fn a_vector_serves_all_that_say_the_same(open: Open) {
    let store = open();
    let mut own = fact("same");
    own.embedding = Some(vec![0.0, 0.0, 1.0]);
    done(
        &*store,
        "shared",
        vec![add("a", fact("same")), add("b", own)],
    );
    done(&*store, "agent/x", vec![add("c", fact("same"))]);
    let waiting = store.waiting(&set(), 100).expect("an answer");
    assert_eq!(waiting.count, 2);
    assert_eq!((state(&*store).memories, state(&*store).waiting), (3, 3));
    for text in waiting.texts {
        let put = match text.own {
            Some(own) => Vector::nearest_to(&own),
            None => vector([1, 0, 0]),
        };
        for vector in [put, vector([0, 1, 0])] {
            let put = store.put_vectors(&set(), &[(text.key, vector)]);
            put.expect("it is kept or was there");
        }
    }
    assert_eq!(names(&near(&*store, [1, 0, 0])), ["a", "c"]);
    assert_eq!(names(&near(&*store, [0, 0, 1])), ["b"]);
    assert!(near(&*store, [0, 1, 0]).is_empty());
    assert_eq!(state(&*open()).waiting, 0);
}

/// What is forgotten may come back, and keeps its vector.
pub fn erasing_takes_vectors_along_unless_others_say_the_same(open: Open) {
    let store = open();
    let texts = [("a", "one"), ("b", "two"), ("c", "two"), ("d", "three")];
    let adds = texts.map(|(name, text)| add(name, fact(text)));
    done(&*store, "shared", adds.to_vec());
    let vectors = ["a", "b", "d"].map(|name| (key(&*store, name), vector([1, 0, 0])));
    store.put_vectors(&set(), &vectors).expect("they are kept");
    store.complete_set(&set()).expect("it is noted");
    done(&*store, "shared", vec![forget("d")]);
    let erasure = Erasure {
        ids: vec![id("a"), id("b")],
        by: "ann".into(),
        reason: "wrong".into(),
        at: time(NOW),
        renewed: Vec::new(),
    };
    store.erase(&erasure).expect("they are gone");
    assert_eq!(names(&near(&*store, [1, 0, 0])), ["c", "d"]);
    let again = vec![add("e", fact("one")), restore("d")];
    done(&*store, "shared", again);
    assert_eq!(waiting(&*open()), ["one"]);
    assert!(state(&*open()).complete);
}
